/// The directories that the threads of this process have locked.
///
/// `flock(2)` belongs to an open file, not to a thread: a thread that locks a directory twice would wait for itself.
/// This detects it, whichever store, garage or backup holds the lock.
enum HeldLocks {
  /// A thread, the directory that it has locked, and the file that it writes there.
  private struct Holder: Sendable {
    var thread: UInt
    var directory: FileStatus
    var file: String
  }

  // Protects the locks of this process, by descriptor. Nothing is called while it is held.
  private static let holders = Lock<[CInt: Holder]>([:])

  /// Notes that the calling thread has locked a directory, to write a file.
  static func add(_ descriptor: CInt, of directory: FileStatus, for file: String) {
    let holder = Holder(thread: PlainThread.currentID, directory: directory, file: file)
    holders.withLock { $0[descriptor] = holder }
  }

  /// Forgets a lock that is about to be released.
  static func remove(_ descriptor: CInt) { holders.withLock { _ = $0.removeValue(forKey: descriptor) } }

  /// Whether the calling thread has locked any directory.
  static var hasAny: Bool {
    let me = PlainThread.currentID
    return holders.withLock { $0.values.contains { $0.thread == me } }
  }

  /// The file for which the calling thread has locked a directory; `nil` if it has not.
  static func file(in directory: FileStatus) -> String? {
    let me = PlainThread.currentID
    return holders.withLock { holders in
      holders.values.first { $0.thread == me && $0.directory.sameFile(directory) }?.file
    }
  }
}

extension SettingsFile {
  /// Throws if the calling thread has locked this file's directory, and so would wait for itself.
  ///
  /// It costs next to nothing for a thread without locks.
  ///
  /// - Throws: ``SettingsError`` `nestedUpdate`.
  func checkNotLocked() throws(SettingsError) {
    guard HeldLocks.hasAny, let place = try? FinalPath.resolve(path, system: system),
      let directory = try? system.status(at: place.directory), let held = HeldLocks.file(in: directory)
    else { return }
    throw .nestedUpdate(of: path, inside: held, in: place.directory)
  }
}

extension SettingsError {
  /// The error for a thread that would wait for its own lock.
  static func nestedUpdate(of file: String, inside held: String, in directory: String) -> SettingsError {
    let reason =
      file == held
      ? "this thread is writing it already, through another store or call"
      : "this thread is writing '\(held)', and has locked the directory of both, '\(directory)'"
    return SettingsError(
      .nestedUpdate,
      "Cannot write '\(file)': \(reason), so it would wait for itself. Nothing was written. Do it before or after the "
        + "other write, not inside it.", file: file)
  }
}
