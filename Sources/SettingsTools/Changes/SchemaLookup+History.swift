package import AppSettings
import AppSettingsSchema
import FoundationEssentials
import Glibc

// The entries of a history as tools show them: without secrets, also those that were none when they were recorded.

extension SchemaLookup {
  /// The secret that a path is, is in, or contains.
  package func secret(at path: TOMLPath) -> TOMLPath? {
    knownKeys.secret(around: path) ?? (knownKeys.mayBeSecret(path) ? path : nil)
  }

  /// The changes of values at, above or below some paths, without secrets; the names in a secret are a part of it.
  package func changes(
    of entry: SettingsHistoryEntry, at paths: [TOMLPath]?
  ) -> (shown: [SettingsHistoryEntry.Change], others: Int) {
    var shown: [SettingsHistoryEntry.Change] = []
    var others = 0
    var secrets: Set<TOMLPath> = []
    for var change in entry.changes {
      guard paths?.contains(where: { $0.hasPrefix(change.path) || change.path.hasPrefix($0) }) != false else {
        others += 1
        continue
      }
      if let secret = secret(at: change.path) {
        guard secrets.insert(secret).inserted else { continue }
        (change.path, change.old, change.new, change.isHidden) = (secret, nil, nil, true)
      } else if [change.old, change.new].contains(where: { $0.map { isSecret(change.path, $0) } ?? false }) {
        (change.old, change.new, change.isHidden) = (nil, nil, true)
      }
      shown.append(change)
    }
    return (shown, others)
  }

  /// An entry with its changes.
  ///
  /// - Parameter app: An app to name in a first member `app`.
  package func json(_ entry: SettingsHistoryEntry, at paths: [TOMLPath]?, app: String? = nil) -> JSONObject {
    let changes = changes(of: entry, at: paths).shown.map { change -> JSONObject in
      var facts: JSONObject = [
        "key": .text(change.path.description), "old": .value(change.old), "new": .value(change.new),
        "isHidden": .flag(change.isHidden), "isLong": .flag(change.isLong),
      ]
      if let new = change.new, new.losesInJSON { facts["toml"] = .text(new.tomlText) }
      return facts
    }
    return JSONObject(naming: app) + entry.json + ["changes": .objects(changes)]
  }

  /// What an undoing puts back.
  ///
  /// - Parameters:
  ///   - difference: The change of the text, if it is only shown.
  ///   - app: An app to name in a first member `app`.
  package func json(_ plan: UndoPlan, difference: String? = nil, app: String? = nil) -> JSONObject {
    let changes = plan.edits.map { edit -> JSONObject in
      let isHidden = secret(at: edit.path) != nil
      return [
        "key": .text(edit.path.description), "old": .value(isHidden ? nil : plan.view.userDocument[edit.path]),
        "new": .value(isHidden ? nil : edit.value), "isHidden": .flag(isHidden),
      ]
    }
    var object = JSONObject(naming: app) + ["entry": .object(plan.entry.json), "changes": .objects(changes)]
    if let difference { object["diff"] = .text(difference) }
    return object
  }
}

extension SettingsHistoryEntry {
  /// The entry without its changes.
  package var json: JSONObject {
    [
      "number": .number(id), "time": .text(Moment.json(time)), "reason": .text(reason.rawValue),
      "by": .text(actor.name), "program": .text(actor.program), "pid": .number(actor.process),
      "uid": .number(actor.user), "of": .number(reversed), "isUndone": .flag(isUndone),
      "isUnrecorded": .flag(isUnrecorded), "isUnparsed": .flag(isUnparsed),
    ]
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
