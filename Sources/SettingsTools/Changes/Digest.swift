package import AppSettings

/// What a program has read, so that it can change that and nothing newer: the digest of a file or of a key's value.
package struct Digest: Equatable {
  /// The key; `nil` for a whole file.
  package let key: TOMLPath?
  /// 64 hexadecimal digits; `nil` for a file or a value that does not exist.
  let hash: String?

  /// The digest of a file.
  package init(of bytes: [UInt8]?) { (key, hash) = (nil, bytes.map(SHA256.hex)) }

  /// The digest of a key's effective value: of the text that `get --toml` prints.
  package init(of key: TOMLPath, in snapshot: SettingsSnapshot, _ schema: SchemaLookup) {
    self.key = key
    hash = schema.usedValue(of: key, in: snapshot).flatMap { schema.withoutSecrets($0, at: key).value }
      .map { SHA256.hex(of: $0.tomlText.utf8) }
  }

  /// Parses what ``text`` returns.
  ///
  /// - Throws: ``ToolError`` with status 2 for anything else.
  package init(_ text: String) throws {
    let colon = text.lastIndex(of: ":")
    let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
    guard digits == Self.absent || digits.utf8.count == 64 && digits.allSatisfy(\.isHexDigit) else {
      throw ToolError(
        .usage, "'\(text)' is not a digest. Use what 'settings-cli get TARGET --digest' printed.")
    }
    key = try colon.map { try TypedKey.path(String(text[..<$0])) }
    hash = digits == Self.absent ? nil : digits.lowercased()
  }

  private static let absent = "absent"

  /// The digest as `get --digest` prints it.
  package var text: String { (key.map { "\($0):" } ?? "") + value }

  /// The digest without the key.
  package var value: String { hash ?? Self.absent }
}
