import AppSettings
import AppSettingsObserve
import Synchronization

/// Reports when a schema is installed, upgraded or removed, because documents may then be accepted or refused.
///
/// It watches the directories in which apps put their schemas, through the library's own watching. Nothing wakes up while
/// nothing happens. Where the kernel has no inotify watch left, it looks at the directories once a second.
final class SchemaWatch: Sendable {
  private let directories: [String]
  private let hub = WatchHub(source: .kernel)
  /// Protects what the directories had at the last look.
  private let found: Mutex<[String: [String: FileStatus]]>

  init(environment: [String: String]) {
    let listed = (environment["XDG_DATA_DIRS"] ?? "").split(separator: ":").map(String.init).filter {
      $0.hasPrefix("/")
    }
    directories = (listed.isEmpty ? ["/usr/local/share", "/usr/share"] : listed).map { $0 + "/app-settings" }
    found = Mutex(Dictionary(directories.map { ($0, Self.schemas(in: $0)) }) { first, _ in first })
  }

  /// A signal for each group of changes.
  ///
  /// - Parameter problem: Called with why changes are found later than usual.
  func changes(problem: @escaping @Sendable (String) -> Void) -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let subscriptions = directories.map { directory in
        hub.subscribe(
          to: .directory(directory), problem: { found in if let found { problem(found.message) } },
          look: { [weak self] _ in
            if self?.hasChanged(directory) ?? false { continuation.yield() }
            return .settled
          })
      }
      continuation.onTermination = { _ in for subscription in subscriptions { subscription.cancel() } }
    }
  }

  private func hasChanged(_ directory: String) -> Bool {
    let schemas = Self.schemas(in: directory)
    return found.withLock { found in
      defer { found[directory] = schemas }
      return found[directory] != schemas
    }
  }

  private static func schemas(in directory: String) -> [String: FileStatus] {
    var schemas: [String: FileStatus] = [:]
    for name in (try? File.names(in: directory)) ?? [] where name.hasSuffix(".toml") {
      schemas[name] = try? Syscalls().status(at: "\(directory)/\(name)")
    }
    return schemas
  }
}
