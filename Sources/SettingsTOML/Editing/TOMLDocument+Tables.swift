/// Edits many tables with one parse of the text. One by one, the work would grow with the square of their number.
extension TOMLDocument {
  /// Makes several edits, all or none, and leaves the check to the caller, who parses the text before using it.
  package mutating func editUnchecked<R>(_ body: (inout TOMLDocument) throws -> R) throws -> R {
    var draft = self
    draft.recorded = []
    let result = try body(&draft)
    draft.recorded = recorded
    self = draft
    return result
  }

  /// Adds tables below a path, in order, each with a header where possible.
  ///
  /// - Parameter tables: Keys that the table at the path does not have yet, each once.
  /// - Throws: ``TOMLEditError``. The document is unchanged.
  package mutating func appendTables(
    _ tables: [(key: String, table: TOMLTable)], under path: TOMLPath
  ) throws(TOMLEditError) {
    guard !tables.isEmpty else { return }
    for (key, table) in tables {
      try TOMLDocument.checkDepth(of: .table(table), at: path.appending(key))
      try TOMLDocument.checkDates(in: .table(table), at: path.appending(key))
    }
    let (parent, rest) = try nearestTable(to: Location(path))
    let kind = tree[parent].kind
    if kind == .inline || kind == .dotted || inlineTable(around: parent) != nil || (rest.isEmpty && isBody(parent)) {
      var draft = self
      for (key, table) in tables { _ = try draft.setUnchecked(.table(table), at: Location(path.appending(key))) }
      self = draft
    } else {
      let writer = SectionWriter(prefix: headerPrefix(of: parent), lineBreak: lines.lineBreak(at: bytes.count))
      let sections = tables.flatMap { writer.sections(.table($0.table), at: rest + [$0.key]) }
      try insertSections(sections, under: parent)
    }
    recorded? += tables.map { .set(path.appending($0.key), .table($0.table)) }
  }

  /// Removes values and tables, with their comments, as ``remove(at:)`` does.
  ///
  /// - Throws: ``TOMLEditError``. The document is unchanged.
  package mutating func removeAll(at paths: [TOMLPath]) throws(TOMLEditError) {
    var draft = self
    var ids: [DocumentIndex.ID] = []
    var others: [TOMLPath] = []
    // A few lines are removed in place.
    let areMany = paths.count > TOMLDocument.fewPaths
    for path in paths {
      guard let id = find(path) else { continue }
      if isBody(id) && !areMany || inlineTable(around: id) != nil { others.append(path) } else { ids.append(id) }
    }
    try draft.removeLines(of: ids)
    for path in others { _ = try draft.removeUnchecked(at: Location(path)) }
    self = draft
    recorded? += paths.map { .remove($0) }
  }
}
