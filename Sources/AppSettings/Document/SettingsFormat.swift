package import SettingsTOML

/// The reserved root keys of the file format.
package enum SettingsFormat {
  package static let versionPath: TOMLPath = ["settings-version"]
  package static let locksPath: TOMLPath = ["settings-locked"]
  /// In a profile: the name of the one below it.
  package static let inheritsPath: TOMLPath = ["settings-inherits"]
  package static let historyPath: TOMLPath = ["settings-history"]

  /// Sets the version, in its existing line or in a new one at the top, below the comment of the file itself.
  package static func setVersion(_ version: Int, in document: inout TOMLDocument) throws {
    try document.setAtTop(versionPath.components[0], .integer(Int64(version)))
  }
}
