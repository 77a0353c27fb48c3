public import AppSettings

extension SettingsStore {
  /// Keeps the store up to date with changes from outside, for as long as the store lives.
  ///
  /// A store does so by itself while a stream of its values is open. Call this where values are read without a stream,
  /// for example in a service that reads its settings at each request.
  ///
  /// ```swift
  /// let settings = try SettingsStore(app: "org.example.editor")
  /// settings.follow()
  /// ```
  ///
  /// Where the system reports no events (on network file systems, or at a limit), the store checks the files once a
  /// second, and ``problems`` says so. A store in memory has nothing to follow.
  public func follow() {
    core.load()
    core.follower.keep { StoreFollower(core) }
  }
}

/// Identifies one function that is called after checks.
final class ListenerToken: Sendable {}

/// Watches the files of one store and makes the store check them. Ends when the last reference is released.
///
/// The places to watch are part of the store's state: another profile, or a directory of declared files that appears,
/// brings others. After each check the subscriptions are those of the present places. A new one begins with a check of
/// its own, so nothing is missed in between.
final class StoreFollower: Sendable {
  private let core: @Sendable () -> StoreCore?
  // Protects the subscriptions. Held while they are made and not while they are cancelled; no look waits for it that
  // holds a lock of the store.
  private let subscriptions = Lock<[FollowedPlace: WatchSubscription]>([:])
  // Protects the functions to call after checks, which are called when it is released.
  private let listeners = Lock<[ObjectIdentifier: @Sendable () -> Void]>([:])

  init(_ core: StoreCore) {
    self.core = { [weak core] in core }
    // Events report what happens from now on. The first check finds what has happened since the store read its files.
    core.load()
    update()
  }

  /// Watches the present places of the store.
  private func update() {
    guard let core = core() else { return }
    // What keeps a place from being watched is reported when the lock is released.
    let (ended, places) = DeferredCalls.section {
      subscriptions.withLock { subscriptions -> ([WatchSubscription], [FollowedPlace]) in
        // Under the lock: another thread may make the subscriptions of newer places.
        let places = Self.places(of: core)
        let ended = subscriptions.keys.filter { !places.contains($0) }.compactMap {
          subscriptions.removeValue(forKey: $0)
        }
        for place in places where subscriptions[place] == nil { subscriptions[place] = subscribe(to: place, core) }
        return (ended, places)
      }
    }
    // A cancellation waits for a running look, which may be in this very function.
    for subscription in ended { subscription.cancel() }
    guard !ended.isEmpty else { return }
    core.follower.memory { WatchTroubles() }.drop(allBut: Set(places), in: core.problems)
  }

  func add(_ token: ListenerToken, _ listener: @escaping @Sendable () -> Void) {
    listeners.withLock { $0[ObjectIdentifier(token)] = listener }
  }

  func remove(_ token: ListenerToken) { listeners.withLock { $0[ObjectIdentifier(token)] = nil } }

  private func tellListeners() {
    for listener in listeners.withLock({ Array($0.values) }) { listener() }
  }

  private static func places(of core: StoreCore) -> [FollowedPlace] {
    let watched = core.watchedPlaces
    let others =
      watched.files.map { WatchTarget.file($0) } + watched.directories.map { .directory($0) }
      + watched.folders.map { .folder($0) }
    let own = core.watchedFile.map { FollowedPlace(target: .file($0), isOwn: true) }
    return (own.map { [$0] } ?? []) + others.map { FollowedPlace(target: $0) }
  }

  private func subscribe(to place: FollowedPlace, _ core: StoreCore) -> WatchSubscription {
    // The same place has the same name in every follower of this store.
    let report: @Sendable (WatchProblem?) -> Void = { [weak core] problem in
      guard let core else { return }
      core.follower.memory { WatchTroubles() }.note(problem, at: place, in: core.problems)
    }
    let look: @Sendable (LookCause) -> LookResult = { [weak core, weak self] cause in
      guard let core else { return .settled }
      // An event of another file says nothing about the rest of them.
      let outcome = place.isOwn ? core.look(cause == .save ? .saveEnded : .doubt) : core.lookAround(.doubt)
      self?.update()
      if case .unsettled = outcome {} else { self?.tellListeners() }
      return LookResult(outcome)
    }
    return WatchHub.shared.subscribe(to: place.target, problem: report, look: look)
  }

  /// The follower of a store, created if needed. It ends when its last holder releases it.
  static func of(_ core: StoreCore) -> StoreFollower {
    // Loads before it takes the follower's lock, so that other threads need not wait for it.
    core.load()
    let (follower, isNew) = core.follower.shared { StoreFollower(core) }
    // The values may be old, since nobody was watching. The hub's own check comes too late for a first element.
    if isNew {
      core.look(.doubt)
      core.lookAround(.doubt)
      follower.update()
    }
    return follower
  }
}

extension LookResult {
  init(_ outcome: LookOutcome) {
    switch outcome {
    case .settled: self = .settled
    case .unsettled(let nanoseconds), .failed(let nanoseconds): self = .again(after: .nanoseconds(nanoseconds))
    }
  }
}
