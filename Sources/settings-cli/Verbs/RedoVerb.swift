import AppSettings
import ArgumentParser

struct RedoVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "redo",
    abstract: "Take back the last undo.",
    discussion: """
      Takes back the last 'undo', and the one before it when it is run again. With KEY, does the same for the undos of \
      that key. Any other change ends this, also one by another program or by hand.

      It is a write like any other, and is recorded. Prints the undo and the values that it put back.

      Without TARGET, or with --all, takes back the last undo of any app, and names that app. If that one \
      cannot be taken back, older ones of other apps stay, too.

      Nothing is written if no undo is left (status 1), if the app would refuse the value today (4), or if a key is \
      locked (5).

      EXAMPLES
        settings-cli redo org.example.editor
        settings-cli redo org.example.editor theme --dry-run
        settings-cli redo ./settings.toml
      """)

  @OptionGroup var apps: AppsArgument
  @Argument(help: "The key.", completion: .custom(Candidates.keys)) var key: String?
  @OptionGroup var change: ChangeOptions
  @Flag(help: "Print a JSON object: entry, changes, and with --dry-run diff.") var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if let entry = key ?? apps.target, entry.hasPrefix("#") {
      let target = key == nil ? nil : apps.target.flatMap(PathText.word)
      throw ValidationError(
        "'redo' takes back the last undo, not an entry. For the undo that is entry \(entry.dropFirst()) of 'log', use "
          + "'settings-cli undo \(target ?? "TARGET") --entry \(entry.dropFirst())'.")
    }
    try change.checkTarget(of: apps)
  }

  func answer() throws {
    try UndoAnswer(apps: apps, change: change, json: json).give(try key.map(KeyArgument.parse)) { .redo($0) }
  }
}
