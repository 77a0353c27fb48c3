import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct MigrateVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Migrate a settings file to the app's current version, or undo that.",
    discussion: """
      Runs the pending migrations of the app's schema, all or none, after a backup. An app does the same when it \
      first reads its settings. A file given by its path has no schema: name one with --schema.

      --status exits 0 if nothing is pending, 1 if something is, 8 if a newer release wrote the file.

      --undo restores the newest backup made before a migration to the file's present version, and backs up the file \
      that it replaces. It refuses a file of another version, such as one written by a newer release; name a backup \
      with --backup to restore it anyway. Exits 1 if there is no such backup.

      EXAMPLES
        settings-cli migrate org.example.editor --status
        settings-cli migrate org.example.editor --dry-run
        settings-cli migrate org.example.editor
        settings-cli migrate org.example.editor --undo
        settings-cli migrate org.example.editor --undo --backup settings.000003.20261121T093000Z.before-v3-was-v1.toml
        settings-cli migrate ./settings.toml --schema ./schema.toml
      """)

  /// An action other than running the migrations.
  enum Action: EnumerableFlag {
    case status, dryRun, undo

    static func help(for action: Self) -> ArgumentHelp? {
      switch action {
      case .status: "Only list the pending migrations."
      case .dryRun: "Only show the changes, as a unified diff."
      case .undo: "Restore the newest backup made before a migration."
      }
    }
  }

  @OptionGroup var target: TargetArgument
  @Flag var action: Action?
  @Option(help: ArgumentHelp("Stop at this version.", valueName: "version")) var to: Int?
  @Option(help: ArgumentHelp("The schema file to take the migrations from.", valueName: "file"), completion: .file())
  var schema: String?
  @Option(
    help: ArgumentHelp("The backup for --undo: its path or name.", valueName: "backup"), completion: .file())
  var backup: String?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if backup != nil, action != .undo { throw ValidationError("--backup requires --undo.") }
    guard let to else { return }
    if to < 1 { throw ValidationError("--to must be a version, such as 2, not '\(to)'.") }
    if action == .status || action == .undo {
      throw ValidationError("--to cannot be combined with --status or --undo.")
    }
  }

  func answer() throws {
    let isStatus = action == .status
    let target = try Target(target)
    let location = try target.location()
    if action == .undo {
      let lookup = try schema == nil ? target.schema : SchemaLookup(schema: Self.schema(of: target, named: schema))
      let opened = try target.open(lookup, migrations: .none, acceptsAnyVersion: true)
      let backup = try backup.map { try Self.backup($0, of: opened.store) }
      let restored = try opened.writing { try opened.store.restore(backup) }
      Output.noteStored()
      Output.path(restored.path, after: "restored: ")
      return
    }
    let schema = try Self.schema(of: target, named: schema)
    let migrations = schema.migrations
    if let to, to > migrations.currentVersion {
      throw ToolError(.usage, "There is no version \(to); the schema goes up to \(migrations.currentVersion).")
    }
    let opened = try target.open(SchemaLookup(schema: schema), migrations: migrations, acceptsAnyVersion: false)
    let store = opened.store
    if case .newer(let found, let supported) = try store.migrationStatus() {
      throw ToolError(
        .migration,
        "Cannot migrate '\(location.file)': it has settings version \(found), and the schema knows versions up to "
          + "\(supported). The file is unchanged. Update the app.")
    }
    if action == .dryRun {
      Output.text(Shown.difference(try store.previewMigration(to: to).difference(schema)))
      return
    }
    let pending = try store.pendingMigrations(upTo: to)
    if pending.isEmpty {
      // An earlier migration may have been killed before the file was on disk.
      if !isStatus { try SettingsFile(path: location.file).makeDurable() }
      Output.line(try Self.current(of: location, migrations))
      return
    }
    if isStatus {
      for migration in pending { Output.line("pending: \(migration.version) \(migration.name)") }
      throw ToolError(.noValue)
    }
    try opened.writing { _ = try store.migrate(to: to) }
    Output.noteStored()
    for migration in pending { Output.line("migrated: \(migration.version) \(migration.name)") }
  }

  /// The backup named on the command line.
  private static func backup(_ text: String, of store: SettingsStore) throws -> SettingsBackup {
    let name = Arguments.path(text)
    let path = try SettingsLocation(file: name).file
    let all = try store.backups()
    if let backup = all.first(where: { $0.path == path || $0.path.hasSuffix("/" + name) }) { return backup }
    throw ToolError(
      .noValue,
      "'\(text)' is not a backup of '\(store.location?.file ?? "")'. The file is unchanged. "
        + (all.isEmpty ? "It has none." : "Its newest one is '\(all[0].path)'."))
  }

  private static func schema(of target: Target, named schema: String?) throws -> SettingsSchema {
    if let found = try schema.map({ try SettingsSchema.read(named: Arguments.path($0)) }) ?? target.fileSchema() {
      return found
    }
    try AppName.checkKnown(target.name)
    throw ToolError(
      .unknown,
      "There is no schema for '\(target.name)'. The app writes one; you can also name one with --schema.")
  }

  private static func current(of location: SettingsLocation, _ migrations: SettingsMigrations) throws -> String {
    guard let bytes = try SettingsFile(path: location.file).read().bytes else {
      return "current: there is no file; a new one gets version \(migrations.currentVersion)"
    }
    let document = try TextReader(migrations: migrations, acceptsAnyVersion: false).parse(bytes, file: location.file)
    return "current: version \(try SettingsMigrations.version(of: document))"
  }
}
