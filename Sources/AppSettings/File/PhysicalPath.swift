import Glibc

/// The identity of a file: its absolute path without symbolic links, `.` and `..`.
///
/// Every spelling of a path, and every symbolic link to a file, has the same physical path, and two files never share
/// one. It is the name under which data about a file is kept: its backups, and work pending after a migration. The file
/// need not exist: a dangling link leads to the place where its target would be created, and a missing directory is
/// treated as the one that a write would create.
///
/// Hard links and bind mounts are separate names, as for everything that replaces files.
package struct PhysicalPath: Sendable, Hashable, CustomStringConvertible {
  /// The whole path.
  package let description: String

  /// The file's name.
  package var name: String { description.lastPathPart }

  /// Follows a path component by component, as the kernel does.
  ///
  /// This costs a `readlink(2)` for each component. Use it to store or find data about a file, not to open one.
  ///
  /// - Parameter path: An absolute path.
  /// - Throws: ``SettingsError`` `io` for a loop of links, `readOnly` if a directory may not be searched.
  package init(_ path: String, system: Syscalls) throws(SettingsError) {
    // A text that grows, by Strings alone: to join parts, or to add a Substring, is generic code, which was a sixth of
    // what 'settings-cli set' executed.
    var resolved = ""
    // The next component is the last element.
    var pending = Array(path.pathParts.reversed())
    var links = 0
    do throws(Errno) {
      while let part = pending.popLast() {
        switch part {
        case ".": continue
        // Targets of links are resolved already, so that the parent is the kernel's.
        case "..":
          let slash = resolved.utf8.lastIndex(of: UInt8(ascii: "/"))
          resolved = String(resolved[..<(slash ?? resolved.startIndex)])
        default:
          let next = resolved + "/" + String(part)
          guard let target = try system.linkTarget(next) else {
            resolved = next
            continue
          }
          links += 1
          guard links <= FinalPath.mostLinks else { throw Errno(ELOOP) }
          if target.isAbsolutePath { resolved = "" }
          pending += target.pathParts.reversed()
        }
      }
    } catch {
      throw .system(error, "resolve", path)
    }
    description = resolved.isEmpty ? "/" : resolved
  }

  // In Swift, two strings that differ only in bytes, such as two forms of 'é', are equal. They name different files.
  package static func == (a: PhysicalPath, b: PhysicalPath) -> Bool { a.description.isBytewise(b.description) }

  package func hash(into hasher: inout Hasher) {
    for byte in description.utf8 { hasher.combine(byte) }
  }
}
