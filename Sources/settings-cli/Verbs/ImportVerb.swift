import AppSettings
import AppSettingsImport
public import ArgumentParser

struct ImportVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Take settings from a file of another form.",
    discussion: """
      FILE is JSON, a property list (XML or binary), INI, a GLib key file, a file of KDE's KConfig or of 'git config', \
      KEY=VALUE lines, what 'dconf dump' prints, or TOML. It is left as it is. What has a value already stays, unless \
      --replace says otherwise. The answer is one line for each value: 'taken: OLD -> NEW' or 'skipped: OLD: why'. What was there before goes to \
      the backups.

      With a schema, values are taken as the types of their keys, and a variable as the key that it overrides. What \
      the app would refuse, and keys that it does not have, are not taken; --create takes those.

      EXAMPLES
        settings-cli import org.example.editor ./old.ini --map size=font-size
        settings-cli import org.example.editor ./old.json --dry-run
        dconf dump /org/x/ | settings-cli import org.example.x - --format dconf
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "The file to read; - for standard input.", completion: .file()) var file: String
  @Option(help: ArgumentHelp("The form of FILE; by its name if not given.", valueName: "form"))
  var format: SettingsImportFormat?
  @Option(help: ArgumentHelp("A key of FILE and the key it becomes.", valueName: "old=new")) var map: [String] = []
  @Option(help: ArgumentHelp("A key of FILE to leave out.", valueName: "old")) var ignore: [String] = []
  @Flag(help: "Take only what --map names.") var onlyMapped = false
  @Option(
    help: ArgumentHelp("The table that what is not mapped goes into.", valueName: "table"),
    completion: .custom(Candidates.keys))
  var into: String?
  @Flag(help: "Replace values that are there.") var replace = false
  @Flag(help: "Take keys that the app's schema does not have, too.") var create = false
  @Flag(help: "Lock what FILE locks ([$i] of KDE), where TARGET is an administrator's file, by its path.")
  var locks = false
  @Flag(help: "Only say what would be taken.") var dryRun = false
  @OptionGroup var common: CommonOptions

  func answer() throws {
    guard let format = format ?? SettingsImportFormat(fileName: file) else {
      throw Failure(.usage, "Cannot tell the form of '\(file)' by its name. Say it with --format.")
    }
    var rules = SettingsImportRules(
      ignoring: Set(try ignore.map(Self.original)), takesOnlyMapped: onlyMapped,
      into: try into.map(KeyArgument.parse) ?? .root, isReplacing: replace,
      takesLocks: locks)
    for pair in map {
      guard let equals = pair.firstIndex(of: "=") else {
        throw Failure(.usage, "Invalid mapping '\(pair)': it must be OLD=NEW.")
      }
      rules.mapping[try Self.original(String(pair[..<equals]))] = try KeyArgument.parse(
        String(pair[pair.index(after: equals)...]))
    }
    let target = Target(target)
    guard !locks || target.isFile else {
      throw Failure(
        .usage, "The user of '\(target.name)' cannot lock keys. With --locks, name an administrator's file.")
    }
    let schema = try SchemaLookup.find(target.name)
    let store = try target.openUnread(isForWriting: !dryRun)
    let advice = schema.importAdvice(app: target.isFile ? nil : target.name, takesUnknown: create)
    let report = try Progress.run("importing '\(file)'") {
      let (original, name) = try original()
      return try store.importText(original, of: name, as: format, rules: rules, dryRun: dryRun, advice: advice)
    }
    Self.show(report, schema)
    guard report.taken.isEmpty else { return }
    if let first = report.locked.first { throw Failure(.notWritable, "Nothing was taken: '\(first.key)' is locked.") }
    guard let first = report.refused.first else { return }
    if !schema.knows(first.key) {
      throw Failure(.unknown, "Nothing was taken: the app has no key '\(first.key)'. --create takes it all the same.")
    }
    throw Failure(.invalidValue, "Nothing was taken: the app would refuse the value of '\(first.key)'.")
  }

  /// Prints a line for each value. The names within a secret are part of it: such a one counts as a whole.
  private static func show(_ report: SettingsImportReport, _ schema: SchemaLookup) {
    var last = ""
    func line(_ text: String) {
      if text != last { Output.line(text) }
      last = text
    }
    func shown(_ path: TOMLPath, without hidden: Int) -> TOMLPath { TOMLPath(Array(path.components.dropLast(hidden))) }
    for taken in report.taken {
      let hidden = schema.partOfSecret(taken.key)
      line("taken: \(shown(taken.source, without: hidden)) -> \(shown(taken.key, without: hidden))")
    }
    for skipped in report.skipped {
      let hidden = schema.partOfSecret(skipped.source)
      let reason = hidden == 0 ? skipped.reason : "a part of it cannot be taken, or has a value already"
      line("skipped: \(shown(skipped.source, without: hidden)): \(reason)")
    }
  }

  /// What is to be imported, and what it is called.
  private func original() throws -> ([UInt8], name: String) {
    if file == "-" { return (try StandardInput.all(), "standard input") }
    let path = try SettingsLocation(file: Arguments.path(file)).file
    guard let bytes = try SettingsFile(path: path).read().bytes else {
      throw Failure(.io, "Cannot import '\(path)': there is no such file.")
    }
    return (bytes, path)
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

extension SettingsImportFormat: ExpressibleByArgument {}
