package import SettingsTOML

/// The reserved root keys of the file format.
///
/// All root keys that begin with `settings-` are reserved: they are not settings, and no app can declare them.
package enum SettingsFormat {
  /// The version of the file's form, an integer of at least 1; a file without it has version 1.
  package static let versionPath: TOMLPath = ["settings-version"]
  /// In an administrator's file: the keys that it locks.
  package static let locksPath: TOMLPath = ["settings-locked"]
  /// In a profile: the name of the one below it.
  package static let inheritsPath: TOMLPath = ["settings-inherits"]
  /// `false` turns the history of the file off and removes it.
  package static let historyPath: TOMLPath = ["settings-history"]
  /// In a document of a fleet: the secrets that only some machines can open.
  package static let sealedPath: TOMLPath = ["settings-sealed"]
  /// In a sealed garage: what identifies the key.
  package static let sealPath: TOMLPath = ["settings-seal"]

  /// Whether a key of the root table belongs to the format, and so to no app.
  package static func isReserved(_ rootKey: String) -> Bool { rootKey.hasPrefix("settings-") }

  /// Sets the version, in its existing line or in a new one at the top, below the comment of the file itself.
  package static func setVersion(_ version: Int, in document: inout TOMLDocument) throws {
    try document.setAtTop(versionPath.components[0], .integer(Int64(version)))
  }
}

extension TOMLPath {
  /// Whether the path is at or below a key that belongs to the format.
  package var isReserved: Bool { components.first.map { SettingsFormat.isReserved($0) } ?? false }
}
