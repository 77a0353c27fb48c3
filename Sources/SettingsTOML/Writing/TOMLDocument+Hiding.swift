/// A part of a text that must not be shown, and can be put back where something stands for it.
///
/// The text with a string for each value, and a comment for everything else, is valid TOML.
package struct HiddenPart: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// A value. With a key: one of dotted keys, of which this is the first line, up to the end of the value.
    case value(key: String?)
    /// A table with its header and everything in it. Something has to keep the place of the header.
    case section
    /// Lines with a further piece of a value.
    case rest
    /// A comment that may show a former value.
    case comment
    /// Lines that do not parse.
    case unparsed
  }

  package var kind: Kind
  /// The path of the value; the root for a comment.
  package var path: TOMLPath
  /// The bytes of the text. No two parts of a text overlap.
  package var range: Range<Int>

  package init(_ kind: Kind, _ path: TOMLPath, _ range: Range<Int>) {
    (self.kind, self.path, self.range) = (kind, path, range)
  }

  /// Whether it is a value, or a piece of one.
  package var isValue: Bool {
    switch kind {
    case .value, .section, .rest: true
    case .comment, .unparsed: false
    }
  }
}

extension TOMLDocument {
  /// Returns the parts of the text that show some values, in the order of the text.
  ///
  /// For a table that is hidden completely, the names in it and their number are hidden too. So are comments on and
  /// directly above hidden lines, and every comment that contains one of the names: it may be an earlier value.
  ///
  /// - Parameters:
  ///   - names: Names, in lower case, that no visible comment may contain.
  ///   - hides: Whether everything at and below a path is hidden. The second argument says whether it is a table.
  package func hiddenParts(
    commentsWith names: [String], _ hides: (TOMLPath, Bool) -> Bool
  ) -> [HiddenPart] {
    var hiding = Hiding(document: self)
    withoutActuallyEscaping(hides) { hiding.visit(DocumentIndex.root, .root, $0) }
    if !names.isEmpty {
      for comment in comments where self.names(names, in: comment) { hiding.add(.comment, .root, comment) }
    }
    return hiding.result()
  }
}

private struct Hiding {
  private let document: TOMLDocument
  private let places: TextPlaces
  private var parts: [HiddenPart] = []

  init(document: TOMLDocument) {
    self.document = document
    places = TextPlaces(of: document)
  }

  mutating func visit(_ id: DocumentIndex.ID, _ path: TOMLPath, _ hides: (TOMLPath, Bool) -> Bool) {
    let kind = document.tree[id].kind
    if id != DocumentIndex.root, hides(path, kind.isTable) { return add(id, path) }
    guard kind.isTable, kind != .element else { return }
    for child in document.tree.children(of: id) {
      let key = document.withBase { KeyText.string(document.tree[child], in: $0) }
      visit(child, path.appending(key), hides)
    }
  }

  mutating func add(_ kind: HiddenPart.Kind, _ path: TOMLPath, _ range: Range<Int>) {
    if !range.isEmpty { parts.append(HiddenPart(kind, path, range)) }
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

  /// Hides a value, or the outermost inline table that it cannot be told from on its lines.
  private mutating func addValue(_ id: DocumentIndex.ID, _ path: TOMLPath) {
    var (outer, steps) = (id, 0)
    while let table = document.inlineTable(around: outer) {
      steps += distance(from: outer, to: table)
      outer = table
    }
    let statement = document.statement(of: outer)
    let isOneLine = !document.bytes[statement].dropLast().contains(Byte.newline)
    let isWhole = outer == id || isOneLine
    let shown = isWhole ? path : TOMLPath(Array(path.components.dropLast(steps)))
    let node = document.tree[isWhole ? id : outer]
    add(.value(key: nil), shown, Int(node.start)..<Int(node.end))
    addComments(of: statement, after: Int(document.tree[outer].end))
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
        let key = TOMLEmitter.keyText(path.components.suffix(dottedCount(of: id)))
        add(.value(key: key), path, start..<end)
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
    var (at, count) = (id, 0)
    while at != table, at != DocumentIndex.root {
      at = document.tree[at].parent
      count += 1
    }
    return count
  }

  /// The number of keys on a line with a dotted key, up to that of a node.
  private func dottedCount(of id: DocumentIndex.ID) -> Int {
    var (at, count) = (id, 1)
    while document.tree[document.tree[at].parent].kind == .dotted {
      at = document.tree[at].parent
      count += 1
    }
    return count
  }

  // MARK: Comments

  private mutating func addComments(of statement: Range<Int>, after value: Int) {
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

  /// The parts without those that others contain.
  func result() -> [HiddenPart] {
    var end = -1
    return parts.sorted { ($0.range.lowerBound, -$0.range.upperBound) < ($1.range.lowerBound, -$1.range.upperBound) }
      .filter { part in
        guard part.range.lowerBound >= end else { return false }
        end = part.range.upperBound
        return true
      }
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
