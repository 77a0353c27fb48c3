import Glibc

/// The result of `stat(2)` for a file, as far as it is used here.
///
/// inode(7) describes the fields. Times are in nanoseconds.
package struct FileStatus: Sendable, Hashable {
  /// The number of the file system. Together with ``inode`` it identifies an existing file.
  package var device: UInt64
  /// The number of the file in its file system. A new file may get that of a removed one.
  package var inode: UInt64
  /// The kind of the file and its permissions.
  package var mode: UInt32
  /// The id of the owner.
  package var owner: UInt32
  /// The id of the group.
  package var group: UInt32
  /// The number of bytes.
  package var size: Int
  /// The number of names (hard links).
  package var links: Int
  /// When the content was last written, in nanoseconds since 1970. Programs can set it to any time.
  package var modified: Int64

  /// When content, names, mode or owner last changed, in nanoseconds since 1970. Only the kernel sets it.
  package var changed: Int64

  /// The kinds of file, inode(7). Not `S_IFMT` and its relatives, which two modules define.
  private var kind: UInt32 { mode & 0o170000 }

  /// Whether it is `/dev/null`.
  package let isNullDevice: Bool

  package var isRegular: Bool { kind == 0o100000 }
  package var isDirectory: Bool { kind == 0o040000 }
  package var isLink: Bool { kind == 0o120000 }
  /// The last twelve bits of the mode: `0o600`.
  package var permissions: UInt32 { mode & 0o7777 }

  /// The name of the kind of file in errors.
  package var kindName: String {
    switch kind {
    case 0o100000: "a file"
    case 0o040000: "a directory"
    case 0o010000: "a named pipe"
    case 0o140000: "a socket"
    case 0o020000, 0o060000: "a device"
    case 0o120000: "a symbolic link"
    default: "something else"
    }
  }

  init(_ raw: stat) {
    device = UInt64(raw.st_dev)
    inode = UInt64(raw.st_ino)
    mode = raw.st_mode
    owner = raw.st_uid
    group = raw.st_gid
    size = Int(raw.st_size)
    links = Int(raw.st_nlink)
    modified = Self.nanoseconds(raw.st_mtim)
    changed = Self.nanoseconds(raw.st_ctim)
    // Its numbers are 1 and 3 on every Linux, null(4).
    isNullDevice = raw.st_mode & 0o170000 == 0o020000 && raw.st_rdev == 0x103
  }

  /// The nearest time that fits in 64 bits: years 1677 to 2262. File systems know others.
  private static func nanoseconds(_ time: timespec) -> Int64 {
    let (seconds, overflows) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, exceeds) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
    return overflows || exceeds ? (time.tv_sec < 0 ? .min : .max) : sum
  }
}

extension FileStatus {
  /// Whether both describe one file, by device and inode.
  package func sameFile(_ other: FileStatus) -> Bool { device == other.device && inode == other.inode }

  /// Whether both describe one file whose content was not written between.
  ///
  /// It is only a hint, because programs can set the modification time: compare the bytes to be certain.
  func hasSameText(as other: FileStatus) -> Bool {
    sameFile(other) && size == other.size && modified == other.modified
  }
}
