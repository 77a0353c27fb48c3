/// What edits need from the index.
extension TOMLDocument {
  var lines: Lines { Lines(bytes: bytes, usualLineBreak: usualLineBreak) }

  /// The way to a node.
  func location(of id: DocumentIndex.ID) -> Location {
    var steps: [Location.Step] = []
    var at = id
    while at != DocumentIndex.root {
      if tree[at].kind == .element {
        steps.append(.index(Array(tree.children(of: tree[at].parent)).firstIndex(of: at) ?? 0))
      } else {
        steps.append(.key(key(of: at)))
      }
      at = tree[at].parent
    }
    return Location(steps: steps.reversed())
  }

  /// The node at a place.
  func find(_ location: Location) -> DocumentIndex.ID? {
    var id = DocumentIndex.root
    for step in location.steps {
      switch step {
      case .key(let key):
        guard let child = child(key, of: id) else { return nil }
        id = child
      case .index(let index):
        guard let element = element(index, of: id) else { return nil }
        id = element
      }
    }
    return id
  }

  /// An element of an array of tables.
  func element(_ index: Int, of array: DocumentIndex.ID) -> DocumentIndex.ID? {
    guard tree[array].kind == .arrayOfTables, index >= 0 else { return nil }
    return tree.children(of: array).dropFirst(index).first { _ in true }
  }

  /// The keys of a table in order.
  func childKeys(of table: DocumentIndex.ID) -> [String] {
    withBase { base in tree.children(of: table).map { KeyText.string(tree[$0], in: base) } }
  }

  /// The nodes with keys from the root to a node.
  func keyedChain(of id: DocumentIndex.ID) -> [DocumentIndex.ID] {
    outward(from: id).filter { tree[$0].kind != .element }.reversed()
  }

  /// The dotted tables that a table is in, from the outermost to itself.
  func dottedChain(to table: DocumentIndex.ID) -> [DocumentIndex.ID] {
    outward(from: table).prefix { tree[$0].kind == .dotted }.reversed()
  }

  /// A node and those that it is in, up to the root and without it.
  func outward(from id: DocumentIndex.ID) -> UnfoldSequence<DocumentIndex.ID, DocumentIndex.ID> {
    sequence(state: id) { [tree] at in
      guard at != DocumentIndex.root else { return nil }
      defer { at = tree[at].parent }
      return at
    }
  }

  /// A node's key as written where it first occurs.
  func keyBytes(_ id: DocumentIndex.ID) -> [UInt8] { Array(bytes[Int(tree[id].keyStart)..<Int(tree[id].keyEnd)]) }

  /// Whether a node is set by a key line of its parent's body and not by a header.
  func isBody(_ id: DocumentIndex.ID) -> Bool {
    switch tree[id].kind {
    case .root, .header, .implicit, .arrayOfTables, .element, .removed: false
    default: true
    }
  }

  /// The inline table that contains a node, directly or through dotted keys.
  func inlineTable(around id: DocumentIndex.ID) -> DocumentIndex.ID? {
    var at = id
    while at != DocumentIndex.root {
      at = tree[at].parent
      if tree[at].kind == .inline { return at }
      if tree[at].kind != .dotted { return nil }
    }
    return nil
  }

  /// The values that key lines set in a table's own body, including dotted keys, in the order of the file.
  func bodyLeaves(under id: DocumentIndex.ID) -> [DocumentIndex.ID] {
    var leaves: [DocumentIndex.ID] = []
    appendBodyLeaves(under: id, to: &leaves)
    return leaves.sorted { tree[$0].start < tree[$1].start }
  }

  private func appendBodyLeaves(under id: DocumentIndex.ID, to leaves: inout [DocumentIndex.ID]) {
    for child in tree.children(of: id) where isBody(child) {
      if tree[child].kind == .dotted { appendBodyLeaves(under: child, to: &leaves) } else { leaves.append(child) }
    }
  }

  /// The last value that a key line sets in a table's own body.
  func lastBodyLeaf(under id: DocumentIndex.ID) -> DocumentIndex.ID? {
    var last: DocumentIndex.ID?
    for child in tree.children(of: id) where isBody(child) {
      let leaf = tree[child].kind == .dotted ? lastBodyLeaf(under: child) : child
      if let leaf, last == nil || tree[leaf].start > tree[last ?? leaf].start { last = leaf }
    }
    return last
  }

  /// The tables with headers at and below a node, in the order of the file.
  func headers(under id: DocumentIndex.ID) -> [DocumentIndex.ID] {
    var found: [DocumentIndex.ID] = []
    appendHeaders(under: id, to: &found)
    return found.sorted { tree[$0].start < tree[$1].start }
  }

  private func appendHeaders(under id: DocumentIndex.ID, to found: inout [DocumentIndex.ID]) {
    if tree[id].kind == .header || tree[id].kind == .element { found.append(id) }
    guard tree[id].firstChild != DocumentIndex.none, tree[id].kind != .inline else { return }
    for child in tree.children(of: id) { appendHeaders(under: child, to: &found) }
  }

  /// Where all values and headers end, in order.
  var valueEnds: [Int] { tree.nodes.lazy.filter { $0.kind != .removed }.map { Int($0.end) }.sorted() }

  /// The start of the comment lines directly above a statement's line; the line's own start if there are none.
  ///
  /// - Parameter ends: ``valueEnds``, if known.
  func commentStart(above lineStart: Int, _ ends: [Int]? = nil) -> Int {
    guard let previous = lines.previous(lineStart), lines.isComment(previous) else { return lineStart }
    if let ends { return lines.commentStart(above: lineStart, after: ends.last(upTo: lineStart)) }
    // A line that begins with `#` can also be in a multi-line string, which is not a comment.
    let floor = tree.nodes.reduce(into: 0) { floor, node in
      if node.kind != .removed, node.end <= lineStart { floor = max(floor, Int(node.end)) }
    }
    return lines.commentStart(above: lineStart, after: floor)
  }

  /// The start of the comment lines that belong to a statement: those directly above its line, unless the file begins
  /// with them. Those belong to the file.
  func ownCommentStart(above lineStart: Int, _ ends: [Int]? = nil) -> Int {
    let start = commentStart(above: lineStart, ends)
    return start < lineStart && isTop(start) ? orphanedEnd(from: start, to: lineStart) ?? lineStart : start
  }

  /// Where in a range of comment lines the comment ends that the file begins with, if its statement was removed.
  func orphanedEnd(from start: Int, to end: Int) -> Int? {
    topCommentEnd.flatMap { start < $0 && $0 <= end && isTop(start) && lines.start(of: $0) == $0 ? $0 : nil }
  }

  /// Whether the file has nothing but blank lines before an offset.
  func isTop(_ offset: Int) -> Bool {
    isFromTop && lines.isBlank(lines.textStart..<offset)
  }

  /// The lines of a table with a header: from the header to its last key and the comments directly below it.
  func section(of id: DocumentIndex.ID) -> Range<Int> {
    let lines = lines
    let last = lastBodyLeaf(under: id).map { Int(tree[$0].end) } ?? Int(tree[id].end)
    return lines.start(of: Int(tree[id].start))..<lines.commentEnd(below: lines.end(of: last))
  }

  /// The lines of a key line, without the comments above it.
  func statement(of leaf: DocumentIndex.ID) -> Range<Int> {
    let lines = lines
    return lines.start(of: Int(tree[leaf].keyStart))..<lines.end(of: Int(tree[leaf].end))
  }
}
