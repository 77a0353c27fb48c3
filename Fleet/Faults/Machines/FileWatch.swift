import Foundation
import Glibc
import SettingsFleet
import Synchronization

/// Reads a machine's mirrored files whenever the kernel says that something happened to one of them.
final class FileWatch: Sendable {
  /// A state that a file had.
  struct Sight: Sendable {
    let file: String
    /// `nil` if there was no file.
    let digest: TextDigest?
    let beginning: String
  }

  private let directory: String
  private let descriptor: CInt
  private let bell: Bell

  private struct State {
    var now: [String: TextDigest] = [:]
    var sights: [Sight] = []
  }

  /// Protects what was seen.
  private let state = Mutex(State())

  /// - Parameter directory: It exists.
  init(_ directory: String, bell: Bell) throws {
    (self.directory, self.bell) = (directory, bell)
    descriptor = inotify_init1(Int32(IN_CLOEXEC))
    let mask = UInt32(IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
    guard descriptor >= 0, inotify_add_watch(descriptor, directory, mask) >= 0 else {
      throw Failure("cannot watch '\(directory)': \(String(cString: strerror(errno)))")
    }
    Thread.detachNewThread { self.follow() }
  }

  /// The files that apps read, as they were seen last.
  var now: [String: TextDigest] { state.withLock { $0.now } }

  /// What was seen since the last call.
  func takeSights() -> [Sight] {
    state.withLock { state in
      defer { state.sights = [] }
      return state.sights
    }
  }

  func stop() { inotify_rm_watch(descriptor, 1) }

  private func follow() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      var names: Set<String> = []
      var offset = 0
      var isOver = false
      while offset < count {
        let (event, name) = buffer.withUnsafeBytes { bytes in
          let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let name = bytes[(offset + 16)..<(offset + 16 + Int(event.len))].prefix { $0 != 0 }
          return (event, String(decoding: name, as: UTF8.self))
        }
        offset += 16 + Int(event.len)
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
          names.formUnion((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [])
        }
        if event.mask & UInt32(IN_IGNORED) != 0 { isOver = true }
        // As an app's drop-ins: others are not read.
        if name.hasSuffix(".toml"), !name.hasPrefix(".") { names.insert(name) }
      }
      for name in names { look(at: name) }
      if isOver { break }
    }
    close(descriptor)
  }

  private func look(at name: String) {
    let data = try? Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)"))
    let digest = data.map { TextDigest(of: $0) }
    let isNew = state.withLock { state in
      guard state.now[name] != digest else { return false }
      state.now[name] = digest
      state.sights.append(
        Sight(file: name, digest: digest, beginning: String(decoding: data?.prefix(200) ?? Data(), as: UTF8.self)))
      return true
    }
    if isNew { bell.ring() }
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
