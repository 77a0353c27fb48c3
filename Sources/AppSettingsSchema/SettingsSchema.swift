public import AppSettings

/// Describes an app's settings to tools: its keys with their types, ranges, defaults and descriptions, its tables of
/// records, and its migrations.
///
/// An app writes the schema once, in an install step or for a `--settings-schema` argument. `settings-cli` finds it at
/// `$XDG_DATA_HOME/app-settings/<app>.toml`, then along `$XDG_DATA_DIRS`. With the schema, the command line knows the
/// keys and the values that they accept, and upgrades the settings of an app that is not running.
///
/// ```swift
/// let schema = SettingsSchema(
///   app: "org.example.editor", keys: [.theme, .fontSize, .token], records: [.profiles], migrations: appMigrations)
/// try schema.write()
/// ```
public struct SettingsSchema: Sendable {
  /// The app's id.
  package var app: String
  /// The app's name for people, such as `Text Editor`. A settings page has it in place of the id.
  public var name: String?
  /// A picture for a settings page: one character such as an emoji, or an image as an address that begins with
  /// `data:image/`.
  public var icon: String?
  /// The history of the stored form, which upgrades older files.
  package var migrations: SettingsMigrations
  /// The keys, in the order in which they were listed.
  package var keys: [SchemaKey]
  package var groups: [SchemaGroup]
  /// Whether any key is a secret. If so, text that does not parse must not be shown.
  package var hasSecrets: Bool { keys.contains(where: \.isSecret) }
  /// The path of the file that the schema was read from.
  package var file: String?

  /// Creates a schema from an app's keys and migrations.
  ///
  /// A key that is listed twice is one. Two keys that share a name, or one of which is at or above the other, are
  /// a programming error and trap: the value of one would be part of the other's.
  ///
  /// - Parameters:
  ///   - app: The app's id, such as `org.example.editor`.
  ///   - keys: The keys, in the order for documentation.
  ///   - records: The keys of tables of records, which follow the others.
  ///   - migrations: The history of the stored form. The file only names steps of code.
  public init(
    app: String, keys: [AnySettingsKey] = [], records: [AnySettingsKey] = [], migrations: [Migration] = []
  ) {
    var seen: Set<ObjectIdentifier> = []
    let keys = (keys + records).filter { seen.insert(ObjectIdentifier($0)).inserted }
    var groups: [SchemaGroup] = []
    for case let group? in keys.map(\.group) where !groups.contains(where: { $0.path == group.path }) {
      if !group.summary.isEmpty { groups.append(SchemaGroup(path: group.path, summary: group.summary)) }
    }
    self.init(app: app, keys: keys.map(SchemaKey.init), groups: groups, migrations: SettingsMigrations(migrations))
    if let conflict = SchemaConflict.first(in: self.keys) { preconditionFailure("Invalid schema: \(conflict.reason).") }
  }

  package init(app: String, keys: [SchemaKey], groups: [SchemaGroup], migrations: SettingsMigrations) {
    self.app = app
    self.keys = keys
    self.groups = groups
    self.migrations = migrations
  }

  static func isIcon(_ text: String) -> Bool { text.count == 1 || text.hasPrefix("data:image/") }

  /// Writes the schema durably to `$XDG_DATA_HOME/app-settings/<app>.toml`. Other users may read it, since it contains
  /// no secrets.
  ///
  /// - Parameter variables: The environment; by default, that of the process.
  /// - Returns: The file's path.
  /// - Throws: `SettingsError` `invalidLocation`, `readOnly`, `lockTimeout` or `io`. An existing file is unchanged in
  ///   each case.
  @discardableResult
  public func write(environment variables: [String: String]? = nil) throws(SettingsError) -> String {
    try SettingsError.only {
      let path = try Self.searchPath(app: app, environment: variables)[0]
      let bytes = Array(text.utf8)
      try SettingsFile(path: path, isShared: true).update { _ in bytes }
      return path
    }
  }

  /// Returns the paths where an app's schema may be, the most important first.
  package static func searchPath(app: String, environment variables: [String: String]?) throws -> [String] {
    let location = try SettingsLocation(app: app, profile: .none, environment: variables)
    return location.dataDirectories.map { "\($0)/app-settings/\(app).toml" }
  }

  /// Reads an app's schema from the first place that has one; `nil` if none has.
  ///
  /// - Parameters:
  ///   - app: The app's id.
  ///   - variables: The environment; by default, that of the process.
  ///   - checksPatterns: Whether to compile regular expressions to see whether they are valid.
  /// - Throws: `SettingsError` `unparsable`, `io` or `readOnly`, or `invalidValue` with the position if the schema is
  ///   invalid or another app's.
  package static func find(
    app: String, environment variables: [String: String]? = nil, checksPatterns: Bool = true
  ) throws -> SettingsSchema? {
    let location = try SettingsLocation(app: app, profile: .none, environment: variables)
    for path in try searchPath(app: app, environment: variables) {
      if let schema = try read(path, app: app, forSettings: location.file, checksPatterns: checksPatterns) {
        return schema
      }
    }
    return nil
  }

  /// The size limit of a schema file: 16 MiB.
  static let sizeLimit = 16 << 20

  /// Reads the schema in a file; `nil` if the file does not exist.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - app: The app that the schema must be for; `nil` for any.
  ///   - settings: The settings file that the schema was found for; `nil` if the user named the schema.
  ///   - checksPatterns: Whether to compile regular expressions to see whether they are valid.
  /// - Throws: `SettingsError` as ``find(app:environment:checksPatterns:)`` does; `readOnly` also for a schema that
  ///   root does not follow: see ``SchemaTrust``.
  package static func read(
    _ path: String, app: String? = nil, forSettings settings: String? = nil, checksPatterns: Bool = true
  ) throws -> SettingsSchema? {
    let file = SettingsFile(path: path)
    if let size = try? file.system.status(at: path)?.size, size > sizeLimit {
      throw SettingsError(
        .io, "Cannot use the schema '\(path)': it has \(size) bytes, and the limit for a schema is \(sizeLimit).",
        file: path)
    }
    let contents = try file.read()
    guard let bytes = contents.bytes else { return nil }
    let rights = try SchemaTrust.rights(of: contents.status, at: path, forSettings: settings, file.system)
    let document: TOMLDocument
    do {
      document = try TOMLDocument(parsing: bytes)
    } catch {
      throw SettingsError(
        .unparsable, "Cannot use the schema '\(path)': it does not parse.", cause: error.formatted(file: path),
        file: path, position: error.position)
    }
    let source = SchemaSource(document, file: path)
    var schema = try SchemaReader(source: source, checksPatterns: checksPatterns).schema()
    schema.file = path
    schema.migrations.importRights = rights
    if let app, schema.app != app {
      throw source.refuse("'app' is '\(schema.app)', and the name of the file says that it is '\(app)'", at: ["app"])
    }
    return schema
  }
}

/// Two keys that exclude each other.
package struct SchemaConflict {
  /// The index of the later key.
  var index: Int
  /// The reason, as a clause.
  var reason: String

  /// Returns the first conflict among keys, in their order.
  package static func first(in keys: [SchemaKey]) -> SchemaConflict? {
    var earlier = PathTree(capacity: keys.count)
    for (index, key) in keys.enumerated() {
      for (order, name) in key.paths.enumerated() {
        let said = order == 0 ? "the key '\(name)'" : "the former name '\(name)' of '\(key.path)'"
        if let other = earlier.key(at: name) {
          return SchemaConflict(index: index, reason: "\(said) is a name of '\(keys[other].path)' already")
        }
        if let other = earlier.key(below: name) {
          return SchemaConflict(index: index, reason: "\(said) is a table, for the key '\(keys[other].path)' is in it")
        }
        if let other = earlier.key(around: name) {
          let reason = "\(said) is within the value of the key '\(keys[other].path)'"
          return SchemaConflict(index: index, reason: reason)
        }
      }
      // A key's names are compared only with those of other keys: one may have been the table of another.
      earlier.insert(key, index)
    }
    return nil
  }
}
