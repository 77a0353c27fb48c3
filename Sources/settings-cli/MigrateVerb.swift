import AppSettings
import ArgumentParser

struct MigrateVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Upgrade a settings file to the app's present version, or undo that.",
    discussion: """
      Runs the migrations of the app's schema file that the settings file still needs, all or none, after a backup. An
      app does the same by itself when it first reads its settings. A file by path has no schema: name one.

      --status exits 0 if nothing is pending, 1 if something is, 8 if a newer release wrote the file.

      EXAMPLES
        settings-cli migrate org.example.editor --status
        settings-cli migrate org.example.editor --dry-run
        settings-cli migrate org.example.editor
        settings-cli migrate org.example.editor --undo
        settings-cli migrate ./settings.toml --schema ./schema.toml
      """)

  @OptionGroup var target: TargetArgument
  @Flag(help: "Only say what would be run.") var status = false
  @Flag(help: "Only show what would change, as a unified diff.") var dryRun = false
  @Option(help: "Stop at this version.") var to: Int?
  @Flag(help: "Put the newest backup that was made before a migration in the file's place.") var undo = false
  @Option(help: "The schema file to take the migrations from.") var schema: String?

  func validate() throws {
    if [status, dryRun, undo].count(where: { $0 }) > 1 {
      throw ValidationError("--status, --dry-run and --undo exclude each other.")
    }
    if to != nil, status || undo { throw ValidationError("--to goes with --dry-run, or alone.") }
  }

  func run() async throws {
    try await failing {
      let location = try target.location()
      if undo {
        let store = SettingsStore(at: location, migrations: .none, logger: .silent, acceptsAnyVersion: true)
        Output.line("restored: \(try store.restore().path)")
        return
      }
      let migrations = try migrations()
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
      let preview = try previewUnlessStatus(store)
      if dryRun {
        Output.line(preview?.difference ?? "", terminator: "")
        return
      }
      var pending = preview?.migrations ?? []
      if status, case .pending(let all) = try store.migrationStatus { pending = all }
      if pending.isEmpty {
        Output.line(try current(of: location, migrations))
        return
      }
      if status {
        for migration in pending { Output.line("pending: \(migration.version) \(migration.name)") }
        throw Failure(.noValue)
      }
      try store.migrate(to: to)
      for migration in pending { Output.line("migrated: \(migration.version) \(migration.name)") }
    }
  }

  /// `--status` asks what is to be run, not whether it can be.
  private func previewUnlessStatus(_ store: SettingsStore) throws -> SettingsMigrationPreview? {
    status ? nil : try store.previewMigration(to: to)
  }

  private func migrations() throws -> SettingsMigrations {
    let found = try schema.map { try SettingsSchema.read(SettingsLocation(file: $0).file) } ?? target.schema()
    guard let found else {
      throw Failure(
        .unknown,
        schema.map { "There is no schema file '\($0)'." }
          ?? "There is no schema for '\(target.target)'. The app writes one, or --schema names it.")
    }
    return found.migrations
  }

  private func current(of location: SettingsLocation, _ migrations: SettingsMigrations) throws -> String {
    guard let bytes = try SettingsFile(path: location.file).read().bytes else {
      return "current: there is no file, a new one gets version \(migrations.currentVersion)"
    }
    let document = try TextReader(migrations: migrations, acceptsAnyVersion: false).parse(bytes, file: location.file)
    return "current: version \(try SettingsMigrations.version(of: document))"
  }
}
