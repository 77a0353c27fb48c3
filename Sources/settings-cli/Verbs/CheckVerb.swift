import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

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
      a lock disables a value or a value hides a table, 7 others can read a secret or change a file, or a file is \
      left of a write that met another program's, 3 a key is unknown or has a former name.

      Without TARGET, or with --all, checks every app that has settings or a schema.

      --project also checks the project's file that the app finds from a directory: the nearest '.APP.toml' upwards. A \
      key that the app's schema does not allow there, and a file that others may change, is a finding (status 5).

      EXAMPLES
        settings-cli check org.example.editor
        settings-cli check --all
        settings-cli check org.example.editor --json
        settings-cli check org.example.editor --project .
        settings-cli check ./settings.toml --schema ./schema.toml
      """)

  @OptionGroup var apps: AppsArgument
  @Flag(help: "Print a JSON array of objects: file, line, column, severity, kind, key, message, suggestion.")
  var json = false
  @Option(help: ArgumentHelp("The schema file to check against.", valueName: "file"), completion: .file())
  var schema: String?
  @Option(
    help: ArgumentHelp("Also check the project's file that is found from this directory.", valueName: "directory"),
    completion: .directory)
  var project: String?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try apps.needTarget(for: schema.map { _ in "--schema" })
    guard project != nil else { return }
    if let target = apps.target { try Target.checkIsApp(target, for: "--project") }
    try checkAlternatives(("--project", true), ("--system", apps.layer.system), ("--drop-in", apps.layer.dropIn != nil))
  }

  func answer() throws {
    TrialNote.noteAbandoned()
    let findings = try apps.target.map { try check(Target($0, try apps.layer.layer)) } ?? checkAll()
    Output.list(findings, asJSON: json, \.json, Self.text)
    let gravest = Self.gravity.first { kinds, _ in findings.contains { kinds.contains($0.kind) } }
    if let gravest { throw ToolError(gravest.status) }
  }

  /// One app that cannot be checked does not keep the others from it.
  private func checkAll() throws -> [SettingsFinding] {
    try InstalledApp.all().flatMap { app in
      do {
        return try check(Target(app.app, apps.layer.layer))
      } catch {
        let file = (error as? SettingsError)?.file ?? app.file ?? app.app
        return [SettingsFinding(.unreadable, ToolError(any: error).message ?? "", file: file)]
      }
    }
  }

  private func check(_ target: Target) throws -> [SettingsFinding] {
    if target.isFile { try Self.checkExists(target.location().file) }
    var findings: [SettingsFinding] = []
    let schema = try target.schema(named: schema.map(Arguments.path), &findings)
    // With the profiles that are not in use.
    let others = target.layer == .own && !target.isFile ? (try? target.userFiles) ?? [] : []
    findings += try target.findings(
      schema, project: project(of: target.name, schema), others: others.map { try $0.location() })
    if schema == nil, findings.isEmpty { try AppName.checkKnown(target.name) }
    return findings
  }

  /// Throws if there is nothing at a path: it may be mistyped. Whatever else is wrong with a file is a finding.
  private static func checkExists(_ path: String) throws {
    do throws(Errno) {
      if try Syscalls().status(at: path) != nil { return }
    } catch {
      return
    }
    throw ToolError(.unknown, "Cannot check '\(path)': there is no such file.")
  }

  /// The project to check, with the keys that the app allows there.
  private func project(of app: String, _ schema: SettingsSchema?) throws -> SettingsProject? {
    guard let directory = project else { return nil }
    let system = Syscalls()
    let project = SettingsProject(
      from: Arguments.path(directory), keys: (schema?.keys ?? []).filter { $0.projects != .refused }.map(\.paths))
    guard try system.status(at: project.directory)?.isDirectory == true else {
      throw ToolError(.io, "Cannot find the directory '\(directory)'.")
    }
    let path = try PhysicalPath(project.directory, system: system).description
    let files = SettingsProject.candidates(".\(app).toml", upwardsFrom: path)
    if apps.target != nil,
      !files.contains(where: { (try? system.status(at: $0, followingLinks: false)) != nil })
    {
      Output.note("There is no file '.\(app).toml' in '\(directory)' or above it.")
    }
    return project
  }

  /// The exit statuses of the kinds of findings, the most serious first.
  private static let gravity: [(kinds: Set<SettingsFinding.Kind>, status: ToolError.Status)] = [
    ([.unparsable], .unparsable), ([.unreadable], .io), ([.newerVersion, .migrationFails], .migration),
    ([.invalidValue, .schema, .reserved], .invalidValue), ([.locked, .ignored, .hidden], .notWritable),
    ([.permissions, .overtaken], .io),
    ([.unknownKey, .formerName], .unknown),
  ]

  private static func text(_ finding: SettingsFinding) -> String {
    let terminal = Terminal.output
    let place = finding.position.map { ":\($0.line):\($0.column)" } ?? ""
    let severity = terminal.styled("\(finding.severity):", finding.isError ? .alarm : .yellow)
    let line = "\(terminal.styled(terminal.shown("\(finding.file)\(place):"), .bold)) \(severity) "
    return line + terminal.shown(finding.message + (finding.excerpt.map { "\n\($0)" } ?? ""))
  }
}
