import AppSettings
import AppSettingsMigrations
import AppSettingsSchema

/// Which values of a text are secrets, under the names that they have in its version.
struct SecretPaths {
  private let tree: SchemaKeyTree
  /// Values under names that the app no longer has.
  private let former: Set<TOMLPath>
  /// The last components of their names, in lower case: a comment with one of them may hold a former value.
  let names: [String]

  init(of document: TOMLDocument, _ schema: SettingsSchema) {
    let keys = schema.keys.filter(\.isSecret)
    let tree = SchemaKeyTree(keys)
    self.tree = tree
    former = Self.former(in: document, schema, tree)
    names = Set((keys.flatMap(\.paths) + former).compactMap { $0.last?.lowercased() }).sorted()
  }

  private static func former(
    in document: TOMLDocument, _ schema: SettingsSchema, _ secrets: SchemaKeyTree
  ) -> Set<TOMLPath> {
    let migrations = schema.migrations
    guard let version = try? SettingsMigrations.version(of: document), version < migrations.currentVersion else {
      return []
    }
    // Where code moves a value cannot be known here.
    let hasCode = migrations.pending(from: version).contains { $0.steps.contains(where: StepForms.needsTheApp) }
    let known = hasCode ? SchemaLookup(schema: schema) : nil
    return Set(
      document.leafPaths().filter { path in
        if let known, known.key(around: path) == nil { return true }
        return migrations.places(of: [path], from: version).contains(where: secrets.knows)
      })
  }

  /// Whether the value at a path must not be shown.
  func hide(_ path: TOMLPath, isTable: Bool) -> Bool {
    if former.contains(path) || tree.key(around: path) != nil { return true }
    // A value in the place of a secret's table may hold the secret.
    return !isTable && tree.key(below: path) != nil
  }
}
