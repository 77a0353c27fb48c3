public import AppSettings

extension SettingsStore {
  /// Calls a function with the value of a key: now, and whenever it becomes another one.
  ///
  /// ```swift
  /// observation = settings.observe(.theme) { theme in panel.show(theme) }
  /// ```
  ///
  /// The first call is made before this returns. The others are made on the thread that made the change, before the call
  /// that made it returns: on the one that set the value, or, for what others change, on the one that watches the files,
  /// which waits meanwhile. So the function has to be short; where it is not, or where an actor is needed, use
  /// ``updates(_:initial:includingDuplicates:)``. Calls follow each other, never two at once: while the function runs,
  /// nobody waits for it, and a value that is set meanwhile, by the function itself or on another thread, is delivered
  /// when it has returned, on the thread that it runs on. Which values are delivered is as with `updates`.
  ///
  /// No lock of the library is held during a call, and no write waits for one: the function may set values, and may take
  /// a lock that other threads hold while they set some. A lock that the thread which makes the change holds already is
  /// another matter: the function waits for its own thread then.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - initial: Whether the first call is for the value that there is now.
  ///   - duplicates: Whether to call for a value that equals the one before when it was set anew.
  ///   - body: The function.
  /// - Returns: What the observation lasts with: keep it.
  public func observe<Value>(
    _ key: SettingsKey<Value>, initial: Bool = true, includingDuplicates duplicates: Bool = false,
    _ body: @escaping @Sendable (Value) -> Void
  ) -> SettingsObservation {
    begin(ValueView(key: key, initial: initial, duplicates: duplicates), body)
  }

  /// Calls a function with the values of several keys together: now, and whenever one of them becomes another one.
  ///
  /// ```swift
  /// observation = settings.observe(.theme, .fontSize) { theme, size in panel.show(theme, size) }
  /// ```
  ///
  /// The values of a call are of one moment: of a change of several keys in one `update`, no call has a part.
  ///
  /// As ``observe(_:initial:includingDuplicates:_:)`` for one key otherwise.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - initial: Whether the first call is for the values that there are now.
  ///   - duplicates: Whether to call for values that equal the ones before when one was set anew.
  ///   - body: The function.
  /// - Returns: What the observation lasts with: keep it.
  public func observe<each Value>(
    _ keys: repeat SettingsKey<each Value>, initial: Bool = true, includingDuplicates duplicates: Bool = false,
    _ body: @escaping @Sendable (repeat each Value) -> Void
  ) -> SettingsObservation {
    let view = TupleView(repeat each keys, initial: initial, duplicates: duplicates)
    let deliver: @Sendable ((repeat each Value)) -> Void = { values in body(repeat each values) }
    return begin(view, deliver)
  }

  /// Calls a function with each change of a key's value from now on: the value before, the value now, who made it, and the layer that
  /// it is from.
  ///
  /// As ``observe(_:initial:includingDuplicates:_:)`` otherwise.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - body: The function.
  /// - Returns: What the observation lasts with: keep it.
  public func observeChanges<Value>(
    _ key: SettingsKey<Value>, _ body: @escaping @Sendable (SettingsChange<Value>) -> Void
  ) -> SettingsObservation {
    begin(ChangeView(values: ValueView(key: key, initial: false, duplicates: false)), body)
  }

  /// Calls a function with the value of a key, now and whenever it becomes another one, for as long as an object lives.
  ///
  /// ```swift
  /// settings.observe(.theme, tiedTo: panel) { panel, theme in panel.show(theme) }
  /// ```
  ///
  /// The object is not kept alive. Once it is gone the function is not called any more, and what the observation holds
  /// goes with the next change of the key, or the next observation of this kind. ``endObservations(tiedTo:)`` ends it
  /// before.
  ///
  /// As ``observe(_:initial:includingDuplicates:_:)`` otherwise.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - owner: The object.
  ///   - initial: Whether the first call is for the value that there is now.
  ///   - duplicates: Whether to call for a value that equals the one before when it was set anew.
  ///   - body: The function; its first argument is the object.
  public func observe<Value, Owner: AnyObject & Sendable>(
    _ key: SettingsKey<Value>, tiedTo owner: Owner, initial: Bool = true, includingDuplicates duplicates: Bool = false,
    _ body: @escaping @Sendable (Owner, Value) -> Void
  ) {
    begin(ValueView(key: key, initial: initial, duplicates: duplicates), tiedTo: owner, body)
  }

  /// Calls a function with each change of a key's value from now on, for as long as an object lives.
  ///
  /// ```swift
  /// settings.observeChanges(.theme, tiedTo: panel) { panel, change in panel.fade(from: change.old, to: change.new) }
  /// ```
  ///
  /// As ``observeChanges(_:_:)`` and ``observe(_:tiedTo:initial:includingDuplicates:_:)`` otherwise.
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
  /// No call begins after this; one that runs on another thread at this moment is not waited for.
  ///
  /// - Parameter owner: The object that was given to `observe` or `observeChanges`.
  public func endObservations(tiedTo owner: AnyObject) { OwnedObservations.end(owner, in: core) }

  /// Makes changes that the functions given to `observe` are not called for.
  ///
  /// ```swift
  /// observation = settings.observe(.columns) { columns in
  ///   settings.withoutPropagation { settings[.width] = columns * 8 }
  /// }
  /// ```
  ///
  /// This is about what the closure sets in this store on this thread, and nothing else: a change by another program that
  /// is noticed meanwhile is delivered. Streams see what is set, and so does everyone else.
  ///
  /// - Parameter body: What makes the changes.
  /// - Returns: What `body` returns.
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

/// The observations that last as long as an object. Nothing tells when that goes, so they are looked through now and then.
private enum OwnedObservations {
  private struct Entry: Sendable {
    weak var owner: (any AnyObject & Sendable)?
    weak var core: StoreCore?
    var cancel: @Sendable () -> Void
  }

  private struct State: Sendable {
    var entries: [Entry] = []
    /// How many there may be until they are looked through: twice what was left the last time.
    var limit = 16
  }

  // Protects the list. Observers are cancelled after it is released.
  private static let state = Lock(State())

  static func add(_ owner: any AnyObject & Sendable, in core: StoreCore, cancel: @escaping @Sendable () -> Void) {
    let over = state.withLock { state -> [Entry] in
      state.entries.append(Entry(owner: owner, core: core, cancel: cancel))
      guard state.entries.count >= state.limit else { return [] }
      let over = state.entries.filter { $0.owner == nil }
      state.entries.removeAll { $0.owner == nil }
      state.limit = max(16, state.entries.count * 2)
      return over
    }
    for entry in over { entry.cancel() }
  }

  static func end(_ owner: AnyObject, in core: StoreCore) {
    let owner = ObjectIdentifier(owner)
    let ended = state.withLock { state -> [Entry] in
      let isEnded = { (entry: Entry) in entry.owner.map(ObjectIdentifier.init) == owner && entry.core === core }
      let ended = state.entries.filter(isEnded)
      state.entries.removeAll(where: isEnded)
      return ended
    }
    for entry in ended { entry.cancel() }
  }
}
