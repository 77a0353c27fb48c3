package import AppSettings

/// A key as described by a schema.
package struct SchemaKey: Sendable, Hashable {
  package var path: TOMLPath
  package var type: SchemaType
  /// The value that the app reads if no file has one; `nil` if it is empty, computed, a secret, or cannot be stored.
  package var defaultValue: TOMLValue?
  /// Whether the app computes the default at each read.
  package var hasComputedDefault = false
  /// The meaning of the value.
  package var summary = ""
  /// The table of the group that the key was declared in.
  package var group: TOMLPath?
  /// The key's paths in earlier releases, newest first.
  package var formerPaths: [TOMLPath] = []
  package var isSecret = false
  /// Whether a project's file may set the value, and if stated why that is safe.
  package var projects = ProjectRule.refused
  /// What the value leads to outside of the settings, if the app says so.
  package var reference: SettingsReference?
  /// Whether the app reads the value only when it starts.
  package var needsRestart = false
  /// Whether choices are missing because the app's type does not list its cases. Not read from files.
  package var hidesCases = false

  package init(_ path: TOMLPath, _ type: SchemaType) {
    self.path = path
    self.type = type
  }

  /// All paths where the value may be.
  package var paths: [TOMLPath] { [path] + formerPaths }

  /// The same key as a store's key: for look-ups under all its names, and for edits.
  package var settingsKey: SettingsKey<TOMLValue?> {
    let name = path.description
    let former = SettingsKeyDetail<TOMLValue>.formerly(formerPaths.map(\.description))
    return isSecret ? SettingsKey(name, former, .secret) : SettingsKey(name, former)
  }
}

/// A table that contains keys.
package struct SchemaGroup: Sendable, Hashable {
  package var path: TOMLPath
  package var summary: String
}

extension SchemaKey {
  package init(_ key: AnySettingsKey) {
    var type = key.isSecret ? key.schemaType.withoutFallbacks : key.schemaType
    // The fields of a type say more than its name in Swift.
    if key.expected != type.derivedWords, type.fields == nil { type.expectedWords = key.expected }
    let secret = key.isSecret
    // A secret's default does not belong in a public file, and a computed one holds only here and now.
    let value = secret || key.hasComputedDefault ? nil : key.storedDefault
    if let value, (try? type.check(value)) == nil {
      // A custom type may use another form than its parts suggest.
      type = .any
      type.expectedWords = key.expected
    }
    if let example = key.storedExample, (try? type.check(example)) != nil { type.example = example }
    self.init(key.path, type)
    isSecret = secret
    projects = key.projects
    reference = key.reference
    needsRestart = key.needsRestart
    hidesCases = key.hidesCases
    hasComputedDefault = key.hasComputedDefault
    defaultValue = value
    summary = key.summary
    group = key.group?.path
    formerPaths = Array(key.paths.dropFirst())
  }
}
