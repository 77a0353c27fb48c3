import AppSettings
import AppSettingsObserve
import AppSettingsSchema
import SettingsTools

/// What `watch --document` does: a line for the state at the start, and one for each change of any file of the target.
///
/// It runs on a thread of its own, which sleeps until the thread that watches the files wakes it.
struct DocumentWatching {
  private struct Wake: Sendable {
    var isDue = false
    var isSchemaDue = false
  }

  private let target: Target
  private let count: Int?
  private let wake = Monitor(Wake())
  /// The files where the schema may be, and the directory of the profiles.
  private var places: [WatchSubscription] = []

  init(_ target: Target, count: Int?) {
    self.target = target
    self.count = count
  }

  /// Prints lines until the count is reached.
  mutating func run() throws {
    try watchPlaces()
    var (store, observation) = try open()
    // What happens from here on wakes this thread.
    var state = try WatchedState(of: target, store, since: nil)
    try print(state.line(since: nil))
    var done = 1
    while done != count {
      let due = wake.wait { wake in
        defer { wake = Wake() }
        return wake.isDue ? wake : nil
      }
      if due.isSchemaDue {
        // Which values are secrets may be another question now.
        target.forgetSchema()
        (store, observation) = try open()
      }
      let new = try WatchedState(of: target, store, since: state)
      defer { state = new }
      guard new != state else { continue }
      try print(new.line(since: state))
      done += 1
    }
    withExtendedLifetime(observation) {}
  }

  private func open() throws -> (SettingsStore, SettingsObservation) {
    let opened = try target.openUnread(followingChoice: true)
    opened.load()
    let wake = wake
    return (opened.store, opened.store.observeChecks { wake.withLock { $0.isDue = true } })
  }

  /// Watches what a store does not.
  private mutating func watchPlaces() throws {
    let wake = wake
    places = try target.watchSchema { wake.withLock { $0 = Wake(isDue: true, isSchemaDue: true) } }
    guard !target.isFile, let profiles = Profiles(of: try target.location(followingChoice: true)) else { return }
    places.append(
      WatchHub.shared.subscribe(to: .directory(profiles.directory), problem: { _ in }) { _ in
        wake.withLock { $0.isDue = true }
        return .settled
      })
  }

  private func print(_ line: String) throws {
    Output.line(line)
    try Output.flush()
  }
}

/// What a settings page depends on, at one moment.
private struct WatchedState: Equatable {
  private let snapshot: SettingsSnapshot
  private let schema: SchemaLookup
  private let file: String
  private let profile: String?
  private let bytes: [UInt8]?
  /// The other files.
  private let others: [File]
  /// The permissions of the own file.
  private let rights: UInt32?
  private let profiles: [String]
  private let schemaFile: File?
  private let problems: [String]
  /// What the history says about the present text; in the first line, its newest entry.
  private let entry: SettingsHistoryEntry?
  /// The number of the newest entry that the history has recorded.
  private let recorded: Int

  private struct File: Equatable {
    let path: String
    let bytes: [UInt8]?
    var rights: UInt32?

    init(_ path: String, _ bytes: [UInt8]?) {
      self.path = path
      self.bytes = bytes
      rights = (try? Syscalls().status(at: path))?.permissions
    }
  }

  init(of target: Target, _ store: SettingsStore, since former: WatchedState?) throws {
    snapshot = store.snapshot
    schema = target.schema
    let current = store.currentProblems
    problems = current.map(\.message)
    let location = try store.location ?? target.location()
    file = location.file
    profile = location.personal?.profile
    // The store keeps the values of a text that does not parse any more.
    let isBroken = current.contains { $0.file == location.file && [.unparsable, .io, .readOnly].contains($0.code) }
    bytes = isBroken ? (try? SettingsFile(path: location.file).read())?.bytes : snapshot.ownBytes
    rights = (try? Syscalls().status(at: location.file))?.permissions
    let own = snapshot.userIndex
    others = snapshot.layers.enumerated().filter { $0.offset != own }
      .map { File($0.element.layer.file ?? $0.element.layer.kind.rawValue, $0.element.fileBytes) }
    profiles = (try? Profiles(of: location)?.names()) ?? []
    schemaFile = schema.schema?.file.map { File($0, (try? SettingsFile(path: $0).read())?.bytes) }
    guard let former else {
      entry = Self.newestEntry(of: store)
      recorded = Self.recorded(entry)
      return
    }
    let isSameFile = former.file == file
    guard !isSameFile || former.bytes != bytes else {
      (entry, recorded) = (nil, former.recorded)
      return
    }
    // A writer records under its lock what it has written, which takes as long as its disk does. Having had the lock is
    // enough; a stopped process with the lock delays the line.
    let system = Syscalls()
    if let place = try? FinalPath.resolve(file, system: system) {
      _ = try? DirectoryLock.acquire(place.directory, timeout: .seconds(10), system: system)
    }
    let newest = Self.newestEntry(of: store)
    let isNews = isSameFile && (newest?.isUnrecorded == true || Self.recorded(newest) > former.recorded)
    entry = isNews ? newest : nil
    recorded = isSameFile ? max(former.recorded, Self.recorded(newest)) : Self.recorded(newest)
  }

  private static func newestEntry(of store: SettingsStore) -> SettingsHistoryEntry? {
    (try? store.history(limit: 1))?.first
  }

  private static func recorded(_ entry: SettingsHistoryEntry?) -> Int {
    entry.map { $0.isUnrecorded ? $0.id - 1 : $0.id } ?? 0
  }

  static func == (a: WatchedState, b: WatchedState) -> Bool {
    !a.hasOtherText(than: b) && !a.hasOtherLayers(than: b) && a.schemaFile == b.schemaFile && a.problems == b.problems
  }

  private func hasOtherText(than other: WatchedState) -> Bool { bytes != other.bytes || file != other.file }

  private func hasOtherLayers(than other: WatchedState) -> Bool {
    file != other.file || others != other.others || rights != other.rights || profiles != other.profiles
  }

  // MARK: The line

  /// - Parameter former: The state of the line before; `nil` for the first.
  func line(since former: WatchedState?) -> String {
    let isOther = former.map(hasOtherText) ?? false
    let object: JSONObject = [
      "digest": .text(Digest(of: bytes).text), "file": .text(file), "profile": .text(profile), "text": .flag(isOther),
      "layers": .flag(former.map(hasOtherLayers) ?? false),
      "schema": .flag(former.map { schemaFile != $0.schemaFile } ?? false),
      "changes": .objects(former.map(changes) ?? []), "entry": .object(entry?.json),
      "problems": .texts(problems),
    ]
    return object.text
  }

  /// The keys whose values are others for the app.
  private func changes(since former: WatchedState) -> [JSONObject] {
    var leaves: [TOMLPath] = []
    TOMLPath.root.collectDifferences(.table(former.snapshot.root), .table(snapshot.root), into: &leaves)
    // Another schema may have other defaults.
    if schemaFile != former.schemaFile { leaves += schema.keys.map(\.path) + former.schema.keys.map(\.path) }
    var seen: Set<TOMLPath> = []
    return leaves.compactMap { leaf in
      let path = schema.key(around: leaf)?.path ?? leaf
      guard !path.isRoot, seen.insert(path).inserted else { return nil }
      let old = former.schema.usedValue(of: path, in: former.snapshot)
      let new = schema.usedValue(of: path, in: snapshot)
      guard old != new else { return nil }
      // Nobody knows which values are secrets if there is a schema that cannot be used.
      let isSecret = [schema, former.schema].contains {
        !$0.isUsable || $0.isSecret(path, old) || $0.isSecret(path, new)
      }
      func shown(_ value: TOMLValue?) -> TOMLValue? { isSecret ? value.map { _ in .string(Shown.redacted) } : value }
      return [
        "key": .text(path.description), "old": .value(shown(old)), "new": .value(shown(new)),
        "isSecret": .flag(isSecret),
      ]
    }
  }
}
