/// The files of keys: a line for each key, which is a header and 32 bytes in Base64. What follows a space is a comment.
enum KeyFile {
  /// The keys of a text and their comments. Lines that are empty or begin with `#` are skipped. `nil` if another line is
  /// not a key with this header.
  static func keys(in text: String, after header: String) -> [(bytes: [UInt8], comment: String)]? {
    var keys: [(bytes: [UInt8], comment: String)] = []
    for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      guard line.hasPrefix(header) else { return nil }
      let parts = line.dropFirst(header.count).split(separator: " ", maxSplits: 1)
      guard let first = parts.first, let bytes = FleetJSON.bytes(base64: String(first)), bytes.count == 32 else {
        return nil
      }
      keys.append((bytes, parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""))
    }
    return keys
  }

  /// The only key of a text.
  static func bytes(in text: String, after header: String) -> [UInt8]? {
    guard let keys = keys(in: text, after: header), keys.count == 1 else { return nil }
    return keys[0].bytes
  }

  static func text(_ bytes: [UInt8], after header: String) -> String { header + FleetJSON.base64(bytes) + "\n" }

  /// What a public key is named by: 16 hexadecimal digits of its SHA-256.
  static func id(of publicKey: [UInt8]) -> String { String(TextDigest(of: publicKey).hex.prefix(16)) }
}
