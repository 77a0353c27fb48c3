/// What is put into a document: a value to be written, or one as it was written elsewhere.
struct Insertion {
  /// The value's text.
  var text: [UInt8]
  /// Comment lines to stand above it, each without indent and line break.
  var comments: [[UInt8]] = []
  /// What follows it on its line: blanks and a comment.
  var trailing: [UInt8] = []
}

/// What a new key line begins with.
private struct NewLine {
  let indent: [UInt8]
  let key: [UInt8]
  let separator: [UInt8]
}

extension TOMLDocument {
  /// Puts a value where there is none.
  mutating func insert(_ value: TOMLValue, at path: Location) throws(TOMLEditError) {
    let (table, rest) = try nearestTable(to: path)
    try insert(value, under: table, rest)
  }

  /// The deepest table on the way to a path, and the keys that are missing from there.
  func nearestTable(to location: Location) throws(TOMLEditError) -> (id: Tree.ID, rest: [String]) {
    var id = Tree.root
    for (index, step) in location.steps.enumerated() {
      let before = Location(steps: Array(location.steps[..<index]))
      switch step {
      case .index(let number):
        guard let element = element(number, of: id) else {
          throw TOMLEditError(.noElement(before.path), "'\(before.path)' has no element \(number).")
        }
        id = element
      case .key(let key):
        guard tree[id].kind.isTable else { throw .notATable(before.path, found: value(of: id).kindName) }
        guard let child = child(key, of: id) else {
          return (id, Location(steps: Array(location.steps[index...])).path.components)
        }
        id = child
      }
    }
    return (id, [])
  }

  mutating func insert(_ value: TOMLValue, under table: Tree.ID, _ rest: [String]) throws(TOMLEditError) {
    let takesLine = tree[table].kind == .inline || inlineTable(around: table) != nil
    if !takesLine, tree[table].kind == .dotted {
      // Below a dotted table only dotted lines.
      var draft = self
      let path = location(of: table).appending(rest)
      for (keys, leaf) in TOMLDocument.flattened(value) {
        let (id, rest) = try draft.nearestTable(to: path.appending(keys))
        try draft.insertLine(Insertion(text: Array(leaf.tomlText.utf8)), under: id, rest)
      }
      self = draft
      return
    }
    let isTables: Bool
    switch value {
    case .table: isTables = true
    case .array(let items): isTables = !items.isEmpty && items.allSatisfy { $0.table != nil }
    default: isTables = false
    }
    if takesLine || !isTables {
      try insertLine(Insertion(text: Array(value.tomlText.utf8)), under: table, rest)
    } else {
      let sections = SectionWriter(prefix: headerPrefix(of: table), lineBreak: lines.lineBreak(at: bytes.count))
      try insertSections(sections.sections(value, at: rest), under: table)
    }
  }

  /// The values of a table that are not tables, with the keys that lead to them.
  static func flattened(_ value: TOMLValue) -> [([String], TOMLValue)] {
    guard case .table(let table) = value, !table.isEmpty else { return [([], value)] }
    return table.entries.flatMap { entry in flattened(entry.value).map { ([entry.key] + $0.0, $0.1) } }
  }

  /// Puts a value's text where there is none: as a line, as a member of an inline table, or below a new header.
  mutating func insertLine(_ new: Insertion, under table: Tree.ID, _ rest: [String]) throws(TOMLEditError) {
    switch tree[table].kind {
    case .inline: try insertMember(new, in: table, TOMLEmitter.keyText(rest), after: nil)
    case .dotted:
      let chain = dottedChain(to: table)
      let key = chain.map { Array(keyBytes($0)) } + rest.map { Array(TOMLEmitter.keyText($0).utf8) }
      let text = Array(key.joined(separator: [Byte.dot]))
      if let inline = inlineTable(around: table) {
        let members = bodyLeaves(under: table)
        try insertMember(new, in: inline, String(decoding: text, as: UTF8.self), after: members.last)
      } else {
        guard let last = lastBodyLeaf(under: table) else { throw .inconsistent("a dotted table has no keys") }
        try insertLine(new, key: text, after: last)
      }
    case .root, .header, .element:
      guard rest.count == 1 else { return try insertBelowNewHeader(new, under: table, rest) }
      let key = Array(TOMLEmitter.keyText(rest).utf8)
      if let last = lastBodyLeaf(under: table) {
        try insertLine(new, key: key, after: last)
      } else if table == Tree.root {
        try insertFirstRootLine(new, key: key)
      } else {
        try insertFirstLine(new, key: key, below: table)
      }
    default: try insertBelowNewHeader(new, under: table, rest)
    }
  }

  /// The dotted tables from the body that they are in down to one of them.
  private func dottedChain(to table: Tree.ID) -> [Tree.ID] {
    var chain: [Tree.ID] = []
    var at = table
    while tree[at].kind == .dotted {
      chain.append(at)
      at = tree[at].parent
    }
    return chain.reversed()
  }

  // MARK: Lines

  private mutating func insertLine(_ new: Insertion, key: [UInt8], after sibling: Tree.ID) throws(TOMLEditError) {
    let lines = lines
    let statement = statement(of: sibling)
    let indent = lines.indent(ofLineAt: statement.lowerBound)
    let previous = lines.previous(statement.lowerBound).flatMap { previous in
      bodySibling(before: sibling, onLine: previous)
    }
    let separator = LineStyle(self, sibling: sibling, previous: previous).separator(afterKey: key)
    let table = tree[sibling].parent
    let line = NewLine(indent: indent, key: key, separator: separator)
    try insertLines(new, line, at: statement.upperBound, in: tree[table].kind == .dotted ? nil : table)
  }

  /// The key line on the line above another, if there is one in the same body.
  private func bodySibling(before sibling: Tree.ID, onLine start: Int) -> Tree.ID? {
    let parent = tree[sibling].parent
    var found: Tree.ID?
    for child in tree.children(of: parent) where isBody(child) && tree[child].kind != .dotted {
      if child != sibling, (start..<Int(tree[sibling].keyStart)).contains(Int(tree[child].keyStart)) { found = child }
    }
    return found
  }

  private mutating func insertFirstLine(_ new: Insertion, key: [UInt8], below table: Tree.ID) throws(TOMLEditError) {
    let lines = lines
    let headerEnd = lines.end(of: Int(tree[table].end))
    let indent = lines.indent(ofLineAt: Int(tree[table].start))
    let separator = LineStyle.usual(in: self, before: headerEnd)
    try insertLines(new, NewLine(indent: indent, key: key, separator: separator), at: headerEnd, in: table)
  }

  /// Inserts a whole line, with its comments, at a line's start or at the end of the text.
  ///
  /// - Parameter table: The table that the key is directly in, `nil` if it is dotted.
  private mutating func insertLines(
    _ new: Insertion, _ line: NewLine, at place: Int, in table: Tree.ID?
  ) throws(TOMLEditError) {
    let lines = lines
    let lineBreak = lines.lineBreak(at: max(place - 1, 0))
    let isUnfinished = lines.isUnfinished(place)
    var text = isUnfinished ? lineBreak : []
    for comment in new.comments { text += line.indent + comment + lineBreak }
    text += line.indent
    let keyStart = text.count
    text += line.key + line.separator
    let valueStart = text.count
    text += new.text + new.trailing
    if !isUnfinished { text += lineBreak }
    guard let table else { return try commit([Splice(place..<place, text)]) }
    try commitLine(
      text, key: keyStart..<keyStart + line.key.count, value: valueStart..<valueStart + new.text.count, at: place,
      in: table)
  }

  /// The first key of a document without any outside tables: after the comment that the file begins with.
  private mutating func insertFirstRootLine(_ new: Insertion, key: [UInt8]) throws(TOMLEditError) {
    let lines = lines
    let start = lines.textStart
    var at = start
    while at < bytes.count, lines.isComment(at) { at = lines.end(of: at) }
    let lineBreak = lines.lineBreak(at: start)
    var text: [UInt8] = []
    for comment in new.comments { text += comment + lineBreak }
    text += key + LineStyle.usual(in: self, before: bytes.count) + new.text + new.trailing
    if at > start, at == bytes.count || lines.isEmpty(at) {
      // Set off by a blank line, so that the comment stays what it is.
      text = lineBreak + (lines.isUnfinished(at) ? lineBreak + text : text + lineBreak)
      return try commit([Splice(at..<at, text)])
    }
    // What the comment is directly above of is what it is about.
    text += lineBreak + (start < bytes.count ? lineBreak : [])
    try commit([Splice(start..<start, text)])
  }

  // MARK: Inline tables

  private mutating func insertMember(
    _ new: Insertion, in table: Tree.ID, _ key: String, after member: Tree.ID?
  ) throws(TOMLEditError) {
    guard var list = BracketList(bytes, open: Int(tree[table].start)) else {
      throw .inconsistent("an inline table could not be read")
    }
    let style = bodyLeaves(under: table).last.map { LineStyle(self, sibling: $0, previous: nil) }
    let keyText = Array(key.utf8)
    let text = keyText + (style?.separator(afterKey: keyText) ?? Array(" = ".utf8)) + new.text
    var index = list.items.count - 1
    if let member, let found = list.items.firstIndex(where: { $0.upperBound == Int(tree[member].end) }) {
      index = found
    }
    list.insert(text, after: index)
    let edited = list.bytes
    let trailing = Array(new.trailing.drop(while: Byte.isBlank))
    let comments = new.comments + (trailing.isEmpty ? [] : [trailing])
    var splices = [Splice(0..<bytes.count, edited)]
    if !comments.isEmpty {
      // No place for a comment within: it goes above the statement.
      let lines = lines
      let start = lines.start(of: Int(tree[table].start))
      let statementStart = lines.start(of: statementKeyStart(of: table))
      let indent = lines.indent(ofLineAt: statementStart)
      let text = comments.flatMap { indent + $0 + lines.lineBreak(at: start) }
      splices = [Splice(0..<bytes.count, edited[..<statementStart] + text + edited[statementStart...])]
    }
    try commit(splices)
  }

  /// Where the key line begins that a node is in.
  func statementKeyStart(of id: Tree.ID) -> Int {
    var at = id
    while let outer = inlineTable(around: at) { at = outer }
    return Int(tree[at].keyStart)
  }
}

/// How the key lines around a place are written.
struct LineStyle {
  private let separator: [UInt8]
  /// The column of `=` to keep to, if the neighbours do.
  private let column: Int?

  init(_ document: TOMLDocument, sibling: Tree.ID, previous: Tree.ID?) {
    let lines = document.lines
    let node = document.tree[sibling]
    separator = Array(document.bytes[Int(node.keyEnd)..<Int(node.start)])
    func place(_ id: Tree.ID) -> (width: Int, column: Int) {
      let node = document.tree[id]
      let start = lines.firstNonBlank(from: lines.start(of: Int(node.keyStart)))
      let width = LineStyle.width(document.bytes[start..<Int(node.keyEnd)])
      let blanks = document.bytes[Int(node.keyEnd)..<Int(node.start)].prefix { $0 != Byte.equals }
      return (width, width + blanks.count)
    }
    guard !separator.contains(Byte.tab) else {
      column = nil
      return
    }
    let own = place(sibling)
    let above = previous.map(place)
    if own.column - own.width > 1 || above.map({ $0.column == own.column && $0.width != own.width }) == true {
      column = own.column
    } else {
      column = nil
    }
  }

  /// `=` and the blanks around it, for a key.
  func separator(afterKey key: [UInt8]) -> [UInt8] {
    guard let column else { return separator }
    let blanks = max(1, column - LineStyle.width(key[...]))
    return [UInt8](repeating: Byte.space, count: blanks) + separator.drop { $0 != Byte.equals }
  }

  private static func width(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) } }

  /// The separator of the last key line before a place, or of the first after it; without alignment.
  static func usual(in document: TOMLDocument, before place: Int) -> [UInt8] {
    var best: Node?
    for node in document.tree.nodes where node.keyEnd < node.start && node.kind.rawValue >= Node.Kind.inline.rawValue {
      guard node.kind != .removed, node.kind != .element, node.kind != .arrayOfTables else { continue }
      guard let current = best else {
        best = node
        continue
      }
      let isBefore = Int(node.start) < place
      if isBefore && (Int(current.start) > place || node.start > current.start) { best = node }
    }
    guard let best else { return Array(" = ".utf8) }
    let separator = document.bytes[Int(best.keyEnd)..<Int(best.start)]
    guard separator.contains(Byte.equals) else { return Array(" = ".utf8) }
    let hasBefore = separator.first != Byte.equals
    let hasAfter = separator.last != Byte.equals
    return (hasBefore ? [Byte.space] : []) + [Byte.equals] + (hasAfter ? [Byte.space] : [])
  }
}
