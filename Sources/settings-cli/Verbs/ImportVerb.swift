import AppSettings

enum ImportVerb: Verb {
  static let name = "import"
  static let syntax = Syntax(
    summary: "Take settings from a file of another form.",
    operands: [.target, .init("FILE", .one, .file, "The file to read; - for standard input.")],
    options: [
      .value(
        "format", "FORM", .words(SettingsImportFormat.allCases.map(\.rawValue)),
        "Its form: \(SettingsImportFormat.allCases.map(\.rawValue).joined(separator: ", ")); by its name if not given."),
      .value("map", "OLD=NEW", isRepeated: true, "A key of FILE and the key it becomes."),
      .value("ignore", "OLD", isRepeated: true, "A key of FILE to leave out."),
      .flag("only-mapped", "Take only what --map names."),
      .value("into", "TABLE", .key, "The table that what is not mapped goes into."),
      .flag("replace", "Replace values that are there."),
      .flag("dry-run", "Only say what would be taken."),
    ],
    details: """
      FILE is JSON, a property list (XML or binary), INI, a GLib key file, KEY=VALUE
      lines, what 'dconf dump' prints, or TOML. It is left as it is. What has a value
      already stays, unless --replace says otherwise. The answer is one line for each
      value: 'taken: OLD -> NEW' or 'skipped: OLD: why'. What was there before goes to
      the backups.
      """,
    examples: [
      "settings-cli import org.example.editor ~/.editorrc --format ini --map view.fontsize=editor.font-size",
      "settings-cli import org.example.editor ./old.json --dry-run",
      "dconf dump /org/example/editor/ | settings-cli import org.example.editor - --format dconf",
    ])

  static func run(_ arguments: Arguments) throws {
    let file = arguments.operands[1]
    let named = arguments.value("format").flatMap(SettingsImportFormat.init(rawValue:))
    guard let format = named ?? SettingsImportFormat(fileName: file) else {
      throw Failure(.usage, "Cannot tell the form of '\(file)' by its name. Say it with --format.")
    }
    var rules = SettingsImportRules(
      ignoring: Set(try arguments.all("ignore").map(original)), takesOnlyMapped: arguments.has("only-mapped"),
      into: try arguments.value("into").map(KeyArgument.parse) ?? .root, isReplacing: arguments.has("replace"))
    for pair in arguments.all("map") {
      guard let equals = pair.firstIndex(of: "=") else {
        throw Failure(.usage, "Invalid mapping '\(pair)': it has to be OLD=NEW.")
      }
      rules.mapping[try original(String(pair[..<equals]))] = try KeyArgument.parse(
        String(pair[pair.index(after: equals)...]))
    }
    let target = Target(arguments)
    let schema = try SchemaLookup.find(target.name)
    let store = try target.openUnread()
    let report = try Progress.run("importing '\(file)'") {
      let isTrial = arguments.has("dry-run")
      guard file != "-" else {
        return try store.importText(
          StandardInput.all(), of: "standard input", as: format, rules: rules, isTrial: isTrial)
      }
      return try store.importFile(SettingsLocation(file: file).file, as: format, rules: rules, isTrial: isTrial)
    }
    for taken in report.taken { Output.line("taken: \(taken.source) -> \(taken.key)") }
    for skipped in report.skipped { Output.line("skipped: \(skipped.source): \(skipped.reason)") }
    for taken in report.taken where !schema.knows(taken.key) {
      let hint = schema.suggestion(for: taken.key).map { " Did you mean '\($0)'?" } ?? ""
      Output.warning("The app's schema does not have '\(taken.key)'.\(hint)")
    }
    if report.taken.isEmpty, !report.locked.isEmpty {
      throw Failure(.notWritable, "Nothing was taken: '\(report.locked[0].key)' is locked.")
    }
  }

  /// A key of the original, which may begin with anything.
  private static func original(_ text: String) throws -> TOMLPath {
    do {
      return try TOMLPath(parsing: text)
    } catch {
      throw Failure(.usage, "Invalid key '\(text)': \(error)")
    }
  }
}
