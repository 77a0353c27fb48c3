import AppSettings
import AppSettingsSchema
import ArgumentParser

struct UndoVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take back changes of the user's file, one after the other.",
    usage: """
      settings-cli undo TARGET [KEY] [--dry-run] [--if-unchanged DIGEST] [--json]
      settings-cli undo TARGET '#N' [--dry-run] [--if-unchanged DIGEST] [--json]
      settings-cli undo [--dry-run] [--json]
      """,
    discussion: """
      Works like Ctrl-Z: takes back the last change that is not undone, and the one before it when it is run again. \
      With KEY, does the same for the changes of that key; a value that was renamed goes back to its old key. 'redo' \
      takes an undo back. With '#N' or --entry N, takes back that entry of 'log'. A shell takes an unquoted # for the \
      beginning of a comment: quote it.

      Undoing is a write like any other, and is recorded. Prints the entry and the values that it put back. Comments \
      come back where the lines that they were in are the same.

      Without TARGET, or with --all, takes back the last change of any app, and names that app. If that one \
      cannot be taken back, older ones of other apps stay, too.

      Nothing is written if a value was changed again since (status 9), if the history has nothing to undo or does not \
      have the earlier value (1), if the value is as before already (1), if the app would refuse the earlier value today \
      (4), if a key is locked (5), or if the entry is a migration (8).

      EXAMPLES
        settings-cli undo org.example.editor
        settings-cli undo --dry-run
        settings-cli undo org.example.editor theme --dry-run
        settings-cli undo org.example.editor '#2'
        settings-cli undo ./settings.toml --entry 1
      """)

  @OptionGroup var apps: AppsArgument
  @Argument(help: "The key, or an entry.", completion: .custom(Candidates.keysOrEntries)) var key: String?
  @Option(parsing: .unconditional, help: EntryArgument.help, completion: .custom(Candidates.entryNumbers))
  var entry: Int?
  @OptionGroup var change: ChangeOptions
  @Flag(help: "Print a JSON object: entry, changes, and with --dry-run diff.") var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if let word = apps.target, word.hasPrefix("#") {
      throw ValidationError("Missing TARGET before '\(word)'. Usage: settings-cli undo TARGET '#N'")
    }
    try apps.needTarget(for: entry.map { _ in "--entry" })
    try change.checkTarget(of: apps)
    try checkAlternatives((isEntry ? "'#N'" : "KEY", key != nil), ("--entry", entry != nil))
    try EntryArgument.check(entry)
    _ = try key.map(EntryArgument.parse)
  }

  private var isEntry: Bool { key?.hasPrefix("#") == true }

  func answer() throws {
    let path = try isEntry ? nil : key.map(KeyArgument.parse)
    let number = try entry ?? key.flatMap(EntryArgument.parse)
    try UndoAnswer(apps: apps, change: change, json: json).give(path) { names in
      number.map(HistoryTarget.entry) ?? names.map(HistoryTarget.value) ?? .last
    }
  }
}
