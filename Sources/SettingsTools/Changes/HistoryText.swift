package import AppSettings
import AppSettingsSchema
import FoundationEssentials
import Glibc

/// The entries of a history, as verbs show them: without secrets, also those that were none when they were recorded.
package struct HistoryText {
  package let schema: SchemaLookup

  package init(_ schema: SchemaLookup) { self.schema = schema }

  // MARK: Secrets

  /// The secret that a path is, is in, or contains.
  package func secret(at path: TOMLPath) -> TOMLPath? {
    schema.knownKeys.secret(around: path) ?? (schema.knownKeys.mayBeSecret(path) ? path : nil)
  }

  /// The changes of values at, above or below some paths, without secrets; the names in a secret are a part of it.
  package func changes(
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

  // MARK: JSON

  private static func members(of app: String?) -> [(String, String)] {
    app.map { [("app", JSONText.quoted($0))] } ?? []
  }

  /// The members of an entry without its changes.
  package func members(of entry: SettingsHistoryEntry) -> [(String, String)] {
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
  package func json(_ entry: SettingsHistoryEntry, at paths: [TOMLPath]?, app: String? = nil) -> String {
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
  package func json(_ plan: UndoPlan, difference: String? = nil, app: String? = nil) -> String {
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
  package func json(_ path: TOMLPath, _ value: TOMLValue?, _ entry: SettingsHistoryEntry?) -> String {
    Shown.object([
      ("key", JSONText.quoted(path.description)),
      ("value", Shown.json(value)),
      ("entry", entry.map { Shown.object(members(of: $0)) } ?? "null"),
    ])
  }
}

extension OpenedSettings {
  /// Runs what needs a history. An app that is unknown, or a file that keeps none, is said instead of a missing entry.
  package func readingHistory<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SettingsError where error.code == .noHistory {
      throw try missingHistory(error.message)
    }
  }

  /// The failure for a history without what was asked for.
  package func missingHistory(_ message: String) throws -> ToolError {
    try target.checkKnown(self)
    let isOff = (try? readText()).flatMap { $0 }.flatMap { try? TOMLDocument(parsing: $0) }.map {
      $0[SettingsFormat.historyPath] == .boolean(false)
    }
    guard isOff == true else { return ToolError(.noValue, message) }
    return ToolError(.noValue, "'\(file)' keeps no history: 'settings-history' in it is false.")
  }
}
