import CSettingsSystem
import Glibc

/// The locks of directories.
extension Syscalls {
  /// Opens a directory for locking, with a descriptor of this process alone.
  ///
  /// A lock belongs to the open file. A child made by `fork(2)` would share it and keep it locked as long as it lives,
  /// so the child's copy is closed before `fork()` returns there.
  package func openToLock(_ path: String) throws(Errno) -> OwnDescriptor {
    try step(.openDirectory, path)
    var result = csettings_own_descriptor()
    _ = try retry {
      path.withPath { Int(csettings_own_open($0, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_NOCTTY, &result)) }
    }
    return OwnDescriptor(result)
  }

  /// Another descriptor of the same open file, also of this process alone.
  package func duplicate(_ descriptor: OwnDescriptor) throws(Errno) -> OwnDescriptor {
    var result = csettings_own_descriptor()
    _ = try retry { Int(csettings_own_duplicate(descriptor.raw, &result)) }
    return OwnDescriptor(result)
  }

  /// Closes a descriptor.
  ///
  /// - Parameter unlocks: Whether to release the lock of the open file first, even if other processes have the file
  ///   open.
  package func close(_ descriptor: OwnDescriptor, unlocks: Bool) {
    csettings_own_close(descriptor.raw, unlocks ? 1 : 0)
  }

  /// Takes an exclusive `flock(2)` if it is free. `close` releases it, and so does the kernel when the process ends.
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

  /// Waits for an exclusive `flock(2)` without a time limit.
  package func waitForLock(_ descriptor: OwnDescriptor) throws(Errno) {
    _ = try retry { Int(flock(descriptor.number, LOCK_EX)) }
  }
}

/// A descriptor that a child made by `fork(2)` does not inherit.
package struct OwnDescriptor: Sendable {
  package let number: CInt
  private let forks: UInt32

  fileprivate init(_ raw: csettings_own_descriptor) {
    number = raw.number
    forks = raw.forks
  }

  fileprivate var raw: csettings_own_descriptor { csettings_own_descriptor(number: number, forks: forks) }
}
