package import AppSettings

/// Something about settings files that their owner should know.
package struct SettingsFinding: Sendable, Hashable {
  /// What it is, by the name that scripts know.
  package enum Kind: String, Sendable, CaseIterable {
    /// The file does not parse, or cannot be read.
    case unparsable, unreadable
    /// A newer release wrote the file, or its migration fails.
    case newerVersion = "newer-version"
    case migrationFails = "migration-fails"
    /// A value that the app refuses.
    case invalidValue = "invalid-value"
    /// A key that is set where an administrator's lock makes it void.
    case locked
    /// A value that is not a table, and hides one of lower layers.
    case hidden
    /// A key that the app does not have, or has by another name.
    case unknownKey = "unknown-key"
    case formerName = "former-name"
    /// Others may read a secret, or write the file.
    case permissions
    /// `settings-locked` and other reserved keys that are not as they have to be, or where they do nothing.
    case reserved
    /// The schema itself.
    case schema
  }

  package var kind: Kind
  /// One or more full sentences.
  package var message: String
  package var key: TOMLPath?
  package var file: String
  package var position: TOMLPosition?
  /// The name that may have been meant, or that the key has now.
  package var suggestion: String?
  /// The line and a caret below it, for a file that does not parse.
  package var excerpt: String?

  package init(
    _ kind: Kind, _ message: String, key: TOMLPath? = nil, file: String, position: TOMLPosition? = nil,
    suggestion: String? = nil, excerpt: String? = nil
  ) {
    self.kind = kind
    self.message = message
    self.key = key
    self.file = file
    self.position = position
    self.suggestion = suggestion
    self.excerpt = excerpt
  }

  /// Whether something is not used, or cannot be; otherwise all works as it is.
  package var isError: Bool {
    switch kind {
    case .unparsable, .unreadable, .newerVersion, .migrationFails, .invalidValue, .schema: true
    case .locked, .hidden, .unknownKey, .formerName, .permissions, .reserved: false
    }
  }
}
