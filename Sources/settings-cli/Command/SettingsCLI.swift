import AppSettings
import AppSettingsSchema
import ArgumentParser

/// The command: its verbs, and how the library's answers become this command's.
struct SettingsCLI: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings-cli",
    abstract: "Read, change and watch the settings of apps.",
    usage: "settings-cli VERB TARGET [KEY] [VALUE]",
    discussion: """
      TARGET is an app's id, such as org.example.editor, or the path of a TOML file: anything with a '/'. An \
      app's id brings its administrators' files and its schema along; a path is just that file.

      KEY is a dotted key, such as editor.font-size; a part with other characters than letters, digits, '_' and \
      '-' is quoted: servers."eu.west".url.

      Answers go to standard output, everything else to standard error.

      EXIT STATUS
        0  done; for 'set': stored durably and effective
        1  the key has no value
        2  usage
        3  unknown app or key
        4  invalid value
        5  not writable: locked, read-only or overridden by a higher layer
        6  the file does not parse
        7  input/output error or lock time-out
        8  migration failed, or the file is newer than the app

      ENVIRONMENT
        XDG_CONFIG_HOME, XDG_CONFIG_DIRS  where settings are: the user's, the
                                          administrators'
        XDG_STATE_HOME                    where backups go
        XDG_DATA_HOME, XDG_DATA_DIRS      where schemas are
        VISUAL, EDITOR                    what 'edit' opens
        NO_COLOR                          not empty: no colour, unless --color asks
      """,
    version: "settings-cli 0.1.0",
    subcommands: [
      GetVerb.self, SetVerb.self, UnsetVerb.self, ListVerb.self, WatchVerb.self, EditVerb.self, DiffVerb.self,
      ExportVerb.self, ImportVerb.self, MigrateVerb.self, RecoverVerb.self, PathVerb.self, DescribeVerb.self,
      CheckVerb.self, AppsVerb.self, SchemaVerb.self, CompletionVerb.self, ManualVerb.self,
    ])

  /// Every message has the program's name before it, whoever it is from.
  static var _errorPrefix: String { "" }

  func run() throws { throw Failure(.usage, "There is no verb.\nUsage: \(Self.configuration.usage ?? "")") }

  /// Does what a command line says.
  ///
  /// - Throws: ``Failure``, with status 2 for what the library refuses; `SettingsError`.
  static func run(_ words: [String]) throws {
    try checkVerb(words)
    do {
      var command = try parseAsRoot(words)
      try RepeatedOptions.check(words)
      try command.run()
    } catch let failure as Failure {
      throw failure
    } catch let error as SettingsError {
      throw error
    } catch {
      let text = fullMessage(for: error)
      // Help, the version and completions are thrown, too.
      guard exitCode(for: error).isSuccess else { throw Failure(.usage, text) }
      if !text.isEmpty { Output.text(text.hasSuffix("\n") ? text : text + "\n") }
    }
  }

  /// Throws with a suggestion for a verb that there is not: the library has suggestions for options only.
  private static func checkVerb(_ words: [String]) throws {
    guard let name = words.first, !name.hasPrefix("-") else { return }
    let verbs = configuration.subcommands.map { $0.configuration }
    let names = verbs.filter(\.shouldDisplay).flatMap { [$0.commandName ?? ""] + $0.aliases } + ["help"]
    guard !names.contains(name), !verbs.contains(where: { $0.commandName == name }) else { return }
    let hint = Suggestion.nearest(to: name, among: names).map { "Did you mean '\($0)'?" }
    throw Failure(.usage, "Unknown verb '\(name)'. \(hint ?? "There are \(names.joined(separator: ", ")).")")
  }
}
