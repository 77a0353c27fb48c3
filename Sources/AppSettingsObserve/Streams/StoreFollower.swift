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

/// Watches the files of one store and makes the store check them. Ends when the last reference is released.
final class StoreFollower: Sendable {
  private let subscriptions: [WatchSubscription]

  init(_ core: StoreCore) {
    // Events report what happens from now on. The first check finds what has happened since the store read its files.
    core.load()
    var places = 0
    // The index of a subscription is the same in every follower of this store.
    func report() -> @Sendable (WatchProblem?) -> Void {
      defer { places += 1 }
      return { [weak core, place = places] problem in
        guard let core else { return }
        core.follower.memory { WatchTroubles() }.note(problem, at: place, in: core.problems)
      }
    }
    var subscriptions: [WatchSubscription] = []
    if let file = core.watchedFile {
      subscriptions.append(
        WatchHub.shared.subscribe(path: file, problem: report()) { [weak core] cause in
          core.map { LookResult($0.look(cause == .save ? .saveEnded : .doubt)) } ?? .settled
        })
    }
    for file in core.watchedSystemFiles {
      subscriptions.append(
        WatchHub.shared.subscribe(path: file, problem: report()) { [weak core] _ in
          // An event of one file says nothing about the others.
          core.map { LookResult($0.lookAtSystemLayers(.doubt)) } ?? .settled
        })
    }
    for directory in core.watchedSystemDirectories {
      subscriptions.append(
        WatchHub.shared.subscribe(directory: directory, problem: report()) { [weak core] _ in
          // An event of one directory says nothing about the others.
          core.map { LookResult($0.lookAtSystemLayers(.doubt)) } ?? .settled
        })
    }
    self.subscriptions = subscriptions
  }

  /// The follower of a store, created if needed. It ends when its last holder releases it.
  static func of(_ core: StoreCore) -> StoreFollower {
    // Loads before it takes the follower's lock, so that other threads need not wait for it.
    core.load()
    let (follower, isNew) = core.follower.shared { StoreFollower(core) }
    // The values may be old, since nobody was watching. The hub's own check comes too late for a first element.
    if isNew {
      core.look(.doubt)
      core.lookAtSystemLayers(.doubt)
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
