package import AppSettings

/// A key as a schema has it.
package struct SchemaKey: Sendable, Hashable {
  package var path: TOMLPath
  package var type: SchemaType
  /// What the app reads while no file has a value; `nil` if that is nothing, computed, a secret, or cannot be stored.
  package var defaultValue: TOMLValue?
  /// Whether the app computes the default at each read.
  package var hasComputedDefault = false
  /// What the value means.
  package var summary = ""
  /// The table that it was declared in as one of a group.
  package var group: TOMLPath?
  /// The paths that it had in earlier releases, the newest first.
  package var formerPaths: [TOMLPath] = []
  package var isSecret = false
  /// Whether the choices are missing because the type of the app does not list its cases. Not read from files.
  package var hidesCases = false

  package init(_ path: TOMLPath, _ type: SchemaType) {
    self.path = path
    self.type = type
  }

  /// All places where its value may be.
  package var paths: [TOMLPath] { [path] + formerPaths }

  /// The same key as a store knows keys: for look-ups under all its names, and for edits.
  package var settingsKey: SettingsKey<TOMLValue?> {
    SettingsKey(path.description, .formerly(formerPaths.map(\.description)))
  }
}

/// A table that keys are in.
package struct SchemaGroup: Sendable, Hashable {
  package var path: TOMLPath
  package var summary: String

  package init(_ path: TOMLPath, _ summary: String) {
    self.path = path
    self.summary = summary
  }
}

extension SchemaKey {
  package init(_ key: AnySettingsKey) {
    var type = key.isSecret ? key.schemaType.withoutFallbacks : key.schemaType
    // The fields of a type say more than its name in Swift.
    if key.expected != type.derivedWords, type.fields == nil { type.expectedWords = key.expected }
    let secret = key.isSecret
    // What a secret is to be is not for a file that anyone may read; what is computed here holds here and now.
    let value = secret || key.hasComputedDefault ? nil : key.storedDefault
    if let value, (try? type.check(value)) == nil {
      // A type of someone's own may write in another form than its parts let think.
      type = .any
      type.expectedWords = key.expected
    }
    self.init(key.path, type)
    isSecret = secret
    hidesCases = key.hidesCases
    hasComputedDefault = key.hasComputedDefault
    defaultValue = value
    summary = key.summary
    group = key.group?.path
    formerPaths = Array(key.paths.dropFirst())
  }
}
