import Foundation

/// Small things about files.
enum Files {
  static func makeDirectory(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// Puts a text in the place of a file, with its mode: somebody may take the file away as soon as it is there.
  static func write(_ text: String, to path: String, mode: Int = 0o644) throws {
    let new = path + ".new"
    try Data(text.utf8).write(to: URL(fileURLWithPath: new))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: new)
    guard rename(new, path) == 0 else { throw Failure("'\(path)' cannot be written (errno \(errno))") }
  }

  /// The last few lines of a file.
  static func end(of path: String) -> String {
    String(((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").suffix(4000))
  }
}
