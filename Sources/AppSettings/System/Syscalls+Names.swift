import CSettingsSystem
import Glibc

/// Calls on the names of files and on links.
extension Syscalls {
  /// `renameat(2)` within one directory: replaces a file that has the new name in one step.
  package func rename(_ old: String, to new: String, in directory: CInt) throws(Errno) {
    try step(.rename, new)
    _ = try retry { old.withPath { old in new.withPath { Int(renameat(directory, old, directory, $0)) } } }
  }

  /// `renameat2(2)` with `RENAME_NOREPLACE`: throws `EEXIST` if the new name exists.
  ///
  /// On a file system without that flag it checks and then renames; the lock excludes all who take it.
  package func renameNew(_ old: String, to new: String, in directory: CInt) throws(Errno) {
    do throws(Errno) {
      try step(.rename, new)
      _ = try retry { exchangeOrRename(old, new, in: directory, UInt32(CSETTINGS_RENAME_NOREPLACE)) }
    } catch {
      guard error.rawValue == EINVAL || error.rawValue == ENOSYS else { throw error }
      guard try status(at: new, in: directory, followingLinks: false) == nil else { throw Errno(EEXIST) }
      try rename(old, to: new, in: directory)
    }
  }

  /// `renameat2(2)` with `RENAME_EXCHANGE`: two files exchange their names in one step.
  ///
  /// Watchers of the directory see a file of the first name disappear and then appear, as when a program keeps a
  /// backup when they save. With the names in the other order they would see it disappear last.
  ///
  /// - Returns: Whether it did; `false` if the file system cannot.
  package func exchange(_ name: String, with other: String, in directory: CInt) throws(Errno) -> Bool {
    do throws(Errno) {
      try step(.rename, name)
      _ = try retry { exchangeOrRename(name, other, in: directory, UInt32(CSETTINGS_RENAME_EXCHANGE)) }
      return true
    } catch {
      guard error.rawValue == EINVAL || error.rawValue == ENOSYS else { throw error }
      return false
    }
  }

  private func exchangeOrRename(_ old: String, _ new: String, in directory: CInt, _ flags: UInt32) -> Int {
    old.withPath { old in new.withPath { Int(renameat2(directory, old, directory, $0, flags)) } }
  }

  /// `link(2)`: a second name for a file, which must not exist yet. A symbolic link is not followed.
  package func link(_ path: String, to new: String) throws(Errno) {
    try step(.link, new)
    _ = try retry { path.withPath { path in new.withPath { Int(Glibc.link(path, $0)) } } }
  }

  /// `unlinkat(2)`; a missing file is not an error.
  package func unlink(_ name: String, in directory: CInt = Syscalls.workingDirectory) throws(Errno) {
    try step(.unlink, name)
    do {
      _ = try retry { name.withPath { Int(unlinkat(directory, $0, 0)) } }
    } catch {
      if error.rawValue != ENOENT { throw error }
    }
  }

  /// `readlink(2)`; `nil` if there is no symbolic link.
  package func linkTarget(_ path: String) throws(Errno) -> String? {
    try step(.readlink, path)
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    do {
      let count = try retry {
        buffer.withUnsafeMutableBytes { buffer in
          path.withPath { readlink($0, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count) }
        }
      }
      return PathText.text(buffer[..<count])
    } catch {
      if error.rawValue == EINVAL || error.rawValue == ENOENT || error.rawValue == ENOTDIR { return nil }
      throw error
    }
  }

  /// The names in a directory, unsorted, without `.` and `..`; `nil` if there is no directory.
  package func names(in path: String) throws(Errno) -> [String]? {
    try step(.list, path)
    guard let stream = path.withPath({ opendir($0) }) else {
      let number = errno
      // No directory can have a name that is too long.
      if [ENOENT, ENOTDIR, ENAMETOOLONG].contains(number) { return nil }
      throw Errno(number)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      // At the end it is unchanged.
      errno = 0
      guard let entry = readdir(stream) else {
        let number = errno
        if number != 0 { throw Errno(number) }
        return names
      }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { PathText.text($0.prefix { $0 != 0 }) }
      if name != "." && name != ".." { names.append(name) }
    }
  }
}
