import AppSettings

enum MigrateVerb: Verb {
  static let name = "migrate"
  static let syntax = Syntax(
    summary: "Upgrade a settings file to the app's present version, or undo that.",
    options: [
      .flag("status", "Only say what would be run."),
      .flag("dry-run", "Only show what would change, as a unified diff."),
      .value("to", "VERSION", "Stop at this version."),
      .flag("undo", "Put the newest backup that was made before a migration in the file's place."),
      .value("schema", "FILE", .file, "The schema file to take the migrations from."),
    ],
    details: """
      Runs the migrations of the app's schema file that the settings file still needs,
      all or none, after a backup. An app does the same by itself when it first reads
      its settings. A file by path has no schema: name one.

      --status exits 0 if nothing is pending, 1 if something is, 8 if a newer release
      wrote the file.
      """,
    examples: [
      "settings-cli migrate org.example.editor --status", "settings-cli migrate org.example.editor --dry-run",
      "settings-cli migrate org.example.editor", "settings-cli migrate org.example.editor --undo",
      "settings-cli migrate ./settings.toml --schema ./schema.toml",
    ])

  static func run(_ arguments: Arguments) throws {
    try arguments.exclude("status", "dry-run", "undo")
    let isStatus = arguments.has("status")
    if arguments.has("to"), isStatus || arguments.has("undo") {
      throw Failure(.usage, "--to goes with --dry-run, or alone.")
    }
    let to: Int? = try arguments.number("to", "a version, such as 2") { $0 > 0 }
    let target = Target(arguments)
    let location = try target.location()
    if arguments.has("undo") {
      let store = SettingsStore(at: location, migrations: .none, logger: .silent, acceptsAnyVersion: true)
      Output.line("restored: \(try store.restore().path)")
      return
    }
    let migrations = try migrations(of: target, schema: arguments.value("schema"))
    if let to, to < 1 || to > migrations.currentVersion {
      throw Failure(.usage, "There is no version \(to); the schema goes up to \(migrations.currentVersion).")
    }
    let store = SettingsStore(at: location, migrations: migrations, logger: .silent, acceptsAnyVersion: false)
    if case .newer(let found, let supported) = try store.migrationStatus {
      throw Failure(
        .migration,
        "Cannot migrate '\(location.file)': it has settings version \(found), and the schema knows versions up to "
          + "\(supported). The file is unchanged. Update the app.")
    }
    // --status asks what is to be run, not whether it can be.
    let preview = try isStatus ? nil : store.previewMigration(to: to)
    if arguments.has("dry-run") {
      Output.text(Shown.difference(preview?.difference ?? ""))
      return
    }
    var pending = preview?.migrations ?? []
    if isStatus, case .pending(let all) = try store.migrationStatus { pending = all }
    if pending.isEmpty {
      Output.line(try current(of: location, migrations))
      return
    }
    if isStatus {
      for migration in pending { Output.line("pending: \(migration.version) \(migration.name)") }
      throw Failure(.noValue)
    }
    try store.migrate(to: to)
    for migration in pending { Output.line("migrated: \(migration.version) \(migration.name)") }
  }

  private static func migrations(of target: Target, schema: String?) throws -> SettingsMigrations {
    let found = try schema.map { try SettingsSchema.read(SettingsLocation(file: $0).file) } ?? target.fileSchema()
    guard let found else {
      throw Failure(
        .unknown,
        schema.map { "There is no schema file '\($0)'." }
          ?? "There is no schema for '\(target.name)'. The app writes one, or --schema names it.")
    }
    return found.migrations
  }

  private static func current(of location: SettingsLocation, _ migrations: SettingsMigrations) throws -> String {
    guard let bytes = try SettingsFile(path: location.file).read().bytes else {
      return "current: there is no file, a new one gets version \(migrations.currentVersion)"
    }
    let document = try TextReader(migrations: migrations, acceptsAnyVersion: false).parse(bytes, file: location.file)
    return "current: version \(try SettingsMigrations.version(of: document))"
  }
}
