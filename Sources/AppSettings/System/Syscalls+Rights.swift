import CSettingsSystem
import Glibc

/// Calls on access rights: mode, owner, group, access control lists and other extended attributes.
extension Syscalls {
  /// `fchmod(2)`: sets the permissions of an open file, whatever the `umask` is.
  package func setPermissions(_ mode: UInt32, of descriptor: CInt, path: String) throws(Errno) {
    try step(.chmod, path)
    _ = try retry { Int(fchmod(descriptor, mode)) }
  }

  /// `fchown(2)`. An owner of `UInt32.max` leaves the present one. Only root may give a file away.
  package func setOwner(_ owner: UInt32, group: UInt32, of descriptor: CInt, path: String) throws(Errno) {
    try step(.chown, path)
    _ = try retry { Int(fchown(descriptor, owner, group)) }
  }

  /// Opens a new file for writing. Its owner may read and write it, whatever the `umask`; the name must not exist.
  package func createFile(_ name: String, in directory: CInt, mode: UInt32) throws(Errno) -> CInt {
    let descriptor = try open(name, in: directory, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    do {
      let status = try status(of: descriptor, path: name)
      if status.permissions & 0o600 != 0o600 {
        try setPermissions(status.permissions | 0o600, of: descriptor, path: name)
      }
      return descriptor
    } catch {
      close(descriptor)
      try? unlink(name, in: directory)
      throw error
    }
  }

  /// `mkdir(2)`; an existing directory is not an error. The owner may use a new one, whatever the `umask`.
  ///
  /// - Returns: The new directory; `nil` if the name existed.
  package func makeDirectory(_ path: String, mode: UInt32) throws(Errno) -> FileStatus? {
    try step(.mkdir, path)
    do {
      _ = try retry { path.withPath { Int(mkdir($0, mode)) } }
    } catch {
      if error.rawValue != EEXIST { throw error }
      return nil
    }
    do throws(Errno) {
      // By a descriptor, because others who may write to the parent can replace the new directory with a link. This
      // kind of descriptor needs no permission to read.
      let descriptor = try open(path, flags: CInt(CSETTINGS_O_PATH) | O_DIRECTORY | O_NOFOLLOW)
      defer { close(descriptor) }
      let made = try status(of: descriptor, path: path)
      if made.permissions & 0o700 != 0o700 {
        let mode = made.permissions | 0o700
        do throws(Errno) {
          // `fchmod(2)` refuses such a descriptor; proc(5) has a link to its file.
          let link = "/proc/self/fd/\(descriptor)"
          try step(.chmod, link)
          _ = try retry { Int(chmod(link, mode)) }
        } catch {
          // Without proc(5) only the path is left.
          guard error.rawValue == ENOENT, try status(at: path, followingLinks: false)?.sameFile(made) == true else {
            throw error
          }
          try step(.chmod, path)
          _ = try retry { path.withPath { Int(chmod($0, mode)) } }
        }
      }
      return made
    } catch {
      _ = path.withPath { rmdir($0) }
      throw error
    }
  }

  /// Removes a directory that ``makeDirectory(_:mode:)`` made, if it is still at its path, and empty.
  ///
  /// - Throws: ``Errno``, such as `ENOTEMPTY`. The directory stays.
  func removeDirectory(_ path: String, made: FileStatus) throws(Errno) {
    guard let now = try status(at: path, followingLinks: false), now.sameFile(made) else { throw Errno(ENOENT) }
    try step(.rmdir, path)
    _ = try retry { path.withPath { Int(rmdir($0)) } }
  }

  /// Copies the extended attributes of a file to a new one, including access control lists, and removes those of the
  /// system that the new one has only from its directory.
  ///
  /// - Parameter hasOtherGroup: Whether the group differs: the list then gives it no more rights than everyone has.
  /// - Returns: The names of the attributes that could not be kept, except those of the system's security modules,
  ///   which the system sets; and whether there is an access control list, whose mask is then the mode's group part.
  /// - Throws: ``Errno`` if an access control list, or another attribute by which the system decides who may open the
  ///   file, cannot be kept.
  func copyAttributes(
    from source: CInt, to target: CInt, hasOtherGroup: Bool, path: String
  ) throws(Errno) -> (lost: [String], hasList: Bool) {
    try step(.xattr, path)
    let names = try attributeNames(of: source)
    for name in try attributeNames(of: target) where Self.decidesAccess(name) && !names.contains(name) {
      // A file system may list a list that it cannot remove, because it stands for the mode alone.
      if fremovexattr(target, name) != 0, ![ENODATA, ENOTSUP, EINVAL].contains(errno) { throw Errno(errno) }
    }
    var lost: [String] = []
    for name in names {
      do throws(Errno) {
        guard var value = try attribute(name, of: source) else { continue }
        if hasOtherGroup, name == Self.accessList { value = AccessList.withoutGroup(value) }
        _ = try retry { Int(fsetxattr(target, name, value, value.count, 0)) }
      } catch {
        if Self.decidesAccess(name) { throw error }
        if name.hasPrefix("user.") { lost.append(name) }
      }
    }
    return (lost, names.contains(Self.accessList))
  }

  private static let accessList = "system.posix_acl_access"

  /// Whether an attribute decides who may open the file, as an access control list does, acl(5).
  private static func decidesAccess(_ name: String) -> Bool { name.hasPrefix("system.") }

  /// The names of a file's extended attributes; none if the file system does not have them.
  private func attributeNames(of descriptor: CInt) throws(Errno) -> [String] {
    while true {
      let size = flistxattr(descriptor, nil, 0)
      if size <= 0 {
        guard size < 0, errno != ENOTSUP, errno != ENOSYS else { return [] }
        throw Errno(errno)
      }
      var bytes = [CChar](repeating: 0, count: size)
      let length = flistxattr(descriptor, &bytes, size)
      if length >= 0 {
        return bytes[..<length].split(separator: 0).map {
          String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
      }
      // Another attribute has been added in between.
      guard errno == ERANGE else { throw Errno(errno) }
    }
  }

  /// The value of an extended attribute; `nil` if it no longer exists.
  private func attribute(_ name: String, of descriptor: CInt) throws(Errno) -> [UInt8]? {
    while true {
      let size = fgetxattr(descriptor, name, nil, 0)
      if size < 0, errno == ENODATA { return nil }
      guard size >= 0 else { throw Errno(errno) }
      // One byte more, because with room for none the call says the size again, which may have grown.
      var value = [UInt8](repeating: 0, count: size + 1)
      let length = fgetxattr(descriptor, name, &value, value.count)
      if length >= 0 { return Array(value[..<length]) }
      guard errno == ERANGE else { throw Errno(errno) }
    }
  }
}

/// An access control list in the kernel's form (`posix_acl_xattr.h`): a version of 4 bytes, then entries of a tag and
/// permissions, 2 bytes each, and an id of 4 bytes, all little-endian.
enum AccessList {
  private static let owningGroup: UInt16 = 0x04
  private static let others: UInt16 = 0x20

  /// The list with no more rights for the owning group than everyone has.
  static func withoutGroup(_ list: [UInt8]) -> [UInt8] {
    let entries = stride(from: 4, to: list.count - 7, by: 8)
    func tag(_ entry: Int) -> UInt16 { UInt16(list[entry]) | UInt16(list[entry + 1]) << 8 }
    guard let others = entries.first(where: { tag($0) == others }) else { return list }
    var result = list
    for entry in entries where tag(entry) == owningGroup { result[entry + 2] &= list[others + 2] }
    return result
  }
}
