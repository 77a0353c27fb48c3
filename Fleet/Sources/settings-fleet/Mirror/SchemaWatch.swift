import AppSettings
import Glibc

/// Reports when a schema is installed, upgraded or removed, because documents may then be accepted or refused.
///
/// It watches the directories in which apps put their schemas, through inotify(7). Where one does not exist, its nearest
/// parent is watched. No timer runs.
final class SchemaWatch: Sendable {
  private let descriptor: CInt
  private let directories: [String]

  /// - Returns: `nil` if the kernel gives no more inotify instances; the caller then learns of schemas at its next range.
  init?(environment: [String: String]) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    let listed = (environment["XDG_DATA_DIRS"] ?? "").split(separator: ":").map(String.init).filter {
      $0.hasPrefix("/")
    }
    directories = (listed.isEmpty ? ["/usr/local/share", "/usr/share"] : listed).map { $0 + "/app-settings" }
    for directory in directories { watch(directory) }
  }

  deinit { close(descriptor) }

  /// A signal for each group of changes, on a thread that waits in the kernel.
  func changes() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      try? PlainThread.start("schema-watch") { [self] in
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
          let count = read(descriptor, &buffer, buffer.count)
          if count < 0, errno == EINTR { continue }
          if count <= 0 { break }
          // Directories may have been made, removed or replaced.
          for directory in directories { watch(directory) }
          if case .terminated = continuation.yield() { break }
        }
        continuation.finish()
      }
    }
  }

  private func watch(_ directory: String) {
    let mask = UInt32(
      IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
    var path = directory
    while inotify_add_watch(descriptor, path, mask) < 0 {
      guard let parent = File.parent(of: path), parent != path else { return }
      path = parent
    }
  }
}
