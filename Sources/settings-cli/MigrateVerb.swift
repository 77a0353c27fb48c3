import AppSettings
import ArgumentParser

struct MigrateVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Upgrade a settings file to the app's present version.",
    discussion: """
      Runs the migrations of the app's schema file that the settings file still needs, all or none, after a backup. An
      app does the same by itself when it first reads its settings. A file by path has no schema: name one.

      EXAMPLES
        settings-cli migrate org.example.editor --status
        settings-cli migrate org.example.editor
        settings-cli migrate ./settings.toml --schema ./schema.toml
      """)

  @OptionGroup var target: TargetArgument
  @Flag(help: "Only say what would be done. Exits 0 if nothing is pending, 1 if something is.") var status = false
  @Option(help: "The schema file to take the migrations from.") var schema: String?

  func run() async throws {
    try await failing {
      let location = try target.location()
      let found = try schema.map { try SettingsSchema.read(SettingsLocation(file: $0).file) } ?? target.schema()
      guard let migrations = found?.migrations else {
        throw Failure(
          .unknown,
          schema.map { "There is no schema file '\($0)'." }
            ?? "There is no schema for '\(target.target)'. The app writes one, or --schema names it.")
      }
      guard let bytes = try SettingsFile(path: location.file).read().bytes else {
        Output.line("current: there is no file, a new one gets version \(migrations.currentVersion)")
        return
      }
      let document = try TextReader(migrations: migrations, acceptsAnyVersion: false)
        .parse(bytes, file: location.file)
      let version = try SettingsMigrations.version(of: document)
      if version > migrations.currentVersion {
        throw Failure(
          .migration,
          "Cannot migrate '\(location.file)': it has settings version \(version), and the schema knows versions up to "
            + "\(migrations.currentVersion). The file is unchanged. Update the app.")
      }
      let pending = migrations.pending(from: version)
      if pending.isEmpty {
        Output.line("current: version \(version)")
        return
      }
      if status {
        for migration in pending { Output.line("pending: \(migration.version) \(migration.name)") }
        throw Failure(.noValue)
      }
      let store = SettingsStore(
        at: location, migrations: migrations, logger: .silent, acceptsAnyVersion: false)
      try store.core.commit(of: [])
      for migration in pending { Output.line("migrated: \(migration.version) \(migration.name)") }
    }
  }
}
