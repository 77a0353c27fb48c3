import SettingsTOML

// How edits get into a document. They are not checked one by one: the new text is, as a whole, before it is written.
// Tables that come or go together do so in one reading of the text, or many of them would take the square of the time.

extension StoreCore {
  /// Applies the edits of one caller: all of them, or none.
  ///
  /// - Returns: Whether the text changed.
  func apply(_ edits: [Edit], to document: inout TOMLDocument) throws(SettingsError) -> Bool {
    var changed = false
    try apply(edits[...], to: &document) { _ in changed = true }
    return changed
  }

  /// Applies edits that were pending, those of one number all or not at all.
  ///
  /// - Parameters:
  ///   - report: Gets the numbers whose edits changed the text, and those whose edits failed.
  ///   - applied: Gets the edits that were applied.
  ///   - prepare: Called with the edits of each number before they are applied. What it throws is their failure.
  func apply(
    _ pending: [(number: UInt64, edits: [Edit])], to document: inout TOMLDocument, _ report: inout WriteReport,
    _ applied: inout [Edit], prepare: ([Edit]) throws(SettingsError) -> Void
  ) {
    var all: [Edit] = []
    var numbers: [UInt64] = []
    for (number, edits) in pending {
      do throws(SettingsError) {
        try prepare(edits)
        all += edits
        numbers += edits.map { _ in number }
      } catch {
        report.fail(number, edits, error)
      }
    }
    var changed: Set<UInt64> = []
    let isDone: Void? = try? apply(all[...], to: &document) { changed.insert(numbers[$0]) }
    guard isDone == nil else {
      report.changed.formUnion(changed)
      applied += all
      return
    }
    // One of them cannot be applied: which one shows when they are applied one by one.
    for (number, edits) in pending where report.failures[number] == nil {
      do throws(SettingsError) {
        if try apply(edits, to: &document) { report.changed.insert(number) }
        applied += edits
      } catch {
        report.fail(number, edits, error)
      }
    }
  }

  /// - Parameter noteChange: Called with the index of each edit that changed the text.
  private func apply(
    _ edits: ArraySlice<Edit>, to document: inout TOMLDocument, noteChange: (Int) -> Void
  ) throws(SettingsError) {
    var index = edits.startIndex
    do {
      try document.editUnchecked { document in
        while index < edits.endIndex {
          let run = run(of: edits[index...], in: document)
          if run.count > 1, (try? apply(run, to: &document)) != nil {
            for index in run.indices { noteChange(index) }
            index = run.endIndex
            continue
          }
          if try apply(edits[index], to: &document) { noteChange(index) }
          index += 1
        }
      }
    } catch {
      let path = edits[index].path
      let message = (error as? TOMLEditError)?.message ?? "\(error)"
      throw SettingsError(
        .invalidKey, "Cannot set '\(path)' in '\(backing.name)': \(message)", file: location?.file,
        position: document.position(of: path))
    }
  }

  private func apply(_ edit: Edit, to document: inout TOMLDocument) throws(TOMLEditError) -> Bool {
    var changed = false
    if let source = edit.source, document.contains(source), !document.contains(edit.path) {
      changed = try document.move(from: source, to: edit.path)
    }
    guard let value = edit.value else { return try document.remove(at: edit.path) || changed }
    return try document.set(value, at: edit.path) || changed
  }

  /// The edits at the beginning of some that add tables to one table, or remove some from it.
  private func run(of edits: ArraySlice<Edit>, in document: TOMLDocument) -> ArraySlice<Edit> {
    guard let first = edits.first, let kind = kind(of: first, in: document) else { return edits.prefix(1) }
    let parent = first.path.parent
    var keys: Set<ExactKey> = []
    return edits.prefix { edit in
      guard let key = edit.path.last, edit.path.components.count == first.path.components.count,
        edit.path.hasPrefix(parent), self.kind(of: edit, in: document) == kind
      else { return false }
      return keys.insert(ExactKey(key)).inserted
    }
  }

  private enum Kind { case addition, removal }

  private func kind(of edit: Edit, in document: TOMLDocument) -> Kind? {
    guard edit.source == nil else { return nil }
    switch edit.value {
    case .table(let table)? where !table.isEmpty && !document.contains(edit.path): return .addition
    case nil where document.isTable(at: edit.path): return .removal
    default: return nil
    }
  }

  private func apply(_ run: ArraySlice<Edit>, to document: inout TOMLDocument) throws {
    guard let parent = run.first?.path.parent else { return }
    if run.first?.value == nil {
      try document.removeTables(at: run.map(\.path))
    } else {
      let tables = run.compactMap { edit in edit.path.last.flatMap { key in edit.value?.table.map { (key, $0) } } }
      try document.appendTables(tables.map { (key: $0.0, table: $0.1) }, under: parent)
    }
  }
}
