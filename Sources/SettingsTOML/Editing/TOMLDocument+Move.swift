extension TOMLDocument {
  mutating func moveUnchecked(from source: Location, to destination: Location) throws(TOMLEditError) -> Bool {
    guard let id = find(source) else { return false }
    let (target, rest) = try nearestTable(to: destination)
    let isRename = rest.count == 1 && target == tree[id].parent
    if isRename {
      try rename(id, to: rest[0])
      return true
    }
    if !isBody(id), takesHeaders(target) {
      // Headers name their whole path, so the tables can stay where they are in the file.
      var draft = self
      let names = headerPrefix(of: target) + TOMLEmitter.keyTexts(rest, like: [keyBytes(id)])
      let isDone: Void? = try? draft.renameHeaders(of: id, to: names)
      if isDone != nil, draft.find(source) == nil {
        self = draft
        return true
      }
    }
    var draft = self
    for (keys, insertion) in transferred(id) {
      let (table, rest) = try draft.nearestTable(to: destination.appending(keys))
      guard !rest.isEmpty else { throw .inconsistent("two values came to the same place") }
      try draft.insertLine(insertion, under: table, rest)
    }
    _ = try draft.removeUnchecked(at: source)
    self = draft
    return true
  }

  /// Whether a move only changes a value's key within the same table.
  func isRename(of id: DocumentIndex.ID, at source: TOMLPath, to destination: TOMLPath) -> Bool {
    !tree[id].kind.isTable && tree[id].kind != .arrayOfTables
      && source.components.dropLast().elementsEqual(
        destination.components.dropLast(), by: { $0.hasSameCodeUnits(as: $1) })
  }

  private func takesHeaders(_ table: DocumentIndex.ID) -> Bool {
    switch tree[table].kind {
    case .root, .header, .implicit, .element: inlineTable(around: table) == nil
    default: false
    }
  }

  // MARK: Renaming

  /// Changes one key wherever it is named.
  private mutating func rename(_ id: DocumentIndex.ID, to key: String) throws(TOMLEditError) {
    var splices: [Splice] = []
    // Each in the quotes that it has there.
    func replace(_ range: Range<Int>) {
      splices.append(Splice(range, TOMLEmitter.keyText(key, like: bytes[range]).utf8))
    }
    switch tree[id].kind {
    case .dotted:
      for leaf in bodyLeaves(under: id) { replace(dottedKey(of: id, in: leaf)) }
    case .header, .implicit, .arrayOfTables: break
    case .inline: replace(Int(tree[id].keyStart)..<Int(tree[id].keyEnd))
    default: return try commitRename(of: id, Array(TOMLEmitter.keyText(key, like: keyBytes(id)).utf8))
    }
    let depth = keyedChain(of: id).count
    for header in headers(under: id) { replace(headerPieces(of: header)[depth - 1]) }
    try commit(splices)
  }

  /// Changes the first names in all headers at and below a node.
  private mutating func renameHeaders(of id: DocumentIndex.ID, to names: [String]) throws(TOMLEditError) {
    let depth = keyedChain(of: id).count
    try commit(
      headers(under: id).map { header in
        let pieces = headerPieces(of: header)
        let range = pieces[0].lowerBound..<pieces[depth - 1].upperBound
        return Splice(range, names.joined(separator: ".").utf8)
      })
  }

  /// Where a line names a table of dotted keys.
  func dottedKey(of table: DocumentIndex.ID, in leaf: DocumentIndex.ID) -> Range<Int> {
    keyPieces(at: statementStart(of: leaf))[dottedChain(to: tree[table].parent).count]
  }

  /// Where a value's key line or inline member begins.
  private func statementStart(of leaf: DocumentIndex.ID) -> Int {
    guard let inline = inlineTable(around: leaf) else {
      return lines.firstNonBlank(from: lines.start(of: Int(tree[leaf].keyStart)))
    }
    let list = InlineItems(bytes, open: Int(tree[inline].start))
    return list?.items.first { $0.upperBound == Int(tree[leaf].end) }?.lowerBound ?? Int(tree[leaf].keyStart)
  }

  func headerPieces(of id: DocumentIndex.ID) -> [Range<Int>] {
    var at = Int(tree[id].start)
    while bytes[at] == Byte.openBracket || Byte.isBlank(bytes[at]) { at += 1 }
    return keyPieces(at: at)
  }

  /// The parts of a dotted key that begins at an offset.
  private func keyPieces(at offset: Int) -> [Range<Int>] {
    bytes.withUnsafeBufferPointer { buffer in
      var parser = Parser(buffer, isDocument: false)
      parser.at = offset
      var pieces: [Range<Int>] = []
      // The parser has accepted these bytes: nothing here can fail.
      while let key = try? parser.parseKey() {
        pieces.append(key.start..<key.end)
        parser.skipBlanks()
        guard parser.at < parser.end, buffer[parser.at] == Byte.dot else { break }
        parser.at += 1
        parser.skipBlanks()
      }
      return pieces
    }
  }

  // MARK: Moving

  /// The values at and below a node, as written, with their comments and the keys that lead to them.
  private func transferred(_ id: DocumentIndex.ID) -> [(keys: [String], Insertion)] {
    var found: [(keys: [String], Insertion)] = []
    appendTransferred(id, keys: [], [keyBytes(id)], comments: [], gaps: gapStarts(under: id), to: &found)
    return found
  }

  private func appendTransferred(
    _ id: DocumentIndex.ID, keys: [String], _ written: [[UInt8]], comments: [[UInt8]], gaps: [DocumentIndex.ID: Int],
    to found: inout [(keys: [String], Insertion)]
  ) {
    let node = tree[id]
    var comments = comments
    switch node.kind {
    case .root, .header, .implicit, .dotted, .element:
      if node.kind == .header { comments += headerComments(of: id, gaps) }
      guard node.firstChild != DocumentIndex.none else {
        found.append((keys, Insertion(text: Array("{}".utf8), comments: comments, formerKeys: written)))
        return
      }
      for child in tree.children(of: id) {
        appendTransferred(
          child, keys: keys + [key(of: child)], written + [keyBytes(child)], comments: comments, gaps: gaps, to: &found)
        comments = []
      }
    case .arrayOfTables:
      // On one line the tables have no place for comments: all of them go above it.
      comments += allComments(of: id, gaps)
      let text = Array(value(of: id).tomlText.utf8)
      found.append((keys, Insertion(text: text, comments: comments, formerKeys: written)))
    default:
      var insertion = self.insertion(of: id)
      insertion.comments = comments + insertion.comments
      insertion.formerKeys = written
      found.append((keys, insertion))
    }
  }

  /// A value as written, with the comments above it and on its line.
  private func insertion(of id: DocumentIndex.ID) -> Insertion {
    let range = Int(tree[id].start)..<Int(tree[id].end)
    var insertion = Insertion(text: Array(bytes[range]))
    if let inline = inlineTable(around: id) {
      appendMemberComments(of: id, in: inline, to: &insertion)
    } else {
      insertion.comments = commentLines(above: statement(of: id).lowerBound)
      insertion.trailing = Array(bytes[range.upperBound..<lines.contentEnd(of: range.upperBound)])
    }
    return insertion
  }

  /// All comments of a value or table and of what it holds, for where none of it has a line.
  func allComments(of id: DocumentIndex.ID) -> [[UInt8]] { allComments(of: id, gapStarts(under: id)) }

  private func allComments(of id: DocumentIndex.ID, _ gaps: [DocumentIndex.ID: Int]) -> [[UInt8]] {
    var comments: [[UInt8]] = []
    func append(_ leaf: DocumentIndex.ID) {
      let insertion = insertion(of: leaf)
      let within = self.comments(within: Int(tree[leaf].start)..<Int(tree[leaf].end)).map { Array(bytes[$0]) }
      comments += insertion.comments + within + [Array(insertion.trailing.drop(while: Byte.isBlank))]
    }
    if isBody(id) { (tree[id].kind == .dotted ? bodyLeaves(under: id) : [id]).forEach(append) }
    for header in headers(under: id) {
      comments += headerComments(of: header, gaps)
      bodyLeaves(under: header).forEach(append)
    }
    return comments.filter { !$0.isEmpty }
  }

  /// The comments of a member that spans lines of its own.
  private func appendMemberComments(of id: DocumentIndex.ID, in table: DocumentIndex.ID, to insertion: inout Insertion)
  {
    guard let list = InlineItems(bytes, open: Int(tree[table].start)),
      let index = list.items.firstIndex(where: { $0.upperBound == Int(tree[id].end) })
    else { return }
    let lines = lines
    let lineStart = lines.start(of: list.items[index].lowerBound)
    if lineStart > list.open, list.beginsLine(index) {
      insertion.comments += commentLines(in: list.commentStart(above: index)..<lineStart)
    }
    if let comment = list.commentBeside(index) { insertion.trailing = Array(bytes[comment]) }
  }

  private func commentLines(above lineStart: Int) -> [[UInt8]] {
    commentLines(in: ownCommentStart(above: lineStart)..<lineStart)
  }

  /// The comments in lines that hold nothing else.
  private func commentLines(in range: Range<Int>) -> [[UInt8]] {
    let lines = lines
    var comments: [[UInt8]] = []
    var at = range.lowerBound
    while at < range.upperBound {
      let first = lines.firstNonBlank(from: at)
      if lines.isComment(at) { comments.append(Array(bytes[first..<lines.contentEnd(of: first)])) }
      at = lines.end(of: at)
    }
    return comments
  }

  /// For each section below a node that follows another with only comments between: where that other one ends.
  private func gapStarts(under id: DocumentIndex.ID) -> [DocumentIndex.ID: Int] {
    var starts: [DocumentIndex.ID: Int] = [:]
    var end: Int?
    for header in headers(under: id) {
      let section = section(of: header)
      if let end, end <= section.lowerBound, lines.isTrivia(end..<section.lowerBound) { starts[header] = end }
      end = section.upperBound
    }
    return starts
  }

  private func trailingComment(after id: DocumentIndex.ID) -> [[UInt8]] {
    let end = Int(tree[id].end)
    let rest = bytes[end..<lines.contentEnd(of: end)].drop(while: Byte.isBlank)
    return rest.isEmpty ? [] : [Array(rest)]
  }

  /// The comments of a table's section that do not belong to its keys: those of the header, and those set off.
  private func headerComments(of id: DocumentIndex.ID, _ gaps: [DocumentIndex.ID: Int]) -> [[UInt8]] {
    let lines = lines
    let section = section(of: id)
    let start = gaps[id] ?? ownCommentStart(above: section.lowerBound)
    var comments = commentLines(in: start..<section.lowerBound) + trailingComment(after: id)
    var at = lines.end(of: Int(tree[id].end))
    for leaf in bodyLeaves(under: id) {
      let statement = statement(of: leaf)
      comments += commentLines(in: at..<max(at, commentStart(above: statement.lowerBound)))
      at = statement.upperBound
    }
    return comments + commentLines(in: at..<max(at, section.upperBound))
  }
}
