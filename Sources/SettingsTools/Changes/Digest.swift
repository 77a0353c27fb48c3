package import AppSettings

/// What a program has read, so that it can change that and nothing newer: the digest of a file or of a key's value.
package struct Digest: Equatable {
  /// The key; `nil` for a whole file.
  package let key: TOMLPath?
  /// The path of the file that a whole file's digest is of; `nil` for whichever file would be written.
  let file: String?
  /// 64 hexadecimal digits; `nil` for a file or a value that does not exist.
  let hash: String?

  /// The digest of a file.
  ///
  /// - Parameter file: Its path, if another file with the same bytes has another digest.
  package init(of bytes: [UInt8]?, at file: String? = nil) {
    (key, self.file, hash) = (nil, file, bytes.map(SHA256.hex))
  }

  /// The digest of a key's effective value: of the text that `get --toml` prints.
  package init(of key: TOMLPath, in snapshot: SettingsSnapshot, _ schema: SchemaLookup) {
    (self.key, file) = (key, nil)
    hash = schema.usedValue(of: key, in: snapshot).flatMap { schema.withoutSecrets($0, at: key).value }
      .map { SHA256.hex(of: $0.tomlText.utf8) }
  }

  /// Parses what ``text`` returns. A path begins with a slash, which no key does.
  ///
  /// - Throws: ``ToolError`` with status 2 for anything else.
  package init(_ text: String) throws {
    let colon = text.lastIndex(of: ":")
    let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
    guard digits == Self.absent || digits.utf8.count == 64 && digits.allSatisfy(\.isHexDigit) else {
      throw ToolError(
        .usage, "'\(text)' is not a digest. Use what 'settings-cli get TARGET --digest' printed.")
    }
    let subject = colon.map { String(text[..<$0]) }
    file = subject?.first == "/" ? subject : nil
    key = file == nil ? try subject.map { try TypedKey.path($0) } : nil
    hash = digits == Self.absent ? nil : digits.lowercased()
  }

  private static let absent = "absent"

  /// The digest as `get --digest` prints it.
  package var text: String { ((key?.description ?? file).map { "\($0):" } ?? "") + value }

  /// The digest without the key and the file.
  package var value: String { hash ?? Self.absent }
}
