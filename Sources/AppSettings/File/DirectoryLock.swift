import Glibc

/// An exclusive `flock(2)` on a directory, held while the value lives.
///
/// The kernel releases it when the process dies, however it dies, so that no stale lock can block anyone. It needs no
/// file of its own, and every process that writes in the directory uses the same lock, whatever its environment. A
/// child made by `fork(2)` meanwhile neither holds nor releases it.
///
/// A thread that tries to lock a directory twice gets an error at once, instead of waiting for itself.
///
/// ```swift
/// guard let lock = try DirectoryLock.acquire("/home/ada/.config/app", timeout: .seconds(30), system: system) else {
///   return   // the directory does not exist
/// }
/// // The lock is held as long as `lock` exists.
/// ```
package struct DirectoryLock: ~Copyable {
  private let own: OwnDescriptor
  private let system: Syscalls

  /// The locked directory, opened read-only.
  package var descriptor: CInt { own.number }

  deinit {
    HeldLocks.remove(own.number)
    system.close(own, unlocks: true)
  }

  /// Opens the directory and waits for its lock.
  ///
  /// If the path no longer leads to the locked directory, it starts over.
  ///
  /// - Parameters:
  ///   - file: The file to be written, for errors; by default the directory.
  ///   - timeout: The longest wait for another holder.
  /// - Returns: The lock, or `nil` if the directory does not exist.
  /// - Throws: ``SettingsError`` `lockTimeout`, `nestedUpdate` if the calling thread holds the lock, `readOnly` or
  ///   `io`.
  package static func acquire(
    _ path: String, for file: String? = nil, timeout: Duration, system: Syscalls
  ) throws(SettingsError) -> DirectoryLock? {
    var limit = TimeLimit(timeout)
    return try acquire(path, for: file, within: &limit, system: system)
  }

  /// Does the same as ``acquire(_:for:timeout:system:)``, within the remaining time of a call.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - file: The file to be written, for errors; by default the directory.
  ///   - limit: The remaining time. Each attempt is counted in it.
  ///   - system: The system calls.
  package static func acquire(
    _ path: String, for file: String? = nil, within limit: inout TimeLimit, system: Syscalls
  ) throws(SettingsError) -> DirectoryLock? {
    let file = file ?? path
    while true {
      try limit.noteAttempt(at: path)
      let descriptor: OwnDescriptor
      do {
        descriptor = try system.openToLock(path)
      } catch {
        if error.rawValue == ENOENT { return nil }
        throw .system(error, "open the directory", path)
      }
      let locked = DirectoryLock(own: descriptor, system: system)
      do {
        if try !system.tryLock(descriptor, path: path) {
          if let held = HeldLocks.file(in: try system.status(of: descriptor.number, path: path)) {
            throw SettingsError.nestedUpdate(of: file, inside: held, in: path)
          }
          try wait(for: descriptor, path: path, limit: limit, system: system)
        }
        // The previous holder may have removed the directory or replaced it.
        let held = try system.status(of: descriptor.number, path: path)
        guard let now = try system.status(at: path), now.sameFile(held) else { continue }
        HeldLocks.add(descriptor.number, of: held, for: file)
        return locked
      } catch let error as SettingsError {
        throw error
      } catch {
        throw .lockFailed(error as? Errno ?? Errno(EIO), path)
      }
    }
  }

  private enum Progress { case waiting, abandoned, held, failed(Errno) }

  /// Waits in a separate thread: `flock` has no time limit. Polling would starve behind a process that writes in a
  /// loop, while the kernel's queue is fair.
  ///
  /// After a time-out the thread stays in the kernel's queue, because nothing can remove it. If it then gets the lock,
  /// it releases it at once.
  private static func wait(
    for descriptor: OwnDescriptor, path: String, limit: TimeLimit, system: Syscalls
  ) throws {
    guard !limit.isOver else { throw SettingsError.lockTimeout(path, limit.duration) }
    let progress = Monitor(Progress.waiting)
    // The waiter has its own descriptor of the same open file. After a time-out it can close that one when its turn
    // comes, and does not close a descriptor number that something else uses by then.
    let waiterDescriptor = try system.duplicate(descriptor)
    do {
      try PlainThread.start("settings-lock") {
        let result: Progress
        do throws(Errno) {
          try system.waitForLock(waiterDescriptor)
          result = .held
        } catch {
          result = .failed(error)
        }
        let isAbandoned = progress.withLock { progress in
          if case .abandoned = progress { return true }
          progress = result
          return false
        }
        // Otherwise the lock stays with the first descriptor.
        system.close(waiterDescriptor, unlocks: isAbandoned)
      }
    } catch {
      system.close(waiterDescriptor, unlocks: false)
      guard error.rawValue == EAGAIN else { throw error }
      return try waitWithoutThread(for: descriptor, path: path, limit: limit, system: system)
    }
    let end = progress.wait(untilNanoseconds: limit.end) { (progress) -> Progress? in
      if case .waiting = progress { nil } else { progress }
    }
    // The lock may have come at the last moment, or between the two checks.
    let last = progress.withLockQuietly { progress in
      if end == nil, case .waiting = progress { progress = .abandoned }
      return progress
    }
    switch last {
    case .held: return
    case .failed(let error): throw error
    case .waiting, .abandoned: throw SettingsError.lockTimeout(path, limit.duration)
    }
  }
}

extension DirectoryLock {
  /// Polls, for a process that may not have more threads. Behind a process that writes in a loop this can take long,
  /// but no longer than the limit.
  private static func waitWithoutThread(
    for descriptor: OwnDescriptor, path: String, limit: TimeLimit, system: Syscalls
  ) throws {
    while try !system.tryLock(descriptor, path: path) {
      guard !limit.isOver else { throw SettingsError.lockTimeout(path, limit.duration) }
      ProcessFacts.pause(nanoseconds: 1_000_000)
    }
  }
}

extension SettingsError {
  /// Runs system calls. The error of one is about a path: "Cannot list '/…': …".
  ///
  /// - Parameters:
  ///   - verb: What the calls are for: `write`, `lock`, `list`.
  ///   - path: The path.
  ///   - body: The calls. A ``SettingsError`` that it throws stays as it is.
  package static func ofSystem<Result>(
    _ verb: String, _ path: String, _ body: () throws -> Result
  ) throws(SettingsError) -> Result {
    do {
      return try body()
    } catch {
      throw error as? SettingsError ?? .system(error as? Errno ?? Errno(EIO), verb, path)
    }
  }

  /// The error of a system call that `verb` names, on `path`. It reports whether permission is missing.
  ///
  /// `EACCES`, `EPERM` and `EROFS` are `readOnly`; everything else is `io`.
  ///
  /// - Parameters:
  ///   - errno: The error of the call.
  ///   - verb: What could not be done: `write`, `lock`, `list`.
  ///   - path: The path.
  ///   - then: A sentence to add, such as the state of the file.
  package static func system(_ errno: Errno, _ verb: String, _ path: String, then: String = "") -> SettingsError {
    let tail = then.isEmpty ? "" : " " + then
    switch errno.rawValue {
    case EACCES:
      return SettingsError(.readOnly, "Cannot \(verb) '\(path)': this process has no permission.\(tail)", file: path)
    case EPERM:
      // The owner and root have the rights, and meet this where an attribute forbids what rights allow.
      return SettingsError(
        .readOnly,
        "Cannot \(verb) '\(path)': the system does not permit it.\(tail) If this process is the owner's or root's, see "
          + "'lsattr' of the file and of its directory: 'chattr -i' or 'chattr -a' removes what forbids it.", file: path
      )
    case EROFS:
      return SettingsError(
        .readOnly, "Cannot \(verb) '\(path)': the file system is mounted read-only.\(tail)", file: path)
    case ENOSPC:
      return SettingsError(.io, "Cannot \(verb) '\(path)': the file system is full.\(tail)", file: path)
    case EDQUOT:
      return SettingsError(.io, "Cannot \(verb) '\(path)': the disk quota is used up.\(tail)", file: path)
    default:
      return SettingsError(.io, "Cannot \(verb) '\(path)': \(reason(errno)).\(tail)", file: path)
    }
  }

  /// Why the system refuses a call, and for a limit what to do, as a clause.
  private static func reason(_ errno: Errno) -> String {
    switch errno.rawValue {
    case EBUSY:
      "it is a mount of its own, as of 'docker run -v FILE:FILE', and cannot be replaced; mount its directory instead"
    case ENOTDIR: "a file is in its place, or in that of a directory above it"
    case ELOOP: "its symbolic links form a loop"
    case EFBIG: "the file would exceed this process's limit on file sizes; raise it, 'ulimit -f'"
    case EMFILE: "this process has reached its limit of open files; raise it, 'ulimit -n'"
    case ENFILE: "the system's limit of open files is reached; raise fs.file-max"
    case ENOMEM: "this process has no more memory; raise its limit, 'ulimit -v', or the system's"
    case ENAMETOOLONG: "its path, or a name in it, is longer than the file system allows"
    default: errno.message
    }
  }

  /// The error for a thread that cannot be started.
  ///
  /// - Parameter verb: What needs the thread.
  package static func noThread(_ errno: Errno, _ verb: String) -> SettingsError {
    SettingsError(
      .io,
      "Cannot \(verb): no thread could be started (\(errno.message)). Raise the limit of processes and threads, "
        + "'ulimit -u', or that of the service or container.")
  }

  /// The error of a wait that exceeded the time limit.
  fileprivate static func lockTimeout(_ path: String, _ duration: Duration) -> SettingsError {
    SettingsError(
      SettingsError.Code.lockTimeout,
      "Cannot lock '\(path)': another process has held its lock for \(duration). Nothing was written. "
        + "'fuser -v \(path)' names the processes that have it open.", file: path)
  }

  /// The error of `flock(2)`. On a file system without locks nothing is written, because two writers could not exclude
  /// each other.
  fileprivate static func lockFailed(_ errno: Errno, _ path: String) -> SettingsError {
    switch errno.rawValue {
    case ENOLCK, ENOTSUP, ENOSYS, EINVAL, EBADF:
      SettingsError(
        .io,
        "Cannot lock '\(path)': its file system has no working 'flock' (\(errno.message)). Nothing was written, because "
          + "two writers could lose each other's changes. Keep the settings on a file system that has locks.",
        file: path)
    default: .system(errno, "lock", path)
    }
  }
}
