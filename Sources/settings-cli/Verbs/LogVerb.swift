import AppSettings
import ArgumentParser
import FoundationEssentials
import SettingsTools

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

      Without TARGET, or with --all, prints the changes of all apps in one list, also of those that 'forget' or \
      'unset --all' has removed, with the app's id before the number, and as "app" with --json.

      EXAMPLES
        settings-cli log --since yesterday
        settings-cli log org.example.editor
        settings-cli log org.example.editor theme --since 2d
        settings-cli log ./settings.toml --limit 10
        settings-cli log org.example.editor --since '2025-11-20 09:30' --json
      """)

  @OptionGroup var apps: AppsArgument
  @Argument(help: "Only changes of this key.", completion: .custom(Candidates.keys)) var key: String?
  @Option(
    help: ArgumentHelp(
      "Only changes since this time: an age such as 2d, 3h, 30m or 1w, a day such as yesterday or monday, a date, or a date and time.",
      valueName: "when"))
  var since: String?
  @Option(
    name: [.long, .customShort("n")], parsing: .unconditional,
    help: ArgumentHelp("At most this many changes.", valueName: "n"))
  var limit: Int?
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
    guard let target = try apps.named?.orRemoved else { return try answerForAll(since) }
    let opened = try target.openUnread()
    let log = try AppLog(opened, path, since: since, limit: limit)
    show([log], namingApps: false)
    guard log.entries.isEmpty else { return }
    if let path { try target.schema.checkKnown(path) }
    let what = path.map { " of '\($0)'" } ?? ""
    throw try opened.missingHistory(
      "The history of '\(opened.file)' has no change\(what)\(Self.words(since)).")
  }

  private func answerForAll(_ since: Date?) throws {
    var logs: [AppLog] = []
    let status = try AllApps.each(apps.layer.layer, "show the changes of", withRemoved: true) { target in
      logs.append(try AppLog(target.openUnread(), nil, since: since, limit: limit, isOneOfAll: true))
    }
    show(logs, namingApps: true)
    if let status { throw ToolError(status) }
    guard logs.allSatisfy(\.entries.isEmpty) else { return }
    throw ToolError(.noValue, "No app's history has a change\(Self.words(since)).")
  }

  private static func words(_ since: Date?) -> String { since.map { " since \(Moment.text($0))" } ?? "" }

  private func show(_ logs: [AppLog], namingApps: Bool) {
    let entries = Self.merged(logs, upTo: limit ?? .max)
    Output.list(
      entries, asJSON: json,
      { log, entry in log.schema.json(entry, at: log.names, app: namingApps ? log.app : nil) },
      { log, entry in
        let app = namingApps ? Terminal.output.styled(Terminal.output.shown(log.app), .dim) + " " : ""
        return app + log.schema.lines(of: entry, at: log.names).joined(separator: "\n")
      })
    guard since == nil, limit.map({ entries.count < $0 }) ?? true else { return }
    for log in logs {
      for number in log.losses {
        let what = number > 1 ? "Changes before #\(number)" : "Earlier changes"
        Output.note("\(what)\(namingApps ? " of '\(log.app)'" : "") are lost: the history was damaged.")
      }
    }
  }

  /// The entries of several histories, newest first; those of one history in their order, whatever their times say.
  private static func merged(
    _ logs: [AppLog], upTo most: Int
  ) -> [(log: AppLog, entry: SettingsHistoryEntry)] {
    var rests = logs.map { $0.entries[...] }
    var merged: [(log: AppLog, entry: SettingsHistoryEntry)] = []
    while merged.count < most,
      let next = rests.indices.filter({ !rests[$0].isEmpty }).max(by: { rests[$0].first!.time < rests[$1].first!.time })
    {
      merged.append((logs[next], rests[next].removeFirst()))
    }
    return merged
  }
}

/// The history of one target, as `log` shows it.
private struct AppLog {
  let app: String
  let schema: SchemaLookup
  let names: [TOMLPath]?
  let entries: [SettingsHistoryEntry]
  let losses: [Int]

  init(
    _ opened: OpenedSettings, _ path: TOMLPath?, since: Date?, limit: Int?, isOneOfAll: Bool = false
  ) throws {
    app = opened.target.name
    schema = opened.schema
    names = path.map(opened.schema.places)
    // Nothing says when somebody else removed a file.
    let hidesUnrecorded = isOneOfAll && AllApps.isRemoved(app)
    entries = try opened.store.history(at: names, since: since, limit: limit.map { min($0, .max - 1) + 1 } ?? .max)
      .filter { !$0.isUnrecorded || !hidesUnrecorded }
    losses = opened.store.historyLosses
  }
}
