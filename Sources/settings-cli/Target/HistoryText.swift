import AppSettings
import AppSettingsSchema
import FoundationEssentials
import Glibc

/// The entries of a history, as verbs show them: without secrets, also those that were none when they were recorded.
struct HistoryText {
  private let target: Target
  private let schema: SchemaLookup

  init(of target: Target) {
    self.target = target
    schema = target.schema
  }

  // MARK: Secrets

  /// The secret that a path is, is in, or contains.
  func secret(at path: TOMLPath) -> TOMLPath? {
    schema.knownKeys.secret(around: path) ?? (schema.knownKeys.mayBeSecret(path) ? path : nil)
  }

  /// The changes of values at, above or below some paths, without secrets; the names in a secret are a part of it.
  private func changes(
    of entry: SettingsHistoryEntry, at paths: [TOMLPath]?
  ) -> (shown: [SettingsHistoryEntry.Change], others: Int) {
    var shown: [SettingsHistoryEntry.Change] = []
    var others = 0
    for var change in entry.changes {
      guard paths?.contains(where: { $0.hasPrefix(change.path) || change.path.hasPrefix($0) }) != false else {
        others += 1
        continue
      }
      if let secret = secret(at: change.path) {
        (change.path, change.old, change.new, change.isHidden) = (secret, nil, nil, true)
        if shown.contains(where: { $0.path == secret }) { continue }
      }
      shown.append(change)
    }
    return (shown, others)
  }

  // MARK: Lines

  /// Who made a change, when and why, and whether it is undone: `#12 2026-11-23 09:30:00 set by org.example.editor`.
  func summary(of entry: SettingsHistoryEntry, in terminal: Terminal = .output) -> String {
    var who = entry.actor.name.map { " by \($0)" } ?? ""
    if let user = entry.actor.user, user != Int(getuid()) { who += " as user \(user)" }
    let why = entry.reason.rawValue + (entry.reversed.map { " of #\($0)" } ?? "")
    return terminal.styled("#\(entry.id)", .yellow) + " \(Moment.text(entry.time)) \(why)" + terminal.shown(who)
      + (entry.isUndone ? ", undone" : "") + (entry.isUnrecorded ? ", not recorded yet" : "")
  }

  /// An entry and its changes, a line each.
  func lines(of entry: SettingsHistoryEntry, at paths: [TOMLPath]?) -> [String] {
    let (shown, others) = changes(of: entry, at: paths)
    var lines = [summary(of: entry)]
    lines += shown.map { change in
      Self.line(of: change.path, from: change.old, to: change.new, isHidden: change.isHidden, isLong: change.isLong)
    }
    if entry.isUnparsed {
      lines.append("  (a text that does not parse)")
    } else if entry.followsUnparsed {
      lines.append("  (replaced a text that did not parse)")
    } else if entry.changes.isEmpty {
      lines.append("  (only comments, the order or the notation)")
    }
    if others > 0 { lines.append("  and \(others) other value\(others == 1 ? "" : "s")") }
    return lines
  }

  /// What an undoing puts back, a line each.
  func lines(of plan: UndoPlan) -> [String] {
    plan.edits.map { edit in
      Self.line(
        of: edit.path, from: plan.view.userDocument[edit.path], to: edit.value, isHidden: secret(at: edit.path) != nil)
    }
  }

  /// The line for a change of a value.
  static func line(
    of path: TOMLPath, from old: TOMLValue?, to new: TOMLValue?, isHidden: Bool = false, isLong: Bool = false
  ) -> String {
    let terminal = Terminal.output
    func text(_ value: TOMLValue?) -> String {
      if let value { return Shown.styled(value, Shown.short(value)) }
      return terminal.styled(isLong ? "(long)" : "(none)", .dim)
    }
    // Which of the two is long is not recorded.
    let isUnknown = isLong && old == nil && new == nil
    let values =
      isHidden
      ? terminal.styled(Redaction.placeholder, .dim) : isUnknown ? text(nil) : "\(text(old)) -> \(text(new))"
    return "  \(terminal.styled(terminal.shown(path.description), .cyan)): \(values)"
  }

  // MARK: JSON

  private static func members(of app: String?) -> [(String, String)] {
    app.map { [("app", JSONText.quoted($0))] } ?? []
  }

  /// The members of an entry without its changes.
  func members(of entry: SettingsHistoryEntry) -> [(String, String)] {
    func text(_ value: String?) -> String { value.map(JSONText.quoted) ?? "null" }
    return [
      ("number", "\(entry.id)"), ("time", text(Moment.json(entry.time))), ("reason", text(entry.reason.rawValue)),
      ("by", text(entry.actor.name)), ("program", text(entry.actor.program)),
      ("pid", entry.actor.process.map { "\($0)" } ?? "null"), ("uid", entry.actor.user.map { "\($0)" } ?? "null"),
      ("of", entry.reversed.map { "\($0)" } ?? "null"), ("isUndone", entry.isUndone ? "true" : "false"),
      ("isUnrecorded", entry.isUnrecorded ? "true" : "false"),
      ("isUnparsed", entry.isUnparsed ? "true" : "false"),
    ]
  }

  /// An entry as a JSON object.
  ///
  /// - Parameter app: An app to name in a first member `app`.
  func json(_ entry: SettingsHistoryEntry, at paths: [TOMLPath]?, app: String? = nil) -> String {
    let changes = changes(of: entry, at: paths).shown.map { change in
      Shown.object([
        ("key", JSONText.quoted(change.path.description)), ("old", Shown.json(change.old)),
        ("new", Shown.json(change.new)), ("isHidden", change.isHidden ? "true" : "false"),
        ("isLong", change.isLong ? "true" : "false"),
      ])
    }
    return Shown.object(
      Self.members(of: app) + members(of: entry) + [("changes", "[\(changes.joined(separator: ","))]")])
  }

  /// What an undoing puts back, as a JSON object.
  ///
  /// - Parameters:
  ///   - difference: The change of the text, if it is only shown.
  ///   - app: An app to name in a first member `app`.
  func json(_ plan: UndoPlan, difference: String? = nil, app: String? = nil) -> String {
    let changes = plan.edits.map { edit in
      let isHidden = secret(at: edit.path) != nil
      let values = [plan.view.userDocument[edit.path], edit.value].map { isHidden ? "null" : Shown.json($0) }
      return Shown.object([
        ("key", JSONText.quoted(edit.path.description)), ("old", values[0]), ("new", values[1]),
        ("isHidden", isHidden ? "true" : "false"),
      ])
    }
    return Shown.object(
      Self.members(of: app) + [
        ("entry", Shown.object(members(of: plan.entry))), ("changes", "[\(changes.joined(separator: ","))]"),
      ] + (difference.map { [("diff", JSONText.quoted($0))] } ?? []))
  }

  /// A present value and its last change as a JSON object.
  func json(_ path: TOMLPath, _ value: TOMLValue?, _ entry: SettingsHistoryEntry?) -> String {
    Shown.object([
      ("key", JSONText.quoted(path.description)),
      ("value", Shown.json(value)),
      ("entry", entry.map { Shown.object(members(of: $0)) } ?? "null"),
    ])
  }

  // MARK: What is not there

  /// Runs what needs a history. An app that is unknown, or a file that keeps none, is said instead of a missing entry.
  func reading<Result>(_ store: SettingsStore, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SettingsError where error.code == .noHistory {
      throw try missing(in: store, error.message)
    }
  }

  /// The failure for a history without what was asked for.
  func missing(in store: SettingsStore, _ message: String) throws -> Failure {
    try target.checkKnown(store)
    let isOff = (try? store.core.readText()).flatMap { $0 }.flatMap { try? TOMLDocument(parsing: $0) }.map {
      $0[SettingsFormat.historyPath] == .boolean(false)
    }
    guard isOff == true else { return Failure(.noValue, message) }
    return Failure(
      .noValue, "'\(store.location?.file ?? target.name)' keeps no history: 'settings-history' in it is false.")
  }
}
