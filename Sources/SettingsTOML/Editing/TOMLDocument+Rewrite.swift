extension TOMLDocument {
  /// Gives some paths the values they have in a table; all other paths stay.
  ///
  /// The text becomes what ``set(_:at:)`` for each path would make it, apart from the order of new tables. The time is
  /// linear in the size of the text and the number of paths: new keys of a table are inserted together, and the text is
  /// parsed once.
  ///
  /// - Parameters:
  ///   - values: What the document has to hold.
  ///   - paths: Where that differs from its present content.
  /// - Throws: ``TOMLEditError``. The document is unchanged.
  package mutating func rewrite(to values: TOMLTable, at paths: [TOMLPath]) throws(TOMLEditError) {
    if paths.count > TOMLDocument.fewPaths, rewriteTogether(to: values, at: paths) { return }
    do {
      // One check for all: each alone would parse the whole text.
      try edit { draft in try draft.rewriteOneByOne(to: values, at: paths) }
    } catch {
      throw error as? TOMLEditError ?? .inconsistent("\(error)")
    }
  }

  /// Does the work of ``rewrite(to:at:)`` with one parse for all paths except those that have to be set separately,
  /// such as tables that become other values.
  ///
  /// - Returns: Whether it was possible. If not, the document is unchanged, and setting one by one gives the reason.
  private mutating func rewriteTogether(to values: TOMLTable, at paths: [TOMLPath]) -> Bool {
    var rewriting = Rewriting(document: self, values: values)
    guard var draft = try? rewriting.document(with: paths) else { return false }
    // The result is compared below.
    draft.recorded = []
    guard (try? draft.rewriteOneByOne(to: values, at: rewriting.left)) != nil, draft.root == values else {
      return false
    }
    draft.recorded = recorded
    draft.recorded? += paths.compactMap { path in values[path: path].map { .set(path, $0) } }
    self = draft
    return true
  }

  private mutating func rewriteOneByOne(to values: TOMLTable, at paths: [TOMLPath]) throws(TOMLEditError) {
    for path in paths {
      guard let value = values[path: path] else { continue }
      if let old = self[path], (old.table == nil) != (value.table == nil) { try remove(at: path) }
      try set(value, at: path)
    }
  }

  /// The number of paths up to which each is set or removed separately.
  static let fewPaths = 64
}

/// Many changes of a document as pieces of text, each with its offset in the original text.
private struct Rewriting {
  var document: TOMLDocument
  let values: TOMLTable

  /// The paths that no piece of text can set, after the others were set.
  private(set) var left: [TOMLPath] = []

  fileprivate var replaced: [(splice: Splice, paths: [TOMLPath])] = []
  // Insertions where nothing is removed: a table's own lines come before tables.
  fileprivate var lines: [Int: [UInt8]] = [:]
  fileprivate var sections: [Int: [UInt8]] = [:]

  /// The new keys of an existing table, in their order.
  private struct Additions {
    var id: DocumentIndex.ID
    var path: TOMLPath
    var table = TOMLTable()
    /// The paths that they come from.
    var paths: [TOMLPath] = []
  }

  /// A new key line: its key as written, and its value.
  private struct Entry {
    var key: [UInt8]
    var value: TOMLValue
  }

  mutating func document(with paths: [TOMLPath]) throws(TOMLEditError) -> TOMLDocument {
    var additions: [Additions] = []
    var places: [DocumentIndex.ID: Int] = [:]
    for path in paths {
      guard let value = values[path: path] else { continue }
      guard let (table, rest) = try? document.nearestTable(to: Location(path)) else {
        left.append(path)
        continue
      }
      guard let key = rest.first else {
        if !replace(table, with: value, at: path) { left.append(path) }
        continue
      }
      let place = places[table] ?? additions.count
      if place == additions.count {
        places[table] = place
        additions.append(Additions(id: table, path: TOMLPath(Array(path.components.dropLast(rest.count)))))
      }
      additions[place].paths.append(path)
      // In place: a copy would be as long as the table.
      if additions[place].table[key] == nil {
        additions[place].table[key] = values[path: additions[place].path.appending(key)]
      }
    }
    // The first key of a root without any has a special place, between comments.
    if let root = places[DocumentIndex.root], document.lastBodyLeaf(under: DocumentIndex.root) == nil,
      let first = additions[root].table.first(where: { !TOMLDocument.hasHeader($0.value) })
    {
      var started = document
      _ = try started.setUnchecked(first.value, at: Location(TOMLPath([first.key])))
      self = Rewriting(document: started, values: values)
      return try self.document(with: paths.filter { $0 != TOMLPath([first.key]) })
    }
    for known in additions where !add(known, to: known.id) { left += known.paths }
    var result = document
    try result.commit(splices())
    return result
  }

  private mutating func replace(_ id: DocumentIndex.ID, with value: TOMLValue, at path: TOMLPath) -> Bool {
    let node = document.tree[id]
    guard document.isBody(id), node.kind != .dotted, node.kind != .inline, value.table == nil else { return false }
    guard document.value(of: id) != value else { return true }
    let range = Int(node.start)..<Int(node.end)
    let text = StyledText.text(
      value, like: Array(document.bytes[range]), lineBreak: document.lines.lineBreak(at: range.lowerBound))
    replaced.append((Splice(range, text), [path]))
    return true
  }

  private mutating func add(_ additions: Additions, to table: DocumentIndex.ID) -> Bool {
    switch document.tree[table].kind {
    case .inline:
      // The whole value, because there is no place for a line.
      guard let value = values[path: additions.path] else { return false }
      let node = document.tree[table]
      replaced.append((Splice(Int(node.start)..<Int(node.end), value.tomlText.utf8), additions.paths))
    case .dotted:
      guard document.inlineTable(around: table) == nil, let last = document.lastBodyLeaf(under: table) else {
        return false
      }
      // The names from the table that holds the line.
      let names = document.dottedChain(to: table).map(document.keyBytes)
      let leaves = TOMLDocument.flattened(.table(additions.table)).map { keys, value -> Entry in
        let parts = names + keys.map { Array(TOMLEmitter.keyText($0).utf8) }
        return Entry(key: Array(parts.joined(separator: [Byte.dot])), value: value)
      }
      add(leaves, after: last)
    case .root, .header:
      let own = additions.table.entries.filter { !TOMLDocument.hasHeader($0.value) }
      let keyed = own.map { Entry(key: Array(TOMLEmitter.keyText($0.key).utf8), value: $0.value) }
      if !own.isEmpty {
        if let last = document.lastBodyLeaf(under: table) {
          add(keyed, after: last)
        } else {
          addFirst(keyed, below: table)
        }
      }
      let tables = additions.table.entries.filter { TOMLDocument.hasHeader($0.value) }
      if !tables.isEmpty { addSections(TOMLTable(distinct: tables), under: table) }
    case .implicit: addSections(additions.table, under: table)
    default: return false
    }
    return true
  }

  private mutating func add(_ entries: [Entry], after sibling: DocumentIndex.ID) {
    let statement = document.statement(of: sibling)
    let style = LineStyle(document, sibling: sibling, previous: nil)
    let indent = document.lines.indent(ofLineAt: statement.lowerBound)
    let new = entries.map { entry -> [UInt8] in
      indent + entry.key + style.separator(afterKey: entry.key) + Array(entry.value.tomlText.utf8)
    }
    addLines(new, at: statement.upperBound)
  }

  private mutating func addFirst(_ entries: [Entry], below table: DocumentIndex.ID) {
    let end = document.lines.end(of: Int(document.tree[table].end))
    let indent = document.lines.indent(ofLineAt: Int(document.tree[table].start))
    let new = entries.map { entry -> [UInt8] in
      indent + entry.key + Array(" = \(entry.value.tomlText)".utf8)
    }
    addLines(new, at: end)
  }

  private mutating func addLines(_ new: [[UInt8]], at place: Int) {
    let text = document.lines
    let lineBreak = text.lineBreak(at: max(place - 1, 0))
    let whole: [UInt8] = Array(new.joined(separator: lineBreak))
    lines[place, default: []] += text.isUnfinished(place) ? lineBreak + whole : whole + lineBreak
  }

  private mutating func addSections(_ table: TOMLTable, under id: DocumentIndex.ID) {
    let place =
      id == DocumentIndex.root
      ? document.bytes.count
      : document.headers(under: id).last.map { document.section(of: $0).upperBound } ?? document.bytes.count
    let lineBreak = document.lines.lineBreak(at: max(place - 1, 0))
    let writer = SectionWriter(prefix: document.headerPrefix(of: id), lineBreak: lineBreak)
    let own = table.entries.filter { !TOMLDocument.hasHeader($0.value) }
    var texts: [[UInt8]] = []
    if !own.isEmpty { texts = writer.section(TOMLTable(distinct: own), names: writer.prefix, isElement: false) }
    for entry in table.entries where TOMLDocument.hasHeader(entry.value) {
      texts += writer.sections(entry.value, at: [entry.key])
    }
    let text = Array(texts.joined(separator: lineBreak))
    sections[place, default: []] += document.separated(text, at: place, lineBreak)
  }

  private mutating func splices() -> [Splice] {
    var inserted = lines
    for (place, text) in sections { inserted[place, default: []] += text }
    var all = inserted.map { Splice($0.key..<$0.key, $0.value) }
    // A change inside something that is replaced completely cannot be made separately.
    var end = 0
    func place(_ range: Range<Int>) -> (Int, Int) { (range.lowerBound, -range.upperBound) }
    for (splice, paths) in replaced.sorted(by: { place($0.splice.range) < place($1.splice.range) }) {
      if splice.range.lowerBound < end {
        left += paths
      } else {
        all.append(splice)
        end = splice.range.upperBound
      }
    }
    return all
  }
}
