import SettingsTOML

/// A text as the history keeps it: without the values of keys that are secret or unknown.
struct KeptText: Sendable {
  /// The bytes; TOML if the text is.
  let bytes: [UInt8]
  /// Whether nothing is left out.
  let isComplete: Bool
  let digest: TextDigest

  /// Stands for a value that is not kept.
  static let placeholder = Redaction.placeholder

  /// Stands for a text that does not parse. It says nothing about the values.
  static let unparsed = Array("# \(placeholder): it did not parse\n".utf8)

  init(bytes: [UInt8], isComplete: Bool) {
    self.bytes = bytes
    self.isComplete = isComplete
    digest = TextDigest(of: bytes)
  }

  /// - Parameter document: The document of the text; `nil` for one that does not parse, of which nothing is kept.
  init(of document: TOMLDocument?, _ known: KnownKeys, _ migrations: SettingsMigrations) {
    guard let document else {
      self.init(bytes: Self.unparsed, isComplete: false)
      return
    }
    let redaction = Redaction(of: document, known, migrations)
    self.init(bytes: redaction.keptText, isComplete: redaction.isComplete)
  }
}
