import AppSettings

/// Reads a schema file, and rejects invalid content with its position and what was expected there.
///
/// If a file has a newer `schema-version` than this release knows, unknown members and types are ignored. In a file of
/// a known version, an unknown member is treated as a typo and rejected.
struct SchemaReader {
  let source: SchemaSource
  /// Whether to compile regular expressions to see whether they are valid.
  let checksPatterns: Bool

  private static let rootMembers = ["app", "name", "icon", "schema-version", "groups", "keys", "migrations"]
  private static let groupMembers = ["description"]
  private static let keyMembers =
    typeMembers + [
      "default", "computed-default", "description", "group", "formerly", "secret", "project", "refers-to",
      "needs-restart",
    ]
  static let typeMembers = [
    "type", "minimum", "maximum", "below", "choices", "pattern", "minimum-count", "maximum-count", "unique", "ordered",
    "elements", "fields", "other-fields", "ids", "reads-older-form", "expects", "example",
  ]
  static let fieldMembers = typeMembers + ["required", "default", "description"]

  /// Reads the whole file.
  ///
  /// - Throws: `SettingsError` `invalidValue` with the position.
  func schema() throws(SettingsError) -> SettingsSchema {
    let root = SchemaSection(source: source, path: .root, table: source.document.root)
    let app = try root.string("app", "the app's id, such as \"org.example.editor\"")
    do throws(SettingsError) {
      _ = try SettingsLocation(app: app, environment: ["HOME": "/"])
    } catch {
      throw root.refuse("'app' is not an app id", at: "app")
    }
    switch root.table["schema-version"] {
    case nil: break
    case .integer(let version)? where version >= 1: break
    default: throw root.wrong("schema-version", "an integer of at least 1")
    }
    try root.checkMembers(among: Self.rootMembers)
    let groups = try groups(in: root)
    var keys: [SchemaKey] = []
    if root.table["keys"] != nil {
      let section = try root.section("keys", "a table of keys, as in [keys.\"editor.font-size\"]")
      keys.reserveCapacity(section.table.count)
      for (name, _) in section.table { keys.append(try key(name, in: section)) }
      if let conflict = SchemaConflict.first(in: keys) {
        throw section.refuse(conflict.reason, at: section.table.keys[conflict.index])
      }
    }
    var schema = SettingsSchema(app: app, keys: keys, groups: groups, migrations: try migrations(in: root))
    schema.name = try root.optionalString("name")
    schema.icon = try root.optionalString("icon")
    if let icon = schema.icon, !SettingsSchema.isIcon(icon), !source.isOfLaterForm {
      throw root.wrong("icon", "one character, or an image as an address that begins with 'data:image/'")
    }
    return schema
  }

  private func groups(in root: SchemaSection) throws(SettingsError) -> [SchemaGroup] {
    guard root.table["groups"] != nil else { return [] }
    let section = try root.section("groups", "a table of groups, as in [groups.editor]")
    var groups: [SchemaGroup] = []
    for (name, _) in section.table {
      let group = try section.section(name, "a table with a 'description'")
      try group.checkMembers(among: Self.groupMembers)
      groups.append(
        SchemaGroup(path: try group.keyPath(name), summary: try group.optionalString("description") ?? ""))
    }
    return groups
  }

  private func key(_ name: String, in keys: SchemaSection) throws(SettingsError) -> SchemaKey {
    let path = try keys.keyPath(name, at: name)
    let section = try keys.section(
      name, "a table with a 'type'. A name with dots needs quotes, as in [keys.\"editor.font-size\"]")
    if section.table["type"] == nil, let inner = section.table.first(where: { $0.value.table?["type"] != nil })?.key {
      throw section.refuse(
        "a key's name needs quotes where it has dots, as in [keys.\"\(path.appending(inner))\"]", at: inner)
    }
    try section.checkMembers(among: Self.keyMembers)
    var key = SchemaKey(path, try type(in: section, depth: 0))
    key.summary = try section.optionalString("description") ?? ""
    key.isSecret = try section.flag("secret")
    key.projects = try section.projectRule("project")
    guard !key.isSecret || key.projects == .refused else {
      throw section.refuse("a secret cannot be allowed in projects", at: "project")
    }
    if let text = try section.optionalString("refers-to") {
      key.reference = SettingsReference(rawValue: text)
      if key.reference == nil, !source.isOfLaterForm {
        throw section.wrong("refers-to", "'command', 'path' or 'address'")
      }
    }
    key.needsRestart = try section.flag("needs-restart")
    key.hasComputedDefault = try section.flag("computed-default")
    if let group = try section.optionalString("group") { key.group = try section.keyPath(group, at: "group") }
    for former in try section.elements("formerly", "an array of keys") ?? [] {
      guard case .string(let text) = former else { throw section.wrong("formerly", "an array of keys") }
      let former = try section.keyPath(text, at: "formerly")
      guard !former.isRelated(to: path) else {
        throw section.refuse("the former name '\(former)' is at, above or below '\(path)' itself", at: "formerly")
      }
      key.formerPaths.append(former)
    }
    key.defaultValue = try value("default", of: key.type, in: section)
    return key
  }

  /// Reads a member that is a value of a type.
  func value(
    _ member: String, of type: SchemaType, in section: SchemaSection
  ) throws(SettingsError) -> TOMLValue? {
    guard let value = section.table[member] else { return nil }
    // Checking it would compile its pattern, which only a caller that checks patterns needs.
    var type = type
    if !checksPatterns { type.patterns = [] }
    do throws(SettingsValueError) {
      try type.check(value)
    } catch {
      throw section.refuse(error.clause(about: "'\(member)'"), at: member)
    }
    return value
  }
}
