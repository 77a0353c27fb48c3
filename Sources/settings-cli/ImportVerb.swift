import AppSettings
import ArgumentParser

struct ImportVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Take settings from a file of another form.",
    discussion: """
      FILE is JSON, a property list (XML or binary), INI, a GLib key file, KEY=VALUE lines, what 'dconf dump' prints, or
      TOML. It is left as it is. What has a value already stays, unless --replace says otherwise. The answer is one line
      for each value: 'taken: OLD -> NEW' or 'skipped: OLD: why'.

      EXAMPLES
        settings-cli import org.example.editor ~/.editorrc --format ini --map view.fontsize=editor.font-size
        settings-cli import org.example.editor ./old.json --dry-run
        dconf dump /org/example/editor/ > old.dconf && settings-cli import org.example.editor ./old.dconf
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "The file to read.", completion: .file()) var file: String
  @Option(help: "Its form: json, plist, ini, keyfile, env, dconf or toml; by its name if not given.")
  var format: String?
  @Option(help: ArgumentHelp("A key of FILE and the key it becomes.", valueName: "old=new")) var map: [String] = []
  @Option(help: "A key of FILE to leave out.") var ignore: [String] = []
  @Flag(help: "Take only what --map names.") var onlyMapped = false
  @Option(help: "The table that what is not mapped goes into.") var into: String?
  @Flag(help: "Replace values that are there.") var replace = false
  @Flag(help: "Only say what would be taken.") var dryRun = false

  func run() async throws {
    try await failing {
      if let format, SettingsImportFormat(rawValue: format) == nil {
        let known = SettingsImportFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw Failure(.usage, "There is no form '\(format)'. There are \(known).")
      }
      guard let format = format.flatMap(SettingsImportFormat.init(rawValue:)) ?? SettingsImportFormat(fileName: file)
      else {
        throw Failure(.usage, "Cannot tell the form of '\(file)' by its name. Say it with --format.")
      }
      var rules = SettingsImportRules(
        ignoring: Set(try ignore.map(original)), takesOnlyMapped: onlyMapped,
        into: try into.map(KeyArgument.parse) ?? .root, isReplacing: replace)
      for pair in map {
        guard let equals = pair.firstIndex(of: "=") else {
          throw Failure(.usage, "Invalid mapping '\(pair)': it has to be OLD=NEW.")
        }
        rules.mapping[try original(String(pair[..<equals]))] = try KeyArgument.parse(
          String(pair[pair.index(after: equals)...]))
      }
      let report = try target.openUnread().importFile(
        SettingsLocation(file: file).file, as: format, rules: rules, isTrial: dryRun)
      for taken in report.taken { Output.line("taken: \(taken.source) -> \(taken.key)") }
      for skipped in report.skipped { Output.line("skipped: \(skipped.source): \(skipped.reason)") }
    }
  }

  /// A key of the original, which may begin with anything.
  private func original(_ text: String) throws -> TOMLPath {
    do {
      return try TOMLPath(parsing: text)
    } catch {
      throw Failure(.usage, "Invalid key '\(text)': \(error)")
    }
  }
}
