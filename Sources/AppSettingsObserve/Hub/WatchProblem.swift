internal import AppSettings
internal import Glibc

/// Why changes of a path are found by polling and not at once.
package struct WatchProblem: Equatable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The system's limit on watches or instances is reached.
    case limit
    /// Changes made on another machine give no events.
    case remoteFileSystem
    /// A directory may not be read, or cannot be watched for another reason.
    case refused
    /// Nothing checks the files: the hub's thread could not be started.
    case notWatching
  }

  package var kind: Kind
  /// The path that was subscribed to.
  package var path: String
  /// A sentence for the user: what happened, to which file, why, and what to do.
  package var message: String
}

extension WatchProblem {
  private static let instead = "Changes are looked for once a second instead."

  static func remoteFileSystem(_ name: String, path: String) -> WatchProblem {
    WatchProblem(
      kind: .remoteFileSystem, path: path,
      message: "Cannot rely on events for '\(path)': it is on a network or user-space file system (\(name)). \(instead)"
    )
  }

  static func refused(_ refusal: WatchRefusal, directory: String, path: String) -> WatchProblem {
    let reason: String
    var kind = Kind.limit
    switch refusal {
    case .noInstance:
      reason = "the limit of inotify instances is reached; raise fs.inotify.max_user_instances"
    case .error(ENOSPC):
      reason = "the limit of inotify watches is reached; raise fs.inotify.max_user_watches"
    case .error(EMFILE):
      reason = "this process has reached its limit of open files; raise it, 'ulimit -n'"
    case .error(ENFILE):
      reason = "the system's limit of open files is reached; raise fs.file-max"
    case .error(let code):
      kind = .refused
      reason = describe(code)
    }
    return WatchProblem(
      kind: kind, path: path, message: "Cannot watch '\(directory)' for '\(path)': \(reason). \(instead)")
  }

  static func notWatching(_ code: CInt, path: String) -> WatchProblem {
    WatchProblem(
      kind: .notWatching, path: path,
      message: "Cannot watch '\(path)': no thread could be started (\(describe(code))). Outside changes stay unseen.")
  }

  private static func describe(_ code: CInt) -> String {
    let sentence = Errno(code).message
    return sentence.prefix(1).lowercased() + sentence.dropFirst()
  }
}
