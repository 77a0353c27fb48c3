#if InotifyTools
  package import AppSettings
  internal import CInotifyTools
  internal import CSettingsSystem
  internal import Glibc
  internal import Synchronization

  /// Events through libinotifytools.
  ///
  /// The library has one instance per process, keeps it in static variables without a lock, and has no accessor for its
  /// descriptor. So it has one owner at a time and is used from the hub's thread only, and we search the process's own
  /// descriptors for that of the library.
  ///
  /// Watches are added and removed with system calls on that descriptor, not with the library's functions. The
  /// library's table identifies a directory by its spelling, so it returns a dead watch for a directory that was
  /// created again. It also never frees the entry of a watch that the kernel has ended, and prints to stderr when a
  /// watch is removed.
  package final class LibraryEvents: InotifyEvents {
    package let descriptor: CInt

    private static let isOwned = Atomic(false)

    /// Whether the library has an owner in this process.
    package static var isInUse: Bool { isOwned.load(ordering: .acquiring) }

    /// Opens the library's instance.
    ///
    /// - Throws: The error number: `EMFILE` if the user has as many instances as the system allows, `EBUSY` if another
    ///   part of the process uses the library, `ENOTSUP` if it cannot be used safely.
    package init() throws(Errno) {
      guard Self.isOwned.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else {
        throw Errno(EBUSY)
      }
      guard cinotifytools_is_initialized() == 0 else {
        Self.isOwned.store(false, ordering: .releasing)
        throw Errno(EBUSY)
      }
      guard inotifytools_initialize() != 0 else {
        let code = inotifytools_error()
        Self.isOwned.store(false, ordering: .releasing)
        throw Errno(code)
      }
      // The library waits in select(2), which aborts the process for a descriptor too large for its set. The search
      // ends there.
      guard let found = Self.findDescriptor() else {
        inotifytools_cleanup()
        Self.isOwned.store(false, ordering: .releasing)
        throw Errno(ENOTSUP)
      }
      _ = fcntl(found, F_SETFD, FD_CLOEXEC)
      descriptor = found
    }

    package func next() -> InotifyEvent? {
      while true {
        guard let event = inotifytools_next_events(0, 1) else {
          if inotifytools_error() == EINTR { continue }
          return nil
        }
        // The event lives in the library's static buffer until the next call.
        return InotifyEvent(
          watch: event.pointee.wd, events: WatchEvents(rawValue: event.pointee.mask),
          name: PathText.text(cinotifytools_event_name(event)))
      }
    }

    package func close() {
      // The library's buffer outlives its instance, so the next instance would report its remaining events again, under
      // its own watches. A new empty instance in place of the descriptor leaves nothing to refill the buffer with.
      let empty = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
      if empty >= 0 {
        _ = dup2(empty, descriptor)
        _ = Glibc.close(empty)
      }
      while next() != nil {}
      inotifytools_cleanup()
      Self.isOwned.store(false, ordering: .releasing)
    }

    /// The library's descriptor: the one of this process that watches a file which only this process has.
    private static func findDescriptor() -> CInt? {
      let mark = memfd_create("app-settings", UInt32(CSETTINGS_MFD_CLOEXEC))
      guard mark >= 0 else { return nil }
      defer { _ = Glibc.close(mark) }
      let path = "/proc/self/fd/\(mark)"
      var status = stat()
      guard fstat(mark, &status) == 0, inotifytools_watch_file(path, IN_ATTRIB) != 0 else { return nil }
      defer { _ = inotifytools_remove_watch_by_filename(path) }
      // The device as the kernel prints it: 20 bits of the minor number, and above them the major number.
      let major = (status.st_dev >> 8) & 0xfff | (status.st_dev >> 32) & ~0xfff
      let minor = status.st_dev & 0xff | (status.st_dev >> 12) & 0xfff00
      return (0..<FD_SETSIZE).first { number in
        readLink("/proc/self/fd/\(number)") == "anon_inode:inotify"
          && watches(number, inode: UInt(status.st_ino), device: UInt(major << 20 | minor))
      }
    }

    /// Whether the first watch of an inotify instance is on a file, according to a line
    /// `inotify wd:1 ino:9e7e sdev:800013 …` of `fdinfo`, proc_pid_fdinfo(5).
    private static func watches(_ descriptor: CInt, inode: UInt, device: UInt) -> Bool {
      let file = open("/proc/self/fdinfo/\(descriptor)", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return false }
      defer { _ = Glibc.close(file) }
      // The library's instance has one watch, so its text is a few lines.
      return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { text in
        let count = read(file, text.baseAddress!, text.count - 1)
        text[max(0, count)] = 0
        guard let ino = strstr(text.baseAddress!, " ino:"), let sdev = strstr(ino, " sdev:") else { return false }
        return strtoul(ino + 5, nil, 16) == inode && strtoul(sdev + 6, nil, 16) == device
      }
    }
  }
#endif
