import SettingsTOML

/// Undoing: a write that puts former values back.
extension StoreCore {
  /// Undoes a change.
  ///
  /// - Parameter check: Throws if what is to be put back is not wanted.
  func undo(_ what: HistoryTarget, check: ((UndoPlan) throws -> Void)?) throws -> UndoPlan {
    guard let history else { throw noHistory }
    try flush()
    var undone: UndoPlan?
    try rewrite(as: .undo) { document in
      let plan = try planUndo(what, history, &document, check)
      undone = plan
      return plan.edits
    }
    return undone!
  }

  /// Returns what ``undo(_:check:)`` would do, and the text that the file would have, and writes nothing.
  func previewUndo(
    _ what: HistoryTarget, check: ((UndoPlan) throws -> Void)?
  ) throws -> (plan: UndoPlan, text: [UInt8]) {
    guard let history else { throw noHistory }
    load()
    var document = try documentToWrite(of: readText())
    let plan = try planUndo(what, history, &document, check)
    return (plan, document.bytes)
  }

  /// Makes the document what it is after an undoing.
  private func planUndo(
    _ what: HistoryTarget, _ history: HistoryKeeper, _ document: inout TOMLDocument,
    _ check: ((UndoPlan) throws -> Void)?
  ) throws -> UndoPlan {
    // What others have changed becomes an entry first.
    let contents = try backing.read()
    let stored = contents.bytes.flatMap { try? TOMLDocument(parsing: $0) } ?? TOMLDocument()
    let reader = try readHistory(history, contents, stored)
    let undo = try Undo(what, in: reader, of: self)
    let edits = try undo.edits(of: document)
    let view = state.withLock { [document] state -> SettingsSnapshot in
      var view = state.snapshot
      view.userDocument = document
      return view
    }
    var plan = UndoPlan(entry: undo.entry, edits: try view.permitted(edits), view: view, bytes: contents.bytes)
    try check?(plan)
    try checkDeclared(plan.edits, in: document)
    if let text = undo.text(of: stored, for: plan.edits), document.bytes.isSameText(as: stored.bytes) {
      plan.hasChanged = !text.bytes.isSameText(as: stored.bytes)
      document = text
    } else {
      plan.hasChanged = try apply(plan.edits, to: &document)
    }
    return plan
  }

  /// Throws if a key that this process has declared refuses its value after some edits.
  private func checkDeclared(_ edits: [Edit], in document: TOMLDocument) throws(SettingsError) {
    var root: TOMLTable?
    for key in declarations.keys where edits.contains(where: { $0.path.isRelated(to: key.path) }) {
      var now = root ?? document.root
      if root == nil { for edit in edits { now.apply(edit) } }
      root = now
      guard let value = now[path: key.path] else { continue }
      do throws(SettingsValueError) {
        try key.check(value)
      } catch {
        let error = key.isSecret ? error.redacted : error
        throw SettingsError(
          .invalidValue,
          "Cannot undo the change of '\(key.path)' in '\(backing.name)': the former value is not valid today: \(error). "
            + "The file is unchanged.", file: location?.file)
      }
    }
  }
}

/// What an undoing puts back.
package struct UndoPlan: Sendable {
  /// The entry that is undone.
  package let entry: SettingsHistoryEntry
  /// The former values.
  package let edits: [Edit]
  /// The layers before it.
  package let view: SettingsSnapshot
  /// The file's content before it; `nil` for no file.
  package let bytes: [UInt8]?
  /// Whether it changes the file: its values, or only comments or the order.
  package fileprivate(set) var hasChanged = false
}

/// One change that is to be undone.
private struct Undo {
  let entry: SettingsHistoryEntry
  private let record: HistoryRecord
  private let reader: HistoryReader
  private let core: StoreCore
  /// Where values are to be put back; `nil` for all that the record changed.
  private let names: [TOMLPath]?
  /// The kept texts before and after it.
  private let before: [UInt8]
  private let after: [UInt8]

  /// - Throws: ``SettingsError`` `noHistory`.
  init(_ what: HistoryTarget, in reader: HistoryReader, of core: StoreCore) throws(SettingsError) {
    self.reader = reader
    self.core = core
    if case .value(let paths) = what { names = paths } else { names = nil }
    if case .entry(let number) = what {
      record = try reader.record(number)
    } else {
      var newest: HistoryRecord?
      reader.visit(names) { _, record in
        newest = record
        return false
      }
      guard let newest else {
        throw SettingsError(
          .noHistory, "No change\(names.map { " of '\($0[0])'" } ?? "") is in the history of '\(core.name)'.",
          file: core.location?.file)
      }
      record = newest
    }
    entry = SettingsHistoryEntry(record)
    before = try reader.text(before: record.number)
    after = try reader.text(after: record.number)
  }

  /// The edits that put the former values back into a document of today.
  ///
  /// - Throws: ``SettingsError`` `conflict`, `noHistory`, `migrationFailed`.
  func edits(of document: TOMLDocument) throws(SettingsError) -> [Edit] {
    let (old, new) = (try today(before), try today(after))
    for change in record.changes where change.old == .hidden || change.new == .hidden {
      guard isWanted(change.path) else { continue }
      throw notKept(change.path)
    }
    var edits: [Edit] = []
    for path in old.changedPaths(since: new) where isWanted(path) && !path.components[0].hasPrefix("settings-") {
      let (former, now) = (old[path], document[path])
      if former == now { continue }
      guard now == new[path] else { throw conflict(path) }
      // A migration may have moved what stands for a value that is not kept.
      guard former?.holds(KeptText.placeholder) != true else { throw notKept(path) }
      edits.append(Edit(path: path, value: former))
    }
    return edits
  }

  /// The document with the record's change of the text taken back, comments included; `nil` if the text around it has
  /// changed, or if that would do anything else than the edits.
  func text(of document: TOMLDocument, for edits: [Edit]) -> TOMLDocument? {
    guard reader.present.isComplete, record.changes.allSatisfy({ isWanted($0.path) }),
      let back = record.text.reversed.following(
        TextChange(from: after, to: document.bytes, linewise: true), in: after),
      let bytes = back.applied(to: document.bytes), let result = try? TOMLDocument(parsing: bytes)
    else { return nil }
    return EditCheck(edits).fault(in: result, since: document) == nil ? result : nil
  }

  private func isWanted(_ path: TOMLPath) -> Bool { names?.contains { path.isRelated(to: $0) } ?? true }

  /// A former text in today's form.
  private func today(_ bytes: [UInt8]) throws(SettingsError) -> TOMLDocument {
    guard var document = KeptText.document(of: bytes) else {
      throw failure(.noHistory, "the text of that time did not parse")
    }
    guard try core.reader.isOutdated(document) else { return document }
    do throws(SettingsError) {
      try core.reader.migrate(&document, of: core.userLayer)
    } catch {
      throw failure(.migrationFailed, "the text of that time cannot be upgraded to today's form: \(error.message)")
    }
    return document
  }

  private func notKept(_ path: TOMLPath) -> SettingsError {
    failure(
      .noHistory,
      "the value of '\(path)' is not in the history, because it is a secret, or because no program had declared the key"
    )
  }

  private func conflict(_ path: TOMLPath) -> SettingsError {
    var later: SettingsHistoryEntry?
    reader.visit([path]) { entry, _ in
      later = entry
      return false
    }
    let since = later.flatMap { $0.id > entry.id ? " by #\($0.id)" : nil } ?? ""
    return failure(.conflict, "'\(path)' was changed since\(since). Undo that first, or set the value")
  }

  private func failure(_ code: SettingsError.Code, _ reason: String) -> SettingsError {
    SettingsError(
      code, "Cannot undo #\(entry.id) in '\(core.name)': \(reason.withoutFullStop). The file is unchanged.",
      file: core.location?.file)
  }
}
