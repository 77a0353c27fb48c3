public import AppSettings

extension SettingsStore {
  /// Calls a function with the value of a key: now, and each time the value changes.
  ///
  /// ```swift
  /// observation = settings.observe(.theme) { theme in panel.show(theme) }
  /// ```
  ///
  /// The first call is made before this method returns. Each later call runs on the thread that made the change: the
  /// thread that set the value, before the setter returns, or, for a change from outside, the thread that watches the
  /// files, which waits meanwhile. So the function must be short. If it is not, or if it needs an actor, use
  /// ``updates(_:initial:includingDuplicates:)``. Calls never overlap. A value that is set while the function runs, by
  /// the function itself or on another thread, is delivered on the same thread after the function has returned; nobody
  /// waits for it. The values delivered are the same as those of `updates`.
  ///
  /// The library holds no lock during a call, and no write waits for one. The function may set values, and may take a
  /// lock that other threads hold while they set values. It must not take a lock that the thread making the change
  /// already holds, since it would wait for its own thread.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - initial: Whether to call the function at once with the current value.
  ///   - duplicates: Whether to call for a value that equals the one before and was set again, locked or unlocked.
  ///   - body: The function.
  /// - Returns: The observation, which ends when it is released: retain it.
  public func observe<Value>(
    _ key: SettingsKey<Value>, initial: Bool = true, includingDuplicates duplicates: Bool = false,
    _ body: @escaping @Sendable (Value) -> Void
  ) -> SettingsObservation {
    begin(ValueView(key: key, initial: initial, duplicates: duplicates), body)
  }

  /// Calls a function with the values of several keys together: now, and each time one of them changes.
  ///
  /// ```swift
  /// observation = settings.observe(.theme, .fontSize) { theme, size in panel.show(theme, size) }
  /// ```
  ///
  /// The values of a call belong to one moment: no call sees only part of an `update` of several keys. Everything else
  /// is as in ``observe(_:initial:includingDuplicates:_:)`` for one key.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - initial: Whether to call the function at once with the current values.
  ///   - duplicates: Whether to call when a value was set again, locked or unlocked, and all equal the ones before.
  ///   - body: The function.
  /// - Returns: The observation, which ends when it is released: retain it.
  public func observe<each Value>(
    _ keys: repeat SettingsKey<each Value>, initial: Bool = true, includingDuplicates duplicates: Bool = false,
    _ body: @escaping @Sendable (repeat each Value) -> Void
  ) -> SettingsObservation {
    let view = TupleView(repeat each keys, initial: initial, duplicates: duplicates)
    let deliver: @Sendable ((repeat each Value)) -> Void = { values in body(repeat each values) }
    return begin(view, deliver)
  }

  /// Calls a function with each later change of a key's value: the old value, the new value, who made the change, and
  /// the layer of the new value.
  ///
  /// Everything else is as in ``observe(_:initial:includingDuplicates:_:)``.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - body: The function.
  /// - Returns: The observation, which ends when it is released: retain it.
  public func observeChanges<Value>(
    _ key: SettingsKey<Value>, _ body: @escaping @Sendable (SettingsChange<Value>) -> Void
  ) -> SettingsObservation {
    begin(ChangeView(values: ValueView(key: key, initial: false, duplicates: false)), body)
  }

  /// Calls a function with the value of a key, now and each time it changes, for the lifetime of an object.
  ///
  /// ```swift
  /// settings.observe(.theme, tiedTo: panel) { panel, theme in panel.show(theme) }
  /// ```
  ///
  /// The object is not retained. Once it is gone the function is not called any more, and the memory of the observation
  /// is freed at the next change of the key, or as more observations of this kind begin.
  /// ``endObservations(tiedTo:)`` ends it earlier.
  ///
  /// Everything else is as in ``observe(_:initial:includingDuplicates:_:)``.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - owner: The object.
  ///   - initial: Whether to call the function at once with the current value.
  ///   - duplicates: Whether to call for a value that equals the one before and was set again, locked or unlocked.
  ///   - body: The function; its first argument is the object.
  public func observe<Value, Owner: AnyObject & Sendable>(
    _ key: SettingsKey<Value>, tiedTo owner: Owner, initial: Bool = true, includingDuplicates duplicates: Bool = false,
    _ body: @escaping @Sendable (Owner, Value) -> Void
  ) {
    begin(ValueView(key: key, initial: initial, duplicates: duplicates), tiedTo: owner, body)
  }

  /// Calls a function with each later change of a key's value, for the lifetime of an object.
  ///
  /// ```swift
  /// settings.observeChanges(.theme, tiedTo: panel) { panel, change in panel.fade(from: change.old, to: change.new) }
  /// ```
  ///
  /// Everything else is as in ``observeChanges(_:_:)`` and ``observe(_:tiedTo:initial:includingDuplicates:_:)``.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - owner: The object.
  ///   - body: The function; its first argument is the object.
  public func observeChanges<Value, Owner: AnyObject & Sendable>(
    _ key: SettingsKey<Value>, tiedTo owner: Owner,
    _ body: @escaping @Sendable (Owner, SettingsChange<Value>) -> Void
  ) {
    begin(ChangeView(values: ValueView(key: key, initial: false, duplicates: false)), tiedTo: owner, body)
  }

  /// Ends all observations of this store that are tied to an object.
  ///
  /// ```swift
  /// settings.endObservations(tiedTo: panel)
  /// ```
  ///
  /// No call begins after this. It does not wait for a call that is running on another thread.
  ///
  /// - Parameter owner: The object passed to `observe` or `observeChanges`.
  public func endObservations(tiedTo owner: AnyObject) { OwnedObservations.end(owner, in: core) }

  /// Makes changes without calling the functions registered with `observe`.
  ///
  /// ```swift
  /// observation = settings.observe(.columns) { columns in
  ///   settings.withoutPropagation { settings[.width] = columns * 8 }
  /// }
  /// ```
  ///
  /// This affects only what the closure sets in this store on this thread. A change by another program that is noticed
  /// meanwhile is still delivered, and streams and other processes see the values as usual.
  ///
  /// - Parameter body: The closure that makes the changes.
  /// - Returns: The result of `body`.
  public func withoutPropagation<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    QuietThreads.enter(for: core.waiters)
    defer { QuietThreads.leave(for: core.waiters) }
    return try body()
  }

  private func begin<View: MomentView>(
    _ view: View, _ body: @escaping @Sendable (View.Element) -> Void
  ) -> SettingsObservation {
    let observer = CallbackObserver(self, view, isKept: false) { element in
      body(element)
      return true
    }
    return SettingsObservation { observer.cancel() }
  }

  private func begin<View: MomentView, Owner: AnyObject & Sendable>(
    _ view: View, tiedTo owner: Owner, _ body: @escaping @Sendable (Owner, View.Element) -> Void
  ) {
    let observer = CallbackObserver(self, view, isKept: true) { [weak owner] element in
      guard let owner else { return false }
      body(owner, element)
      return true
    }
    OwnedObservations.add(owner, in: core) { [weak observer] in observer?.cancel() }
  }
}

/// The observations tied to an object. Nothing reports the end of an object, so the list is purged now and then.
private enum OwnedObservations {
  private struct Entry: Sendable {
    weak var owner: (any AnyObject & Sendable)?
    let ownerID: ObjectIdentifier
    weak var core: StoreCore?
    var cancel: @Sendable () -> Void
  }

  private struct State: Sendable {
    var entries: [Entry] = []
    /// The number of entries at which the list is purged: twice the number left by the last purge.
    var limit = 16
  }

  // Protects the list. Observers are cancelled after it is released.
  private static let state = Lock(State())

  static func add(_ owner: any AnyObject & Sendable, in core: StoreCore, cancel: @escaping @Sendable () -> Void) {
    // Those that are alive stay so until the lock is released: what runs at the end of one may come here.
    let (over, living) = state.withLock { state -> ([Entry], [(any AnyObject & Sendable)?]) in
      state.entries.append(Entry(owner: owner, ownerID: ObjectIdentifier(owner), core: core, cancel: cancel))
      guard state.entries.count >= state.limit else { return ([], []) }
      let owners = state.entries.map(\.owner)
      let over = zip(state.entries, owners).filter { $1 == nil }.map(\.0)
      state.entries = zip(state.entries, owners).filter { $1 != nil }.map(\.0)
      state.limit = max(16, state.entries.count * 2)
      return (over, owners)
    }
    withExtendedLifetime(living) { for entry in over { entry.cancel() } }
  }

  static func end(_ owner: AnyObject, in core: StoreCore) {
    let owner = ObjectIdentifier(owner)
    let ended = state.withLock { state -> [Entry] in
      let isEnded = { (entry: Entry) in entry.ownerID == owner && entry.core === core }
      let ended = state.entries.filter(isEnded)
      state.entries.removeAll(where: isEnded)
      return ended
    }
    for entry in ended { entry.cancel() }
  }
}
