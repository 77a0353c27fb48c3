import Logging
import SettingsTOML
public import Synchronization

/// The engine of a store: its state, the only way to change it, and the observers.
///
/// Order of the locks: `loading` → `committing` → the file's own lock → `state`. Observers, loggers and hooks are
/// called when the thread has released all of them: see ``DeferredCalls``.
///
/// Stores with the same files and options share an engine. ``SettingsStore`` is its typed interface;
/// `AppSettingsObserve` and `AppSettingsGarage` use it directly.
@usableFromInline
package final class StoreCore: Sendable {
  /// Where the own layer is. Another profile takes its place while `committing` and `state` are held. Innermost.
  let place: Lock<StorePlace>
  /// The file, or memory, of the own layer now.
  var backing: Backing { place.withLock { $0.backing } }
  package var location: SettingsLocation? { place.withLock { $0.location } }
  /// The layer that is written: the user's file, or another one in its place.
  var userLayer: SettingsLayer { place.withLock { $0.layer } }
  /// Where the project's file is looked for.
  let project: SettingsProject?
  /// Whether there may be credentials for secrets.
  let hasCredentials: Bool
  /// Parses and migrates texts.
  let reader: TextReader
  /// Whether pending migrations are made in memory only.
  package let onlyReads: Bool
  /// The problems that no call has thrown.
  package let problems: ProblemLog
  /// Those who wait for changes.
  package let waiters: ChangeWaiters
  /// The keys that were used so far.
  let declarations = KeyDeclarations()
  /// The place for the object that re-reads the files when they change.
  package let follower = FollowerSlot()
  /// Decides which thread writes.
  let queue = WriteQueue()
  /// Writes the history of the user's file; `nil` for settings in memory.
  package let history: HistoryKeeper?

  // The state of the store. Every change of it is announced.
  let state: AnnouncedState
  // The thread that reads the files for the first time, for which the others wait: 0 for none.
  private let loading = Monitor<UInt>(0)
  // Held from a decision about what was read until it is reported, so that reports have the order of the decisions.
  let reporting = Lock(())
  // Serialises this process's commits, and knows which thread is in one: 0 for none.
  let committing = Monitor<UInt>(0)

  // The number of stores that use this engine.
  let openStores = Atomic<Int>(0)

  /// Identifies the present state among all states of all stores of the process; 0 before the first access.
  @usableFromInline package let stamp = Atomic<UInt64>(0)
  private static let lastStamp = Atomic<UInt64>(0)

  /// Makes an engine. Nothing is read.
  init(
    backing: Backing, location: SettingsLocation?, reader: TextReader, logger: Logger, overrides: SettingsOverrides,
    project: SettingsProject? = nil, onlyReads: Bool = false, history: SettingsHistory = .off
  ) {
    self.onlyReads = onlyReads
    let place = StorePlace(backing: backing, location: location)
    self.place = Lock(place)
    self.project = project
    hasCredentials = location?.personal?.credentialsDirectory != nil
    self.reader = reader
    problems = ProblemLog(logger: logger)
    if let location, case .file(let file, _) = backing {
      self.history = HistoryKeeper(
        of: location, history, reader.migrations, system: file.system,
        declared: { [declarations] in declarations.keys },
        count: { [declarations] in declarations.count })
    } else {
      self.history = nil
    }
    let user = LayerContent(layer: place.layer, document: TOMLDocument(), hasFile: false)
    waiters = ChangeWaiters()
    var initial = StoreState(user: user, overrides: overrides)
    initial.orderedPaths = { [waiters] in waiters.orderedPaths }
    state = AnnouncedState(initial, waiters: waiters, problems: problems)
    for refusal in overrides.refusals { problems.report(SettingsProblem(.invalidValue, refusal)) }
  }

  deinit { LiveStores.unregister(ObjectIdentifier(self)) }

  // MARK: Reading

  /// The present state. The first call reads the files, and migrates the user's file if it has an older version.
  package var snapshot: SettingsSnapshot {
    load()
    return state.withLock { $0.snapshot }
  }

  /// Whether the user's file was migrated, or created, in memory only.
  package var isWriteDue: Bool { state.withLock { $0.isWriteDue } }

  /// Looks something up in the present state, and returns it with the stamp. Runs under the lock, without foreign code.
  func lookUp<Found>(_ find: (SettingsSnapshot) -> Found) -> (value: Found, stamp: UInt64) {
    load()
    return state.withLock { (find($0.snapshot), stamp.load(ordering: .relaxed)) }
  }

  /// Reads the files at the first access. Does not wait for their locks: see ``readOnFirstAccess(until:)``.
  ///
  /// Later calls cost one atomic read. Other threads wait until the first one has read the files.
  package func load() {
    if stamp.load(ordering: .acquiring) != 0 { return }
    DeferredCalls.section {
      beginLoading()
      defer { loading.withLock { $0 = 0 } }
      if stamp.load(ordering: .acquiring) != 0 { return }
      let deadline = ProcessFacts.monotonicNanoseconds() + SaveWatch.firstRead
      findProfile(until: deadline)
      readSurroundingsAtRest(until: deadline)
      let revision = state.withLock { $0.userRevision }
      do throws(SettingsError) {
        if let (bytes, document) = try readOnFirstAccess(until: deadline) {
          state.withLock { state in
            // Another thread may have restored or imported a text meanwhile.
            guard state.userRevision == revision else { return }
            state.adopt(document, bytes: bytes, committed: nil, origin: .outside)
          }
        }
      } catch {
        noteUserFailure(error, using: "Defaults are used.")
      }
      // Which profiles are below the own one, that one says.
      if state.withLock({ $0.inherits != nil }) { readSurroundingsAtRest(until: deadline) }
      state.withLock { $0.finishLoading() }
      renewStamp()
      runDueHooks()
    }
  }

  /// Makes the calling thread the one that reads the files. Traps where it would wait for itself.
  private func beginLoading() {
    let me = PlainThread.currentID
    loading.wait { owner -> Void? in
      precondition(
        owner != me,
        "A migration has used '\(backing.name)', which it migrates. Use the document that the migration is given.")
      guard owner == 0 else { return nil }
      owner = me
    }
  }

  /// Lets credentials count for a key in use, if it is secret.
  func note(_ key: AnySettingsKey) {
    guard hasCredentials, key.isSecret else { return }
    load()
    state.withLock { state in
      if state.note(secret: key) { renewStamp() }
    }
  }

  /// Lets credentials count for secrets that a schema lists, with another text in the place of each: for tools, which
  /// show where a secret comes from, and never the secret.
  package func note(secrets keys: [AnySettingsKey], shownAs text: String) {
    guard hasCredentials else { return }
    state.withLock { state in
      state.credentialText = text
      let news = keys.filter { state.note(secret: $0) }
      if !news.isEmpty, state.isLoaded { renewStamp() }
    }
  }

  // MARK: Writing

  /// Makes edits visible in this process and passes them to the writing thread.
  ///
  /// - Throws: ``SettingsError`` `locked`; nothing is changed then.
  func enqueue(_ edits: [Edit]) throws(SettingsError) {
    let permitted = try permitted(edits)
    request(
      upTo: state.withLock { state in
        let number = state.enqueue(permitted)
        queue.note(number, nil)
        renewStamp()
        return number
      })
  }

  /// Makes edits, and writes them in the background. An error of either is a problem.
  ///
  /// - Parameter path: The key that the problem is about.
  func enqueue(for path: TOMLPath? = nil, making edits: () throws(SettingsError) -> [Edit]) {
    do throws(SettingsError) {
      let edits = try edits()
      if !edits.isEmpty { try enqueue(edits) }
    } catch {
      problems.report(SettingsProblem(error, path: path), endsWithValue: true)
    }
  }

  /// Passes edits to the writing thread.
  func request(upTo number: UInt64) {
    let isFirst = queue.request(upTo: number) { [self] in commitPending($0) }
    if isFirst { LiveStores.register(self) }
  }

  /// Waits until edits are durable. They are visible from then on.
  ///
  /// - Returns: Whether they changed the file.
  /// - Throws: ``SettingsError`` `locked`, or the error of the write. Nobody has seen the edits.
  func enqueueAndWait(_ edits: [Edit]) throws(SettingsError) -> Bool {
    try checkNotNested()
    let ticket = WriteTicket(TimeLimit(lockTimeout))
    _ = try addAwaited(edits) { queue.note($0, ticket) }
    let hasChanged = try queue.perform(ticket) { commitPending($0) }.get()
    waiters.callBack(at: edits.map(\.path))
    return hasChanged
  }

  /// Adds edits that become visible when they are durable.
  ///
  /// - Parameter note: Runs with their number before anyone can write them.
  func addAwaited(_ edits: [Edit], note: (UInt64) -> Void) throws(SettingsError) -> UInt64 {
    let edits = try permitted(edits)
    let isQuiet = QuietThreads.areQuiet(for: waiters)
    return state.withLock { state in
      let number = state.enqueueAwaited(edits, isQuiet: isQuiet)
      note(number)
      return number
    }
  }

  /// Those of some edits that are to be made, by administrators' locks.
  ///
  /// Not under the lock of the state: a default is asked for, which may be computed from other values of the store.
  private func permitted(_ edits: [Edit]) throws(SettingsError) -> [Edit] {
    load()
    let locked = state.withLock { $0.snapshot.locks.isEmpty ? nil : $0.snapshot }
    return try locked?.permitted(edits) ?? edits
  }

  /// The present state with all edits that are not in the file yet, from which the next edits are made.
  var snapshotToEdit: SettingsSnapshot {
    load()
    return state.withLock { $0.snapshotToEdit }
  }

  /// Waits until everything set so far is on disk, and writes it unless another thread does.
  package func flush() throws(SettingsError) {
    try checkNotInCommit()
    let (number, isPending) = state.withLock { ($0.lastNumber, $0.hasUncommitted) }
    if isPending { try backing.checkNotLocked() }
    guard number > 0 else { return }
    let failure = queue.flush(upTo: number, WriteTicket(TimeLimit(lockTimeout))) { commitPending($0) }
    if let failure { throw failure }
  }

  /// The longest time that one call waits for others, in this process and outside.
  var lockTimeout: Duration { if case .file(let file, _) = backing { file.lockTimeout } else { .seconds(30) } }

  /// Gives the state a new stamp, which makes cached values of earlier states invalid. Call it after the change, under
  /// the lock of the state.
  func renewStamp() {
    let new = Self.lastStamp.wrappingAdd(1, ordering: .relaxed).newValue
    stamp.store(new, ordering: .releasing)
  }
}
