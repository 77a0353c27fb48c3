package import AppSettings
internal import CSettingsSystem
internal import Glibc

/// The result of `lstat` for a path.
package struct EntryStatus {
  private let status: stat
  private let path: String

  /// Reads the status of a path without following a link.
  package init(of path: String) throws(Errno) {
    var status = stat()
    guard path.withPath({ lstat($0, &status) }) == 0 else { throw Errno(errno) }
    self.status = status
    self.path = path
  }

  package var identity: FileIdentity { FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)) }
  package var isLink: Bool { status.st_mode & S_IFMT == S_IFLNK }
  package var isDirectory: Bool { status.st_mode & S_IFMT == S_IFDIR }

  /// Whether this process may read the file or directory. It cannot be watched otherwise.
  package var isReadable: Bool {
    // Most are readable by everyone, which this finds out without a system call.
    status.st_mode & 0o444 == 0o444 || path.withPath { faccessat(AT_FDCWD, $0, R_OK, AT_EACCESS) } == 0
  }

  /// The time since the last modification; `nil` if that is in the future.
  package var age: Duration? {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    func duration(_ time: timespec) -> Duration { .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) }
    // Programs can set any time: only durations have a difference for all.
    let age = duration(now) - duration(status.st_mtim)
    return age < .zero ? nil : age
  }
}

/// Whether this process may open one more file.
package func hasFreeDescriptor() -> Bool {
  let descriptor = open("/", CInt(CSETTINGS_O_PATH) | O_CLOEXEC)
  if descriptor >= 0 { close(descriptor) }
  return descriptor >= 0
}

/// The target of a symbolic link.
package func readLink(_ path: String) -> String? {
  // This size fits on the stack; few targets are longer.
  guard let target = readLink(path, upTo: 1024) else { return nil }
  return target.isWhole ? target.text : readLink(path, upTo: Int(PATH_MAX))?.text
}

private func readLink(_ path: String, upTo capacity: Int) -> (text: String, isWhole: Bool)? {
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
    let count = buffer.withMemoryRebound(to: CChar.self) { buffer in
      path.withPath { readlink($0, buffer.baseAddress!, buffer.count) }
    }
    return count < 0 ? nil : (PathText.text(buffer[..<count]), count < capacity)
  }
}

/// The name of a directory's file system, if another machine or a server process can change it without the local kernel
/// noticing.
package func remoteFileSystem(at path: String) -> String? {
  var status = statfs()
  guard path.withPath({ statfs($0, &status) }) == 0 else { return nil }
  // The numbers are those of statfs(2).
  return switch UInt32(truncatingIfNeeded: status.f_type) {
  case 0x6969: "NFS"
  case 0x517B: "SMB"
  case 0xFF53_4D42: "CIFS"
  case 0xFE53_4D42: "SMB2"
  case 0x0102_1997: "9P"
  case 0x6573_5546: "FUSE"
  case 0x00C3_6400: "Ceph"
  case 0x5346_414F: "AFS"
  case 0x7375_7245: "Coda"
  case 0x564C: "NCP"
  case 0x0116_1970: "GFS2"
  case 0x7461_636F: "OCFS2"
  case 0x0BD0_0BD0: "Lustre"
  case 0x786F_4256: "VirtualBox shared folders"
  case 0x2003_0528: "OrangeFS"
  default: nil
  }
}

/// Watches the directory at `path`, if it is still the one that a walk found there.
package func watch(
  _ path: String, as identity: FileIdentity, for events: WatchEvents, on source: any InotifyEvents
) -> WatchOutcome {
  let directory = path.withPath { open($0, CInt(CSETTINGS_O_PATH) | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
  guard directory >= 0 else {
    return [ENOENT, ENOTDIR, ELOOP].contains(errno) ? .stale : .refused(.error(errno))
  }
  defer { close(directory) }
  var status = stat()
  guard fstat(directory, &status) == 0 else { return .refused(.error(errno)) }
  guard FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)) == identity else { return .stale }
  let outcome = source.watch("/proc/self/fd/\(directory)", for: events)
  // Without /proc, uses the path, which may lead to another directory by now.
  return outcome == .refused(.error(ENOENT)) ? source.watch(path, for: events) : outcome
}
