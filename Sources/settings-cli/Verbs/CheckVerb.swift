import AppSettings
import AppSettingsSchema
import ArgumentParser

struct CheckVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the settings for mistakes: syntax, values, locks, permissions.",
    discussion: """
      Checks all files of the app, including administrators', and changes none. Each finding is a line on standard \
      output: 'FILE:LINE:COLUMN: error: what' if something is not used, 'warning' otherwise. With a schema the check \
      also reports unknown keys, values that the app refuses, and names of earlier releases.

      Exits 0 if there are no findings, else with the status of the most serious one: 6 a file does not parse, 7 a \
      file cannot be read, 8 a file has a newer version or cannot be migrated, 4 a value or the schema is invalid, 5 \
      a lock disables a value or a value hides a table, 7 others can read a secret or change a file, 3 a key is \
      unknown or has a former name.

      --all checks every app that has settings or a schema.

      EXAMPLES
        settings-cli check org.example.editor
        settings-cli check --all
        settings-cli check org.example.editor --json
        settings-cli check ./settings.toml --schema ./schema.toml
      """)

  @Argument(help: TargetArgument.help, completion: .custom(Candidates.targets)) var target: String?
  @OptionGroup var layer: LayerOptions
  @Flag(help: "Check all apps.") var all = false
  @Flag(help: "Print a JSON array of objects: file, line, column, severity, kind, key, message, suggestion.")
  var json = false
  @Option(help: ArgumentHelp("The schema file to check against.", valueName: "file"), completion: .file())
  var schema: String?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if all, target != nil { throw ValidationError("Use either --all or TARGET, not both.") }
    if all, schema != nil { throw ValidationError("Use either --all or --schema, not both.") }
    if let target { try layer.check(target) }
    if !all, target == nil { throw ValidationError("Missing TARGET. To check all apps, use --all.") }
    if all, case .dropIn = layer.layer { throw ValidationError("Use either --all or --drop-in, not both.") }
  }

  func answer() throws {
    let findings = try target.map { try check(Target($0, layer.layer)) } ?? checkAll()
    if json {
      Output.line("[" + findings.map(Self.record).joined(separator: ",\n ") + "]")
    } else {
      for finding in findings { Output.text(Self.text(finding)) }
    }
    let gravest = Self.gravity.first { kinds, _ in findings.contains { kinds.contains($0.kind) } }
    if let gravest { throw Failure(gravest.status) }
  }

  /// One app that cannot be checked does not keep the others from it.
  private func checkAll() throws -> [SettingsFinding] {
    try InstalledApp.all().flatMap { app in
      do {
        return try check(Target(app.app, layer.layer))
      } catch let failure as Failure {
        return [SettingsFinding(.unreadable, failure.message ?? "", file: app.file ?? app.app)]
      }
    }
  }

  private func check(_ target: Target) throws -> [SettingsFinding] {
    // With --system, all administrators' files: they are what every user gets.
    let isSystem = target.layer == .system
    let location = isSystem ? try SettingsLocation(app: target.name) : try target.location()
    var findings: [SettingsFinding] = []
    let schema = try Self.schema(of: target, named: schema, &findings)
    if schema == nil, findings.isEmpty { try AppName.checkKnown(target.name) }
    return findings + SettingsCheck.findings(at: location, schema: schema, checksOwn: !isSystem)
  }

  /// The schema to check against. An invalid one is a finding, and the rest is checked without it.
  private static func schema(
    of target: Target, named file: String?, _ findings: inout [SettingsFinding]
  ) throws -> SettingsSchema? {
    do {
      guard let file else { return try target.fileSchema() }
      if let found = try SettingsSchema.read(SettingsLocation(file: file).file) { return found }
      throw Failure(.unknown, "Cannot find the schema file '\(file)'.")
    } catch let error as SettingsError {
      findings.append(
        SettingsFinding(
          .schema, error.message, file: error.file ?? file ?? target.name, position: error.position))
      return nil
    }
  }

  /// The exit statuses of the kinds of findings, the most serious first.
  private static let gravity: [(kinds: Set<SettingsFinding.Kind>, status: ExitStatus)] = [
    ([.unparsable], .unparsable), ([.unreadable], .io), ([.newerVersion, .migrationFails], .migration),
    ([.invalidValue, .schema, .reserved], .invalidValue), ([.locked, .hidden], .notWritable), ([.permissions], .io),
    ([.unknownKey, .formerName], .unknown),
  ]

  private static func text(_ finding: SettingsFinding) -> String {
    let terminal = Terminal.output
    let place = finding.position.map { ":\($0.line):\($0.column)" } ?? ""
    let severity = terminal.styled("\(severity(finding)):", finding.isError ? .alarm : .yellow)
    let line = "\(terminal.styled(terminal.shown("\(finding.file)\(place):"), .bold)) \(severity) "
    return line + terminal.shown(finding.message + (finding.excerpt.map { "\n\($0)" } ?? "")) + "\n"
  }

  private static func severity(_ finding: SettingsFinding) -> String { finding.isError ? "error" : "warning" }

  private static func record(_ finding: SettingsFinding) -> String {
    Shown.object([
      ("file", JSONText.quoted(finding.file)),
      ("line", finding.position.map { String($0.line) } ?? "null"),
      ("column", finding.position.map { String($0.column) } ?? "null"),
      ("severity", JSONText.quoted(severity(finding))),
      ("kind", JSONText.quoted(finding.kind.rawValue)),
      ("key", finding.key.map { JSONText.quoted($0.description) } ?? "null"),
      ("message", JSONText.quoted(finding.message)),
      ("suggestion", finding.suggestion.map(JSONText.quoted) ?? "null"),
    ])
  }
}
