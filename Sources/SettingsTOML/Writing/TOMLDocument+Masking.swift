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
  private let places: TextPlaces
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
    places = TextPlaces(of: document)
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
      let section = places.section(of: header)
      add(path, from: section.lowerBound, to: section.upperBound, "[\(path)] \(tableNote ?? text)")
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
      hideComment(places.commentStart(above: statement.lowerBound)..<statement.lowerBound)
      return
    }
    let shown =
      outer == id
      ? String(decoding: document.bytes[statement.lowerBound..<value.lowerBound], as: UTF8.self) : "\(path) = "
    add(path, from: statement.lowerBound, to: statement.upperBound, shown + text)
  }

  private mutating func add(_ path: TOMLPath, from start: Int, to end: Int, _ text: String) {
    lines.append(Masked(path: path, range: places.commentStart(above: start)..<end, text: Array(text.utf8)))
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
    for comment in document.comments where document.names(names, in: comment) { hideComment(comment) }
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
