import SettingsTOML

/// The state of a store, as a plain value: the layers as last read, and the edits that are not in the file yet.
///
/// All transitions are here, without locks, threads or files; ``StoreCore`` carries them out.
///
/// Values change when an edit becomes pending, and when a text of the own file or the layers around it are adopted.
/// Each of these transitions adds its changes to ``news``.
struct StoreState: Sendable {
  /// Whether the files were read. Before that, no change is announced, since nobody has seen any value.
  var isLoaded = false
  /// All layers, and the edits above the user's file that are not in it yet.
  ///
  /// Look up values in place: a copy is expensive, and makes the next edit expensive.
  private(set) var snapshot: SettingsSnapshot
  /// Edits whose callers wait until they are in the file. Until then they are not visible: they may fail.
  private var awaited: [AwaitedEdits] = []
  /// The paths of the newest changes.
  private(set) var recentChanges = RecentChanges()
  /// The number of the newest edit.
  var lastNumber: UInt64 = 0

  /// Texts that our commit is about to write, or has written. Reading one of them is no news from outside.
  var writingTexts: [[UInt8]] = []
  /// The remaining time of the commit in progress.
  var commitLimit: TimeLimit?
  /// Counts the contents adopted from the file, so that a slower reader knows that it is outdated.
  var userRevision: UInt64 = 0
  /// Counts the contents adopted from the files around it, for the same reason.
  private(set) var surroundingsRevision: UInt64 = 0
  /// The readings of the user's file.
  var userReadings = ReadingOrder()
  /// The readings of the files around it.
  var surroundingReadings = ReadingOrder()
  /// The inode of the file in which `userBytes` were last seen; distinguishes a save in place from one by a rename.
  var userInode: UInt64?
  /// The file as last synced by this process.
  var durable: FileStatus?
  /// The file's permissions as last seen.
  var userPermissions: UInt32?
  /// What is wrong with the user's file as a whole: it does not parse, or cannot be read.
  var userFailure: Failure?
  /// The problems of the files around the own one when they were last read.
  var surroundingProblems: [SettingsProblem] = []
  /// Detects saves of the user's file.
  var userWatch = SaveWatch()
  /// Detects saves of the files around it, by path.
  var surroundingWatches: [String: SaveWatch] = [:]
  /// What the layers around the own one depend on.
  var watched = WatchedPlaces()
  /// Whether the profiles below the own one have to be found again.
  var areSurroundingsDue = false
  /// The file with the choice of the profile, as last read.
  var choice = ProfileChoice()
  /// The readings of that file.
  var choiceReadings = ReadingOrder()
  /// The secret keys in use by path, for which credentials count.
  var secrets: [TOMLPath: AnySettingsKey] = [:]
  /// A text in place of each credential; `nil` for the credential itself.
  var credentialText: String?
  /// Whether to migrate or create the file on disk as soon as its lock is free: this was done in memory only.
  var isWriteDue = false
  /// The number of the first edits that a commit which holds the file's lock has taken; `nil` without one.
  private var firstTaken: UInt64?
  /// Returns the tables whose order of keys is observed.
  var orderedPaths: @Sendable () -> [TOMLPath] = { [] }
  /// Unreported changes, oldest first; ``AnnouncedState`` takes them.
  var news: [StateNews] = []

  private struct AwaitedEdits: Sendable {
    var number: UInt64
    var edits: [Edit]
    /// Whether they are made without propagation.
    var isQuiet: Bool
  }

  /// What is wrong with the own file as a whole. It is reported once, and withdrawn when the file can be used again.
  struct Failure: Sendable, Equatable {
    var error: SettingsError
    /// The error, with what is used instead.
    var problem: SettingsProblem
  }

  init(user: LayerContent, overrides: SettingsOverrides) {
    snapshot = SettingsSnapshot(
      generation: 0, layers: [user], pending: PendingEdits(), overrides: overrides)
  }

  var userDocument: TOMLDocument { snapshot.userDocument }

  /// The profile below the own one, as the own one says it.
  var inherits: TOMLValue? {
    snapshot.ownLayer.kind == .profile ? userDocument[SettingsFormat.inheritsPath] : nil
  }

  /// The bytes of the user's file as last read or written; `nil` while there is no file.
  var userBytes: [UInt8]? { snapshot.userBytes }

  /// The known state of the user's file.
  var knownUserFile: SaveWatch.Known { SaveWatch.Known(bytes: userBytes, inode: userInode) }

  /// Ends the first reading.
  mutating func finishLoading() {
    isLoaded = true
    snapshot.generation = 1
  }

  /// The edits that are not in the file yet, in their order: those that are visible, and those that are not.
  var uncommitted: [(number: UInt64, edits: [Edit])] {
    let visible = snapshot.pending.byNumber
    guard !awaited.isEmpty else { return visible }
    return (visible + awaited.map { ($0.number, $0.edits) }).sorted { $0.number < $1.number }
  }

  var hasUncommitted: Bool { !awaited.isEmpty || !snapshot.pending.isEmpty }

  /// The layers with all edits that are not in the file yet, from which the next edits are made.
  var snapshotToEdit: SettingsSnapshot {
    guard !awaited.isEmpty else { return snapshot }
    var result = snapshot
    result.pending = PendingEdits()
    for (number, edits) in uncommitted { for edit in edits { result.pending.add(edit, number: number) } }
    return result
  }

  /// Adds edits that become visible when they are in the file, all with one number.
  ///
  /// - Parameter isQuiet: Whether they are made without propagation.
  /// - Returns: The number.
  mutating func enqueueAwaited(_ edits: [Edit], isQuiet: Bool) -> UInt64 {
    lastNumber += 1
    awaited.append(AwaitedEdits(number: lastNumber, edits: edits, isQuiet: isQuiet))
    return lastNumber
  }

  /// Withdraws awaited edits that have failed.
  mutating func withdraw(_ numbers: some Collection<UInt64>) {
    if !numbers.isEmpty { awaited.removeAll { numbers.contains($0.number) } }
  }

  /// Takes the awaited edits up to a number: they are in the file.
  ///
  /// - Returns: The paths that they set.
  private mutating func takeAwaited(upTo number: UInt64) -> AwaitedPaths {
    var result = AwaitedPaths()
    for done in awaited where done.number <= number {
      let paths = done.edits.map(\.path)
      result.all += paths
      result.quiet.removeAll { path in paths.contains { $0.isRelated(to: path) } }
      if done.isQuiet { result.quiet += paths }
    }
    awaited.removeAll { $0.number <= number }
    return result
  }

  /// Adds edits to the pending ones, which are visible, all with one number.
  ///
  /// - Returns: The number.
  mutating func enqueue(_ edits: [Edit]) -> UInt64 {
    lastNumber += 1
    let number = lastNumber
    let paths = edits.map(\.path)
    change(at: paths, to: valueToSee(after: edits), sets: paths, origin: .thisProcess) { state in
      for edit in edits { state.snapshot.pending.add(edit, number: number) }
    }
    return number
  }

  /// Takes the pending edits for a commit that holds the file's lock. Nobody else withdraws them until ``endCommit()``.
  mutating func beginCommit() -> (pending: [(number: UInt64, edits: [Edit])], newest: UInt64) {
    let pending = uncommitted
    firstTaken = pending.first?.number
    return (pending, lastNumber)
  }

  /// Ends what ``beginCommit()`` began.
  mutating func endCommit() {
    firstTaken = nil
    commitLimit = nil
    writingTexts = []
  }

  /// Whether some of the edits up to a number belong to a commit, which tells their callers how it ends.
  func isCommitting(upTo number: UInt64) -> Bool { firstTaken.map { $0 <= number } ?? false }

  /// Withdraws the edits up to a number: memory returns to the file's content.
  ///
  /// - Returns: Their numbers.
  mutating func withdrawAll(upTo number: UInt64) -> [UInt64] {
    let failed = uncommitted.filter { $0.number <= number }
    guard !failed.isEmpty else { return [] }
    let orders = keyOrders
    withdraw(failed.map(\.number))
    change(at: failed.flatMap { $0.edits.map(\.path) }, sets: [], origin: .thisProcess) { state in
      state.snapshot.pending.removeAll(upTo: number)
    }
    announceOrder(since: orders, .thisProcess)
    return failed.map(\.number)
  }

  /// Takes over the text of the user's file.
  ///
  /// - Parameters:
  ///   - document: The document of the bytes, migrated in memory if needed.
  ///   - committed: Edits up to this number are no longer pending: they are in the text or have failed.
  ///   - edited: The only paths at which the document can differ from the previous one, if known.
  ///   - surroundings: The layers around it, if they change with it.
  ///   - sets: The paths that the calling thread has set, including those set to what they were.
  mutating func adopt(
    _ document: TOMLDocument, bytes: [UInt8]?, committed: UInt64?, edited: [TOMLPath]? = nil, sets: [TOMLPath] = [],
    surroundings: SurroundingLayers? = nil, origin: SettingsChangeOrigin
  ) {
    let inherited = inherits
    defer { if inherits != inherited, surroundings == nil { areSurroundingsDue = true } }
    if let surroundings {
      userRevision += 1
      userWatch = SaveWatch()
      return adopt(surroundings, own: snapshot.ownContent.holding(document, of: bytes))
    }
    guard isLoaded else {
      // Nobody has seen anything yet.
      userRevision += 1
      snapshot.adopt(document, bytes: bytes)
      return
    }
    let awaited = committed.map { takeAwaited(upTo: $0) } ?? AwaitedPaths()
    var paths = edited ?? document.changedPaths(since: userDocument)
    if committed != nil { paths += snapshot.pending.byNumber.flatMap { $0.edits.map(\.path) } }
    userRevision += 1
    userWatch = SaveWatch()
    // If the edited paths are known, nothing else can have moved.
    let orders = edited == nil ? keyOrders : []
    change(at: paths, sets: sets, awaited: awaited, origin: origin) { state in
      if let committed { state.snapshot.pending.removeAll(upTo: committed) }
      state.snapshot.adopt(document, bytes: bytes)
    }
    announceOrder(since: orders, origin)
  }

  /// The keys of the tables whose order is observed.
  private var keyOrders: [(path: TOMLPath, keys: [String])] {
    orderedPaths().map { ($0, keys(at: $0)) }
  }

  private func keys(at path: TOMLPath) -> [String] { snapshot.soleKeys(of: path) ?? snapshot[path]?.table?.keys ?? [] }

  private mutating func announceOrder(
    since old: [(path: TOMLPath, keys: [String])], _ origin: SettingsChangeOrigin
  ) {
    let reordered = old.filter { path, keys in
      !self.keys(at: path).elementsEqual(keys) { $0.hasSameCodeUnits(as: $1) }
    }.map(\.path)
    guard !reordered.isEmpty else { return }
    let batch = SettingsChangeBatch(generation: snapshot.generation, paths: [], origin: origin)
    news.append(StateNews(batch: batch, sets: [], reordered: reordered))
  }

  /// Whether the files around the own one are as they were read.
  func has(_ surroundings: SurroundingLayers) -> Bool {
    let (lower, rest) = (snapshot.layers[..<snapshot.userIndex], snapshot.layers[(snapshot.userIndex + 1)...])
    return lower.elementsEqual(surroundings.lower) { $0.isSame(as: $1) }
      && rest.elementsEqual(surroundings.upper) { $0.isSame(as: $1) }
      && watched == surroundings.watched
      && snapshot.overrides.credentials == credentials(of: surroundings)
  }

  private func credentials(of surroundings: SurroundingLayers) -> Credentials? {
    var credentials = surroundings.credentials
    if let credentialText { credentials = credentials?.showing(credentialText) }
    credentials?.secrets = secrets
    return credentials
  }

  /// Takes over the files around the own one.
  ///
  /// - Parameter own: Another own layer.
  mutating func adopt(_ surroundings: SurroundingLayers, own: LayerContent? = nil) {
    let old = isLoaded ? snapshot.root : TOMLTable()
    let (orders, locked) = isLoaded ? (keyOrders, lockedPaths) : ([], [])
    surroundingsRevision += 1
    snapshot.replaceLayers(below: surroundings.lower, above: surroundings.upper, own: own)
    snapshot.overrides.credentials = credentials(of: surroundings)
    watched = surroundings.watched
    areSurroundingsDue = false
    guard isLoaded else { return }
    defer { announceOrder(since: orders, .outside) }
    var paths: [TOMLPath] = []
    TOMLPath.root.collectDifferences(.table(old), .table(snapshot.root), into: &paths)
    // What is locked or unlocked is as good as set again: an observer may show the lock.
    announce(paths, sets: Array(locked.symmetricDifference(lockedPaths)), .outside)
  }

  private var lockedPaths: Set<TOMLPath> {
    Set(snapshot.locks.lock(around: .root).map { [$0.path] } ?? snapshot.locks.parts)
  }

  /// Another profile takes the place of the own layer. No edits may be pending.
  mutating func `switch`(to own: LayerContent, in surroundings: SurroundingLayers, inode: UInt64?) {
    userRevision += 1
    userWatch = SaveWatch()
    userInode = inode
    durable = nil
    userPermissions = nil
    userFailure = nil
    isWriteDue = false
    adopt(surroundings, own: own)
  }

  /// Notes a secret key, for which credentials count. Nobody has read it yet.
  ///
  /// - Returns: Whether that is news.
  mutating func note(secret key: AnySettingsKey) -> Bool {
    guard key.paths.contains(where: { secrets[$0] == nil }) else { return false }
    for path in key.paths where secrets[path] == nil { secrets[path] = key }
    snapshot.overrides.credentials?.secrets = secrets
    return true
  }

  /// The visible value at the path of a single edit after it is made, if that is certain.
  private func valueToSee(after edits: [Edit]) -> TOMLValue? {
    guard edits.count == 1, let value = edits[0].value, value.table == nil, snapshot.locks.isEmpty,
      snapshot.overrides.isEmpty, snapshot.userIndex == snapshot.layers.count - 1, !edits[0].path.isReserved
    else { return nil }
    return value
  }

  /// Makes a change, finds the values at some paths that it changed, and announces it.
  ///
  /// - Parameter value: The value at each of them afterwards, if known.
  private mutating func change(
    at paths: [TOMLPath], to value: TOMLValue? = nil, sets: [TOMLPath], awaited: AwaitedPaths = AwaitedPaths(),
    origin: SettingsChangeOrigin, _ body: (inout StoreState) -> Void
  ) {
    // Values, not a snapshot: a snapshot held while `body` runs would make it copy the pending edits.
    let before = paths.map { snapshot[$0] }
    body(&self)
    var changed: [TOMLPath] = []
    for (path, old) in zip(paths, before) { path.collectDifferences(old, value ?? snapshot[path], into: &changed) }
    if changed.count > 1 {
      var seen: Set<TOMLPath> = []
      changed.removeAll { !seen.insert($0).inserted }
    }
    announce(changed, sets: sets, awaited: awaited, origin)
  }

  /// Gives a visible change its generation and adds it to the news. If nothing changed, it only notes which values were
  /// set to what they were.
  private mutating func announce(
    _ changed: [TOMLPath], sets: [TOMLPath], awaited: AwaitedPaths = AwaitedPaths(), _ origin: SettingsChangeOrigin
  ) {
    guard !changed.isEmpty else {
      if !sets.isEmpty || !awaited.all.isEmpty { news.append(StateNews(batch: nil, sets: sets, awaited: awaited)) }
      return
    }
    snapshot.generation += 1
    recentChanges.append(changed)
    let batch = SettingsChangeBatch(generation: snapshot.generation, paths: changed, origin: origin)
    news.append(StateNews(batch: batch, sets: sets, awaited: awaited))
  }
}
