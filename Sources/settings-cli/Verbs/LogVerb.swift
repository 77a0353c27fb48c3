import AppSettings
import ArgumentParser

struct LogVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show who changed which value, and when.",
    discussion: """
      Prints the changes of the user's file, newest first: the number, the local time, why, who, and for each value \
      the one before and the one after. 'outside' is another program, or an edit by hand; the next write records it. \
      'undone' stands beside what 'undo' has taken back.

      With KEY, only changes of that key, under its present and former names, are shown. '(not in the history)' stands \
      for secrets, and for values of keys that no program had declared. Exits 1 if there is nothing to show.

      EXAMPLES
        settings-cli log org.example.editor
        settings-cli log org.example.editor theme --since 2d
        settings-cli log ./settings.toml --limit 10
        settings-cli log org.example.editor --since '2025-11-20 09:30' --json
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "Only changes of this key.", completion: .custom(Candidates.keys)) var key: String?
  @Option(
    help: ArgumentHelp(
      "Only changes since this time: an age such as 2d, 3h, 30m or 1w, a day such as yesterday or monday, a date, or a date and time.",
      valueName: "when"))
  var since: String?
  @Option(parsing: .unconditional, help: ArgumentHelp("At most this many changes.", valueName: "n")) var limit: Int?
  @Flag(
    help:
      "Print a JSON array of objects: number, time, reason, by, program, pid, uid, of, isUndone, isUnrecorded, isUnparsed, changes."
  )
  var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("Invalid value '\(limit)' for '--limit': 1 or more is needed.") }
  }

  func answer() throws {
    TrialNote.noteAbandoned()
    let path = try key.map(KeyArgument.parse)
    let since = try since.map(Moment.parse)
    let target = try Target(target)
    let store = try target.openUnread()
    let names = path.map(target.schema.names)
    let text = HistoryText(of: target)
    let entries = try store.history(at: names, since: since, limit: limit ?? .max)
    if json {
      Output.line("[" + entries.map { text.json($0, at: names) }.joined(separator: ",\n ") + "]")
    } else {
      for entry in entries { Output.text(text.lines(of: entry, at: names).map { $0 + "\n" }.joined()) }
    }
    if since == nil, limit.map({ entries.count < $0 }) ?? true {
      for number in store.historyLosses {
        let what = number > 1 ? "Changes before #\(number)" : "Earlier changes"
        Output.note("\(what) are lost: the history was damaged.")
      }
    }
    guard entries.isEmpty else { return }
    if let path { try target.schema.checkKnown(path) }
    let what = path.map { " of '\($0)'" } ?? ""
    let when = since.map { " since \(Moment.text($0))" } ?? ""
    throw try text.missing(in: store, "The history of '\(store.location?.file ?? "")' has no change\(what)\(when).")
  }
}
