import Glibc

/// The identity of a file: its absolute path without symbolic links, `.` and `..`.
///
/// Every spelling of a path, and every symbolic link to a file, has the same physical path, and two files never have the
/// same one. It is the name under which something is kept about a file: backups, and what is still due after a
/// migration. The file need not exist: a dangling link leads to the place where its target would be made, and a missing
/// directory counts as the one that a write would make there.
///
/// Hard links and bind mounts are names of their own, as they are for everything that replaces files.
package struct PhysicalPath: Sendable, Hashable, CustomStringConvertible {
  /// The whole path.
  package let description: String

  /// The file's name.
  package var name: String { description.lastPathPart }

  /// The most links on the way, as for the kernel: `path_resolution(7)`.
  private static let mostLinks = 40

  /// Follows a path part by part, as the kernel does.
  ///
  /// This reads each part of the path. Do it when something is kept about a file or looked up, not when a file is opened.
  ///
  /// - Parameter path: An absolute path.
  /// - Throws: ``SettingsError`` `io` for a loop of links, `readOnly` where a directory may not be searched.
  package init(_ path: String, system: Syscalls) throws(SettingsError) {
    var resolved: [Substring] = []
    // The next part is the last element.
    var pending = Array(path.pathParts.reversed())
    var links = 0
    do throws(Errno) {
      while let part = pending.popLast() {
        switch part {
        case ".": continue
        // What a link led to has been resolved, so that the parent is the one that the kernel would take.
        case "..": _ = resolved.popLast()
        default:
          guard let target = try system.linkTarget("/" + (resolved + [part]).joined(separator: "/")) else {
            resolved.append(part)
            continue
          }
          links += 1
          guard links <= Self.mostLinks else { throw Errno(ELOOP) }
          if target.isAbsolutePath { resolved = [] }
          pending += target.pathParts.reversed()
        }
      }
    } catch {
      throw .system(error, "resolve", path)
    }
    description = "/" + resolved.joined(separator: "/")
  }

  // Two strings that differ in bytes alone, such as two forms of 'é', are equal in Swift. They are different files.
  package static func == (a: PhysicalPath, b: PhysicalPath) -> Bool { a.description.isBytewise(b.description) }

  package func hash(into hasher: inout Hasher) {
    for byte in description.utf8 { hasher.combine(byte) }
  }
}
