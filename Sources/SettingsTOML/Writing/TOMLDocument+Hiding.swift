extension TOMLDocument {
  /// Returns the parts of the text that show some values, in the order of the text.
  ///
  /// For a table that is hidden completely, the names in it and their number are hidden too. So are comments on and
  /// directly above hidden lines. An array, also one of tables, is hidden as a whole.
  ///
  /// - Parameter withPaths: Whether each part has its path; else only those that have a name in what stands for them.
  package func hiddenParts(_ rule: some HidingRule, withPaths: Bool = true) -> [HiddenPart] {
    var hiding = Hiding(document: self, withPaths: withPaths)
    hiding.visit(rule)
    if hiding.hasComments {
      for comment in comments where rule.hides(comment: String(decoding: bytes[comment], as: UTF8.self)) {
        hiding.add(.comment, .root, comment)
      }
    }
    return hiding.result()
  }
}

private struct Hiding {
  private let document: TOMLDocument
  private lazy var places = TextPlaces(of: document)
  /// Whether the text may have comments: most generated ones have none, and nothing is looked for then.
  let hasComments: Bool
  private let withPaths: Bool
  private var parts: [HiddenPart] = []
  /// Whether they are in order and apart already, as where tables follow each other.
  private var areApart = true
  /// The inline table whose comments are hidden already.
  private var commented: DocumentIndex.ID?
  private var end = 0

  init(document: TOMLDocument, withPaths: Bool) {
    self.document = document
    self.withPaths = withPaths
    hasComments = Scan.contains(Byte.hash, in: document.bytes)
  }

  /// Nothing recurses, so keys may have any depth.
  mutating func visit<Rule: HidingRule>(_ rule: Rule) {
    var rest = [(id: DocumentIndex.root, place: rule.root)]
    while let (table, place) = rest.popLast() {
      if rule.hidesAll(in: place) {
        addAll(in: table)
        continue
      }
      let start = rest.count
      for id in document.tree.children(of: table) {
        let node = document.tree[id]
        let place = rule.place(document.key(of: id), in: place)
        if rule.hidesNothing(place) { continue }
        if rule.hides(place, HiddenPart.ValueKind(node.kind), { document.value(of: id) }) {
          add(id)
        } else if node.kind.isTable {
          rest.append((id, place))
        }
      }
      // In the order of the text, as far as it goes.
      rest[start...].reverse()
    }
  }

  /// Hides each value in a table and the tables below it.
  private mutating func addAll(in table: DocumentIndex.ID) {
    // Perhaps too much, but what is never used costs nothing, and a large array that grows is copied each time.
    if parts.isEmpty { parts.reserveCapacity(document.tree.nodes.count) }
    var rest = [table]
    while let table = rest.popLast() {
      let start = rest.count
      let hasLines = [.root, .header, .implicit, .element].contains(document.tree[table].kind)
      let arePlain = hasLines && !withPaths && !hasComments
      var id = document.tree[table].firstChild
      while id != DocumentIndex.none {
        let node = document.tree[id]
        if node.kind.isTable {
          rest.append(id)
        } else if arePlain, node.kind != .arrayOfTables {
          // As `addValue` does, for each of perhaps many.
          append(HiddenPart(node))
        } else {
          add(id)
        }
        id = node.next
      }
      rest[start...].reverse()
    }
  }

  /// The path of a node that is in no array.
  private func path(of id: DocumentIndex.ID) -> TOMLPath {
    TOMLPath(document.keyedChain(of: id).map(document.key(of:)))
  }

  private mutating func add(_ id: DocumentIndex.ID) {
    let needsPath = withPaths || document.tree[id].kind == .dotted || !document.isBody(id)
    add(id, needsPath ? path(of: id) : .root)
  }

  mutating func add(_ kind: HiddenPart.Kind, _ path: TOMLPath, _ range: Range<Int>, key: String? = nil) {
    if !range.isEmpty { append(HiddenPart(kind, path, range, key: key)) }
  }

  private mutating func append(_ part: HiddenPart) {
    if part.kind == .rest || part.range.lowerBound < end { areApart = false }
    end = part.range.upperBound
    parts.append(part)
  }

  private mutating func add(_ id: DocumentIndex.ID, _ path: TOMLPath) {
    let kind = document.tree[id].kind
    var isFirst = true
    if document.isBody(id) {
      if kind == .dotted {
        isFirst = !addDotted(id, path)
      } else {
        addValue(id, path)
        return
      }
    }
    guard kind.isTable || kind == .arrayOfTables else { return }
    var section: Range<Int>?
    for header in document.headers(under: id) {
      let lines = places.section(of: header)
      let new = places.commentStart(above: lines.lowerBound)..<lines.upperBound
      if let known = section, new.lowerBound <= known.upperBound {
        section = known.lowerBound..<max(known.upperBound, new.upperBound)
        continue
      }
      if let section { addSection(section, path, &isFirst) }
      section = new
    }
    if let section { addSection(section, path, &isFirst) }
  }

  private mutating func addSection(_ range: Range<Int>, _ path: TOMLPath, _ isFirst: inout Bool) {
    add(isFirst ? .section : .rest, path, trimmed(range))
    isFirst = false
  }

  /// Hides a value, and the comments on its lines: also those in the other arrays of an inline table.
  private mutating func addValue(_ id: DocumentIndex.ID, _ path: TOMLPath) {
    add(.value, path, range(of: id))
    // Without comments, its lines need not be found.
    guard hasComments else { return }
    var outer = id
    while let table = document.inlineTable(around: outer) { outer = table }
    // All members have the same lines.
    guard outer == id || commented != outer else { return }
    if outer != id {
      commented = outer
      for comment in document.comments(within: range(of: outer)) { add(.comment, .root, comment) }
    }
    addComments(of: document.statement(of: outer), after: Int(document.tree[outer].end))
  }

  private func range(of id: DocumentIndex.ID) -> Range<Int> {
    Int(document.tree[id].start)..<Int(document.tree[id].end)
  }

  /// Hides the value of dotted keys.
  ///
  /// - Returns: Whether there is one line at least.
  private mutating func addDotted(_ id: DocumentIndex.ID, _ path: TOMLPath) -> Bool {
    if let table = document.inlineTable(around: id) {
      addValue(table, TOMLPath(Array(path.components.dropLast(distance(from: id, to: table)))))
      return true
    }
    let leaves = document.bodyLeaves(under: id)
    for (index, leaf) in leaves.enumerated() {
      let statement = document.statement(of: leaf)
      let start = document.lines.firstNonBlank(from: statement.lowerBound)
      let end = Int(document.tree[leaf].end)
      if index == 0 {
        let key = TOMLEmitter.keyText(path.components.suffix(document.dottedChain(to: id).count))
        add(.value, path, start..<end, key: key)
        addComments(of: statement, after: end)
      } else {
        let from = places.commentStart(above: statement.lowerBound)
        add(.rest, path, trimmed(document.lines.firstNonBlank(from: from)..<statement.upperBound))
      }
    }
    return !leaves.isEmpty
  }

  /// The number of keys from a node up to a table around it.
  private func distance(from id: DocumentIndex.ID, to table: DocumentIndex.ID) -> Int {
    document.outward(from: id).prefix { $0 != table }.count
  }

  // MARK: Comments

  private mutating func addComments(of statement: Range<Int>, after value: Int) {
    guard hasComments else { return }
    addComment(in: places.commentStart(above: statement.lowerBound)..<statement.lowerBound)
    addComment(in: value..<statement.upperBound)
  }

  private mutating func addComment(in range: Range<Int>) {
    guard let hash = document.bytes[range].firstIndex(of: Byte.hash) else { return }
    add(.comment, .root, trimmed(hash..<range.upperBound))
  }

  /// A range without the blanks and line breaks at its end.
  private func trimmed(_ range: Range<Int>) -> Range<Int> {
    var end = range.upperBound
    while end > range.lowerBound {
      let last = document.bytes[end - 1]
      guard Byte.isBlank(last) || last == Byte.newline || last == Byte.carriageReturn else { break }
      end -= 1
    }
    return range.lowerBound..<end
  }

  // MARK: The result

  /// The parts without those that others contain. Pieces of one value with nothing between them are one part, so that
  /// their number is hidden, too.
  func result() -> [HiddenPart] {
    var result: [HiddenPart] = []
    let lines = document.lines
    func areInOrder(_ a: HiddenPart, _ b: HiddenPart) -> Bool {
      (a.range.lowerBound, -a.range.upperBound) < (b.range.lowerBound, -b.range.upperBound)
    }
    if areApart { return parts }
    result.reserveCapacity(parts.count)
    for part in parts.sorted(by: areInOrder) {
      guard let last = result.last else {
        result.append(part)
        continue
      }
      guard part.range.lowerBound >= last.range.upperBound else { continue }
      // Comments behind the pieces go along.
      var piece = result.count - 1
      while part.kind == .rest, piece > 0, result[piece].kind == .comment,
        lines.isBlank(result[piece - 1].range.upperBound..<result[piece].range.lowerBound)
      {
        piece -= 1
      }
      if part.kind == .rest, result[piece].path == part.path, result[piece].isPiece,
        lines.isBlank(last.range.upperBound..<part.range.lowerBound)
      {
        result[piece].range = result[piece].range.lowerBound..<part.range.upperBound
        result.removeSubrange((piece + 1)...)
      } else {
        result.append(part)
      }
    }
    return result
  }
}

// MARK: - Places for what is put back

extension TOMLDocument {
  /// The bytes of a value; for a table with headers or dotted keys, from the first of its lines to the last.
  package func valueRange(at path: TOMLPath) -> Range<Int>? {
    guard let id = find(path), id != DocumentIndex.root else { return nil }
    let node = tree[id]
    switch node.kind {
    case .removed: return nil
    case .dotted, .header, .implicit, .arrayOfTables, .element:
      var (start, end) = (Int.max, 0)
      if node.kind == .dotted {
        for leaf in bodyLeaves(under: id) {
          let line = statement(of: leaf).lowerBound
          let from = inlineTable(around: leaf) == nil ? lines.firstNonBlank(from: line) : Int(tree[leaf].keyStart)
          (start, end) = (min(start, from), max(end, Int(tree[leaf].end)))
        }
      }
      for header in headers(under: id) {
        let last = lastBodyLeaf(under: header).map { Int(tree[$0].end) } ?? Int(tree[header].end)
        (start, end) = (min(start, Int(tree[header].start)), max(end, last))
      }
      return start < end ? start..<end : nil
    default: return Int(node.start)..<Int(node.end)
    }
  }

  /// The bytes of a key line from its key to the end of its value; `nil` if no line of its own sets the value at a path.
  package func keyLine(at path: TOMLPath) -> Range<Int>? {
    guard let id = find(path), isBody(id), tree[id].kind != .dotted, inlineTable(around: id) == nil else { return nil }
    return lines.firstNonBlank(from: statement(of: id).lowerBound)..<Int(tree[id].end)
  }

  /// The bytes of a table's header; `nil` if the value at a path is not a table with a header of its own.
  package func header(at path: TOMLPath) -> Range<Int>? {
    guard let id = find(path), tree[id].kind == .header else { return nil }
    return Int(tree[id].start)..<Int(tree[id].end)
  }

  /// Returns the text with other bytes in some ranges, which must not overlap.
  package func replacing(_ ranges: [(range: Range<Int>, text: [UInt8])]) -> [UInt8] {
    Splice.apply(ranges.map { Splice($0.range, $0.text) }, to: bytes)
  }
}
