import AppSettingsObserve
import SettingsFleet
import Synchronization

/// Notices when something else than the mirror changes a mirrored file, through the library's own watching. Nothing wakes up
/// while nothing happens.
final class FileWatch: Sendable {
  private struct State {
    /// What the files are meant to hold, by app.
    var expected: [String: [FleetDocument: TextDigest]] = [:]
    var subscriptions: [String: WatchSubscription] = [:]
    /// The apps whose files were not as expected at the last look: they may just be written.
    var suspects: Set<String> = []
    var report: (@Sendable (String) -> Void)?
  }

  private let places: MirrorPlaces
  private let host: String
  private let hub = WatchHub(source: .kernel)
  /// Protects what is expected, and what is watched.
  private let state = Mutex(State())

  init(places: MirrorPlaces, host: String) { (self.places, self.host) = (places, host) }

  /// - Parameter report: Called with an app whose files are not as they should be.
  func start(_ report: @escaping @Sendable (String) -> Void) {
    let apps = state.withLock { state in
      state.report = report
      return Array(state.expected.keys)
    }
    for app in apps { watch(app) }
  }

  func end() {
    let subscriptions = state.withLock { state in
      defer { state.subscriptions = [:] }
      state.report = nil
      return Array(state.subscriptions.values)
    }
    for subscription in subscriptions { subscription.cancel() }
  }

  /// Takes what the files of some apps hold from now on. It is called before they are changed.
  func expect(_ files: [FleetDocument: TextDigest], of apps: Set<String>) {
    let byApp = Dictionary(grouping: files) { $0.key.app }.mapValues { files in
      Dictionary(uniqueKeysWithValues: files.map { ($0.key, $0.value) })
    }
    let (new, ended) = state.withLock { state in
      for app in apps { state.expected[app] = byApp[app] }
      guard state.report != nil else { return ([String](), [WatchSubscription]()) }
      let ended = apps.filter { byApp[$0] == nil }.compactMap { state.subscriptions.removeValue(forKey: $0) }
      return (apps.filter { byApp[$0] != nil && state.subscriptions[$0] == nil }, ended)
    }
    for subscription in ended { subscription.cancel() }
    for app in new { watch(app) }
  }

  private func watch(_ app: String) {
    let subscription = hub.subscribe(to: .directory("\(places.files)/\(app)/settings.d"), problem: { _ in }) {
      [weak self] _ in
      self?.look(at: app) ?? .settled
    }
    state.withLock { $0.subscriptions[app] = subscription }
  }

  private func look(at app: String) -> LookResult {
    let found = (try? places.digests(of: app, host: host)) ?? [:]
    let (isNew, report) = state.withLock { state -> (Bool, (@Sendable (String) -> Void)?) in
      guard let expected = state.expected[app], expected != found else {
        state.suspects.remove(app)
        return (false, nil)
      }
      let isNew = state.suspects.insert(app).inserted
      if !isNew { state.suspects.remove(app) }
      return (isNew, isNew ? nil : state.report)
    }
    if isNew { return .again(after: .milliseconds(50)) }
    report?(app)
    return .settled
  }
}
