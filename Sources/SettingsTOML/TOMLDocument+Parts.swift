/// Edits of many tables that stand apart: each is made in a small document of the table's own lines, and all of them
/// are put into the text at once. Made one by one in the whole document, each would move all that follows.
extension TOMLDocument {
  /// Edits tables with headers, all with one reading of the text.
  ///
  /// - Parameters:
  ///   - paths: The tables, each once, none within another.
  ///   - body: Edits one of them, whose index in `paths` it gets, in the document that it is given: one of its lines
  ///     alone, or all of this where they do not stand by themselves. It has the table under the same path, and leaves
  ///     all else alone.
  /// - Throws: What `body` throws, or ``TOMLEditError``. The document is unchanged.
  package mutating func editTables(
    at paths: [TOMLPath], _ body: (inout TOMLDocument, Int) throws -> Void
  ) throws {
    var draft = self
    var others: [Int] = []
    var splices: [Splice] = []
    for (index, path) in paths.enumerated() {
      guard let id = find(path), let range = ownLines(of: id) else {
        others.append(index)
        continue
      }
      if let splice = try edited(range, { try body(&$0, index) }) { splices.append(splice) }
    }
    if !splices.isEmpty { try draft.commit(splices) }
    for index in others { try body(&draft, index) }
    let changes = paths.compactMap { path in draft[path].map { Change.set(path, $0) } }
    draft.recorded?.append(contentsOf: changes)
    self = draft
  }

  /// Makes an array of tables hold others in their place and more after them, with one reading of the text.
  ///
  /// - Returns: `false`, with nothing changed, where that cannot be: there is no array of tables with headers at the
  ///   path, it has more elements, or the lines of one of them do not stand by themselves.
  /// - Throws: ``TOMLEditError``. The document is unchanged.
  package mutating func setElements(_ tables: [TOMLTable], at path: TOMLPath) throws -> Bool {
    guard let array = find(path), tree[array].kind == .arrayOfTables,
      !tables.contains(where: { TOMLValue.table($0).unrepresentableKind != nil })
    else { return false }
    var splices: [Splice] = []
    var count = 0
    var last: Tree.ID?
    for element in tree.children(of: array) {
      guard count < tables.count else { return false }
      let table = tables[count]
      count += 1
      last = element
      guard value(of: element) != .table(table) else { continue }
      guard let range = ownLines(of: element) else { return false }
      let splice = try edited(range) { part in
        _ = try part.setUnchecked(.table(table), at: Location(path).appending(index: 0))
      }
      if let splice { splices.append(splice) }
    }
    var draft = self
    if !splices.isEmpty {
      try draft.commit(splices)
      // The text was read anew.
      last = draft.find(path).flatMap { id in draft.tree.children(of: id).reduce(nil) { $1 } }
    }
    if count < tables.count, let last {
      let writer = SectionWriter(
        prefix: draft.headerPrefix(of: last), lineBreak: draft.lines.lineBreak(at: draft.bytes.count))
      let sections = tables[count...].flatMap { writer.section($0, names: writer.prefix, isElement: true) }
      try draft.insertSections(sections, under: last)
    }
    draft.recorded? += [.set(path, .array(tables.map { .table($0) }))]
    self = draft
    return true
  }

  /// What becomes of some lines by an edit of a document that they are all of.
  private func edited(_ range: Range<Int>, _ edit: (inout TOMLDocument) throws -> Void) throws -> Splice? {
    let old = Array(bytes[range])
    var part: TOMLDocument
    do {
      part = try TOMLDocument(parsing: old)
    } catch {
      throw TOMLEditError.inconsistent("the lines of a table are none by themselves")
    }
    // The whole is read again by who asked for all this.
    part.recorded = []
    try edit(&part)
    return part.bytes == old ? nil : Splice(range, part.bytes)
  }

  /// The lines of a table with a header and of the tables below it, if there is nothing else among them. Comments above
  /// the header are not part of it.
  private func ownLines(of id: Tree.ID) -> Range<Int>? {
    guard tree[id].kind == .header || tree[id].kind == .element, lastBodyLeaf(under: id) != nil else { return nil }
    let headers = headers(under: id)
    guard headers.first == id else { return nil }
    let lines = lines
    var range = section(of: id)
    for header in headers.dropFirst() {
      let next = section(of: header)
      guard next.lowerBound >= range.upperBound, lines.isTrivia(range.upperBound..<next.lowerBound) else { return nil }
      range = range.lowerBound..<next.upperBound
    }
    return range
  }
}
