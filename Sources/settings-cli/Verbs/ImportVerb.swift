import AppSettings
import AppSettingsImport
import AppSettingsSchema
import SettingsTools
public import ArgumentParser

struct ImportVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import settings from a file in another format.",
    usage: """
      settings-cli import TARGET FILE [--format FORM] [--map OLD=NEW] ... [--replace] [--create] [--dry-run] ...
      settings-cli import --all FILE [--format FORM] [--replace] [--dry-run]
      """,
    discussion: """
      FILE is JSON, a property list (XML or binary), INI, a GLib key file, a file of KDE's KConfig or of 'git config', \
      KEY=VALUE lines, the output of 'dconf dump', or TOML. It is not changed. Existing values stay, unless you use \
      --replace. Prints one line for each value: 'taken: OLD -> NEW', 'taken: KEY' if it keeps its name, or 'skipped: OLD: why'. \
      A backup of the previous settings is made.

      With a schema, values are imported as the types of their keys, and a variable as the key that it overrides. \
      Values that the app would refuse are not imported, nor are unknown keys, unless you use --create. A name with \
      dots goes to the key of that path, if the schema has it, and is one name otherwise.

      --all brings back what 'settings-cli export' printed without a TARGET: each app's file, and the profiles. \
      Prints 'APP: N values' and what was skipped. An app that is new here is made. A file that does not exist gets \
      its text with the comments; values that are there stay, unless you use --replace. Each app is one write.

      EXAMPLES
        settings-cli import org.example.editor ./old.ini --map size=editor.font-size
        settings-cli import org.example.editor ./old.json --dry-run
        settings-cli import --all ./all-apps.toml
        dconf dump /org/x/ | settings-cli import org.example.x - --format dconf
      """)

  // With --all, the first word is FILE.
  @Argument(help: TargetArgument.help, completion: .custom(Candidates.targetsOrFiles)) var target: String?
  @Argument(help: "The file to read; - for standard input.", completion: .file()) var original: String?
  @OptionGroup var layer: LayerOptions
  @Flag(help: "Import the settings of all apps, as 'export --all' prints them.") var all = false
  @Option(help: ArgumentHelp("The format of FILE (default: by its name).", valueName: "form"))
  var format: SettingsImportFormat?
  @Option(help: ArgumentHelp("A key of FILE and the key to import it as.", valueName: "old=new")) var map: [String] = []
  @Option(help: ArgumentHelp("A key of FILE to skip.", valueName: "old")) var ignore: [String] = []
  @Flag(help: "Import only the keys that --map names.") var onlyMapped = false
  @Option(
    help: ArgumentHelp("The table for keys without --map.", valueName: "table"),
    completion: .custom(Candidates.keys))
  var into: String?
  @Flag(help: "Replace existing values.") var replace = false
  @Flag(help: "Also import keys that the app's schema does not list, and make a new app.") var create = false
  @Flag(
    help:
      "Also lock the keys that FILE locks ([$i] of KDE); needs --system, --drop-in, or the path of an administrator's file."
  )
  var locks = false
  @Flag(help: "Only show what would be imported.") var dryRun = false
  @OptionGroup var condition: UnchangedOption
  @OptionGroup var common: CommonOptions

  private static func unknownFormat(of file: String, for target: String) -> String {
    if [".yaml", ".yml"].contains(where: file.lowercased().hasSuffix) {
      return "YAML is not among the formats. Make it JSON, as yq does, and import that: "
        + "'settings-cli import \(PathText.word(target) ?? "TARGET") - --format json'."
    }
    return
      (file == "-"
      ? "Standard input has no name that shows its format." : "The name '\(file)' does not show the format.")
      + " Name the format with --format: \(SettingsImportFormat.allCases.map(\.rawValue).joined(separator: ", "))."
  }

  /// Whether FILE has the settings of all apps. One word that cannot be an app's id can only be such a file.
  private var isOfAll: Bool {
    guard !all, original == nil, let word = target else { return all }
    return word == "-" || word.contains("/") || [".toml", ".json"].contains { word.hasSuffix($0) }
  }
  private var file: String { original ?? target ?? "" }

  func validate() throws {
    try layer.check(isOfAll ? nil : target)
    if isOfAll {
      try checkAlternatives(("--all", true), ("TARGET", original != nil))
      if target == nil { throw ValidationError("Missing FILE. Usage: settings-cli import --all FILE") }
      for (option, isGiven) in [
        ("--map", !map.isEmpty), ("--ignore", !ignore.isEmpty), ("--only-mapped", onlyMapped), ("--into", into != nil),
        ("--locks", locks), ("--if-unchanged", !condition.ifUnchanged.isEmpty),
      ] { try checkAlternatives(("--all", true), (option, isGiven)) }
      guard [nil, .toml, .json].contains(format) else {
        throw ValidationError("The settings of all apps are TOML or JSON: use '--format toml' or '--format json'.")
      }
      return
    }
    if target == nil { throw ValidationError("Missing expected argument '<target>'") }
    if original == nil { throw ValidationError("Missing expected argument '<file>'") }
    guard try condition.digests().allSatisfy({ $0.key == nil }) else {
      throw ValidationError("An import may change any key: use the digest of the file with --if-unchanged.")
    }
  }

  func answer() throws {
    if isOfAll { return try answerForAll() }
    if let target, InstalledApp.isKnown(file), !SettingsFile.isThere(file), SettingsFile.isThere(target) {
      throw ToolError(
        .usage,
        "Write the app first: 'settings-cli import \(file) \(PathText.word(target) ?? "FILE")'. Nothing was written.")
    }
    guard let format = format ?? SettingsImportFormat(fileName: file) else {
      if file != "-" { _ = try content() }
      throw ToolError(.usage, Self.unknownFormat(of: file, for: target ?? "TARGET"))
    }
    var rules = SettingsImportRules(
      ignoring: Set(try ignore.map(TypedKey.parse)), takesOnlyMapped: onlyMapped,
      into: try into.map(KeyArgument.parse) ?? .root, isReplacing: replace,
      takesLocks: locks)
    for pair in map {
      guard let equals = pair.firstIndex(of: "=") else {
        throw ToolError(
          .usage, "Invalid value '\(pair)' for '--map': OLD=NEW is needed, as in 'size=editor.font-size'.")
      }
      rules.mapping[try TypedKey.parse(String(pair[..<equals]))] = try KeyArgument.parse(
        String(pair[pair.index(after: equals)...]))
    }
    let target = try Target(typed: target ?? "", layer.layer)
    guard !locks || target.isFile || target.isAdministrators else {
      throw ToolError(
        .usage,
        "The user of '\(target.name)' cannot lock keys. With --locks, use --system or --drop-in, or name an "
          + "administrator's file.")
    }
    let schema = try target.findSchema()
    let guarded = GuardedChange(isDryRun: dryRun, expected: try condition.digests())
    let opened = try target.openUnread(isForWriting: !dryRun)
    if !create { try target.checkKnown(opened, mayBeNew: true) }
    let advice = schema.importAdvice(app: target.isFile ? nil : target.name, takesUnknown: create)
    // Before its progress is shown, which would overwrite what is typed.
    let (original, name) = try content()
    guard !map.isEmpty || !AppsBackup.isOne(original) else {
      throw ToolError(
        .usage,
        "Cannot import '\(name)' into one app: it has the settings of all apps. Use 'settings-cli import --all FILE', or "
          + "--map for a value of it. Nothing was written.")
    }
    let report = try Progress.run("importing '\(file)'") {
      // What 'export' printed has a version. With names of its own for keys, it is an original like any other.
      let isOurs =
        [.toml, .json, .environment].contains(format) && map.isEmpty && ignore.isEmpty && !onlyMapped && into == nil
      return try opened.writing {
        try opened.store.importText(
          original, of: name, as: format, rules: rules, dryRun: dryRun, advice: advice,
          adapting: isOurs ? { try adapted($0, of: name, to: opened) } : nil,
          checking: guarded.checkFile(of: opened))
      }
    }
    if !dryRun, !report.taken.isEmpty { Output.noteStored() }
    Self.show(report, schema)
    warnOfMissing(rules.mapping.keys, report)
    guard report.taken.isEmpty else { return }
    if let first = report.locked.first {
      throw ToolError(.notWritable, "Nothing was imported: '\(schema.withoutSecretNames(first.key))' is locked.")
    }
    guard let first = report.refused.first else { return }
    let key = schema.withoutSecretNames(first.key)
    if !schema.knows(first.key) {
      let lack = key == first.key ? "has no key '\(key)'" : "does not have a key in the secret '\(key)'"
      throw ToolError(.unknown, "Nothing was imported: the app \(lack). To import it, use --create.")
    }
    throw ToolError(.invalidValue, "Nothing was imported: the app would refuse the value of '\(key)'.")
  }

  /// Warns of keys of `--map` that FILE does not have.
  private func warnOfMissing(_ keys: some Sequence<TOMLPath>, _ report: SettingsImportReport) {
    let sources = (report.taken.map(\.source) + report.skipped.map(\.source)).map { $0.unquoted + "." }
    let missing = keys.filter { key in !sources.contains { $0.hasPrefix(key.unquoted + ".") } }
    guard !missing.isEmpty else { return }
    let names = missing.map { "'\($0)'" }.sorted().joined(separator: ", ")
    Output.warning("FILE does not have \(names), which --map names.")
  }

  /// An original of ours, in the form that the settings have here.
  private func adapted(_ original: TOMLDocument, of name: String, to opened: OpenedSettings) throws -> TOMLDocument {
    // One that does not say its version has the first one, which matters where a schema converts it.
    let isFirst = original[SettingsFormat.versionPath] == nil
    if isFirst, opened.schema.schema?.migrations.pending(from: 1).isEmpty ?? true { return original }
    do {
      return try opened.schema.adapted(original, to: opened.snapshot.userDocument)
    } catch {
      var failure = ToolError(any: error)
      failure.message = "Cannot import '\(name)': \((failure.message ?? "").withoutFullStop). Nothing was written."
      throw failure
    }
  }

  private func answerForAll() throws {
    let (bytes, name) = try content()
    let isJSON = format.map { $0 == .json } ?? AppsBackup.looksLikeJSON(bytes)
    var (status, refusal, kept, taken) = (ToolError.Status?.none, ToolError.Status?.none, 0, 0)
    for part in try AppsBackup.parts(in: bytes, of: name, isJSON: isJSON, isSystem: layer.system) {
      let failed = AllApps.attempt("import", part.name) {
        let app = Target(part.app, layer.system ? .system : .own)
        let place = try part.location(isSystem: layer.system).file
        let target = try layer.system ? app : app.userFiles.first { (try? $0.location().file) == place } ?? app
        let (report, keptHere) = try AppsBackup.take(part, into: target, replacing: replace, isDryRun: dryRun)
        let count = report.taken.count
        if !dryRun, count > 0 { Output.noteStored() }
        (kept, taken) = (kept + keptHere, taken + count)
        refusal = refusal ?? (report.locked.isEmpty ? report.refused.isEmpty ? nil : .invalidValue : .notWritable)
        Output.line("\(part.name): \(count) value\(count == 1 ? "" : "s")")
        Self.show(report, target.schema, for: part.name)
      }
      status = status ?? failed
    }
    if kept > 0 {
      let values = kept == 1 ? "1 value stays as it is" : "\(kept) values stay as they are"
      Output.note("\(values), because \(kept == 1 ? "it differs" : "they differ") here. To overwrite, use --replace.")
    }
    if let status = status ?? (taken == 0 ? refusal : nil) { throw ToolError(status) }
  }

  /// Prints a line for each value. A secret counts as a whole: the names within it are part of it.
  ///
  /// - Parameter app: One of several apps, of which only what is skipped is said.
  private static func show(_ report: SettingsImportReport, _ schema: SchemaLookup, for app: String? = nil) {
    var last = ""
    func line(_ text: String) {
      if text != last { Output.line(text) }
      last = text
    }
    func shown(_ path: TOMLPath, without hidden: Int) -> TOMLPath { TOMLPath(Array(path.components.dropLast(hidden))) }
    for taken in app == nil ? report.taken : [] {
      let hidden = schema.partOfSecret(taken.key)
      let key = shown(taken.key, without: hidden)
      // A name with dots may have gone into several tables.
      let source = shown(taken.source, without: hidden)
      line(source.isRoot || source == key ? "taken: \(key)" : "taken: \(source) -> \(key)")
    }
    let locked = Set(report.locked.map(\.source))
    for skipped in report.skipped {
      let key = skipped.key ?? skipped.source
      let hidden = max(schema.partOfSecret(skipped.source), schema.partOfSecret(key))
      let source = shown(skipped.source, without: hidden)
      let place = source.isRoot ? shown(key, without: hidden) : source
      let cause =
        locked.contains(skipped.source) ? "is locked by an administrator" : "cannot be imported, or already has a value"
      let reason = hidden == 0 ? skipped.reason : "a part of it \(cause)"
      line("skipped: \(app.map { "\($0) " } ?? "")\(UnknownKey.text(of: place)): \(reason)")
    }
    if let first = report.dotted.first(where: { schema.partOfSecret($0.key) == 0 }) {
      let others =
        switch report.dotted.count - 1 {
        case 0: ""
        case 1: ", as in another one"
        case let count: ", as in \(count) others"
        }
      Output.note(
        "The dots in '\(first.source)' stay part of the name\(others). "
          + "To put a value into a table, use --map, as in '--map \(first.source.unquoted)=\(first.source.unquoted)'.")
    }
  }

  /// The data to import, and its name.
  private func content() throws -> ([UInt8], name: String) {
    if file == "-" { return (try StandardInput.all(), "standard input") }
    let path = try SettingsLocation(file: Arguments.path(file)).file
    guard (try? Syscalls().status(at: path))?.isDirectory != true else {
      throw ToolError(.io, "Cannot import '\(path)': it is a directory. Name a file in it.")
    }
    return (try GivenFile.bytes(at: path, to: "import"), path)
  }
}

extension SettingsImportFormat: ExpressibleByArgument {}

extension TOMLPath {
  /// The names with dots between them, for a path in which dots are to separate tables.
  fileprivate var unquoted: String { components.joined(separator: ".") }
}
