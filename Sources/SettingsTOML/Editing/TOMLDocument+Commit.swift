/// Applying new bytes: the index is patched in place if an edit concerns one line; otherwise the text is parsed again.
extension TOMLDocument {
  /// Makes some splices and parses the text again.
  mutating func commit(_ splices: [Splice]) throws(TOMLEditError) {
    let edited = Splice.apply(splices, to: bytes)
    try TOMLDocument.checkSize(edited.count)
    do throws(TOMLSyntaxError) {
      tree = try TOMLDocument.index(edited)
      bytes = edited
      isMended = false
    } catch {
      throw .unreadable(error)
    }
  }

  private static func checkSize(_ size: Int) throws(TOMLEditError) {
    guard size <= TOMLDocument.maximumSize else {
      throw TOMLEditError(.tooLarge, "The edit would make the text larger than \(TOMLDocument.maximumSize) bytes.")
    }
  }

  /// Replaces the text of a value that is not a table.
  mutating func replaceValue(_ id: DocumentIndex.ID, _ text: [UInt8]) throws(TOMLEditError) {
    let range = Int(tree[id].start)..<Int(tree[id].end)
    try TOMLDocument.checkSize(bytes.count - range.count + text.count)
    guard let scanned = TOMLDocument.scan(text), scanned.kind != .inline else {
      return try commit([Splice(range, text)])
    }
    bytes.replaceSubrange(range, with: text)
    isMended = true
    tree.shift(at: range.lowerBound, removed: range.count, inserted: text.count)
    tree[id].kind = scanned.kind
    tree[id].isPlain = scanned.isPlain
  }

  /// Inserts a key line of a table's own body.
  ///
  /// - Parameters:
  /// - text: The bytes to insert, including everything around the key line.
  /// - key: Where the key is in `text`; it has one component.
  /// - value: Where the value is in `text`.
  mutating func commitLine(
    _ text: [UInt8], key: Range<Int>, value: Range<Int>, at place: Int, in table: DocumentIndex.ID
  ) throws(TOMLEditError) {
    try TOMLDocument.checkSize(bytes.count + text.count)
    let isBare = text[key].allSatisfy(Byte.isBareKey) && !key.isEmpty
    guard isBare, let scanned = TOMLDocument.scan(Array(text[value])), scanned.kind != .inline else {
      return try commit([Splice(place..<place, text)])
    }
    bytes.insert(contentsOf: text, at: place)
    isMended = true
    tree.makeRoom()
    tree.shift(at: place, removed: 0, inserted: text.count)
    var node = IndexNode(kind: scanned.kind)
    node.isPlain = scanned.isPlain
    node.parent = table
    node.keyStart = UInt32(place + key.lowerBound)
    node.keyEnd = UInt32(place + key.upperBound)
    node.start = UInt32(place + value.lowerBound)
    node.end = UInt32(place + value.upperBound)
    add(node)
  }

  /// Changes the key of a value that is not a table.
  mutating func commitRename(of id: DocumentIndex.ID, _ key: [UInt8]) throws(TOMLEditError) {
    let range = Int(tree[id].keyStart)..<Int(tree[id].keyEnd)
    try TOMLDocument.checkSize(bytes.count - range.count + key.count)
    guard isBody(id), key.allSatisfy(Byte.isBareKey), !key.isEmpty, tree[tree[id].parent].kind != .dotted,
      tree.removedCount * 2 < tree.nodes.count
    else { return try commit([Splice(range, key)]) }
    bytes.replaceSubrange(range, with: key)
    isMended = true
    // A node is found by its key, so a new key needs a new node.
    tree.makeRoom()
    var node = tree[id]
    tree.remove(id)
    tree.shift(at: range.lowerBound, removed: range.count, inserted: key.count)
    node.keyEnd = node.keyStart + UInt32(key.count)
    node.keyStyle = .bare
    (node.start, node.end) = (tree[id].start, tree[id].end)
    (node.next, node.firstChild, node.lastChild) = (DocumentIndex.none, DocumentIndex.none, DocumentIndex.none)
    add(node)
  }

  /// Adds a node with a bare key whose key is in the text.
  private mutating func add(_ node: IndexNode) {
    var node = node
    let count = Int(node.keyEnd - node.keyStart)
    let slot = withBase { base in
      node.hash = DocumentIndex.hash(base + Int(node.keyStart), count: count, parent: node.parent)
      return tree.find(base + Int(node.keyStart), count: count, hash: node.hash, parent: node.parent, in: base).slot
    }
    _ = tree.append(node, slot: slot)
    tree.settleLastChild(of: node.parent)
  }

  /// Inserts whole sections at the end of the text or of another section, and parses only them.
  mutating func commitSections(_ text: [UInt8], at place: Int) throws(TOMLEditError) {
    let isSection = text.first { !Byte.isBlank($0) && $0 != Byte.newline && $0 != Byte.carriageReturn }
    guard isSection == Byte.openBracket, place > 0 else { return try commit([Splice(place..<place, text)]) }
    try TOMLDocument.checkSize(bytes.count + text.count)
    var edited = bytes
    edited.insert(contentsOf: text, at: place)
    let mended = edited.withUnsafeBufferPointer { buffer -> DocumentIndex? in
      var parser = Parser(UnsafeBufferPointer(rebasing: buffer[..<(place + text.count)]), isDocument: false)
      parser.tree = tree
      // Copied once, with room for the new nodes.
      parser.tree.nodes.reserveCapacity(tree.nodes.count + text.count / 8 + 8)
      parser.tree.shift(at: place, removed: 0, inserted: text.count)
      parser.at = place
      do throws(SyntaxFault) { try parser.parseDocument() } catch { return nil }
      let new = parser.tree.nodes[tree.nodes.count...]
      // A header below an array belongs to its last element at that place, which may not be the array's last.
      let isOfTables = new.allSatisfy { node in
        node.kind != .arrayOfTables && node.kind != .element
          && (node.parent >= tree.nodes.count || !isBelowElement(node.parent))
      }
      return isOfTables ? parser.tree : nil
    }
    // If something is wrong or unclear, parsing the whole text decides.
    guard let mended else { return try commit([Splice(place..<place, text)]) }
    bytes = edited
    tree = mended
    isMended = true
  }

  private func isBelowElement(_ id: DocumentIndex.ID) -> Bool {
    outward(from: id).contains { tree[$0].kind == .element }
  }

  /// Removes the lines of a value that is not a table.
  mutating func commitRemoval(of id: DocumentIndex.ID, _ range: Range<Int>) throws(TOMLEditError) {
    let isOfBody = tree[tree[id].parent].kind != .dotted && tree[id].kind != .inline && tree[id].kind != .dotted
    guard isOfBody, tree.removedCount * 2 < tree.nodes.count else { return try commit([Splice(range)]) }
    bytes.removeSubrange(range)
    isMended = true
    tree.remove(id)
    tree.shift(at: range.lowerBound, removed: range.count, inserted: 0)
  }

  /// Removes tables whose sections are all of a range.
  ///
  /// - Returns: Whether that could be done in place: the range must hold nothing else, nor name anything else first.
  mutating func commitRemoval(ofSections ids: [DocumentIndex.ID], _ range: Range<Int>) -> Bool {
    var removed = ids.filter { tree[$0].kind == .header }
    guard removed.count == ids.count else { return false }
    var next = 0
    while next < removed.count {
      removed += tree.children(of: removed[next])
      next += 1
    }
    let places = UInt32(range.lowerBound)..<UInt32(range.upperBound)
    let inRange = tree.nodes.dropFirst().reduce(0) { count, node in
      let isThere = node.kind != .removed && (places.contains(node.start) || places.contains(node.keyStart))
      return count + (isThere ? 1 : 0)
    }
    let isAll = removed.allSatisfy { id in
      let node = tree[id]
      return node.kind != .arrayOfTables && places.contains(node.start) && places.contains(node.keyStart)
    }
    guard isAll, inRange == removed.count, (tree.removedCount + removed.count) * 2 < tree.nodes.count
    else { return false }
    bytes.removeSubrange(range)
    isMended = true
    // Children before their parents.
    for id in removed.reversed() { tree.remove(id) }
    tree.shift(at: range.lowerBound, removed: range.count, inserted: 0)
    return true
  }

  /// The kind of value that a text holds.
  static func scan(_ text: [UInt8]) -> (kind: IndexNode.Kind, isPlain: Bool)? {
    text.withUnsafeBufferPointer { buffer in
      var parser = Parser(buffer, isDocument: false)
      if text.first == Byte.openBrace { return (.inline, false) }
      guard let result = try? parser.scanValue(level: 0), parser.at == text.count else { return nil }
      return (result.0, result.isPlain)
    }
  }
}
