import SettingsTOML

/// Undoing and redoing: writes that put earlier values back.
extension StoreCore {
  /// Undoes or redoes a change.
  ///
  /// - Parameters:
  ///   - what: What to take back.
  ///   - check: Throws if what is to be put back is not wanted.
  /// - Throws: ``SettingsError`` `noHistory`, `conflict`, `migrationFailed`, `invalidValue` or `locked`, with the file
  ///   unchanged; otherwise as ``commit(_:knowing:because:checking:within:)``.
  func undo(_ what: HistoryTarget, check: ((UndoPlan) throws -> Void)?) throws -> UndoPlan {
    guard let history else { throw noHistory }
    try flush()
    var done: UndoPlan?
    try rewrite(because: { done?.cause }) { document in
      let plan = try planUndo(what, history, document, check)
      done = plan
      document = plan.result
      return plan.edits
    }
    // The write has recorded what others had changed.
    done!.entry.isUnrecorded = false
    return done!
  }

  /// Returns what ``undo(_:check:)`` would do, and writes nothing.
  ///
  /// - Parameter reached: Gets each change that is reached, the last of which is taken back or cannot be.
  func previewUndo(
    _ what: HistoryTarget, reaching reached: (SettingsHistoryEntry) -> Void, check: ((UndoPlan) throws -> Void)?
  ) throws -> UndoPlan {
    guard let history else { throw noHistory }
    load()
    return try planUndo(what, history, documentToWrite(of: readText()), check, reaching: reached)
  }

  /// Finds the change that is to be taken back, and what that makes of a document.
  private func planUndo(
    _ what: HistoryTarget, _ history: HistoryKeeper, _ document: TOMLDocument, _ check: ((UndoPlan) throws -> Void)?,
    reaching reached: (SettingsHistoryEntry) -> Void = { _ in }
  ) throws -> UndoPlan {
    // What others have changed becomes an entry first.
    let (reader, contents) = try readHistory(history)
    func plan(_ entry: SettingsHistoryEntry, _ record: HistoryRecord) throws -> UndoPlan {
      try planUndo(Undo(record, entry, what, in: reader, of: self), in: document, contents.bytes, check)
    }
    if case .entry(let number) = what {
      let record = try reader.record(number)
      return try plan(SettingsHistoryEntry(record), record)
    }
    var found: UndoPlan?
    try reader.visit(what.names) { entry, record in
      switch what.step(at: entry) {
      case .pass: return true
      case .end: return false
      case .take:
        reached(entry)
        let next = try plan(entry, record)
        // What has no effect today is passed over: nobody could step behind it. But a lock is in effect, and stays.
        let ends = next.hasChanged || next.ownKey.map { $0 != SettingsFormat.versionPath } == true
        if ends || found == nil { found = next }
        return !ends
      }
    }
    guard let found else { throw nothing(for: what, in: reader) }
    return found
  }

  private func planUndo(
    _ undo: Undo, in document: TOMLDocument, _ bytes: [UInt8]?, _ check: ((UndoPlan) throws -> Void)?
  ) throws -> UndoPlan {
    let edits = try undo.edits(of: document)
    let view = state.withLock { state -> SettingsSnapshot in
      var view = state.snapshot
      view.userDocument = document
      return view
    }
    var plan = UndoPlan(
      entry: undo.entry, cause: undo.cause, edits: try view.permitted(edits), view: view, bytes: bytes, result: document
    )
    let kept = undo.keptForm(of: document)
    if let result = undo.returning.document(for: plan.edits, to: document, keptAs: kept, with: self) {
      plan.result = result
    } else {
      let tables = undo.addedTables(keptAs: kept).map { Edit(path: $0, value: nil) }
      _ = try apply(plan.edits + tables, to: &plan.result)
    }
    plan.hasChanged = !plan.result.bytes.isSameText(as: document.bytes)
    try check?(plan)
    try checkDeclared(plan)
    return plan
  }

  /// The error if there is no entry to take back.
  private func nothing(for target: HistoryTarget, in reader: HistoryReader) -> SettingsError {
    var hasEntries = false
    reader.visit(target.names) { _, _ in
      hasEntries = true
      return false
    }
    let what = target.names.map { " of '\($0[0])'" } ?? ""
    let message =
      if !hasEntries {
        "No change\(what) is in the history of '\(name)'."
      } else if target.isRedo {
        "Nothing to redo: the last change\(what) in '\(name)' is not an undo."
      } else {
        "Nothing to undo: each change\(what) in the history of '\(name)' is undone."
      }
    return SettingsError(.noHistory, message, file: location?.file)
  }

  /// Throws if a key that this process has declared refuses its value after some edits.
  private func checkDeclared(_ plan: UndoPlan) throws(SettingsError) {
    for key in declarations.keys {
      let paths = plan.edits.map(\.path).filter { $0.isRelated(to: key.path) }
      guard !paths.isEmpty, let value = plan.result[key.path] else { continue }
      do throws(SettingsValueError) {
        try key.check(value)
      } catch {
        // What is wrong already, beside the parts that are put back, is not judged.
        let isWrong = plan.view.userDocument[key.path].map { !key.canRead($0) } == true
        if isWrong, paths.allSatisfy({ $0 != key.path && $0.hasPrefix(key.path) }) { continue }
        let error = key.isSecret ? error.redacted : error
        throw SettingsError(
          .invalidValue,
          "Cannot \(plan.verb) the change of '\(key.path)' in '\(backing.name)': the earlier value is not valid today: "
            + "\("\(error)".withoutFullStop). The file is unchanged.", file: location?.file)
      }
    }
  }
}

/// What to take back.
package enum HistoryTarget: Sendable {
  /// The last change that is not undone.
  case last
  /// The last change of a value that is not undone, by its names.
  case value([TOMLPath])
  /// The last undo, if nothing else was changed since: of everything, or of a value by its names.
  case redo([TOMLPath]?)
  /// The entry with a number.
  case entry(Int)

  /// The names of the value that it is about; `nil` for all.
  var names: [TOMLPath]? {
    switch self {
    case .last, .entry: nil
    case .value(let names): names
    case .redo(let names): names
    }
  }

  var isRedo: Bool { if case .redo = self { true } else { false } }

  fileprivate enum Step { case pass, take, end }

  /// What to do with the next entry, from the newest on: which ones are passed over is as in an editor.
  fileprivate func step(at entry: SettingsHistoryEntry) -> Step {
    let isReversal = entry.reason == .undo || entry.reason == .redo
    if isRedo {
      if !isReversal { return .end }
      return entry.reason == .undo && !entry.isUndone ? .take : .pass
    }
    // Of a text that does not parse, there is nothing: the next one that does has the difference.
    return isReversal || entry.isUndone || entry.isUnparsed ? .pass : .take
  }
}

/// What an undo or a redo puts back.
package struct UndoPlan: Sendable {
  /// The entry that is taken back.
  package fileprivate(set) var entry: SettingsHistoryEntry
  let cause: HistoryCause
  /// The earlier values.
  package let edits: [Edit]
  /// The layers before it.
  package let view: SettingsSnapshot
  /// The file's content before it; `nil` for no file.
  package let bytes: [UInt8]?
  /// The document after it.
  package fileprivate(set) var result: TOMLDocument
  /// Whether it changes the file: its values, or only comments or the order.
  package fileprivate(set) var hasChanged = false

  /// A key of the format that the entry changed, which stays as it is.
  package var ownKey: TOMLPath? {
    let keys = entry.changes.map(\.path).filter { $0.isReserved }
    return keys.first { $0 != SettingsFormat.versionPath } ?? keys.first
  }

  /// `undo` or `redo`.
  package var verb: String { cause.reason.rawValue }
}
