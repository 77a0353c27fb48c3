import SettingsTOML

/// What an app has to say about its settings to tools: the part of it that is its migrations.
///
/// An app writes it once, from an install step or at a `--settings-schema` argument; `settings-cli` finds it at
/// `$XDG_DATA_HOME/app-settings/<app>.toml`, then along `$XDG_DATA_DIRS`, and upgrades the settings of an app that is
/// not running.
public struct SettingsSchema: Sendable {
  /// The app's id.
  public var app: String
  /// The history of the representation.
  public var migrations: SettingsMigrations

  /// Makes a schema.
  public init(app: String, migrations: SettingsMigrations) {
    self.app = app
    self.migrations = migrations
  }

  /// The schema as TOML text. Steps of code are named, not held: a tool that meets one says that the app itself has to
  /// migrate.
  public var text: String {
    var document = TOMLDocument()
    var entries: [TOMLValue] = []
    for migration in migrations.migrations {
      let steps = migration.steps.map { TOMLValue.table(StepForms.form(of: $0)) }
      entries.append([
        "version": .integer(Int64(migration.version)), "name": .string(migration.name), "steps": .array(steps),
      ])
    }
    do {
      try document.set(.string(app), at: ["app"])
      try document.set(.array(entries), at: ["migrations"])
    } catch {
      preconditionFailure("A schema's own keys cannot be set: \(error)")
    }
    return document.text
  }

  /// Writes the schema to `$XDG_DATA_HOME/app-settings/<app>.toml`, durably.
  ///
  /// - Parameter variables: The environment; the process's own by default.
  /// - Returns: The file's path.
  /// - Throws: ``SettingsError`` `invalidApp`, `readOnly` or `io`. An existing file is unchanged then.
  @discardableResult
  public func write(environment variables: [String: String]? = nil) throws -> String {
    let path = try Self.searchPath(app: app, environment: variables)[0]
    let bytes = Array(text.utf8)
    try SettingsFile(path: path).update { _ in bytes }
    return path
  }

  /// Where an app's schema may be, the most important place first.
  package static func searchPath(app: String, environment variables: [String: String]?) throws -> [String] {
    let location = try SettingsLocation(app: app, environment: variables)
    return location.dataDirectories.map { "\($0)/app-settings/\(app).toml" }
  }

  /// The schema of an app, from the first place that has one; `nil` if none has.
  ///
  /// - Throws: ``SettingsError`` `unparsable`, or `invalidValue` with the place for one that is wrong in itself.
  package static func find(app: String, environment variables: [String: String]? = nil) throws -> SettingsSchema? {
    for path in try searchPath(app: app, environment: variables) {
      if let schema = try read(path) { return schema }
    }
    return nil
  }

  /// The schema in a file; `nil` if there is none.
  package static func read(_ path: String) throws -> SettingsSchema? {
    guard let bytes = try SettingsFile(path: path).read().bytes else { return nil }
    let document = try TextReader(migrations: .none, acceptsAnyVersion: true).parse(bytes, file: path)
    func refuse(_ reason: String, at key: TOMLPath) -> SettingsError {
      let position = document.position(of: key)
      let place = position.map { ":\($0.line):\($0.column)" } ?? ""
      return SettingsError(
        .invalidValue, "Cannot use the schema '\(path)\(place)': \(reason).", file: path, position: position)
    }
    guard case .string(let app)? = document[["app"]] else { throw refuse("'app' has to be the app's id", at: ["app"]) }
    var migrations: [Migration] = []
    guard case .array(let entries) = document[["migrations"]] ?? .array([]) else {
      throw refuse("'migrations' has to be an array of tables", at: ["migrations"])
    }
    for entry in entries {
      guard case .table(let table) = entry, case .integer(let version)? = table["version"],
        case .string(let name)? = table["name"], case .array(let steps) = table["steps"] ?? .array([]),
        version > migrations.last?.version ?? 1, version <= Int32.max
      else {
        throw refuse(
          "each migration needs a 'version' above the one before (the first is 2 or more), a 'name' and 'steps'",
          at: ["migrations"])
      }
      do {
        let read = try steps.map(StepForms.step)
        migrations.append(Migration(version: Int(version), name: name, steps: read))
      } catch {
        throw refuse("migration \(version) '\(name)': \(error)", at: ["migrations"])
      }
    }
    return SettingsSchema(app: app, migrations: SettingsMigrations(migrations: migrations))
  }
}
