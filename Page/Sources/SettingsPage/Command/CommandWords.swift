import AppSettings
import HTTPTypes
import SettingsTools

/// What a request names, as words of a command line.
///
/// No word that comes from a request can be an option: none of them begins with a hyphen, those of options are joined to
/// the option's name, and `--` stands before the others.
enum CommandWords {
  private static let mostBytes = 4096

  /// An app's id; or the one path that the server was started with.
  static func app(_ name: String, servedPath: String?) throws -> String {
    if let servedPath, servedPath.contains("/"), name == servedPath { return name }
    try check(name, "app's id")
    guard !name.contains("/"), name.first != ".", name.utf8.count < 256 else {
      throw Refusal(.badRequest, "That is not an app's id.")
    }
    return name
  }

  /// A dotted key.
  static func key(_ key: String) throws -> String {
    try check(key, "key", orElse: #" Put its first part into quotes: "-x"."#)
    return key
  }

  /// A profile's name.
  static func profile(_ name: String) throws -> String {
    try check(name, "profile's name")
    guard !name.contains("/"), name.first != "." else { throw Refusal(.badRequest, "That is not a profile's name.") }
    return name
  }

  /// The options that put another file in the place of the one that the app writes.
  ///
  /// - Parameter layer: `user`, `profile:NAME`, `drop-in:NAME`, `host`, `os`, `arch`; `system`, or `system:NAME` for a
  ///   drop-in of administrators.
  static func layer(_ layer: String?) throws -> [String] {
    guard let layer else { return [] }
    let parts = layer.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let none = Refusal(.badRequest, "There is no such layer.")
    if parts.count == 2 {
      try check(parts[1], "layer's name")
      guard !parts[1].contains("/"), parts[1].first != "." else { throw none }
    }
    guard parts[0] == "system" else {
      guard (try? PersonalFile(parsing: layer)) != nil else { throw none }
      return ["--layer=\(layer)"]
    }
    return parts.count == 2 ? ["--drop-in=\(parts[1])"] : ["--system"]
  }

  /// The option that has a writing verb compare the file first.
  static func ifUnchanged(_ digest: JSONTree?) throws -> [String] {
    guard let digest, digest != .null else { return [] }
    guard let text = digest.text, !text.contains("\0"), let digest = try? Digest(text), digest.key == nil else {
      throw Refusal(.badRequest, "'ifUnchanged' is not a digest, as 'digest' of an answer is.")
    }
    return ["--if-unchanged=\(digest.text)"]
  }

  /// A number of an entry, or of entries.
  static func number(_ text: String) throws -> String {
    guard !text.isEmpty, text.utf8.count < 10, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw Refusal(.badRequest, "That is not a number.")
    }
    return text
  }

  private static func check(_ text: String, _ what: String, orElse advice: String = "") throws {
    let hasControls = text.unicodeScalars.contains { $0.value < 0x20 }
    guard !text.isEmpty, text.utf8.count <= mostBytes, !hasControls else {
      throw Refusal(.badRequest, "Invalid \(what): it is empty, too long, or has control characters.")
    }
    guard text.first != "-" else { throw Refusal(.badRequest, "Invalid \(what): it begins with '-'.\(advice)") }
  }
}
