package import AppSettings

/// Checks the files of a target for problems. It only reads.
package struct SettingsCheck {
  var location: SettingsLocation
  let schema: SettingsSchema?
  private let names: PathTree
  private let presentNames: PathTree
  private let unknownKey: UnknownKey
  let system = Syscalls()
  var findings: [SettingsFinding] = []
  /// The files read so far.
  private var lower: LowerLayers

  private init(_ location: SettingsLocation, _ schema: SettingsSchema?) {
    self.location = location
    self.schema = schema
    let keys = schema?.keys ?? []
    names = PathTree(keys)
    var present = PathTree(capacity: keys.count)
    for (index, key) in keys.enumerated() { present.insert(key.path, index) }
    presentNames = present
    unknownKey = UnknownKey(among: keys)
    lower = LowerLayers(keys: keys)
  }

  /// Returns all findings, by file from the lowest layer up, and by line in each.
  ///
  /// - Parameters:
  ///   - location: The target.
  ///   - schema: The app's schema; without it, only what the files themselves show is checked.
  ///   - checksOwn: Whether to check the target's own file, too, besides the layers below it.
  ///   - project: The project whose file to check, too.
  ///   - others: The person's other files, each to be checked as the own one. They share what is read below them.
  package static func findings(
    at location: SettingsLocation, schema: SettingsSchema?, checksOwn: Bool = true, project: SettingsProject? = nil,
    others: [SettingsLocation] = []
  ) -> [SettingsFinding] {
    var check = SettingsCheck(location, schema)
    let problems = ProblemLog(logger: .silent)
    let systemFiles = SystemFiles.paths(of: location, system: check.system, problems: problems)
    for problem in problems.current {
      check.findings.append(SettingsFinding(.unreadable, problem.message, file: problem.file ?? location.file))
    }
    for file in systemFiles { check.look(at: file, .system) }
    check.lookAtDeclaredFiles()
    let lowest = check
    check.lookAtUsersFile()
    check.lookAtInheritedProfiles()
    var listed: [ExactKey: [String]] = [:]
    if checksOwn { check.lookAtOwnFile(&listed) }
    if let project { check.look(at: project) }
    check.lookAtCredentials()
    return check.findings + lowest.findings(ofOthers: others, notAmong: check)
  }

  mutating func look(at file: String, _ kind: SettingsLayer.Kind) {
    let contents: SettingsFile.Contents
    do throws(SettingsError) {
      contents = try SettingsFile(path: file, system: system).read()
    } catch {
      if kind == .system, SystemFiles.isMask(file, system) { return }
      findings.append(SettingsFinding(.unreadable, error.description, file: file))
      return
    }
    guard let bytes = contents.bytes else { return }
    let original: TOMLDocument
    do {
      original = try TOMLDocument(parsing: bytes)
    } catch {
      let excerpt = error.formatted(file: file).split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
      let hidesText = schema?.hasSecrets == true || !Redaction.shows(lineOf: error, in: bytes)
      findings.append(
        SettingsFinding(
          .unparsable, hidesText ? error.discreetMessage : error.message, file: file, position: error.position,
          excerpt: hidesText ? nil : excerpt.joined(separator: "\n")))
      return
    }
    var checked = CheckedFile(path: file, kind: kind, original: original)
    migrate(&checked)
    checkReserved(&checked)
    checkKeys(&checked)
    lower.check(&checked, removal: removal(from: file, kind))
    if let permissions = contents.status?.permissions { checkPermissions(permissions, &checked) }
    findings += checked.findings.sorted { ($0.position?.byteOffset ?? 0) < ($1.position?.byteOffset ?? 0) }
    if file != location.file { addLayer(checked) }
  }

  /// The command that removes values from a file of the user's, without a key; `nil` for other files.
  private func removal(from file: String, _ kind: SettingsLayer.Kind) -> String? {
    guard let app = location.app, location.personal?.profilesDirectory != nil, kind == .user || kind == .profile else {
      return nil
    }
    let layer =
      switch kind {
      case _ where file == location.file: ""
      case .user: " --layer user"
      default: " --layer profile:\(file.lastPathPart.droppingLastBytes(".toml".utf8.count))"
      }
    return "settings-cli unset \(app)\(layer)"
  }

  // MARK: Versions

  /// Brings the document into the form that the app would have in memory.
  private func migrate(_ file: inout CheckedFile) {
    let position = file.original.position(of: SettingsFormat.versionPath)
    do throws(SettingsError) {
      let version = try SettingsMigrations.version(of: file.original)
      guard let migrations = schema?.migrations else { return }
      file.isCurrent = version == migrations.currentVersion
      if version > migrations.currentVersion {
        file.add(
          .newerVersion,
          "The file has settings version \(version), and the app's schema knows versions up to "
            + "\(migrations.currentVersion). It is not written before the app is updated.", at: position)
      }
      let pending = migrations.pending(from: version)
      // Steps of code belong to the app, so the keys that they create are unknown here.
      if pending.isEmpty || pending.contains(where: { $0.steps.contains(where: StepForms.needsTheApp) }) { return }
      try migrations.run(on: &file.document)
      file.isCurrent = true
    } catch {
      file.isCurrent = false
      file.add(.migrationFails, error.message, at: error.position ?? position)
    }
  }

  // MARK: Reserved keys

  private func checkReserved(_ file: inout CheckedFile) {
    let (document, kind) = (file.original, file.kind)
    for name in document.childKeys(of: .root) ?? [] where SettingsFormat.isReserved(name) {
      // One position for all entries of a list of locks.
      let position = file.position(of: [name])
      func add(_ message: String, _ suggestion: String? = nil, kind: SettingsFinding.Kind = .reserved) {
        file.add(kind, message, key: [name], at: position, suggestion: suggestion)
      }
      switch name {
      case "settings-version": break
      // Documents of a fleet are administrators' files. Its mirror checks what is in the table.
      case "settings-sealed" where kind == .system || location.app == nil: break
      case "settings-sealed":
        add("'settings-sealed' does nothing here: only documents of a fleet have sealed values.")
      case "settings-inherits" where kind == .profile:
        if let fault = linkFault(in: document, file.path) {
          add("'settings-inherits' cannot be used: \(fault). Nothing is inherited here.")
        }
      case "settings-inherits":
        add("'settings-inherits' does nothing here: only the file of a profile can inherit another profile.")
      case "settings-history":
        if case .boolean? = document[SettingsFormat.historyPath] { break }
        add(
          "'settings-history' is \(document[SettingsFormat.historyPath]?.kindName ?? "a table"), but must be true or false."
        )
      case "settings-locked":
        // A file by its path may become an administrator's.
        if kind != .system, location.app != nil {
          add("'settings-locked' does nothing here: it locks keys in administrators' files only.")
        } else {
          let locks = TextReader(migrations: .none, acceptsAnyVersion: true).locks(in: document, file: file.path)
          for error in locks.errors { add(error.message) }
          var unknown = 0
          for path in locks.entries.map(\.path) {
            let places = places(of: path, in: document)
            if let secret = places.lazy.compactMap(lower.secret(around:)).first {
              if !places.contains(where: isKnown) {
                add("'settings-locked' names a part of the secret '\(secret)' that the app does not have.")
              } else if let present = presentName(of: [secret]) {
                add(
                  "'settings-locked' names a part of '\(secret)', a former name of '\(present)', which it locks.",
                  present.description, kind: .formerName)
              }
            } else if !places.contains(where: isKnown) {
              unknown += 1
              guard unknown <= Self.unknownLimit else { continue }
              let nearest = unknown <= Self.suggestionLimit ? nearest(to: path) : nil
              add(
                "'settings-locked' names '\(path)', which the app does not have.\(Self.hint(nearest?.description))",
                nearest?.description)
            } else if let present = presentName(of: places) {
              add(
                "'settings-locked' names '\(path)', a former name of '\(present)', which it locks.",
                present.description, kind: .formerName)
            } else if let (former, present, others) = formerName(within: places) {
              let more = others == 0 ? "" : " and \(others) more key\(others == 1 ? "" : "s")"
              add(
                "'settings-locked' names '\(path)', the table of '\(former)', a former name of '\(present)': it locks "
                  + "'\(present)'\(more), too.", present.description, kind: .formerName)
            }
          }
          if unknown > Self.unknownLimit {
            add("'settings-locked' names \(unknown - Self.unknownLimit) more keys that the app does not have.")
          }
        }
      default:
        if let (message, nearest) = UnknownKey.reserved(name) { add(message, nearest) }
      }
    }
  }

  private mutating func addLayer(_ file: CheckedFile) {
    let reader = TextReader(migrations: .none, acceptsAnyVersion: true)
    let locks = file.kind == .system ? reader.locks(in: file.original, file: file.path).entries : []
    lower.add(
      file.document, file: file.path,
      locks: locks.flatMap { lock in
        places(of: lock.path, in: file.original).map { LockEntry($0, reason: lock.reason) }
      },
      line: file.original.position(of: SettingsFormat.locksPath)?.line)
  }

  /// The present places of a path that an older file names, after its migrations.
  private func places(of path: TOMLPath, in document: TOMLDocument) -> [TOMLPath] {
    guard let migrations = schema?.migrations, let version = try? SettingsMigrations.version(of: document) else {
      return [path]
    }
    return migrations.places(of: [path], from: version)
  }

  // MARK: Keys

  private var keys: [SchemaKey] { schema?.keys ?? [] }

  private func isKnown(_ path: TOMLPath) -> Bool { keys.isEmpty || names.touches(path) }

  /// The present name of a path with some known places, if the path is a former name of a key or part of one.
  private func presentName(of places: [TOMLPath]) -> TOMLPath? {
    guard !places.contains(where: presentNames.touches) else { return nil }
    for place in places {
      guard let key = names.key(around: place).map({ keys[$0] }),
        let name = key.formerPaths.first(where: { place.hasPrefix($0) })
      else { continue }
      return key.path.appending(place.rest(below: name))
    }
    return nil
  }

  /// The first former name within some tables whose key is now elsewhere, with the key's present name and the number of
  /// further ones.
  private func formerName(within places: [TOMLPath]) -> (former: TOMLPath, present: TOMLPath, others: Int)? {
    let indices = Set(places.flatMap(names.keys(atOrBelow:))).sorted()
    let found = indices.compactMap { index -> (former: TOMLPath, present: TOMLPath)? in
      let key = keys[index]
      guard !places.contains(where: key.path.hasPrefix) else { return nil }
      return key.formerPaths.first { former in places.contains(where: former.hasPrefix) }.map { ($0, key.path) }
    }
    return found.first.map { ($0.former, $0.present, found.count - 1) }
  }

  private func nearest(to path: TOMLPath) -> TOMLPath? {
    unknownKey.suggestion(for: path, around: names.key(around: path).map { keys[$0] })
  }

  private static func hint(_ suggestion: String?) -> String { suggestion.map { " Did you mean '\($0)'?" } ?? "" }

  private func checkKeys(_ file: inout CheckedFile) {
    guard !keys.isEmpty else { return }
    var unknown = 0
    func add(_ value: TOMLPath, part: [String] = [], in secret: TOMLPath? = nil) {
      unknown += 1
      // This may be another app's file or a generated one: a thousand reports are enough.
      guard unknown <= Self.unknownLimit else { return }
      let (path, position) = (value.appending(TOMLPath(part)), file.position(of: value, part: part))
      if let secret {
        return file.add(.unknownKey, UnknownKey.message(inSecret: secret), key: secret, at: position)
      }
      let nearest = unknown <= Self.suggestionLimit ? nearest(to: path) : nil
      file.add(
        .unknownKey, UnknownKey.message(path, nearest), key: Self.named(path.components), at: position,
        suggestion: nearest.map(UnknownKey.text))
    }
    let document = file.document
    for key in keys {
      for path in key.paths where document.contains(path) {
        checkValue(of: key, at: path, &file)
        guard file.isCurrent, let value = document[path] else { continue }
        for part in key.type.unknownFields(in: value) { add(path, part: part, in: key.isSecret ? path : nil) }
      }
    }
    walk(document, .root) { path in
      if names.key(at: path) != nil { return false }
      guard names.key(below: path) != nil else {
        if !file.isCurrent || path.isReserved { return false }
        add(path)
        return false
      }
      guard !document.isTable(at: path) else { return true }
      file.add(
        .invalidValue,
        "'\(path)' is \(document[path]?.kindName ?? "a value"), but must be a table: there are keys in it.", key: path,
        at: file.position(of: path))
      return false
    }
    guard unknown > Self.unknownLimit else { return }
    file.add(.unknownKey, "There are \(unknown - Self.unknownLimit) unknown keys more.")
  }

  /// A path up to the first element of an array, which no key names.
  private static func named(_ path: [String]) -> TOMLPath {
    TOMLPath(Array(path.prefix { !SettingsValueError.isIndex($0) }))
  }

  private static let unknownLimit = 1000
  /// The number of unknown keys with a suggestion, which takes a comparison with every key.
  private static let suggestionLimit = 100

  /// Visits the keys of a document from the root down; enters a table if `body` returns `true`.
  private func walk(_ document: TOMLDocument, _ path: TOMLPath, _ body: (TOMLPath) -> Bool) {
    for name in document.childKeys(of: path) ?? [] {
      let child = path.appending(name)
      if body(child) { walk(document, child, body) }
    }
  }

  private func checkValue(of key: SchemaKey, at path: TOMLPath, _ file: inout CheckedFile) {
    if path != key.path {
      let isVoid = file.document.contains(key.path)
      file.add(
        .formerName,
        "'\(path)' is a former name of '\(key.path)'\(isVoid ? ", which is set as well and counts" : "").", key: path,
        at: file.position(of: path), suggestion: key.path.description)
      if isVoid { return }
    }
    guard let value = file.document[path] else { return }
    let errors = key.type.errors(in: value)
    for error in errors.prefix(Self.unknownLimit) {
      let error = key.isSecret ? error.redacted : error
      file.add(
        .invalidValue, lack(error, at: path, of: key) ?? error.clause(about: "'\(path)'") + ".",
        key: key.isSecret ? path : path.appending(Self.named(error.path)),
        at: file.position(of: path, part: error.path))
    }
    guard errors.count > Self.unknownLimit else { return }
    file.add(.invalidValue, "'\(path)' has \(errors.count - Self.unknownLimit) invalid parts more.", key: path)
  }

  /// What a record or the key's whole value lacks; `nil` for another error.
  private func lack(_ error: SettingsValueError, at path: TOMLPath, of key: SchemaKey) -> String? {
    guard error.isMissing, key.type.kind == .records, !key.isSecret, let id = error.path.first else {
      return error.isMissing && key.type.kind == .table ? error.lack(in: path, isRecord: false) : nil
    }
    var inner = error
    inner.path.removeFirst()
    return inner.lack(in: path.appending(id), isRecord: true)
  }

  // MARK: Permissions

  private func checkPermissions(_ permissions: UInt32, _ file: inout CheckedFile) {
    let mode = String(permissions, radix: 8)
    let path = PathText.word(file.path) ?? file.path
    if permissions & 0o022 != 0 {
      file.add(.permissions, "Other users may change the file (mode \(mode)). Run 'chmod go-w \(path)'.")
    }
    guard permissions & 0o077 != 0 else { return }
    let advice = file.kind == .system ? "" : " Run 'chmod go= \(path)'."
    for key in keys where key.isSecret {
      for path in key.paths where file.document.contains(path) {
        file.add(
          .permissions, "The secret '\(path)' is in a file that other users may open (mode \(mode)).\(advice)",
          key: path, at: file.position(of: path))
      }
    }
  }
}

extension SchemaType {
  /// What is wrong with a stored value: the first problem of each part that a key can name.
  fileprivate func errors(in value: TOMLValue) -> [SettingsValueError] {
    do throws(SettingsValueError) {
      try check(value, isStored: true)
      return []
    } catch {
      guard kind == .table || kind == .records, case .table(let table) = value else { return [error] }
      // The first one may be about the table as a whole.
      var errors = [error]
      var known: Set = [error]
      func add(_ error: SettingsValueError) { if known.insert(error).inserted { errors.append(error) } }
      entryErrors(in: table).forEach(add)
      let record = kind == .records ? record : nil
      for (name, part) in table {
        for var error in (record ?? element ?? field(name)?.type)?.errors(in: part) ?? [] {
          error.path.insert(name, at: 0)
          add(error)
        }
      }
      missingFields(in: table).forEach(add)
      return errors
    }
  }
}
