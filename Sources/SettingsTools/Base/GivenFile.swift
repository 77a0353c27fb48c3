import AppSettings
import Glibc

/// A file that somebody names to be read, and not to be changed.
package enum GivenFile {
  /// Its bytes, or those of a pipe in its place, such as a shell makes of `<(…)`.
  ///
  /// - Parameters:
  ///   - verb: What cannot be done without it, as in 'Cannot read'.
  ///   - name: How it was named, for messages; by default its path.
  ///   - advice: What was probably meant by one that does not exist, as a sentence after a space.
  /// - Throws: ``ToolError`` with status 7 if it does not exist or cannot be read.
  package static func bytes(
    at path: String, to verb: String = "read", named name: String? = nil, advice: @autoclosure () -> String = ""
  ) throws -> [UInt8] {
    var status = stat()
    guard path.withPath({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFIFO else {
      if let bytes = try SettingsFile(path: path).read().bytes { return bytes }
      throw ToolError(.io, "Cannot \(verb) '\(name ?? path)': it does not exist.\(advice())")
    }
    let descriptor = path.withPath { open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw ToolError(.io, "Cannot read '\(path)': \(Errno(errno).message).") }
    defer { close(descriptor) }
    return try StandardInput.bytes(of: descriptor, named: "'\(path)'")
  }
}
