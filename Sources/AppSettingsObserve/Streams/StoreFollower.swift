public import AppSettings

extension SettingsStore {
  /// Takes in what others change from now on, for as long as the store lives.
  ///
  /// A store does so by itself while a stream of its values is open. Call this where values are read without one: in a
  /// service that looks its settings up at each request, say.
  ///
  /// ```swift
  /// let settings = try SettingsStore(app: "org.example.editor")
  /// settings.follow()
  /// ```
  ///
  /// Where the system gives no events (network file systems, a limit reached), the files are looked at once a second,
  /// and ``problems`` says so. A store in memory has nothing to follow.
  public func follow() {
    core.load()
    core.follower.keep { StoreFollower(core) }
  }
}

/// Watches the files of one store and has the store look at them. Ends when the last reference goes.
final class StoreFollower: Sendable {
  private let subscriptions: [WatchSubscription]

  init(_ core: StoreCore) {
    // What happens from now on is noticed. What happened since the store read its files is taken in by the first look.
    core.load()
    var places = 0
    // Where a subscription is among those of every follower of this store.
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
          // An event of one of them says nothing of the others.
          core.map { LookResult($0.lookAtSystemLayers(.doubt)) } ?? .settled
        })
    }
    for directory in core.watchedSystemDirectories {
      subscriptions.append(
        WatchHub.shared.subscribe(directory: directory, problem: report()) { [weak core] _ in
          // An event of one of them says nothing of the others.
          core.map { LookResult($0.lookAtSystemLayers(.doubt)) } ?? .settled
        })
    }
    self.subscriptions = subscriptions
  }

  /// The follower of a store, begun if there is none. It ends with the last of those who hold it.
  static func of(_ core: StoreCore) -> StoreFollower {
    // Before the follower's lock is taken, for which other threads would wait meanwhile.
    core.load()
    let (follower, isNew) = core.follower.shared { StoreFollower(core) }
    // Nobody has looked for a while, so the values may be old. The hub's own look comes too late for a first element.
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
