import Foundation

/// Small things about files.
enum Files {
  static func makeDirectory(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  static func write(_ text: String, to path: String, mode: Int = 0o644) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// The last few lines of a file.
  static func end(of path: String) -> String {
    String(((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").suffix(4000))
  }
}
