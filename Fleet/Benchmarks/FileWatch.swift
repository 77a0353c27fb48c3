import Foundation

/// Notes when a file is replaced.
enum FileWatch {
  /// Starts a thread that blocks in the kernel until something happens. It ends when the directory is removed.
  static func start(_ directory: String, name: String, noting board: Board) throws {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC))
    guard descriptor >= 0, inotify_add_watch(descriptor, directory, UInt32(IN_MOVED_TO)) >= 0 else {
      throw Run.Failure(description: "cannot watch '\(directory)': \(String(cString: strerror(errno)))")
    }
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 4096)
      var round = 0
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { break }
        // The kernel's inotify_event: watch, mask, cookie and length, 4 bytes each, and then the name.
        let mask = buffer.withUnsafeBytes { $0.load(fromByteOffset: 4, as: UInt32.self) }
        if mask & UInt32(IN_IGNORED) != 0 { break }
        // Nothing else in the directory has a name that ends with this one.
        if String(decoding: buffer[..<count], as: UTF8.self).contains("\(name)\0") { board.note(last: &round) }
      }
      close(descriptor)
    }
  }
}
