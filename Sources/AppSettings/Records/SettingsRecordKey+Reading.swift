package import SettingsTOML
import Synchronization

// Finds records in a snapshot. Reading one record decodes only that one. Reading all decodes those that were not
// decoded before or have changed.

extension SettingsSnapshot {
  /// The stored value of one record, over all layers.
  func storedRecord(_ text: String, of records: AnySettingsKey) -> TOMLValue? {
    let path = records.path.appending(text)
    let overlay = overlay(of: path)
    // A variable applies to an existing record: its name does not tell the id of a new one.
    guard overlay.layer != nil, stored(at: path) == nil else { return overlay.value }
    return self[records.path]?.table?[text]
  }

  /// The stored value of all records, over all layers.
  func storedRecords(of records: AnySettingsKey) -> TOMLValue? { self[records.path] }
}

extension SettingsRecordKey {
  // MARK: One

  /// The record with an id; `nil` if there is none, or it cannot be read, which is a problem.
  ///
  /// For a record that was read in the present state, this is one look-up in the cache.
  func record(_ id: Record.ID, in core: StoreCore) -> Record? {
    guard let text = try? coding.ids.text(id) else { return nil }
    let known = cache.find(text)
    if let known, known.stamp == core.stamp.load(ordering: .acquiring) { return known.decoded.record }
    return look(for: text, in: core, known?.decoded)?.decoded.record
  }

  /// The record with an id, and its stored value.
  package func entry(_ id: Record.ID, in core: StoreCore) -> RecordListing<Record>.Entry? {
    guard let own = try? coding.ids.text(id),
      let (text, decoded) = look(for: own, in: core, cache.find(own)?.decoded), let record = decoded.record
    else { return nil }
    return RecordListing.Entry(text: text, record: record, decoded: decoded)
  }

  /// The path to observe for the record with an id; that of all records if a key may have other notations.
  package func observedPath(of id: Record.ID) -> TOMLPath {
    guard !coding.ids.hasOtherForms, let text = try? coding.ids.text(id) else { return path }
    return path.appending(text)
  }

  /// Looks up the table of an id; an unreadable one is a problem. Returns `nil` if there is none.
  ///
  /// - Parameters:
  ///   - own: The id's own text, as this library writes it.
  ///   - known: The latest result for the table with that key.
  private func look(
    for own: String, in core: StoreCore, _ known: Decoded<Record>?
  ) -> (text: String, decoded: Decoded<Record>)? {
    note(in: core)
    guard let (text, stored, stamp) = find(own, in: core) else { return nil }
    let decoded: Decoded<Record>
    if let known, known.stored == stored, text.hasSameCodeUnits(as: own) {
      decoded = known
    } else {
      decoded = decodeAnew(stored, text)
    }
    cache.store(decoded, text, at: stamp)
    if isSecret { core.checkSecrecy(of: path.appending(text), named: path) }
    if decoded.error != nil || core.problems.hasAny {
      let path = path.appending(text)
      let problems = decoded.error.map { [problem($0, at: path, in: core.snapshot)] } ?? []
      report(problems, at: { $0 == path }, core.problems)
    }
    return (text, decoded)
  }

  /// The record with an id, or the reason why it cannot be read; `nil` if there is none.
  func value(_ id: Record.ID, in core: StoreCore) throws(SettingsError) -> Record? {
    let text = try self.text(id)
    guard let (text, stored, _) = find(text, in: core) else { return nil }
    let decoded = decode(stored, text)
    if let error = decoded.error { throw describe(error, at: path.appending(text), in: core.snapshot) }
    return decoded.record
  }

  /// The place of the record with an id, and why it cannot be read; `nil` if it can be read, or there is none.
  func unreadable(_ id: Record.ID, in snapshot: SettingsSnapshot) -> (path: TOMLPath, error: SettingsValueError)? {
    guard let text = try? coding.ids.text(id) else { return nil }
    let key = self.key(text, in: snapshot)
    guard let error = snapshot.storedRecord(key, of: self).flatMap({ decode($0, key).error }) else { return nil }
    return (path.appending(key), error)
  }

  /// The error for a change made from a record that cannot be read: storing it would remove what the file has.
  func refusedChange(
    at path: TOMLPath, _ error: SettingsValueError, in snapshot: SettingsSnapshot
  ) -> SettingsError {
    var error = describe(error, at: path, in: snapshot, "Cannot change the record")
    error.message += " Nothing was changed. Correct the record in the file, or replace it as a whole."
    return error
  }

  /// The record with an id in a snapshot; `nil` if there is none, or it cannot be read.
  func record(_ id: Record.ID, in snapshot: SettingsSnapshot) -> Record? {
    guard let text = try? coding.ids.text(id) else { return nil }
    let key = self.key(text, in: snapshot)
    return snapshot.storedRecord(key, of: self).flatMap { decode($0, key).record }
  }

  /// The place of the record with an id: its key in the file, its stored value, and the stamp of the state.
  private func find(_ text: String, in core: StoreCore) -> (text: String, stored: TOMLValue, stamp: UInt64)? {
    let (stored, stamp) = core.lookUp { $0.storedRecord(text, of: self) }
    if let stored { return (text, stored, stamp) }
    guard coding.ids.hasOtherForms else { return nil }
    if let known = cache.otherForm(of: text, at: stamp) {
      guard let key = known else { return nil }
      let (stored, stamp) = core.lookUp { $0.storedRecord(key, of: self) }
      return stored.map { (key, $0, stamp) }
    }
    let (all, newStamp) = core.lookUp { $0.storedRecords(of: self)?.table ?? TOMLTable() }
    let forms = otherForms(in: all)
    cache.store(otherForms: forms, at: newStamp)
    guard let key = forms[ExactKey(text)] ?? (all[text] == nil ? nil : text), let stored = all[key] else { return nil }
    return (key, stored, newStamp)
  }

  /// The key of the record with an id in a snapshot: usually the id's own text.
  func key(_ text: String, in snapshot: SettingsSnapshot) -> String {
    guard coding.ids.hasOtherForms, snapshot.storedRecord(text, of: self) == nil else { return text }
    return otherForms(in: snapshot.storedRecords(of: self)?.table ?? TOMLTable())[ExactKey(text)] ?? text
  }

  /// The keys that stand for an id in another notation, if its own text is not a key.
  private func otherForms(in table: TOMLTable) -> [ExactKey: String] {
    var forms: [ExactKey: String] = [:]
    for text in table.keys {
      guard let own = ownForm(of: text), table[own] == nil, forms[ExactKey(own)] == nil else { continue }
      forms[ExactKey(own)] = text
    }
    return forms
  }

  /// The text of the id that a key stands for; `nil` if it is the key itself, or the key stands for none.
  func ownForm(of text: String) -> String? {
    guard let id = try? coding.ids.id(text), let own = try? coding.ids.text(id), ExactKey(own) != ExactKey(text) else {
      return nil
    }
    return own
  }

  /// The key of an id.
  func text(_ id: Record.ID) throws(SettingsError) -> String {
    do {
      return try coding.ids.text(id)
    } catch {
      throw SettingsError(
        .invalidKey, "Cannot use '\(id)' as the id of a record in '\(name)': \(error). Nothing was changed.")
    }
  }

  /// Decodes a record, unless it was decoded before.
  func decode(_ stored: TOMLValue, _ text: String) -> Decoded<Record> {
    if let known = cache.find(text)?.decoded, known.stored == stored { return known }
    return decodeAnew(stored, text)
  }

  /// Decodes a record; the result may be an error.
  func decodeAnew(_ stored: TOMLValue, _ text: String) -> Decoded<Record> {
    do throws(SettingsValueError) {
      return Decoded(stored: stored, record: try coding.read(stored, at: text))
    } catch {
      return Decoded(stored: stored, error: error)
    }
  }

  /// Notes the key in a store's declarations, once.
  func note(in core: StoreCore) {
    guard cache.isToBeNoted(by: core) else { return }
    core.declarations.note(self, as: Self.self, core.problems)
  }
}

// MARK: - Problems

extension SettingsRecordKey {
  static var beginning: String { "Cannot read the record" }
  /// The number of records reported one by one: finding a line takes time, and a file may have any number of them.
  static var mostProblems: Int { 20 }

  /// Reports what cannot be read at some places, and withdraws earlier problems there.
  func report(_ new: [SettingsProblem], at isPlace: (TOMLPath) -> Bool, _ problems: ProblemLog) {
    problems.resolve { old in
      guard let path = old.path, isPlace(path), old.message.hasPrefix(Self.beginning) else { return false }
      return !new.contains(old)
    }
    for problem in new { problems.report(problem) }
  }

  /// The problem of a record that cannot be read.
  func problem(
    _ error: SettingsValueError, at path: TOMLPath, in snapshot: SettingsSnapshot
  ) -> SettingsProblem {
    var error = describe(error, at: path, in: snapshot)
    error.message +=
      path == self.path
      ? " There are no records until that is corrected."
      : " The record is left out, and stays unchanged in the file."
    return SettingsProblem(error, path: path)
  }

  /// A record in a message. The ids of secret records are a part of the secret.
  func named(_ path: TOMLPath) -> String { isSecret ? "in '\(self.path)'" : "'\(path)'" }

  /// The full message for an unreadable record, with the place of the fault in it. Never shows a secret.
  fileprivate func describe(
    _ error: SettingsValueError, at path: TOMLPath, in snapshot: SettingsSnapshot,
    _ beginning: String? = nil
  ) -> SettingsError {
    let (layer, position) = snapshot.place(of: error, at: path)
    let shown = isSecret ? error.redacted : error
    let subject = path == self.path ? "s '\(path)'" : " \(named(path))"
    var message = "\(beginning ?? Self.beginning)\(subject): \(layer.source) has \(shown.found)"
    if let position { message += " at line \(position.line), column \(position.column)" }
    if !error.path.isEmpty { message += " (in '\(shown.pathDescription)')" }
    message += ", but \(error.expected) is needed\(shown.reasonInParentheses)."
    return SettingsError(.invalidValue, message, file: layer.file, position: position)
  }
}
