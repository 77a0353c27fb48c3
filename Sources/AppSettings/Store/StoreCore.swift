import Logging
package import SettingsTOML
public import Synchronization

/// The engine of a store: its state, the one way in which that changes, and who is told.
///
/// Locks, in the order in which they may be taken: `loading` → `committing` → the file's own lock → `state`.
/// Observers, completions and problems are told after `state` is released.
@usableFromInline
package final class StoreCore: Sendable {
  let backing: Backing
  let location: SettingsLocation?
  let reader: TextReader
  package let problems: ProblemLog
  package let waiters = ChangeWaiters()
  let declarations = KeyDeclarations()
  package let follower = FollowerSlot()
  let queue = WriteQueue()

  // Protects what the store knows. Held for look-ups and transitions only, never for a file or foreign code.
  let state: Lock<StoreState>
  // Held while the files are read for the first time, so that one thread reads them and the others wait.
  private let loading = Lock(())
  // Serialises this process's commits, and knows which thread is in one: 0 for none.
  let committing = Monitor<UInt>(0)

  // How many stores use this engine.
  let openStores = Atomic<Int>(0)

  /// Names the present state among all states of all stores of the process; 0 before the first access.
  @usableFromInline package let stamp = Atomic<UInt64>(0)
  private static let lastStamp = Atomic<UInt64>(0)

  init(backing: Backing, location: SettingsLocation?, reader: TextReader, logger: Logger, overrides: SettingsOverrides)
  {
    self.backing = backing
    self.location = location
    self.reader = reader
    problems = ProblemLog(logger: logger)
    let user = LayerContent(layer: SettingsLayer(.user, file: location?.file), document: TOMLDocument())
    state = Lock(StoreState(user: user, overrides: overrides))
  }

  /// The layer of the user's file.
  var userLayer: SettingsLayer { SettingsLayer(.user, file: location?.file) }

  deinit { LiveStores.unregister(ObjectIdentifier(self)) }

  // MARK: Reading

  /// The present state. The first call reads the files, and migrates the user's if it is of an older version.
  package var snapshot: SettingsSnapshot {
    load()
    return state.withLock { $0.snapshot }
  }

  /// The value at a path with the stamp of the state it was found in.
  package func lookUp(_ path: TOMLPath) -> (value: StoredValue, stamp: UInt64) {
    load()
    return state.withLock { (StoredValue(at: path, in: $0.snapshot), stamp.load(ordering: .relaxed)) }
  }

  /// What there is in the present state, with its stamp. Looked up in place, and so without foreign code.
  func lookUp<Found>(_ find: (SettingsSnapshot) -> Found) -> (value: Found, stamp: UInt64) {
    load()
    return state.withLock { (find($0.snapshot), stamp.load(ordering: .relaxed)) }
  }

  package func load() {
    if stamp.load(ordering: .acquiring) != 0 { return }
    let isFirst = loading.withLock { _ -> Bool in
      if stamp.load(ordering: .acquiring) != 0 { return false }
      let deadline = ProcessFacts.monotonicNanoseconds() + SaveWatch.firstRead
      let system = readSystemLayersAtRest(until: deadline)
      state.withLock { _ = $0.adopt(systemLayers: system) }
      do throws(SettingsError) {
        let (bytes, document) = try readOnFirstAccess(until: deadline)
        state.withLock { _ = $0.adopt(document, bytes: bytes, committed: nil, origin: .outside) }
      } catch {
        noteUserFailure(error, using: "Defaults are used.")
      }
      state.withLock { $0.finishLoading() }
      renewStamp()
      return true
    }
    // They may use the store.
    if isFirst { runDueHooks() }
  }

  // MARK: Writing

  /// Makes edits visible in this process and hands them to the writing thread.
  ///
  /// - Parameter completion: Called when the edits are durable, or have failed, on the thread that wrote them.
  /// - Throws: ``SettingsError`` `locked`; nothing is changed then.
  func enqueue(
    _ edits: [Edit], completion: (@Sendable (WriteQueue.Outcome) -> Void)? = nil
  ) throws(SettingsError) {
    let number = try addPending(edits) { queue.note($0, completion) }
    let isFirst = queue.request(upTo: number) { [self] in commitPending() }
    if isFirst { LiveStores.register(self) }
  }

  /// Makes edits visible and waits until they are durable.
  ///
  /// - Returns: Whether they changed the file.
  /// - Throws: ``SettingsError`` `locked`; nothing is changed then. What the write failed with; memory is back at what
  ///   the file says.
  func enqueueAndWait(_ edits: [Edit]) throws(SettingsError) -> Bool {
    try checkNotNested()
    let ticket = WriteTicket()
    _ = try addPending(edits) { queue.note($0, ticket) }
    return try queue.perform(ticket) { commitPending() }.get().changedFile
  }

  /// Makes edits visible.
  ///
  /// - Parameter note: Called with their number before anyone can write them.
  private func addPending(_ edits: [Edit], note: (UInt64) -> Void) throws(SettingsError) -> UInt64 {
    load()
    let (number, batch) = try state.withLock { state throws(SettingsError) -> (UInt64, SettingsChangeBatch?) in
      let (number, batch) = state.enqueue(try state.snapshot.permitted(edits))
      note(number)
      renewStamp()
      return (number, batch)
    }
    announce(batch, sets: edits.map(\.path))
    return number
  }

  /// Waits until everything set so far is on disk.
  func flush() throws(SettingsError) {
    try checkNotInCommit()
    let (number, isPending) = state.withLock { ($0.lastNumber, !$0.snapshot.pending.isEmpty) }
    if isPending { try backing.checkNotLocked() }
    if number > 0 { try queue.flush(upTo: number) }
  }

  /// Tells observers of a change, and forgets what was wrong with the values that are gone.
  ///
  /// - Parameter sets: The paths that were set, be it to what they were.
  func announce(_ batch: SettingsChangeBatch?, sets: @autoclosure () -> [TOMLPath] = []) {
    if let batch { problems.resolveValues(at: batch.paths) }
    waiters.signal(batch, sets: sets())
  }

  func renewStamp() {
    let new = Self.lastStamp.wrappingAdd(1, ordering: .relaxed).newValue
    stamp.store(new, ordering: .releasing)
  }
}
