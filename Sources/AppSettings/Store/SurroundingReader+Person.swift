import Glibc
import SettingsTOML

// The layers above the own one: the project's file and credentials.

extension SettingsProject {
  /// Reads the project's file once, for a check.
  ///
  /// - Returns: The file, if there is one that may be used, and what is wrong with it.
  package func read(
    app: String, migrations: SettingsMigrations, system: Syscalls
  ) -> (file: String?, problems: [SettingsProblem]) {
    var reading = SurroundingReader(
      reader: TextReader(migrations: migrations, acceptsAnyVersion: false), system: system, evidence: nil, known: [],
      watches: [:])
    reading.readProject(self, app: app)
    let problems = reading.result.problems
    let broken = problems.first { [.unparsable, .migrationFailed, .newerVersion].contains($0.code) }?.file
    return (reading.result.upper.first?.layer.file ?? broken, problems)
  }
}

extension SurroundingReader {
  /// Reads the nearest file of a project, and keeps only the keys that may be set there.
  mutating func readProject(_ project: SettingsProject, app: String) {
    let name = ".\(app).toml"
    let directory: String
    do throws(SettingsError) {
      directory = try PhysicalPath(project.directory, system: system).description
    } catch {
      return note(error, using: "No project is used.")
    }
    // A link along the path may lead to another directory later.
    if !directory.isBytewise(project.directory) { result.watched.files.append("\(project.directory)/\(name)") }
    for path in SettingsProject.candidates(name, upwardsFrom: directory) {
      result.watched.files.append(path)
      do throws(SettingsError) {
        guard let content = try readProject(at: path, project) else { continue }
        result.upper.append(content)
      } catch {
        note(error, using: "No project is used.")
      }
      return
    }
  }

  /// - Returns: The layer; the previous project layer if a program seems to be saving this file; `nil` if there is no
  ///   file.
  private mutating func readProject(
    at path: String, _ project: SettingsProject
  ) throws(SettingsError) -> LayerContent? {
    let last = known.first { $0.layer.kind == .project }
    let same = last?.layer.file?.isBytewise(path) == true ? last : nil
    let status = try SettingsError.ofSystem("read", path) { try system.status(at: path, followingLinks: false) }
    if let status { try check(status, path) } else if same == nil { return nil }
    let contents = try SettingsFile(path: path, system: system).openAndRead(
      path, in: Syscalls.workingDirectory, followingLinks: false
    ).contents
    if let status = contents.status { try check(status, path) }
    guard let bytes = settled(contents, at: path, since: same) else { return isWaiting(for: path) ? last : nil }
    do throws(SettingsError) {
      return filtered(
        try content(of: bytes, at: path, .project, contents.status?.inode, inPlaceOf: same), bytes, project)
    } catch {
      // As in every layer, a text that cannot be used does not take the values away.
      note(error, using: last == nil ? "That file is left out." : StoreCore.keepsLastValues)
      return last ?? LayerContent(layer: SettingsLayer(.project, file: path), document: TOMLDocument(), hasFile: false)
    }
  }

  /// Throws if a file must not be used: it may be someone else's.
  ///
  /// It must be a regular file that this user or root owns and that nobody else may write, except a group of which this
  /// user is the only member.
  ///
  /// - Throws: ``SettingsError`` `readOnly`, with what to do.
  private func check(_ status: FileStatus, _ path: String) throws(SettingsError) {
    func refuse(_ reason: String, _ advice: String) -> SettingsError {
      SettingsError(.readOnly, "Cannot use the project's file '\(path)': \(reason). \(advice)", file: path)
    }
    guard status.isRegular else {
      throw refuse(
        "it is \(status.kindName), and only a regular file is used there", "Put the file itself in its place.")
    }
    guard status.owner == geteuid() || status.owner == 0 else {
      throw refuse(
        "it belongs to user \(status.owner)",
        "If you trust what it says, make it yours: 'sudo chown \(geteuid()) \(PathText.word(path) ?? path)'.")
    }
    let mayGroupWrite = status.permissions & 0o020 != 0
    guard status.permissions & 0o002 == 0,
      !mayGroupWrite || MachineFacts.isPrivate(group: status.group, of: geteuid(), system)
    else {
      throw refuse(
        "other users may change it (mode \(String(status.permissions, radix: 8)))",
        "Run 'chmod go-w \(PathText.word(path) ?? path)'.")
    }
  }

  /// The layer with the keys that may be set, and a problem for everything else.
  private mutating func filtered(
    _ whole: LayerContent, _ bytes: [UInt8], _ project: SettingsProject
  ) -> LayerContent {
    var table = TOMLTable()
    for path in project.keys.joined() {
      if let value = whole.document[path] { table.apply(Edit(path: path, value: value)) }
    }
    for key in project.declared {
      for path in key.paths { removeUnusable(of: key, at: path, from: &table, of: whole) }
    }
    let ignored = whole.document.leafPaths().filter { path in
      path != SettingsFormat.versionPath && !project.allows(path)
    }
    for path in ignored.prefix(Self.mostIgnored) {
      let position = whole.position(of: path)
      let line = position.map { " at line \($0.line)" } ?? ""
      note(
        SettingsError(
          .invalidKey,
          "Ignored '\(path)' of '\(whole.layer.file ?? "the project")'\(line): a project's file cannot set it. Remove it "
            + "there.", file: whole.layer.file, position: position))
    }
    if ignored.count > Self.mostIgnored {
      note(
        SettingsError(
          .invalidKey,
          "Ignored \(ignored.count - Self.mostIgnored) more keys of '\(whole.layer.file ?? "the project")', which a "
            + "project's file cannot set.", file: whole.layer.file))
    }
    let document = (try? TOMLDocument(parsing: table.documentText)) ?? TOMLDocument()
    return LayerContent(layer: whole.layer, document: document, unmigrated: bytes, inode: whole.inode)
  }

  /// Removes what a key cannot use of a project's value, so that it does not hide what the person has set. What the
  /// value lacks may be in the layers below.
  private mutating func removeUnusable(
    of key: AnySettingsKey, at path: TOMLPath, from table: inout TOMLTable, of whole: LayerContent
  ) {
    for attempt in 1... {
      guard let value = table[path: path] else { return }
      do throws(SettingsValueError) {
        return try key.check(value)
      } catch {
        if error.isMissing { return }
        var part = TOMLPath(Array(error.path.prefix { !SettingsValueError.isIndex($0) }))
        // Constraints of the whole are about the whole.
        if attempt > Self.mostIgnored || part.isRoot || value.table?[path: part] == nil { part = .root }
        let position = whole.position(of: path, part: error.path[...], isKey: error.isAboutKey)
        let line = position.map { " at line \($0.line)" } ?? ""
        // What a project's file has is not shown, and of a secret not even the names in it.
        let shown = key.isSecret ? error.redacted : error.withoutContent
        note(
          SettingsError(
            .invalidValue,
            "Ignored '\(key.isSecret ? path : path.appending(part))' of '\(whole.layer.file ?? "the project")'\(line): "
              + "\(shown.clause(about: "'\(path)'")). The value of the layers below is used.",
            file: whole.layer.file, position: position))
        table.apply(Edit(path: path.appending(part), value: nil))
        if table[path: path]?.table?.isEmpty == true { table.apply(Edit(path: path, value: nil)) }
      }
    }
  }

  /// The number of ignored keys of which each is reported.
  private static let mostIgnored = 16

  /// Reads the service manager's credentials.
  ///
  /// - Parameter secrets: The secret keys in use by path. What is wrong with other credentials does not matter.
  mutating func readCredentials(in directory: String, secrets: [TOMLPath: AnySettingsKey]) {
    result.watched.folders.append(directory)
    let names: [String]
    do throws(Errno) {
      names = try system.names(in: directory) ?? []
    } catch {
      return note(.system(error, "list", directory), using: "No credentials are used.")
    }
    var texts: [TOMLPath: String] = [:]
    for name in names where name.utf8.first != UInt8(ascii: ".") {
      guard let path = try? TOMLPath(parsing: name) else { continue }
      do throws(SettingsError) {
        guard let bytes = try SettingsFile(path: "\(directory)/\(name)", system: system).read().bytes else { continue }
        guard let text = Credentials.text(of: bytes) else {
          throw SettingsError(
            .invalidValue, "Cannot use the credential '\(directory)/\(name)': it is not UTF-8 text.",
            file: "\(directory)/\(name)")
        }
        texts[path] = text
      } catch {
        if secrets[path] != nil { note(error, using: "It is left out.") }
      }
    }
    result.credentials = texts.isEmpty ? nil : Credentials(directory: directory, texts: texts, secrets: secrets)
  }
}
