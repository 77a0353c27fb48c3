public import AppSettings
public import Observation
internal import SettingsTOML

/// Settings as an observable object: `withObservationTracking` and `Observations` track what they read of it.
///
/// ```swift
/// let view = ObservableSettings(settings)
/// let titles = Observations { "\(view.theme), \(view.fontSize) points" }
/// for await title in titles { window.title = title }
/// ```
///
/// Each change of a setting that was read is reported once, after it has taken effect, whoever made it. The store
/// follows its files while the object lives.
///
/// Tracking begins only when the tracked closure has ended, so a change that another thread makes just before could be
/// missed. An object created on an actor reports its changes on that actor, which excludes this. Create the object on
/// the actor that reads it. An object created outside an actor reports changes at once, on the thread that made the
/// change.
@dynamicMemberLookup
public final class ObservableSettings: Observable, SettingsAccess, Sendable {
  /// The store.
  package let store: SettingsStore
  private let registrar = ObservationRegistrar()
  private let follower: StoreFollower

  private struct State: Sendable {
    /// The actor that reads the object, which may own it.
    weak var actor: (any Actor)?
    var waiters: [TOMLPath: ChangeWaiter] = [:]
    /// The values that were read last. Only a value that differs from these is a change.
    var values: [TOMLPath: any Sendable] = [:]
    /// Changes that have not been reported yet.
    var changed: [TOMLPath] = []
  }

  // Protects the fields above. The store is read while it is held, so that the stored value is the one read last. The
  // registrar is called after it is released.
  private let state: Lock<State>

  /// Creates an observable object for a store.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - isolation: The actor that reads the object; by default, the actor of the caller. It is not
  ///     retained.
  public init(_ store: SettingsStore, isolation: (any Actor)? = #isolation) {
    self.store = store
    state = Lock(State(actor: isolation))
    follower = StoreFollower.of(store.core)
  }

  deinit {
    for waiter in state.withLock({ $0.waiters.values }) { store.core.waiters.remove(waiter) }
  }

  /// The value of a key. Reads are tracked.
  public subscript<Value>(key: SettingsKey<Value>) -> Value {
    get {
      observe(key) { store in
        let value = store[key]
        return { known in (known as? Value).map { key.areEqual($0, value) ?? false } ?? false }
      }
      registrar.access(self, keyPath: \.[place: key.path])
      return whileLocked { state in
        let value = store[key]
        state.values[key.path] = value
        return value
      }
    }
    set { store[key] = newValue }
    _modify {
      _ = self[key]
      yield &store[key]
    }
  }

  /// The value of a key as a property, such as `view.theme`. Reads are tracked.
  public subscript<Value>(dynamicMember keyPath: KeyPath<SettingsKeys.Type, SettingsKey<Value>>) -> Value {
    get { self[AnySettingsKey.self[keyPath: keyPath]] }
    set { self[AnySettingsKey.self[keyPath: keyPath]] = newValue }
    _modify { yield &self[AnySettingsKey.self[keyPath: keyPath]] }
  }

  /// The records under a key, in the order of the file, tracked as one value: adding, changing, removing or reordering
  /// records is a change.
  public subscript<Record>(key: SettingsRecordKey<Record>) -> [Record] {
    observe(key, seesOrder: true) { store in
      let listing = key.listing(in: store.core)
      return { known in (known as? RecordListing<Record>)?.isSame(as: listing) ?? false }
    }
    registrar.access(self, keyPath: \.[place: key.path])
    return whileLocked { state in
      let listing = key.listing(in: store.core)
      state.values[key.path] = listing
      return listing.records
    }
  }

  /// The records under a key as a property, such as `view.profiles`. Reads are tracked.
  public subscript<Record>(dynamicMember keyPath: KeyPath<SettingsKeys.Type, SettingsRecordKey<Record>>) -> [Record] {
    self[AnySettingsKey.self[keyPath: keyPath]]
  }

  /// Represents a key's value for the registrar, which needs a distinct key path for each key.
  private subscript(place path: TOMLPath) -> Int { path.components.count }

  /// Reads the current value and returns a function that compares an earlier value with it.
  private typealias Comparison = @Sendable (SettingsStore) -> (any Sendable) -> Bool

  /// Runs `body` with the lock held. Problems with the values that it reads are reported afterwards.
  private func whileLocked<Result>(_ body: (inout State) -> Result) -> Result {
    DeferredCalls.section { state.withLock(body) }
  }

  private func observe(_ key: AnySettingsKey, seesOrder: Bool = false, _ compare: @escaping Comparison) {
    let path = key.path
    state.withLock { state in
      guard state.waiters[path] == nil else { return }
      let waiter = ChangeWaiter(
        paths: key.paths, seesOrder: seesOrder, callback: { [weak self] in self?.changed(path, compare) })
      state.waiters[path] = waiter
      // Before another thread finds it there, and reads the value.
      store.core.waiters.add(waiter)
    }
  }

  /// Runs on the thread that made the change.
  private func changed(_ path: TOMLPath, _ compare: Comparison) {
    let isSame = compare(store)
    let (isChange, actor, isFirst) = state.withLock { state -> (Bool, (any Actor)?, Bool) in
      if let known = state.values[path], isSame(known) { return (false, nil, false) }
      guard let actor = state.actor else { return (true, nil, false) }
      defer { if !state.changed.contains(path) { state.changed.append(path) } }
      return (true, actor, state.changed.isEmpty)
    }
    guard isChange else { return }
    guard let actor else { return tell([path]) }
    if isFirst { Task { [weak self] in await self?.tellChanges(on: actor) } }
  }

  private func tellChanges(on actor: isolated any Actor) {
    tell(
      state.withLock { state in
        defer { state.changed = [] }
        return state.changed
      })
  }

  private func tell(_ paths: [TOMLPath]) {
    for path in paths { registrar.withMutation(of: self, keyPath: \.[place: path]) {} }
  }
}
