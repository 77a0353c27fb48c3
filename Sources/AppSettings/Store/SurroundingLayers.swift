import Glibc
import SettingsTOML

/// The layers around the own one, as read at one time.
///
/// Reading them changes no visible value; `StoreState.adopt(_:own:)` does.
struct SurroundingLayers: Sendable {
  /// Those below it, the lowest first.
  var lower: [LayerContent] = []
  /// Those above it.
  var upper: [LayerContent] = []
  var credentials: Credentials?
  var watched = WatchedPlaces()
  /// Nanoseconds until a file that may be being saved should be re-read.
  var wait: UInt64?
  /// Whether the system could not read something.
  var isUnreadable = false
  var problems: [SettingsProblem] = []
}

/// Reads the layers around the own one. A file that cannot be read keeps its previous content.
struct SurroundingReader {
  let reader: TextReader
  let system: Syscalls
  /// Whether saves are known to have ended; `nil` to accept the present content in any case.
  let evidence: SaveWatch.Evidence?
  /// The layers that were read last.
  let known: [LayerContent]
  var watches: [String: SaveWatch]
  var result = SurroundingLayers()

  /// Notes a problem.
  ///
  /// - Parameters:
  ///   - error: What is wrong. With the code `io`, the files are read again later, since no event reports when it ends.
  ///   - sentence: What is used instead.
  mutating func note(_ error: SettingsError, using sentence: String? = nil) {
    result.problems.append(SettingsProblem(sentence.map { error.using($0) } ?? error))
    if error.code == .io { result.isUnreadable = true }
  }

  // MARK: The layers

  /// Reads the administrators' files.
  mutating func readSystemFiles(of location: SettingsLocation) {
    result.watched.files += location.systemDirectories.map { "\($0)/\(location.name).toml" }
    let watched = location.systemDirectories + [location.fleetDirectory].compactMap { $0 }
    result.watched.directories += watched.map { SystemFiles.dropInDirectory($0, location) }
    var directories = location.systemDirectories
    if directories.count > 1 || !directories.allSatisfy(isKnown) {
      // Most apps have none there: one call instead of two.
      directories = SystemFiles.directories(
        of: location, system: system, leavingOut: { !location.isAdministrators && !isKnown($0) })
    }
    let paths = SystemFiles.paths(of: location, in: directories, system: system, names: { names(in: $0) })
    for path in paths { add(read(path, .system)) }
  }

  /// Reads the person's declared files.
  ///
  /// - Parameter own: The own file, if it is one of them: only those before it are read.
  mutating func readDeclaredFiles(in directory: String, before own: String? = nil) {
    var directories: [String] = []
    let paths = DeclaredFiles.paths(
      in: directory, before: own, system: system, names: { names(in: $0) }, noteDirectory: { directories.append($0) })
    result.watched.directories += directories
    for path in paths { add(read(path, .declared)) }
  }

  /// Reads the user's file and the profiles that the own one inherits, the farthest first.
  mutating func readBelowProfile(_ name: String, _ personal: PersonalLayers, own: LayerContent) {
    result.watched.files.append(personal.usersFile)
    add(read(personal.usersFile, .user))
    var chain: [LayerContent] = []
    var seen = [name]
    var last = own
    while let value = last.document[SettingsFormat.inheritsPath] {
      func refuse(_ reason: String) {
        let file = last.layer.file ?? "the profile"
        note(
          SettingsError(
            .invalidValue, "Cannot use 'settings-inherits' of '\(file)': \(reason). Nothing is inherited there.",
            file: last.layer.file, position: last.position(of: SettingsFormat.inheritsPath)))
      }
      let next: String
      do throws(Profiles.InvalidLink) {
        next = try Profiles.inherited(by: value, seen: seen)
      } catch {
        refuse(error.reason)
        break
      }
      guard let path = personal.file(ofProfile: next) else { break }
      seen.append(next)
      result.watched.files.append(path)
      let problems = result.problems.count
      guard let content = read(path, .profile) else {
        // A file that cannot be read has been reported.
        if result.problems.count == problems, result.wait == nil { refuse("there is no file '\(path)'") }
        break
      }
      chain.insert(content, at: 0)
      last = content
    }
    result.lower += chain
  }

  /// Whether a program seems to be saving a file, so that its previous content is used.
  func isWaiting(for path: String) -> Bool { watches[path] != nil }

  /// Adds a layer above those read so far.
  private mutating func add(_ content: LayerContent?) {
    if let content { result.lower.append(content) }
  }

  // MARK: Files

  /// Whether a directory had files when it was read last.
  private func isKnown(_ directory: String) -> Bool {
    known.contains { $0.layer.file?.beginsBytewise(with: directory + "/") == true }
  }

  /// The names in a directory, and those of the files that were there last: many programs remove a file to save it.
  private mutating func names(in directory: String) -> [String] {
    let names = known.compactMap(\.layer.file).filter { $0.beginsBytewise(with: directory + "/") }.compactMap { file in
      // Of a file in a directory of it, that one's name.
      Substring(file.utf8.dropFirst(directory.utf8.count + 1)).pathParts.first.map { String($0) }
    }
    do throws(Errno) {
      return (try system.names(in: directory) ?? []) + names
    } catch {
      note(
        .system(error, "list", directory),
        using: names.isEmpty ? "Its files are left out." : "The files that were there last are used.")
      return names
    }
  }

  /// Reads a file that is not written here.
  ///
  /// - Returns: Its layer; the previous one if somebody seems to be saving it, or it cannot be read; `nil` if there is
  ///   no file.
  private mutating func read(_ path: String, _ kind: SettingsLayer.Kind) -> LayerContent? {
    let last = known.first { $0.layer.kind == kind && $0.layer.file?.isBytewise(path) == true }
    do throws(SettingsError) {
      let contents = try SettingsFile(path: path, system: system).read()
      guard let bytes = settled(contents, at: path, since: last) else { return isWaiting(for: path) ? last : nil }
      return try content(of: bytes, at: path, kind, contents.status?.inode, inPlaceOf: last)
    } catch {
      // A mask with nothing to mask.
      if kind == .system, SystemFiles.isMask(path, system) { return nil }
      note(error, using: last == nil ? "That file is left out." : StoreCore.keepsLastValues)
      return last
    }
  }

  /// The bytes of a file; `nil` if there is no file, or if a program seems to be saving it. In that case `watches` has
  /// an entry for its path.
  mutating func settled(
    _ contents: SettingsFile.Contents, at path: String, since last: LayerContent?
  ) -> [UInt8]? {
    if !contents.bytes.isSameText(as: last?.fileBytes), let evidence,
      let wait = watches[path, default: SaveWatch()].wait(
        for: contents, after: SaveWatch.Known(bytes: last?.fileBytes, inode: last?.inode), evidence,
        wholeness: { SaveWatch.Wholeness(of: contents.bytes ?? [], since: last?.fileBytes) })
    {
      result.wait = min(result.wait ?? wait, wait)
      return nil
    }
    watches[path] = nil
    return contents.bytes
  }

  /// The layer of a text: migrated in memory, with its locks if it is an administrator's.
  ///
  /// - Parameter last: The previous layer of the file, which is not replaced by a text that a newer release has
  ///   written.
  mutating func content(
    of bytes: [UInt8], at path: String, _ kind: SettingsLayer.Kind, _ inode: UInt64?, inPlaceOf last: LayerContent?
  ) throws(SettingsError) -> LayerContent {
    var document = try reader.parse(bytes, file: path)
    let unmigrated = document
    // It is only read, whatever its kind.
    let reading = SettingsLayer(kind == .system ? .system : .declared, file: path)
    if let bytes = last?.fileBytes, reader.isNewer(document), let former = try? TOMLDocument(parsing: bytes),
      !reader.isNewer(former)
    {
      throw try reader.newerVersionError(document, of: reading, to: "read")
    }
    let migrations = try reader.migrate(&document, of: reading, readsNewer: true)
    var locks = TextReader.Locks()
    if kind == .system { locks = reader.locks(in: unmigrated, file: path) }
    for error in locks.errors { note(error) }
    return LayerContent(
      layer: SettingsLayer(kind, file: path), document: document, unmigrated: migrations.isEmpty ? nil : bytes,
      locks: SettingsMigrations.moved(locks.entries, by: migrations, in: unmigrated), inode: inode)
  }
}

extension StoreCore {
  /// Reads the layers around the own one for the first time. Waits for saves in progress.
  func readSurroundingsAtRest(until deadline: UInt64) {
    func read(_ evidence: SaveWatch.Evidence?) -> SurroundingLayers {
      readSurroundings(of: place.withLock { $0 }, own: state.withLock { $0.snapshot.ownContent }, evidence)
    }
    var found = read(.doubt)
    while let wait = found.wait { found = read(SaveWatch.pause(for: wait, until: deadline) ? .doubt : nil) }
    state.withLock { [found] in $0.adopt(found) }
    report(found.problems)
  }

  /// Reads the layers around an own one.
  func readSurroundings(
    of place: StorePlace, own: LayerContent, _ evidence: SaveWatch.Evidence?
  ) -> SurroundingLayers {
    guard let location = place.location, case .file(let file, _) = place.backing else { return SurroundingLayers() }
    let (known, watches) = state.withLock { state in
      (state.snapshot.layers.filter { $0 !== state.snapshot.ownContent }, state.surroundingWatches)
    }
    var reading = SurroundingReader(
      reader: reader, system: file.system, evidence: evidence, known: known, watches: watches)
    reading.readSystemFiles(of: location)
    if let personal = location.personal, personal.isDeclared {
      reading.readDeclaredFiles(in: personal.declaredDirectory, before: location.file)
    } else if let personal = location.personal {
      reading.readDeclaredFiles(in: personal.declaredDirectory)
      if let name = personal.profile { reading.readBelowProfile(name, personal, own: own) }
      if personal.followsChoice, let choice = personal.choiceFile { reading.result.watched.files.append(choice) }
      if let project, let app = location.app { reading.readProject(project, app: app) }
      if let directory = personal.credentialsDirectory {
        reading.readCredentials(in: directory, secrets: state.withLock { $0.secrets })
      }
    }
    state.withLock { [watches = reading.watches] in $0.surroundingWatches = watches }
    return reading.result
  }

  /// Reports the problems of the layers around the own one, in place of those before.
  func report(_ found: [SettingsProblem]) {
    let former = state.withLock { state in
      defer { state.surroundingProblems = found }
      return state.surroundingProblems
    }
    if !former.isEmpty { problems.resolve { former.contains($0) && !found.contains($0) } }
    for problem in found { problems.report(problem) }
  }
}
