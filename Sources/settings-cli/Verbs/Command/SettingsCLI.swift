import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

/// The command: its verbs, and how the library's errors become this command's.
struct SettingsCLI: ParsableCommand {
  static let name = "settings-cli"

  static let configuration = CommandConfiguration(
    commandName: name,
    abstract: "Read, change and watch the settings of apps.",
    usage: "settings-cli VERB TARGET [KEY] [VALUE]",
    discussion: """
      EXAMPLES
        settings-cli list org.example.editor
        settings-cli set org.example.editor editor.font-size 14
        settings-cli undo org.example.editor

      TARGET is an app's id, such as org.example.editor, or the path of a TOML file, which contains a '/'. With an \
      app's id the command also reads its administrators' files and its schema; with a path it reads only that file.

      While a profile of the app is active, it takes the place of the user's file in every verb. --layer names another \
      file of yours, --system and --drop-in name administrators' files.

      KEY is a dotted key, such as editor.font-size. Quote a part that has characters other than letters, digits, \
      '_' and '-': servers."eu.west".url.

      list, log, export, import, undo, redo and check work on all apps if you name none, or with --all.

      Answers go to standard output, everything else to standard error. The manual page has the exit statuses and the \
      environment variables: 'man settings-cli', or 'settings-cli manual | man -l -'.
      """,
    version: "settings-cli 0.1.0",
    groupedSubcommands: [
      CommandGroup(
        name: "Everyday",
        subcommands: [
          ListVerb.self, GetVerb.self, SetVerb.self, TryVerb.self, UnsetVerb.self, FindVerb.self, DescribeVerb.self,
          EditVerb.self, WatchVerb.self, PageVerb.self,
        ]),
      CommandGroup(
        name: "History",
        subcommands: [
          LogVerb.self, UndoVerb.self, RedoVerb.self, BlameVerb.self, AtVerb.self, DiffVerb.self,
        ]),
      CommandGroup(
        name: "File",
        subcommands: [
          CheckVerb.self, PathVerb.self, ExportVerb.self, ImportVerb.self, RecoverVerb.self, MigrateVerb.self,
          RenameVerb.self, ProfileVerb.self, AdoptVerb.self, ForgetVerb.self,
        ]),
      CommandGroup(
        name: "Administration and scripts",
        subcommands: [
          AppsVerb.self, SchemaVerb.self, BatchVerb.self, LockVerb.self, UnlockVerb.self, FleetVerb.self,
          CompletionVerb.self, CompleteVerb.self, ManualVerb.self,
        ]),
    ])

  /// What the manual page says beside the help.
  static let manualSections = """
    EXIT STATUS
      0  done; for 'set': stored durably and effective
      1  the key has no value, or the history no entry, or there is no backup
      2  usage
      3  unknown app or key
      4  invalid value
      5  not writable: locked, read-only or overridden by a higher layer
      6  the file does not parse
      7  input/output error or lock time-out
      8  migration failed, or the file is newer than the app
      9  changed since its digest was taken (--if-unchanged), or since the change to undo or to try
     10  'adopt' printed the line that belongs in a file of another program

    ENVIRONMENT
      APP_SETTINGS_PROFILE
                         the active profile, in place of that of 'profile APP use'
      XDG_CONFIG_HOME    the directory of the user's settings
      XDG_CONFIG_DIRS    the directories of administrators' settings
      XDG_STATE_HOME     the directory of backups and histories
      XDG_DATA_HOME, XDG_DATA_DIRS
                         the directories of schemas
      VISUAL, EDITOR     the editor that 'edit' opens
      NO_COLOR           if not empty: no colour, unless --color asks for it
    """

  /// The program's name precedes every message, including the library's.
  static var _errorPrefix: String { "" }

  /// Without a verb, prints the help: nobody who types the name alone knows the verbs.
  func run() throws {
    Output.text(Self.helpMessage() + "\n")
    throw ToolError(.usage)
  }

  /// Runs a command line.
  ///
  /// - Throws: ``ToolError``, with status 2 if the library rejects the command line; `SettingsError`.
  static func run(_ words: [String]) throws {
    let words = translated(withVerbFirst(words))
    try checkVerb(words)
    do {
      var command = try parseAsRoot(words)
      try RepeatedOptions.check(words)
      try command.run()
    } catch let error where error is ToolError || error is SettingsError || error is GoneReader {
      throw error
    } catch {
      // The library also throws help, the version and completions.
      guard exitCode(for: error).isSuccess else {
        throw ToolError(.usage, UsageText.message(message(for: error), for: words))
      }
      let text = fullMessage(for: error)
      if !text.isEmpty { Output.text(text.hasSuffix("\n") ? text : text + "\n") }
    }
  }

  /// Moves `--color` from before the verb to after it: the only option of all verbs.
  private static func withVerbFirst(_ words: [String]) -> [String] {
    var options: [String] = []
    var rest = words[...]
    while let word = rest.first, word == "--color" || word.hasPrefix("--color=") {
      options += rest.prefix(word == "--color" ? 2 : 1)
      rest = rest.dropFirst(word == "--color" ? 2 : 1)
    }
    guard let verb = rest.first, !verb.hasPrefix("-") else { return words }
    return verb == "help" ? Array(rest) : [verb] + options + rest.dropFirst()
  }

  /// The verbs that change nothing, which are carried out also under another tool's name for them.
  private static let readers: Set<String> = [
    "get", "list", "describe", "diff", "export", "watch", "check", "log", "blame", "at", "schema", "find", "apps",
    "path", "page", "--version",
  ]

  /// Whether a command line changes no settings.
  static func onlyReads(_ words: [String]) -> Bool {
    withVerbFirst(words).first.map { readers.contains(KnownElsewhere.verb(for: $0) ?? $0) } ?? false
  }

  private static func isVerb(_ name: String) -> Bool {
    name == "help"
      || configuration.subcommands.contains {
        $0.configuration.commandName == name || $0.configuration.aliases.contains(name)
      }
  }

  /// A command line with our verb in the place of another tool's, if that changes nothing.
  private static func translated(_ words: [String]) -> [String] {
    let place = words.first == "help" ? 1 : 0
    guard words.count > place, !isVerb(words[place]), let command = KnownElsewhere.command(for: words[place]),
      words.count == place + 1 || !isVerb(words[place + 1])
    else { return words }
    let ours = command.split(separator: " ").map(String.init)
    guard readers.contains(ours[0]) else { return words }
    let options = place == 0 ? ours.dropFirst().filter { $0.hasPrefix("-") } : []
    if !MeantApp.isUsed { Output.note("'\(words[place])' is '\(([ours[0]] + options).joined(separator: " "))' here.") }
    return words[..<place] + [ours[0]] + words[(place + 1)...] + options
  }

  /// Throws with a suggestion for an unknown verb: the library has suggestions for options only.
  private static func checkVerb(_ words: [String]) throws {
    // 'help VERB' prints the page of that verb.
    guard let name = words.first == "help" ? words.dropFirst().first : words.first, !isVerb(name) else { return }
    let verbs = configuration.subcommands.map { $0.configuration }
    let names = verbs.filter(\.shouldDisplay).flatMap { [$0.commandName ?? ""] + $0.aliases } + ["help"]
    let rest = words.dropFirst()
    // Options as those of 'git config'.
    if name.hasPrefix("-") {
      let verb = String(name.drop { $0 == "-" })
      guard names.contains(verb), verb != "help" else { return }
      throw ToolError(.usage, "Unknown option '\(name)'. Write the verb without '-': \(Self.command(verb, rest)).")
    }
    if let word = rest.first, word != "--help", case let verb = String(word.drop { $0 == "-" }), names.contains(verb),
      words[0] != "help"
    {
      let isGroup = ["config", "settings"].contains(name)
      let typed = (isGroup ? [] : [name]) + rest.dropFirst()
      let advice = isGroup ? "Leave it out" : "Write the verb first"
      throw ToolError(.usage, "Unknown verb '\(name)'. \(advice): \(command(verb, typed)).")
    }
    if name.contains(where: { ".~/".contains($0) }) {
      throw ToolError(
        .usage,
        "Missing VERB before '\(name)': for instance, 'settings-cli list \(PathText.word(name) ?? "TARGET")' prints its "
          + "settings.")
    }
    let hint =
      KnownElsewhere.command(for: name)
      .map { "For that there is '\(Self.name) \(filled($0, rest))'." + ofApp($0, rest) }
      ?? Suggestion.nearest(to: name, among: names).map { "Did you mean '\($0)'?" }
      ?? "The everyday ones are get, set, unset, list, watch, edit, log and undo; '\(Self.name) --help' has them all."
    throw ToolError(.usage, "Unknown verb '\(name)'. \(hint)")
  }

  /// A command of a verb, for a message, with the target and the key that were typed, and never a value: what follows a
  /// word that is no target may be one.
  static func command(_ verb: String, _ typed: some Collection<String>) -> String {
    let shown = typed.prefix(typed.first.map(isTarget) == true ? 2 : 1)
      .prefix { !$0.hasPrefix("-") && !$0.contains("=") && PathText.word($0) != nil }
    let words = [name, verb] + shown.compactMap(PathText.word)
    return "'\(words.joined(separator: " "))\(shown.count < typed.count ? " …" : "")'"
  }

  /// Whether a word is an app or a file that is there.
  static func isTarget(_ word: String) -> Bool {
    Target(word).isFile ? SettingsFile.isThere(word) : InstalledApp.isKnown(word)
  }

  /// A command of `KnownElsewhere` with the target and the key that were typed, if they are known as such.
  private static func filled(_ command: String, _ typed: ArraySlice<String>) -> String {
    guard let target = typed.first, isTarget(target) else { return command }
    // Of two words before which a value is missing, the second may be the value.
    let mayBeValue = command.contains("VALUE") && typed.count < 3
    let key = typed.dropFirst().first.flatMap {
      mayBeValue || $0.hasPrefix("-") || $0.contains("=") ? nil : PathText.word($0)
    }
    let words = ["TARGET": PathText.word(target), "APP": target, "KEY": key]
    return command.split(separator: " ").map { word in words[String(word)].flatMap(\.self) ?? String(word) }
      .joined(separator: " ")
  }

  /// What removes all of an app, for who names one without a key.
  private static func ofApp(_ command: String, _ typed: ArraySlice<String>) -> String {
    guard command.hasPrefix("unset "), typed.count == 1, let app = typed.first, app.first != "-", !Target(app).isFile
    else { return "" }
    // What is installed cannot be forgotten.
    let isInstalled = (try? InstalledApp.find(app).schema) != nil
    guard !isInstalled || command.contains("KEY") else { return "" }
    return " For a whole app there is '\(name) \(isInstalled ? "unset \(app) --all" : "forget \(app)")'."
  }
}
