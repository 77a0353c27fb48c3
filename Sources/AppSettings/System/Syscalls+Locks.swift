import CSettingsSystem
import Glibc

/// The locks of directories.
extension Syscalls {
  /// Opens a directory to lock it, as a descriptor of this process alone.
  ///
  /// A lock belongs to the open file, which a child made by `fork(2)` would share and keep locked for as long as it lives:
  /// its copy is closed before `fork()` returns there.
  package func openToLock(_ path: String) throws(Errno) -> OwnDescriptor {
    try step(.openDirectory, path)
    var result = csettings_own_descriptor()
    _ = try retry {
      path.withPath { Int(csettings_own_open($0, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_NOCTTY, &result)) }
    }
    return OwnDescriptor(result)
  }

  /// Another descriptor of the same open file, this process's alone, too.
  package func duplicate(_ descriptor: OwnDescriptor) throws(Errno) -> OwnDescriptor {
    var result = csettings_own_descriptor()
    _ = try retry { Int(csettings_own_duplicate(descriptor.raw, &result)) }
    return OwnDescriptor(result)
  }

  /// Closes a descriptor.
  ///
  /// - Parameter unlocks: Whether the lock of the open file is released first, so that it ends here whoever else has the
  ///   file open.
  package func close(_ descriptor: OwnDescriptor, unlocks: Bool) {
    csettings_own_close(descriptor.raw, unlocks ? 1 : 0)
  }

  /// Takes an exclusive `flock(2)` if it is free. Released by `close`, and by the kernel when the process ends.
  package func tryLock(_ descriptor: OwnDescriptor, path: String) throws(Errno) -> Bool {
    try step(.lock, path)
    do {
      _ = try retry { Int(flock(descriptor.number, LOCK_EX | LOCK_NB)) }
      return true
    } catch {
      if error.rawValue == EWOULDBLOCK { return false }
      throw error
    }
  }

  /// Waits for an exclusive `flock(2)`, without a limit.
  package func waitForLock(_ descriptor: OwnDescriptor) throws(Errno) {
    _ = try retry { Int(flock(descriptor.number, LOCK_EX)) }
  }
}

/// A descriptor that a child made by `fork(2)` does not get.
package struct OwnDescriptor: Sendable {
  package let number: CInt
  private let forks: UInt32

  fileprivate init(_ raw: csettings_own_descriptor) {
    number = raw.number
    forks = raw.forks
  }

  fileprivate var raw: csettings_own_descriptor { csettings_own_descriptor(number: number, forks: forks) }
}
