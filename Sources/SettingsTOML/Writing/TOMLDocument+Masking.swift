extension TOMLDocument {
  /// Returns the text without the values of some paths. The result need not be valid TOML.
  ///
  /// For a table that is masked completely, the names in it and their number are hidden too. So are comments on and
  /// directly above masked lines, and every comment that contains one of the names: it may be an earlier value.
  ///
  /// - Parameters:
  ///   - names: Names, in lower case, that no visible comment may contain.
  ///   - tableNote: What to show behind a masked header instead; if it is a comment, and what `mask` returns a value,
  ///     the result is valid TOML.
  ///   - mask: What to show instead of everything at and below a path; `nil` to show it.
  package func masked(
    hidingCommentsWith names: [String], tableNote: String? = nil, _ mask: (TOMLPath) -> String?
  ) -> String {
    var masking = Masking(document: self, names: names, tableNote: tableNote)
    withoutActuallyEscaping(mask) { masking.visit(DocumentIndex.root, .root, $0) }
    return masking.text()
  }
}

private struct Masking {
  let document: TOMLDocument
  let names: [String]
  let tableNote: String?
  // Where headers begin, and where values and headers end, in order.
  private let headers: [Int]
  private let ends: [Int]
  private var lines: [Masked] = []
  private var others: [Splice] = []

  /// Whole lines of one path.
  private struct Masked {
    var path: TOMLPath
    var range: Range<Int>
    var text: [UInt8]
  }

  init(document: TOMLDocument, names: [String], tableNote: String?) {
    self.document = document
    self.names = names
    self.tableNote = tableNote
    let tree = document.tree
    headers = document.headers(under: DocumentIndex.root).map { document.lines.start(of: Int(tree[$0].start)) }
    ends = tree.nodes.dropFirst().filter { $0.kind != .removed && $0.kind != .implicit && $0.kind != .dotted }
      .map { Int($0.end) }.sorted()
  }

  mutating func visit(_ id: DocumentIndex.ID, _ path: TOMLPath, _ mask: (TOMLPath) -> String?) {
    if id != DocumentIndex.root, let text = mask(path) { return add(id, path, text) }
    guard document.tree[id].kind.isTable, document.tree[id].kind != .element else { return }
    for child in document.tree.children(of: id) {
      let key = document.withBase { KeyText.string(document.tree[child], in: $0) }
      visit(child, path.appending(key), mask)
    }
  }

  // MARK: Values

  private mutating func add(_ id: DocumentIndex.ID, _ path: TOMLPath, _ text: String) {
    let tree = document.tree
    if document.isBody(id) {
      let leaves = tree[id].kind == .dotted ? document.bodyLeaves(under: id) : [id]
      for leaf in leaves { add(leaf: leaf, of: id, path, text) }
    }
    guard tree[id].kind.isTable || tree[id].kind == .arrayOfTables else { return }
    for header in document.headers(under: id) {
      let start = document.lines.start(of: Int(tree[header].start))
      let last = document.lastBodyLeaf(under: header).map { Int(tree[$0].end) } ?? Int(tree[header].end)
      let next = headers[firstIndex(of: headers, above: start)...].first
      let end = next.map { document.lines.commentStart(above: $0, after: last) } ?? document.bytes.count
      add(path, from: start, to: max(end, document.lines.end(of: last)), "[\(path)] \(tableNote ?? text)")
    }
  }

  private mutating func add(leaf: DocumentIndex.ID, of id: DocumentIndex.ID, _ path: TOMLPath, _ text: String) {
    let node = document.tree[leaf]
    var outer = leaf
    while let table = document.inlineTable(around: outer) { outer = table }
    let statement = document.statement(of: outer)
    let value = Int(node.start)..<Int(node.end)
    let isOneLine = !document.bytes[statement].dropLast().contains(Byte.newline)
    if outer != leaf, leaf == id, isOneLine {
      // The other members of the table are shown.
      others.append(Splice(value, text.utf8))
      hideComment(Int(document.tree[outer].end)..<statement.upperBound)
      hideComment(commentStart(above: statement.lowerBound)..<statement.lowerBound)
      return
    }
    let shown =
      outer == id
      ? String(decoding: document.bytes[statement.lowerBound..<value.lowerBound], as: UTF8.self) : "\(path) = "
    add(path, from: statement.lowerBound, to: statement.upperBound, shown + text)
  }

  private mutating func add(_ path: TOMLPath, from start: Int, to end: Int, _ text: String) {
    lines.append(Masked(path: path, range: commentStart(above: start)..<end, text: Array(text.utf8)))
  }

  private func commentStart(above line: Int) -> Int {
    let index = firstIndex(of: ends, above: line)
    return document.lines.commentStart(above: line, after: index > 0 ? ends[index - 1] : 0)
  }

  /// The index of the first number above a limit, in ascending numbers.
  private func firstIndex(of numbers: [Int], above limit: Int) -> Int {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] > limit { high = middle } else { low = middle + 1 }
    }
    return low
  }

  // MARK: Comments

  private mutating func hideComment(_ range: Range<Int>) {
    guard let hash = document.bytes[range].firstIndex(of: Byte.hash) else { return }
    let end =
      range.upperBound > hash && document.bytes[range.upperBound - 1] == Byte.newline
      ? range.upperBound - 1 : range.upperBound
    others.append(Splice(hash..<end, "# (not shown)".utf8))
  }

  /// Hides the comments that contain one of the names.
  private mutating func hideComments() {
    guard !names.isEmpty else { return }
    let bytes = document.bytes
    var taken: [Range<Int>] = []
    for node in document.tree.nodes.dropFirst() where node.kind != .removed {
      if node.kind != .implicit, node.kind != .dotted, node.kind != .arrayOfTables {
        taken.append(Int(node.start)..<Int(node.end))
      }
      taken.append(Int(node.keyStart)..<Int(node.keyEnd))
    }
    taken.append(bytes.count..<bytes.count)
    var at = 0
    for range in taken.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      while at < range.lowerBound {
        guard let hash = bytes[at..<range.lowerBound].firstIndex(of: Byte.hash) else { break }
        let end = document.lines.contentEnd(of: hash)
        let comment = String(decoding: bytes[hash..<end], as: UTF8.self).lowercased()
        if names.contains(where: { comment.utf8.contains($0.utf8) }) { hideComment(hash..<end) }
        at = end
      }
      at = max(at, range.upperBound)
    }
  }

  // MARK: The text

  mutating func text() -> String {
    hideComments()
    var splices: [Splice] = others
    lines.sort { $0.range.lowerBound < $1.range.lowerBound }
    var last: Masked?
    func splice(_ masked: Masked) -> Splice {
      let lineBreak = document.bytes[..<masked.range.upperBound].last == Byte.newline ? [Byte.newline] : []
      return Splice(masked.range, masked.text + lineBreak)
    }
    for masked in lines {
      if var known = last, known.path == masked.path, masked.range.lowerBound <= known.range.upperBound {
        known.range = known.range.lowerBound..<max(known.range.upperBound, masked.range.upperBound)
        last = known
        continue
      }
      if let last { splices.append(splice(last)) }
      last = masked
    }
    if let last { splices.append(splice(last)) }
    // Anything inside a masked line, or masked twice, is already hidden.
    var end = -1
    splices.sort { ($0.range.lowerBound, -$0.range.upperBound) < ($1.range.lowerBound, -$1.range.upperBound) }
    splices.removeAll { splice in
      guard splice.range.lowerBound >= end else { return true }
      end = splice.range.upperBound
      return false
    }
    return String(decoding: Splice.apply(splices, to: document.bytes), as: UTF8.self)
  }
}

extension Sequence<UInt8> {
  /// Whether a text contains another.
  fileprivate func contains(_ other: some Collection<UInt8>) -> Bool {
    guard let first = other.first else { return true }
    let all = Array(self)
    return all.indices.contains { all[$0] == first && all[$0...].starts(with: other) }
  }
}
