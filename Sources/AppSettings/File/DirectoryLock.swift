import Glibc

/// An exclusive `flock(2)` on a directory, held while the value lives.
///
/// The kernel releases it when the process dies, however it dies, so that no stale lock can block anyone. No file of
/// its own is needed, and every process that writes into the directory meets the same lock whatever its environment.
package struct DirectoryLock: ~Copyable {
  /// The locked directory, opened read-only.
  package let descriptor: CInt
  private let system: Syscalls

  private init(descriptor: CInt, system: Syscalls) {
    self.descriptor = descriptor
    self.system = system
  }

  deinit { system.close(descriptor) }

  /// Opens the directory and waits for its lock.
  ///
  /// - Parameters:
  ///   - timeout: The longest wait for another holder.
  /// - Returns: The lock, or `nil` if there is no such directory.
  /// - Throws: ``SettingsError`` `lockTimeout`, `readOnly` or `io`.
  package static func acquire(
    _ path: String, timeout: Duration, system: Syscalls
  ) throws(SettingsError) -> DirectoryLock? {
    while true {
      let descriptor: CInt
      do {
        descriptor = try system.open(path, flags: O_RDONLY | O_DIRECTORY)
      } catch {
        if error.rawValue == ENOENT { return nil }
        throw .system(error, "open the directory", path)
      }
      let locked = DirectoryLock(descriptor: descriptor, system: system)
      do {
        if try !system.tryLock(descriptor, path: path) {
          try wait(for: locked.descriptor, path: path, timeout: timeout, system: system)
        }
        // Whoever held the lock may have removed the directory or put another in its place.
        let held = try system.status(of: descriptor, path: path)
        if let now = try system.status(at: path), now.sameFile(held) { return locked }
      } catch let error as SettingsError {
        throw error
      } catch {
        throw .lockFailed(error as? Errno ?? Errno(EIO), path)
      }
    }
  }

  /// Waits in a thread of its own: `flock` has no time limit, and asking again and again would starve behind a
  /// process that writes in a loop, while the kernel's queue is fair.
  private static func wait(
    for descriptor: CInt, path: String, timeout: Duration, system: Syscalls
  ) throws {
    enum Progress { case waiting, held, failed(Errno) }
    let progress = Monitor(Progress.waiting)
    // The waiter has a descriptor of its own, of the same open file: if we give up it can close that one when its
    // turn comes, which does not disturb a descriptor number that is someone else's by then.
    let waiterDescriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard waiterDescriptor >= 0 else { throw Errno(errno) }
    do {
      try PlainThread.start("settings-lock") {
        let result: Progress
        do throws(Errno) {
          try system.waitForLock(waiterDescriptor)
          result = .held
        } catch {
          result = .failed(error)
        }
        // Closing a duplicate keeps the lock as long as the first descriptor is open.
        system.close(waiterDescriptor)
        progress.withLock { $0 = result }
      }
    } catch {
      system.close(waiterDescriptor)
      throw error
    }
    let deadline = ProcessFacts.monotonicNanoseconds() + timeout.nanoseconds
    let end: Progress? = progress.wait(untilNanoseconds: deadline) { if case .waiting = $0 { nil } else { $0 } }
    switch end {
    case .held: return
    case .failed(let error): throw error
    case .waiting, nil:
      throw SettingsError(
        SettingsError.Code.lockTimeout,
        "Cannot lock '\(path)': another process has held its lock for \(timeout). Nothing was written. "
          + "'fuser -v \(path)' names the processes that have it open.", file: path)
    }
  }
}

extension FileStatus {
  /// Whether both are of one file, by device and inode.
  package func sameFile(_ other: FileStatus) -> Bool { device == other.device && inode == other.inode }

  /// Whether both are of one file that nobody has written to in between.
  func hasSameText(as other: FileStatus) -> Bool {
    sameFile(other) && size == other.size && modified == other.modified
  }
}

extension Duration {
  /// The length in nanoseconds; nothing below zero.
  package var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    return seconds < 0 ? 0 : UInt64(seconds) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
  }
}

extension SettingsError {
  /// The error of a system call that `verb` names, on `path`. Says whether it is a matter of permission.
  package static func system(_ errno: Errno, _ verb: String, _ path: String, then: String = "") -> SettingsError {
    let tail = then.isEmpty ? "" : " " + then
    switch errno.rawValue {
    case EACCES, EPERM:
      return SettingsError(
        .readOnly, "Cannot \(verb) '\(path)': this process has no permission to.\(tail)", cause: nil, file: path)
    case EROFS:
      return SettingsError(
        .readOnly, "Cannot \(verb) '\(path)': the file system is mounted read-only.\(tail)", file: path)
    case ENOSPC:
      return SettingsError(.io, "Cannot \(verb) '\(path)': the file system is full.\(tail)", file: path)
    case EDQUOT:
      return SettingsError(.io, "Cannot \(verb) '\(path)': the disk quota is used up.\(tail)", file: path)
    case ELOOP:
      return SettingsError(.io, "Cannot \(verb) '\(path)': its symbolic links form a loop.\(tail)", file: path)
    default:
      return SettingsError(.io, "Cannot \(verb) '\(path)': \(errno.message).\(tail)", file: path)
    }
  }

  fileprivate static func lockFailed(_ errno: Errno, _ path: String) -> SettingsError {
    switch errno.rawValue {
    case ENOLCK, ENOTSUP, ENOSYS, EINVAL, EBADF:
      SettingsError(
        .io,
        "Cannot lock '\(path)': its file system has no working 'flock' (\(errno.message)). Nothing was written, since "
          + "two writers could lose each other's changes. Keep the settings on a file system that has locks.",
        file: path)
    default: .system(errno, "lock", path)
    }
  }
}
