import AppSettingsObserve
import Glibc
import Synchronization

/// Reports when a schema is installed, upgraded or removed, because documents may then be accepted or refused.
///
/// It watches the directories in which apps put their schemas, through the library's own watching. Nothing wakes up while
/// nothing happens; where the kernel has no more watches to give, the directories are looked at once a second.
final class SchemaWatch: Sendable {
  /// What changes when a file is replaced or written.
  private struct Stamp: Equatable {
    var device: UInt
    var inode: UInt
    var size: Int
    var times: [Int]
  }

  private let directories: [String]
  private let hub = WatchHub(source: .kernel)
  /// Protects what the directories had at the last look.
  private let found: Mutex<[String: [String: Stamp]]>

  init(environment: [String: String]) {
    let listed = (environment["XDG_DATA_DIRS"] ?? "").split(separator: ":").map(String.init).filter {
      $0.hasPrefix("/")
    }
    directories = (listed.isEmpty ? ["/usr/local/share", "/usr/share"] : listed).map { $0 + "/app-settings" }
    var stamps: [String: [String: Stamp]] = [:]
    for directory in directories { stamps[directory] = Self.stamps(in: directory) }
    found = Mutex(stamps)
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
    let stamps = Self.stamps(in: directory)
    return found.withLock { found in
      defer { found[directory] = stamps }
      return found[directory] != stamps
    }
  }

  private static func stamps(in directory: String) -> [String: Stamp] {
    var stamps: [String: Stamp] = [:]
    for name in (try? File.names(in: directory)) ?? [] where name.hasSuffix(".toml") {
      var status = stat()
      guard stat("\(directory)/\(name)", &status) == 0 else { continue }
      stamps[name] = Stamp(
        device: UInt(status.st_dev), inode: UInt(status.st_ino), size: Int(status.st_size),
        times: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec])
    }
    return stamps
  }
}
