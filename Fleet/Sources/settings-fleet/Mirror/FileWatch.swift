import AppSettingsObserve
import Glibc
import SettingsFleet
import Synchronization

/// Notices when something else than the mirror changes a mirrored file, or a secret, through the library's own watching.
/// Nothing wakes up while nothing happens.
final class FileWatch: Sendable {
  private struct State {
    /// What the files are meant to hold, by app.
    var expected: [String: [FleetDocument: TextDigest]] = [:]
    var subscriptions: [String: WatchSubscription] = [:]
    /// Those to the directories of secrets.
    var secrets: [String: WatchSubscription] = [:]
    /// What was not as expected at the last look: it may just be written.
    var suspects: Set<String> = []
    var report: (@Sendable (String) -> Void)?
  }

  private let secrets: SecretFiles
  private var places: MirrorPlaces { secrets.places }
  private let hub = WatchHub(source: .kernel)
  /// Protects what is expected, and what is watched.
  private let state = Mutex(State())

  init(secrets: SecretFiles) { self.secrets = secrets }

  /// - Parameter report: Called with an app whose files are not as they should be.
  func start(_ report: @escaping @Sendable (String) -> Void) {
    let apps = state.withLock { state in
      state.report = report
      return Array(state.expected.keys)
    }
    for app in apps { watch(app) }
    for app in (try? secrets.apps(nil)) ?? [] { expectSecrets(of: app) }
  }

  func end() {
    let subscriptions = state.withLock { state in
      defer { (state.subscriptions, state.secrets) = ([:], [:]) }
      state.report = nil
      return Array(state.subscriptions.values) + Array(state.secrets.values)
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

  /// Takes the secrets of an app as they are now.
  func expectSecrets(of app: String) {
    let directory = "\(places.secrets)/\(app)"
    let isThere = access(directory, F_OK) == 0
    let (isNew, ended) = state.withLock { state in
      guard state.report != nil else { return (false, WatchSubscription?.none) }
      return (isThere && state.secrets[app] == nil, isThere ? nil : state.secrets.removeValue(forKey: app))
    }
    ended?.cancel()
    guard isNew else { return }
    let subscription = subscribe(to: .folder(directory)) { $0.look(at: app, secrets: true) }
    state.withLock { $0.secrets[app] = subscription }
  }

  private func watch(_ app: String) {
    let directory = "\(places.files)/\(app)/settings.d"
    let subscription = subscribe(to: .directory(directory)) { $0.look(at: app, secrets: false) }
    state.withLock { $0.subscriptions[app] = subscription }
  }

  private func subscribe(
    to target: WatchTarget, _ look: @escaping @Sendable (FileWatch) -> LookResult
  ) -> WatchSubscription {
    hub.subscribe(to: target, problem: { _ in }) { [weak self] _ in self.map(look) ?? .settled }
  }

  private func look(at app: String, secrets isOfSecrets: Bool) -> LookResult {
    let isRight: Bool
    if isOfSecrets {
      isRight = secrets.areRight(of: app)
    } else {
      let found = (try? places.digests(of: app, host: secrets.host)) ?? [:]
      isRight = state.withLock { $0.expected[app].map { $0 == found } ?? true }
    }
    let suspect = isOfSecrets ? "secrets of \(app)" : app
    let (isNew, report) = state.withLock { state -> (Bool, (@Sendable (String) -> Void)?) in
      if isRight || !state.suspects.insert(suspect).inserted {
        state.suspects.remove(suspect)
        return (false, isRight ? nil : state.report)
      }
      return (true, nil)
    }
    if isNew { return .again(after: .milliseconds(isOfSecrets ? 500 : 50)) }
    report?(app)
    return .settled
  }
}
