/// One member of a table of tables, or of an array of tables.
package enum TOMLMember: Sendable, Hashable {
  case key(String)
  case index(Int)
}

/// Edits many members of one table or array, each as a small text of its own. In the whole text, which is parsed again
/// for most edits, the work would grow with the square of their number.
extension TOMLDocument {
  /// Whether the array at a path is made of tables with headers, `[[servers]]`.
  package func isArrayOfTables(at path: TOMLPath) -> Bool {
    find(path).map { tree[$0].kind == .arrayOfTables } ?? false
  }

  /// Edits the tables in a table, or the elements of an array of tables, and changes only the bytes of these edits.
  ///
  /// - Parameters:
  ///   - path: The table or the array.
  ///   - isEdited: Which of its members to edit.
  ///   - body: Gets a member, and a document with that member's own text, at the same path; an element is the only one
  ///     there, with number 0. It may change values at and below the member. If it throws, nothing changes.
  /// - Returns: The members whose text is not in one piece: `body` was not called for them, or their edits were
  ///   dropped. Members that are not tables are not included.
  /// - Throws: What `body` throws.
  package mutating func editMembers(
    of path: TOMLPath, where isEdited: (TOMLMember) -> Bool = { _ in true },
    _ body: (TOMLMember, inout TOMLDocument) throws -> Void
  ) throws -> [TOMLMember] {
    try editMembers(at: Location(path), where: isEdited, as: { .set(path, $0) }, body)
  }

  /// - Parameters:
  ///   - location: The table or the array; in the documents of its members, its path is that of the keys.
  ///   - change: What it means for the whole document that a value is set at the location.
  mutating func editMembers(
    at location: Location, where isEdited: (TOMLMember) -> Bool = { _ in true },
    as change: (TOMLValue) throws -> Change, _ body: (TOMLMember, inout TOMLDocument) throws -> Void
  ) throws -> [TOMLMember] {
    guard let parent = find(location) else { return [] }
    let path = location.path
    let members = members(of: parent).filter { isEdited($0.member) }
    guard !members.isEmpty else { return [] }
    let pieces = pieces(of: members.map(\.id), under: parent)
    // Changed in place: a value held twice would be copied at each change.
    var expected = Expected(value(of: parent))
    var splices: [Splice] = []
    var left: [TOMLMember] = []
    for (member, id) in members {
      guard let piece = pieces[id], let part = part(piece) else {
        left.append(member)
        continue
      }
      var edited = part
      try body(member, &edited)
      guard edited.bytes != part.bytes else { continue }
      guard let text = text(of: edited, for: piece), expected.take(member, from: edited[path]) else {
        left.append(member)
        continue
      }
      splices.append(Splice(piece.range, text))
    }
    guard !splices.isEmpty else { return left }
    let value = expected.value
    let isDone: Bool? = try? checked(change(value)) { draft throws(TOMLEditError) in
      try draft.commit(splices)
      guard let id = draft.find(location), draft.value(of: id) == value else {
        throw .inconsistent("'\(path)' did not get its values")
      }
      return true
    }
    return isDone == true ? left : members.map(\.member)
  }

  /// Makes an array of tables hold some of its elements, changed or not, followed by new ones, parsing the text once
  /// per kind of change. Other elements are removed with their comments; the comments of those kept stay with them.
  ///
  /// - Parameter elements: The tables, each with its element's present number; `nil` for a new one.
  /// - Returns: `false`, with nothing changed, if that is not possible: there is no array of tables with headers at the
  ///   path, the elements are in another order, or one of them shares lines with something else.
  /// - Throws: ``TOMLEditError``. The document is unchanged.
  package mutating func setElements(_ elements: [(table: TOMLTable, origin: Int?)], at path: TOMLPath) throws -> Bool {
    let kept = elements.prefix { $0.origin != nil }.compactMap(\.origin)
    guard !elements.isEmpty, let array = find(path), tree[array].kind == .arrayOfTables,
      elements.dropFirst(kept.count).allSatisfy({ $0.origin == nil }), zip(kept, kept.dropFirst()).allSatisfy(<),
      !elements.contains(where: { TOMLValue.table($0.table).unrepresentableKind != nil })
    else { return false }
    let old = Array(tree.children(of: array))
    guard kept.allSatisfy(old.indices.contains) else { return false }
    var changed: [Int: TOMLTable] = [:]
    for (index, element) in zip(kept, elements) where value(of: old[index]) != .table(element.table) {
      changed[index] = element.table
    }
    let members = Set(changed.keys.map(TOMLMember.index))
    var draft = self
    let left = try draft.editMembers(of: path, where: members.contains) { member, part in
      guard case .index(let index) = member, let table = changed[index] else { return }
      _ = try part.setUnchecked(.table(table), at: Location(path).appending(index: 0))
    }
    guard left.isEmpty else { return false }
    // The new ones first: an empty array has no place.
    if kept.count < elements.count, let array = draft.find(path), let last = draft.element(old.count - 1, of: array) {
      let writer = SectionWriter(
        prefix: draft.headerPrefix(of: last), lineBreak: draft.lines.lineBreak(at: draft.bytes.count))
      let sections = elements.dropFirst(kept.count).flatMap {
        writer.section($0.table, names: writer.prefix, isElement: true)
      }
      try draft.insertSections(sections, under: last)
    }
    if kept.count < old.count, let array = draft.find(path) {
      let isKept = Set(kept)
      let present = Array(draft.tree.children(of: array))
      try draft.removeLines(of: old.indices.filter { !isKept.contains($0) }.map { present[$0] })
    }
    draft.recorded? += [.set(path, .array(elements.map { .table($0.table) }))]
    self = draft
    return true
  }

  private func members(of parent: DocumentIndex.ID) -> [(member: TOMLMember, id: DocumentIndex.ID)] {
    if tree[parent].kind == .arrayOfTables {
      return tree.children(of: parent).enumerated().map { (.index($0.offset), $0.element) }
    }
    guard tree[parent].kind.isTable else { return [] }
    return withBase { base in
      tree.children(of: parent).filter { tree[$0].kind.isTable }
        .map { (.key(KeyText.string(tree[$0], in: base)), $0) }
    }
  }

  // MARK: Texts

  /// The text that a member has for itself.
  private struct Piece {
    var range: Range<Int>
    /// The header that a text of key lines needs above it; `nil` if the text has its own.
    var header: [UInt8]?
  }

  /// A document of one member's text.
  private func part(_ piece: Piece) -> TOMLDocument? {
    var part = try? TOMLDocument(parsing: (piece.header ?? []) + bytes[piece.range])
    part?.usualLineBreak = lines.lineBreak(at: piece.range.lowerBound)
    part?.isFromTop = isTop(piece.range.lowerBound)
    // The result of all of them is compared with the whole.
    part?.recorded = []
    return part
  }

  /// The text that replaces a member's; `nil` if it would mean something else there.
  private func text(of edited: TOMLDocument, for piece: Piece) -> [UInt8]? {
    var text = edited.bytes[...]
    if let header = piece.header {
      // A new header would take the key lines below it along.
      let headers = edited.tree.nodes.reduce(0) { $0 + ($1.kind == .header || $1.kind == .element ? 1 : 0) }
      guard text.starts(with: header), headers == (header.isEmpty ? 0 : 1) else { return nil }
      text = text.dropFirst(header.count)
    }
    let needsBreak = piece.range.upperBound < bytes.count && text.last.map { $0 != Byte.newline } == true
    return Array(text) + (needsBreak ? lines.lineBreak(at: piece.range.lowerBound) : [])
  }

  /// The texts of those members whose text is in one piece.
  private func pieces(of members: [DocumentIndex.ID], under parent: DocumentIndex.ID) -> [DocumentIndex.ID: Piece] {
    let ends = valueEnds
    let wanted = Set(members)
    var pieces: [DocumentIndex.ID: Piece] = [:]
    let headers = headers(under: DocumentIndex.root)
    let owners = headers.map { owner(of: $0, below: parent, among: wanted) }
    appendPieces(starts: headers.map { Int(tree[$0].start) }, end: bytes.count, owners, ends, to: &pieces) { $0 }

    // Key lines of the table that holds them, if it has a name of its own.
    let body = bodyTable(of: parent)
    guard tree[body].kind == .root || tree[body].kind == .header,
      members.contains(where: { isBody($0) && pieces[$0] == nil })
    else { return pieces }
    let lineBreak = lines.lineBreak(at: Int(tree[body].end))
    let header =
      body == DocumentIndex.root ? [] : Array("[\(headerPrefix(of: body).joined(separator: "."))]".utf8) + lineBreak
    let leaves = bodyLeaves(under: body)
    guard let last = leaves.last else { return pieces }
    let withHeaders = Set(owners.compactMap { $0 })
    let lineOwners = leaves.map { leaf in
      owner(of: leaf, below: parent, among: wanted).flatMap { withHeaders.contains($0) ? nil : $0 }
    }
    appendPieces(
      starts: leaves.map { Int(tree[$0].keyStart) }, end: lines.end(of: Int(tree[last].end)), lineOwners, ends,
      to: &pieces
    ) { Piece(range: $0.range, header: header) }
    return pieces
  }

  /// Adds a piece for each owner whose statements follow each other.
  ///
  /// - Parameters:
  /// - starts: Offsets in the first lines of some statements, ascending; each statement ends where the next begins.
  /// - end: Where the last one ends.
  /// - owners: The member of each statement.
  private func appendPieces(
    starts: [Int], end: Int, _ owners: [DocumentIndex.ID?], _ ends: [Int], to pieces: inout [DocumentIndex.ID: Piece],
    _ make: (Piece) -> Piece
  ) {
    let lines = lines
    let starts = starts.map { offset in
      let line = lines.start(of: offset)
      return lines.commentStart(above: line, after: ends.last(upTo: line))
    }
    var broken: Set<DocumentIndex.ID> = []
    var index = 0
    while index < owners.count {
      var next = index + 1
      while next < owners.count, owners[next] == owners[index] { next += 1 }
      if let owner = owners[index] {
        let range = starts[index]..<(next < starts.count ? starts[next] : end)
        if pieces.updateValue(make(Piece(range: range)), forKey: owner) != nil { broken.insert(owner) }
      }
      index = next
    }
    for owner in broken { pieces[owner] = nil }
  }

  /// The member of a table or array that a node is in, or is itself.
  private func owner(of id: DocumentIndex.ID, below parent: DocumentIndex.ID, among members: Set<DocumentIndex.ID>)
    -> DocumentIndex.ID?
  {
    var at = id
    while at != DocumentIndex.root {
      if tree[at].parent == parent { return members.contains(at) ? at : nil }
      at = tree[at].parent
    }
    return nil
  }

  /// The table whose body holds the key lines of a table's members.
  private func bodyTable(of id: DocumentIndex.ID) -> DocumentIndex.ID {
    var at = id
    while tree[at].kind == .dotted { at = tree[at].parent }
    return at
  }
}

/// What a table or an array has to hold in the end.
private struct Expected {
  private var table: TOMLTable?
  private var items: [TOMLValue] = []

  init(_ value: TOMLValue) {
    if case .array(let items) = value { self.items = items } else { table = value.table ?? TOMLTable() }
  }

  var value: TOMLValue { table.map { .table($0) } ?? .array(items) }

  /// Takes over the value that an edited part has for a member.
  ///
  /// - Returns: Whether the part holds nothing else.
  mutating func take(_ member: TOMLMember, from part: TOMLValue?) -> Bool {
    switch (member, part) {
    case (.key(let key), .table(let edited)?):
      guard edited.keys.allSatisfy({ $0.hasSameCodeUnits(as: key) }) else { return false }
      table?[key] = edited[key]
    case (.key(let key), nil): table?[key] = nil
    case (.index(let index), .array(let edited)?):
      guard edited.count == 1, items.indices.contains(index) else { return false }
      items[index] = edited[0]
    default: return false
    }
    return true
  }
}
