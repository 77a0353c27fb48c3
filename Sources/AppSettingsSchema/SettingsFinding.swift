package import AppSettings

/// A problem in settings files that their owner should know about.
package struct SettingsFinding: Sendable, Hashable {
  /// The kind of finding, with the name that scripts use.
  package enum Kind: String, Sendable, CaseIterable {
    /// The file does not parse, or cannot be read.
    case unparsable, unreadable
    /// A newer release wrote the file, or its migration fails.
    case newerVersion = "newer-version"
    case migrationFails = "migration-fails"
    /// The app rejects a value.
    case invalidValue = "invalid-value"
    /// A key is set but has no effect, because an administrator has locked it.
    case locked
    /// A key in a project's file that the app does not allow there, or a directory whose condition is unknown.
    case ignored
    /// A value is not a table, and hides a table of lower layers.
    case hidden
    /// A key that the app does not have, or has under another name.
    case unknownKey = "unknown-key"
    case formerName = "former-name"
    /// Other users may read a secret or write the file.
    case permissions
    /// What another program saved in the moment of a write lies beside the file.
    case overtaken
    /// `settings-locked` or another reserved key is malformed or has no effect.
    case reserved
    /// The schema itself has a problem.
    case schema
  }

  package var kind: Kind
  /// One or more full sentences.
  package var message: String
  package var key: TOMLPath?
  package var file: String
  package var position: TOMLPosition?
  /// The name that was probably meant, or the key's present name.
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

  /// Whether something is or may be ineffective; otherwise everything works as it is.
  package var isError: Bool {
    switch kind {
    case .unparsable, .unreadable, .newerVersion, .migrationFails, .invalidValue, .schema: true
    case .locked, .ignored, .hidden, .unknownKey, .formerName, .permissions, .overtaken, .reserved: false
    }
  }
}
