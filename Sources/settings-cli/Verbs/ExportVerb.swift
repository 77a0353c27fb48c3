import AppSettings
import AppSettingsImport
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct ExportVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Print what a person has set, as TOML, JSON or environment variables.",
    discussion: """
      Prints the values of the user's file and of the active profile, without comments: what 'import' should set on \
      another machine. For an app, each form says the version of the values, so that 'import' migrates older ones; --env \
      has it in a comment. Defaults and the values of other layers are left out, so that they can still change \
      there. --all-layers prints them. What the app cannot use is left out, and reported on standard error.

      Without TARGET, or with --all, prints the settings of all apps, as TOML with their comments or as JSON: a table for \
      each user's file and profile, without declared files. It is a backup, which 'settings-cli import --all FILE' \
      brings back. An app whose file does not parse is named on standard error, and decides the exit status.

      For an app, --env prints the variables that override its settings: ORG_EXAMPLE_EDITOR_SETTINGS__EDITOR__FONT_SIZE='14'; for a file, EDITOR__FONT_SIZE='14'. A comment \
      above each variable names its key and, where not obvious, says that the value is a string. Values \
      without a JSON form (dates, nan, inf) become strings there. 'import' reads all three. Exits 1 if there is \
      nothing at and below PREFIX.

      EXAMPLES
        settings-cli export > all-apps.toml
        settings-cli export org.example.editor > editor.toml
        settings-cli export org.example.editor editor --json
        settings-cli export org.example.editor --all-layers
        settings-cli export ./settings.toml --env > settings.env
      """)

  /// The form to print.
  enum Form: EnumerableFlag {
    case toml, json, env

    static func help(for form: Self) -> ArgumentHelp? {
      switch form {
      case .toml: "Print TOML."
      case .json: "Print a JSON object."
      case .env: "Print NAME='value' lines, for a shell or a service manager."
      }
    }
  }

  @OptionGroup var apps: AppsArgument
  @Argument(help: "Only the keys at and below this one.", completion: .custom(Candidates.keys)) var prefix: String?
  @Flag var form = Form.toml
  @Flag(help: "Include the values of all layers, and defaults.") var allLayers = false
  @Flag(help: "Include values that the app's schema marks as secret.") var secrets = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try apps.needTarget(for: form == .env ? "--env" : allLayers ? "--all-layers" : nil)
  }

  func answer() throws {
    guard let target = try apps.named else { return try answerForAll() }
    let prefix = try prefix.map(KeyArgument.parse)
    let all = try target.open().snapshot
    let schema = target.schema
    let snapshot = allLayers ? all : all.ownValues
    var paths = schema.paths(below: prefix ?? .root, in: snapshot)
    if !allLayers { paths.removeAll { schema.storedValue(of: $0, in: snapshot) == nil } }
    if paths.isEmpty, let prefix {
      let isFile = [".toml", ".json", ".env"].contains { self.prefix?.hasSuffix($0) == true }
      let advice = isFile ? "To export to a file, write '> \(prefix)'." : nil
      try schema.checkKnown(prefix, advice: advice)
      throw ToolError(.noValue, advice.map { "'\(prefix)' has no value. \($0)" })
    }
    if paths.isEmpty { target.noteNothingSet(in: all) }
    if !self.secrets {
      let secrets = paths.filter { schema.isSecret($0, schema.effectiveValue(of: $0, in: snapshot)) }
      if !secrets.isEmpty {
        let names = secrets.map { "'\($0)'" }.joined(separator: ", ")
        Output.warning("Left out because they are secret: \(names). Use --secrets to include them.")
      }
      let left = Set(secrets)
      paths.removeAll(where: left.contains)
    }
    schema.warnOfUnusable(at: prefix ?? .root, in: all)
    let values = paths.compactMap { path in value(of: path, in: snapshot, among: all, schema).map { (path, $0) } }
    // Values that could not be migrated have the version of their file.
    let own = all.userDocument
    let version =
      own.root.isEmpty
      ? schema.schema?.migrations.currentVersion ?? 1 : (try? SettingsMigrations.version(of: own)) ?? 1
    // The first one, too: a later release may have migrations. A file by its path has no app that could.
    let needsVersion = (version > 1 || !target.isFile) && !values.isEmpty
    if form == .env {
      try Self.variables(values, version: needsVersion ? version : nil, of: target)
      return
    }
    let first = needsVersion ? [(SettingsFormat.versionPath, TOMLValue.integer(Int64(version)))] : []
    let table = Self.table(first + values)
    if form == .json {
      Output.line(Shown.indented(table))
    } else {
      Output.line(table.documentText, terminator: "")
    }
  }

  private func answerForAll() throws {
    var parts: [AppsBackup.Part] = []
    var status: ToolError.Status?
    let failed = try AllApps.each(apps.layer.layer, "export") { target in
      for file in target.layer == .system ? [target] : try target.userFiles {
        let failed = AllApps.attempt("export", file.words) {
          if let part = try AppsBackup.part(of: file, withSecrets: secrets) { parts.append(part) }
        }
        status = status ?? failed
      }
    }
    if form == .json {
      Output.line(Shown.indented(AppsBackup.values(of: parts)))
    } else {
      Output.line(AppsBackup.text(of: parts), terminator: "")
    }
    if let status = status ?? failed { throw ToolError(status) }
  }

  /// What the app uses of a value: your own without the values that the app adds to it.
  private func value(
    of path: TOMLPath, in snapshot: SettingsSnapshot, among all: SettingsSnapshot, _ schema: SchemaLookup
  ) -> TOMLValue? {
    let used = schema.usedValue(of: path, in: all)
    if allLayers { return used }
    guard let used, !schema.origin(of: path, in: all).isDefault else { return nil }
    let own = schema.storedValue(of: path, in: snapshot)
    guard schema.type(of: path)?.kind == .records, let table = own?.table, let used = used.table else { return own }
    var records = TOMLTable()
    for (id, record) in table where used[id] != nil { records[id] = record }
    return .table(records)
  }

  private static func table(_ values: [(TOMLPath, TOMLValue)]) -> TOMLTable {
    var table = TOMLTable()
    for (path, value) in values { table.apply(Edit(path: path, value: value)) }
    return table
  }

  private static func variables(_ values: [(TOMLPath, TOMLValue)], version: Int?, of target: Target) throws {
    // Before the first line: half an answer would be useless.
    for (path, value) in values where EnvironmentForm.text(of: value).utf8.contains(0) {
      throw ToolError(
        .invalidValue,
        "Cannot export '\(path)': a variable cannot hold the character U+0000. Nothing was printed. Use --json or TOML."
      )
    }
    if let version { Output.line(EnvironmentForm.line(ofVersion: version)) }
    var seen: [String: TOMLPath] = [:]
    for (path, value) in values {
      let name = EnvironmentForm.name(of: path, app: target.isFile ? nil : target.name)
      if let other = seen.updateValue(path, forKey: name) {
        Output.warning("'\(other)' and '\(path)' are both '\(name)': the last one takes effect.")
      }
      Output.line(EnvironmentForm.lines(value, at: path, name: name))
    }
  }
}
