public import AppSettings
public import Observation
internal import SettingsTOML

/// Settings as an observable object: what is read of it within `withObservationTracking` or `Observations` is tracked.
///
/// ```swift
/// let view = ObservableSettings(settings)
/// let titles = Observations { "\(view.theme), \(view.fontSize) points" }
/// for await title in titles { window.title = title }
/// ```
///
/// The change of a setting is told once, after it is there, whoever made it; one that was not read is not told. The
/// store follows its files while the object lives.
///
/// Tracking begins when the tracked closure has ended, so that a change by another thread just before could be missed.
/// An object that is made on an actor tells its changes on that actor, where they cannot come in between: make it on
/// the one that reads it. An object made on none tells them at once, on the thread that made the change.
@dynamicMemberLookup
public final class ObservableSettings: Observable, SettingsAccess, Sendable {
  /// The store.
  public let store: SettingsStore
  private let actor: (any Actor)?
  private let registrar = ObservationRegistrar()
  private let follower: StoreFollower

  private struct State: Sendable {
    var waiters: [TOMLPath: ChangeWaiter] = [:]
    /// The values that were read last: what a change has to differ from to be one.
    var values: [TOMLPath: any Sendable] = [:]
    /// What has changed and was not told yet.
    var changed: [TOMLPath] = []
  }

  // Protects the fields above. The store is read while it is held, so that the value kept is the one read last; the
  // registrar is called after it is released.
  private let state = Lock(State())

  /// Makes an observable object of a store.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - isolation: The actor that reads the object; the one that this is called on, if not given.
  public init(_ store: SettingsStore, isolation: (any Actor)? = #isolation) {
    self.store = store
    actor = isolation
    follower = StoreFollower.of(store.core)
  }

  deinit {
    for waiter in state.withLock({ $0.waiters.values }) { store.core.waiters.remove(waiter) }
  }

  /// The value of a key, tracked.
  public subscript<Value>(key: SettingsKey<Value>) -> Value {
    get {
      observe(key) { store in
        let value = store[key]
        return { known in (known as? Value).map { areEqual($0, value) ?? false } ?? false }
      }
      registrar.access(self, keyPath: \.[place: key.path])
      return whileLocked { state in
        let value = store[key]
        state.values[key.path] = value
        return value
      }
    }
    set { store[key] = newValue }
  }

  /// The value of a key, as a property: `view.theme`, tracked.
  public subscript<Value>(dynamicMember keyPath: KeyPath<SettingsKeys.Type, SettingsKey<Value>>) -> Value {
    get { self[AnySettingsKey.self[keyPath: keyPath]] }
    set { self[AnySettingsKey.self[keyPath: keyPath]] = newValue }
  }

  /// The records under a key, in the order of the file, tracked as one: that one of them comes, changes or goes is told,
  /// and that their order is another.
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

  /// The records under a key, as a property: `view.profiles`, tracked.
  public subscript<Record>(dynamicMember keyPath: KeyPath<SettingsKeys.Type, SettingsRecordKey<Record>>) -> [Record] {
    self[AnySettingsKey.self[keyPath: keyPath]]
  }

  /// Stands for a key's value where the registrar needs a key path, which has to be one for each key.
  private subscript(place path: TOMLPath) -> Int { path.components.count }

  /// Reads what there is now, for the question whether what was read before is the same.
  private typealias Comparison = @Sendable (SettingsStore) -> (any Sendable) -> Bool

  /// Runs `body` with the lock held. What there is to report of the values that it reads is reported after that.
  private func whileLocked<Result>(_ body: (inout State) -> Result) -> Result {
    DeferredCalls.section { state.withLock(body) }
  }

  private func observe(_ key: AnySettingsKey, seesOrder: Bool = false, _ compare: @escaping Comparison) {
    let path = key.path
    let new = state.withLock { state -> ChangeWaiter? in
      guard state.waiters[path] == nil else { return nil }
      let waiter = ChangeWaiter(
        paths: key.paths, seesOrder: seesOrder, callback: { [weak self] in self?.changed(path, compare) })
      state.waiters[path] = waiter
      return waiter
    }
    if let new { store.core.waiters.add(new) }
  }

  /// Runs on the thread that made the change.
  private func changed(_ path: TOMLPath, _ compare: Comparison) {
    let isSame = compare(store)
    let (isChange, isFirst) = state.withLock { state -> (Bool, Bool) in
      if let known = state.values[path], isSame(known) { return (false, false) }
      guard actor != nil else { return (true, false) }
      defer { if !state.changed.contains(path) { state.changed.append(path) } }
      return (true, state.changed.isEmpty)
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
