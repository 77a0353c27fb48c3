import AppSettings
import Glibc

/// A file that somebody names to be read, and not to be changed.
package enum GivenFile {
  /// Its bytes, or those of a pipe in its place, such as a shell makes of `<(…)`; `nil` if there is neither.
  ///
  /// - Throws: An error with status 7 if it cannot be read.
  package static func bytes(at path: String) throws -> [UInt8]? {
    var status = stat()
    guard path.withPath({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFIFO else {
      return try SettingsFile(path: path).read().bytes
    }
    let descriptor = path.withPath { open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw ToolError(.io, "Cannot read '\(path)': \(Errno(errno).message).") }
    defer { close(descriptor) }
    return try StandardInput.bytes(of: descriptor, named: "'\(path)'")
  }
}
