/// What to insert into a document: a new value, or the text of an existing one.
struct Insertion {
  /// The value's text.
  var text: [UInt8]
  /// The comment lines above it, each without indent and line break.
  var comments: [[UInt8]] = []
  /// What follows it on its line: blanks and a comment.
  var trailing: [UInt8] = []
  /// How its last keys were written, for their quotes.
  var formerKeys: [[UInt8]] = []
}

/// What a new key line begins with.
private struct NewLine {
  let indent: [UInt8]
  let key: [UInt8]
  let separator: [UInt8]
}

extension TOMLDocument {
  /// Inserts a value at a path that has none.
  mutating func insert(_ value: TOMLValue, at path: Location) throws(TOMLEditError) {
    let (table, rest) = try nearestTable(to: path)
    try insert(value, under: table, rest)
  }

  /// The deepest existing table above a location, and the keys that are missing below it.
  func nearestTable(to location: Location) throws(TOMLEditError) -> (id: DocumentIndex.ID, rest: [String]) {
    var id = DocumentIndex.root
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

  mutating func insert(_ value: TOMLValue, under table: DocumentIndex.ID, _ rest: [String]) throws(TOMLEditError) {
    let takesLine = tree[table].kind == .inline || inlineTable(around: table) != nil
    if !takesLine, tree[table].kind == .dotted {
      // Below a dotted table only dotted lines are possible.
      var draft = self
      let path = location(of: table).appending(rest)
      for (keys, leaf) in TOMLDocument.flattened(value) {
        let (id, rest) = try draft.nearestTable(to: path.appending(keys))
        try draft.insertLine(Insertion(text: Array(leaf.tomlText.utf8)), under: id, rest)
      }
      self = draft
      return
    }
    if takesLine || !TOMLDocument.hasHeader(value) {
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

  /// Inserts a value's text: as a line, as a member of an inline table, or below a new header.
  mutating func insertLine(_ new: Insertion, under table: DocumentIndex.ID, _ rest: [String]) throws(TOMLEditError) {
    switch tree[table].kind {
    case .inline:
      let keys = TOMLEmitter.keyTexts(rest, like: new.formerKeys)
      try insertMember(new, in: table, keys.joined(separator: "."), after: nil)
    case .dotted:
      let chain = dottedChain(to: table)
      let keys = TOMLEmitter.keyTexts(rest, like: new.formerKeys)
      let key = chain.map { Array(keyBytes($0)) } + keys.map { Array($0.utf8) }
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
      let key = Array(TOMLEmitter.keyTexts(rest, like: new.formerKeys)[0].utf8)
      if let last = lastBodyLeaf(under: table) {
        try insertLine(new, key: key, after: last)
      } else if table == DocumentIndex.root {
        try insertTopLine(new, key: key, separator: LineStyle.usual(in: self, before: bytes.count))
      } else {
        try insertFirstLine(new, key: key, below: table)
      }
    default: try insertBelowNewHeader(new, under: table, rest)
    }
  }

  // MARK: Lines

  private mutating func insertLine(_ new: Insertion, key: [UInt8], after sibling: DocumentIndex.ID)
    throws(TOMLEditError)
  {
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

  /// The key line directly above another, if both are in the same body.
  private func bodySibling(before sibling: DocumentIndex.ID, onLine start: Int) -> DocumentIndex.ID? {
    let parent = tree[sibling].parent
    var found: DocumentIndex.ID?
    for child in tree.children(of: parent) where isBody(child) && tree[child].kind != .dotted {
      if child != sibling, (start..<Int(tree[sibling].keyStart)).contains(Int(tree[child].keyStart)) { found = child }
    }
    return found
  }

  private mutating func insertFirstLine(_ new: Insertion, key: [UInt8], below table: DocumentIndex.ID)
    throws(TOMLEditError)
  {
    let lines = lines
    let headerEnd = lines.end(of: Int(tree[table].end))
    let indent = lines.indent(ofLineAt: Int(tree[table].start))
    let separator = LineStyle.usual(in: self, before: headerEnd)
    try insertLines(new, NewLine(indent: indent, key: key, separator: separator), at: headerEnd, in: table)
  }

  /// Inserts a whole line, with its comments, at a line's start or at the end of the text.
  ///
  /// - Parameter table: The table that holds the key, `nil` if the key is dotted.
  private mutating func insertLines(
    _ new: Insertion, _ line: NewLine, at place: Int, in table: DocumentIndex.ID?
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

  // MARK: Inline tables

  private mutating func insertMember(
    _ new: Insertion, in table: DocumentIndex.ID, _ key: String, after member: DocumentIndex.ID?
  ) throws(TOMLEditError) {
    guard var list = InlineItems(bytes, open: Int(tree[table].start)) else {
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
      // There is no place for a comment inside: it goes above the statement.
      let lines = lines
      let start = lines.start(of: Int(tree[table].start))
      let statementStart = lines.start(of: statementKeyStart(of: table))
      let indent = lines.indent(ofLineAt: statementStart)
      let text = comments.flatMap { indent + $0 + lines.lineBreak(at: start) }
      splices = [Splice(0..<bytes.count, edited[..<statementStart] + text + edited[statementStart...])]
    }
    try commit(splices)
  }

  /// Where the key line of a node begins.
  func statementKeyStart(of id: DocumentIndex.ID) -> Int {
    var at = id
    while let outer = inlineTable(around: at) { at = outer }
    return Int(tree[at].keyStart)
  }
}
