import SettingsTOML

// Applies edits to a document. They are not checked one by one: the whole new text is checked before it is written.
// Tables added or removed together need one parse; one by one, many of them would take quadratic time.

extension StoreCore {
  /// Applies the edits of one caller: all of them, or none.
  ///
  /// - Returns: Whether the text changed.
  /// - Throws: ``SettingsError`` `invalidKey` if an edit does not fit the document. The document is unchanged.
  func apply(_ edits: [Edit], to document: inout TOMLDocument) throws(SettingsError) -> Bool {
    var changed = false
    try apply(edits[...], to: &document) { _ in changed = true }
    return changed
  }

  /// Applies pending edits, those of one number all or not at all.
  ///
  /// - Parameters:
  ///   - report: Collects the numbers whose edits changed the text, and those whose edits failed.
  ///   - applied: Collects the applied edits.
  ///   - prepare: Runs with the edits of each number before they are applied. If it throws, they have failed.
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
    // One of them cannot be applied: applying them one by one shows which.
    for (number, edits) in pending where report.failures[number] == nil {
      do throws(SettingsError) {
        if try apply(edits, to: &document) { report.changed.insert(number) }
        applied += edits
      } catch {
        report.fail(number, edits, error)
      }
    }
  }

  /// - Parameter noteChange: Runs with the index of each edit that changed the text.
  private func apply(
    _ edits: ArraySlice<Edit>, to document: inout TOMLDocument, noteChange: (Int) -> Void
  ) throws(SettingsError) {
    let edits = movingFormer(edits, in: document)
    var index = edits.startIndex
    // What was not there leaves no table empty.
    var removals: [Edit] = []
    func note(_ index: Int) {
      noteChange(index)
      if edits[index].value == nil || edits[index].source != nil { removals.append(edits[index]) }
    }
    do {
      try document.editUnchecked { document in
        while index < edits.endIndex {
          let run = run(of: edits[index...], in: document)
          if run.count > 1, let changed = try? applyTogether(run, to: &document) {
            changed.forEach(note)
            index = run.endIndex
            continue
          }
          for _ in run {
            if try apply(edits[index], to: &document) { note(index) }
            index += 1
          }
        }
        try remove(emptiedBy: removals, among: edits, in: &document)
      }
    } catch {
      let path = edits[Swift.min(index, edits.endIndex - 1)].path
      let message = (error as? TOMLEditError)?.reason ?? "\(error)"
      throw SettingsError(
        .invalidKey, "Cannot set '\(path)' in '\(backing.name)': \(message)", file: location?.file,
        position: document.position(of: path))
    }
  }

  /// The edits, of which one that sets the value of a key takes it from a former name, with its comments, before that
  /// name is removed.
  private func movingFormer(_ edits: ArraySlice<Edit>, in document: TOMLDocument) -> ArraySlice<Edit> {
    var result = edits
    for (index, edit) in zip(edits.indices, edits) {
      guard let key = edit.key, key.paths.count > 1, edit.path == key.path, edit.value != nil, edit.source == nil,
        !document.contains(key.path),
        let former = key.paths.first(where: { !$0.isRelated(to: key.path) && document.contains($0) }),
        let removal = edits.firstIndex(where: { $0.path == former && $0.value == nil && $0.key?.path == key.path })
      else { continue }
      result[index].source = former
      if removal < index { result.swapAt(removal, index) }
    }
    return result
  }

  /// Applies one edit. If it has a source, the text is first moved from there to its new path.
  private func apply(_ edit: Edit, to document: inout TOMLDocument) throws(TOMLEditError) -> Bool {
    var changed = false
    if let source = edit.source, document.contains(source), !document.contains(edit.path) {
      changed = try document.move(from: source, to: edit.path)
    }
    guard let value = edit.value else { return try document.remove(at: edit.path) || changed }
    if let text = edit.text { return try document.set(value, writtenAs: text, at: edit.path) || changed }
    return try document.set(value, at: edit.path) || changed
  }

  /// Removes the tables that removals have left empty, with the exception of those of a key's own value: there, an
  /// empty table is not the same as none.
  private func remove(
    emptiedBy removals: [Edit], among edits: ArraySlice<Edit>, in document: inout TOMLDocument
  ) throws(TOMLEditError) {
    guard removals.contains(where: { ($0.source ?? $0.path).components.count > 1 }) else { return }
    // The tables of these paths have values of their own.
    let valued = Set(declarations.keys.flatMap(\.paths) + edits.filter { $0.value != nil }.map(\.path))
    for keepsTables in [false, true] {
      let paths = removals.filter { $0.keepsTables == keepsTables }.map { edit in
        let path = edit.source ?? edit.path
        let ofKey = edit.key?.paths.first { path.hasPrefix($0) } ?? path
        return path.prefixes.first { valued.contains($0) || $0 == ofKey } ?? path
      }
      try document.removeEmptied(above: paths, keepingWritten: keepsTables)
    }
  }

  /// The first edits of a list that can be made together: those that add tables to one table, or remove or set values of
  /// any tables.
  private func run(of edits: ArraySlice<Edit>, in document: TOMLDocument) -> ArraySlice<Edit> {
    guard edits.count > 1, let first = edits.first, let kind = kind(of: first, in: document) else {
      return edits.prefix(1)
    }
    if kind != .addition {
      var paths: Set<TOMLPath> = []
      return edits.prefix { self.kind(of: $0, in: document) == kind && paths.insert($0.path).inserted }
    }
    let parent = first.path.parent
    var keys: Set<ExactKey> = []
    return edits.prefix { edit in
      guard let key = edit.path.last, edit.path.components.count == first.path.components.count,
        edit.path.hasPrefix(parent), self.kind(of: edit, in: document) == kind
      else { return false }
      return keys.insert(ExactKey(key)).inserted
    }
  }

  /// What edits that can be made together have in common: they add tables, remove something, or set single values.
  private enum Kind { case addition, removal, value }

  /// What an edit does; `nil` if it must be made by itself.
  private func kind(of edit: Edit, in document: TOMLDocument) -> Kind? {
    guard edit.source == nil, edit.text == nil else { return nil }
    switch edit.value {
    case .table(let table)?: return !table.isEmpty && !document.contains(edit.path) ? .addition : nil
    case nil: return document.contains(edit.path) ? .removal : nil
    default: return document.isTable(at: edit.path) ? nil : .value
    }
  }

  /// The number of values up to which they are set one by one: an edit moves all that follows, and parsing the whole
  /// text costs as much as so many edits.
  private static let fewValues = 2_000

  /// - Returns: The indices of the edits that changed the text; `nil` if they cannot be made together.
  private func applyTogether(_ run: ArraySlice<Edit>, to document: inout TOMLDocument) throws -> [Int]? {
    guard let first = run.first, let kind = kind(of: first, in: document) else { return nil }
    switch kind {
    case .removal: try document.removeAll(at: run.map(\.path))
    case .addition:
      let tables = run.compactMap { edit in edit.path.last.flatMap { key in edit.value?.table.map { (key, $0) } } }
      try document.appendTables(tables.map { (key: $0.0, table: $0.1) }, under: first.path.parent)
    case .value:
      guard run.count > Self.fewValues else { return nil }
      var values = document.root
      let changed = run.indices.filter { values[path: run[$0].path] != run[$0].value }
      for index in changed { values.apply(run[index]) }
      try document.rewrite(to: values, at: changed.map { run[$0].path })
      return changed
    }
    return Array(run.indices)
  }
}
