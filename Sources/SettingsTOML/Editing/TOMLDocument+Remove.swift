extension TOMLDocument {
  /// - Parameter heir: A value that gets the comments which would go.
  mutating func removeUnchecked(
    at path: Location, leavingCommentsTo heir: Location? = nil
  ) throws(TOMLEditError) -> Bool {
    guard !path.isRoot else {
      throw TOMLEditError(.invalidKey(path.path), "Cannot remove the root of a document. Set it to an empty table.")
    }
    guard let id = find(path) else { return false }
    let isTable = tree[id].kind.isTable
    let comments = heir == nil ? [] : allComments(of: id)
    try removeNode(id)
    if let id = heir.flatMap(find) { try insertComments(comments, above: id, isOfTable: isTable) }
    return true
  }

  /// Adds comment lines to those above a value, or above its first header: those of a table first, others last.
  mutating func insertComments(
    _ comments: [[UInt8]], above id: DocumentIndex.ID, isOfTable: Bool
  ) throws(TOMLEditError) {
    guard !comments.isEmpty else { return }
    let leaf = isBody(id) ? bodyLeaves(under: id).first ?? id : headers(under: id).first ?? id
    let line = lines.start(of: isBody(leaf) ? statementKeyStart(of: leaf) : Int(tree[leaf].start))
    let place = isOfTable ? ownCommentStart(above: line) : line
    let (indent, lineBreak) = (lines.indent(ofLineAt: line), lines.lineBreak(at: line))
    try commit([Splice(place..<place, comments.flatMap { indent + $0 + lineBreak })])
  }

  mutating func removeNode(_ id: DocumentIndex.ID) throws(TOMLEditError) {
    if let inline = inlineTable(around: id) {
      try removeMembers(tree[id].kind == .dotted ? bodyLeaves(under: id) : [id], of: inline)
    } else {
      let blocks = linesToRemove(of: id)
      noteTopComment(above: blocks)
      if blocks.count == 1, isBody(id) {
        try commitRemoval(of: id, withBlankLine(blocks[0]))
      } else {
        try removeLines(blocks, of: [id])
      }
    }
  }

  /// Removes values and tables that have lines of their own, parsing the text once.
  mutating func removeLines(of ids: [DocumentIndex.ID]) throws(TOMLEditError) {
    let all = Set(ids)
    // A table within another goes with it.
    let outermost = all.filter { !outward(from: $0).dropFirst().contains(where: all.contains) }
    guard !outermost.isEmpty else { return }
    // With many of them, each would search all nodes for the start of its comments.
    let ends = outermost.count > 1 ? valueEnds : nil
    let blocks = outermost.flatMap { linesToRemove(of: $0, ends) }.sorted { $0.range.lowerBound < $1.range.lowerBound }
    noteTopComment(above: blocks)
    try removeLines(blocks, of: Array(outermost))
  }

  private mutating func noteTopComment(above blocks: [Block]) {
    guard let first = blocks.first?.range.lowerBound, commentStart(above: first) < first else { return }
    topCommentEnd = first
  }

  /// The lines of a node's statements and sections, with their comments.
  ///
  /// - Parameter ends: ``valueEnds``, if known.
  func linesToRemove(of id: DocumentIndex.ID, _ ends: [Int]? = nil) -> [Block] {
    var blocks: [Block] = []
    if isBody(id) {
      for leaf in tree[id].kind == .dotted ? bodyLeaves(under: id) : [id] {
        let statement = statement(of: leaf)
        blocks.append(
          Block(range: ownCommentStart(above: statement.lowerBound, ends)..<statement.upperBound, isSection: false))
      }
    }
    for header in headers(under: id) {
      let section = section(of: header)
      blocks.append(
        Block(range: ownCommentStart(above: section.lowerBound, ends)..<section.upperBound, isSection: true))
    }
    return blocks.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// The lines that go with a table, with its headers and comments and what is between them, without the blank line that
  /// sets them off; `nil` if there is no table, or it is within an inline one.
  package func linesGoing(with table: TOMLPath) -> [UInt8]? {
    guard let id = find(table), id != DocumentIndex.root, inlineTable(around: id) == nil else { return nil }
    return merged(linesToRemove(of: id)).flatMap { Array(bytes[$0.range]) }
  }

  /// Lines that are removed or moved together.
  struct Block {
    var range: Range<Int>
    var isSection: Bool
  }

  /// Removes the header of a table that others name anyway, and the lines below it up to the next header.
  mutating func removeHeader(of id: DocumentIndex.ID) throws(TOMLEditError) {
    try commit([Splice(withBlankLine(Block(range: section(of: id), isSection: true)))])
  }

  /// Blocks in the order of the text, with those that touch as one.
  func merged(_ blocks: [Block]) -> [Block] {
    let lines = lines
    var merged: [Block] = []
    for block in blocks {
      // What is between two sections of one table belongs to it.
      if let last = merged.last,
        block.isSection
          ? last.isSection && lines.isTrivia(last.range.upperBound..<block.range.lowerBound)
          : last.range.upperBound == block.range.lowerBound
      {
        merged[merged.count - 1].range = last.range.lowerBound..<block.range.upperBound
      } else {
        merged.append(block)
      }
    }
    return merged
  }

  private mutating func removeLines(_ blocks: [Block], of ids: [DocumentIndex.ID]) throws(TOMLEditError) {
    let splices = splices(removing: merged(blocks))
    if splices.count == 1, commitRemoval(ofSections: ids, splices[0].range) { return }
    try commit(splices)
  }

  private func splices(removing blocks: [Block]) -> [Splice] {
    let lines = lines
    let start = lines.textStart
    var end = start
    var isTop = true
    return blocks.map { block in
      var range = withBlankLine(block)
      // A blank line between two blocks is removed once.
      range = max(range.lowerBound, end)..<range.upperBound
      isTop = isTop && range.lowerBound == end
      // If what was above is gone as well, the next line begins the text.
      if isTop, end > start, range.upperBound < bytes.count, lines.isEmpty(range.upperBound),
        !lines.isBlank(range.upperBound..<bytes.count)
      {
        range = range.lowerBound..<lines.end(of: range.upperBound)
      }
      end = range.upperBound
      return Splice(range)
    }
  }

  /// A block with the blank line that set it off, so that removing it does not leave two.
  private func withBlankLine(_ block: Block) -> Range<Int> {
    let lines = lines
    var range = block.range
    let isAtEnd = range.upperBound == bytes.count
    let previous = lines.previous(range.lowerBound)
    let isEmptyAfter = !isAtEnd && lines.isEmpty(range.upperBound)
    if let previous, lines.isEmpty(previous) {
      if isAtEnd || isEmptyAfter || block.isSection { range = previous..<range.upperBound }
    } else if previous == nil, isEmptyAfter, !lines.isBlank(range.upperBound..<bytes.count) {
      range = range.lowerBound..<lines.end(of: range.upperBound)
    }
    if lines.isUnfinished(block.range.upperBound), range.lowerBound > lines.textStart {
      // The text had no line break at its end, and gets none.
      var start = range.lowerBound - 1
      if start > lines.textStart, bytes[start - 1] == Byte.carriageReturn { start -= 1 }
      range = start..<range.upperBound
    }
    return range
  }

  private mutating func removeMembers(_ members: [DocumentIndex.ID], of table: DocumentIndex.ID) throws(TOMLEditError) {
    guard var list = InlineItems(bytes, open: Int(tree[table].start)) else {
      throw .inconsistent("an inline table could not be read")
    }
    for member in members.reversed() {
      guard let index = list.items.firstIndex(where: { $0.upperBound == Int(tree[member].end) }) else {
        throw .inconsistent("a member of an inline table was not found")
      }
      list.remove(index)
    }
    try commit([Splice(0..<bytes.count, list.bytes)])
  }
}
