/// Keeps the text that a person typed for a value: `1.10` and `1.1` are one number, and two versions.
extension TOMLDocument {
  /// Sets a value and writes it as it was typed, where the file has no form of its own to keep.
  ///
  /// Numbers, dates and times are written as typed, and so is the whole value of a new key. Where the file has a string,
  /// an array over several lines or a table, it keeps its form, and the numbers in it are written as typed.
  ///
  /// - Parameter text: The text. It is used only if it means exactly `value`, and only those parts that are TOML 1.0.
  /// - Returns: `true` if the document's text changed.
  /// - Throws: ``TOMLEditError``. The document is unchanged.
  @discardableResult
  package mutating func set(
    _ value: TOMLValue, writtenAs text: String, at path: TOMLPath
  ) throws(TOMLEditError) -> Bool {
    guard (try? TOMLValue(parsing: text)) == value else { return try set(value, at: path) }
    let typed = Array(text.utf8).trimmingBlanks
    // Among tables that all have headers, a new one has a header, too.
    let hasHeaders = find(path.parent).map { tree[$0].kind == .implicit } ?? false
    if !contains(path), !hasHeaders, TOMLDocument.hasHeader(value), Notation.isPortable(typed) {
      try TOMLDocument.checkDepth(of: value, at: path)
      return try checked(.set(path, value)) { draft throws(TOMLEditError) in
        let (table, rest) = try draft.nearestTable(to: Location(path))
        try draft.insertLine(Insertion(text: typed), under: table, rest)
        return true
      }
    }
    var draft = self
    var isChanged = try draft.set(value, at: path)
    if let id = draft.find(path) {
      let changes = draft.notations(of: id, value, typed)
      if !changes.isEmpty {
        isChanged = true
        _ = try draft.checked(.set(path, value)) { draft throws(TOMLEditError) in
          for (id, text) in changes { try draft.replaceValue(id, text) }
          return true
        }
      }
    }
    if isChanged { self = draft }
    return isChanged
  }

  /// The values at and below a node that are to be written differently.
  private func notations(
    of id: DocumentIndex.ID, _ value: TOMLValue, _ text: [UInt8]
  ) -> [(id: DocumentIndex.ID, text: [UInt8])] {
    let node = tree[id]
    switch value {
    case .table where node.kind.isTable:
      guard let typed = try? TOMLDocument(parsing: Array("v = ".utf8) + text), let table = typed.find(["v"]) else {
        return []
      }
      return typed.tree.children(of: table).flatMap { member in
        let text = Array(typed.literal(of: member).utf8)
        return child(typed.key(of: member), of: id).map { notations(of: $0, typed.value(of: member), text) } ?? []
      }
    case .array(let items) where node.kind == .arrayOfTables:
      guard let typed = InlineItems(text, open: 0), typed.items.count == items.count else { return [] }
      return zip(tree.children(of: id), items.indices).flatMap { element, index in
        notations(of: element, items[index], Array(typed.bytes[typed.items[index]]))
      }
    case _ where isBody(id) && !node.kind.isTable:
      let old = Array(bytes[Int(node.start)..<Int(node.end)])
      let new = Notation.text(value, typed: withLineBreaks(text, at: Int(node.start)), over: old)
      return new == old ? [] : [(id, new)]
    default: return []
    }
  }

  /// A typed text with the line breaks of the document. They are between items: a string of several lines is not written
  /// as typed.
  private func withLineBreaks(_ typed: [UInt8], at offset: Int) -> [UInt8] {
    guard typed.contains(Byte.newline) else { return typed }
    let parts = typed.split(separator: Byte.newline, omittingEmptySubsequences: false)
      .map { $0.last == Byte.carriageReturn ? $0.dropLast() : $0 }
    return Array(parts.joined(separator: lines.lineBreak(at: offset)))
  }

  /// The text on one line of the value at a path, as ``TOMLValue/tomlText``, but each float as the document writes it.
  ///
  /// - Returns: `nil` if there is no value.
  package func lineText(at path: TOMLPath) -> String? { find(path).map { lineText(of: $0, .line) } }

  /// The text of the value at a path on one line, with all that is on one line in the document as it is there.
  ///
  /// - Returns: `nil` if there is no value.
  package func literal(at path: TOMLPath) -> String? { find(path).map { literal(of: $0) } }

  /// The texts of the elements of the array at a path, those of tables with headers as inline tables; `nil` if there is
  /// no array.
  package func elementTexts(at path: TOMLPath) -> [String]? {
    guard let id = find(path) else { return nil }
    if tree[id].kind == .arrayOfTables { return tree.children(of: id).map { literal(of: $0) } }
    guard tree[id].kind == .array, let list = InlineItems(text(of: id), open: 0) else { return nil }
    return list.items.map { String(decoding: list.bytes[$0], as: UTF8.self) }
  }

  /// Whether an array has a comment that is not within one of its elements.
  package func hasComment(inArrayAt path: TOMLPath) -> Bool {
    guard let id = find(path), tree[id].kind == .array, let list = InlineItems(text(of: id), open: 0) else {
      return false
    }
    return Splice.apply(list.items.map { Splice($0) }, to: list.bytes).contains(Byte.hash)
  }

  private func literal(of id: DocumentIndex.ID) -> String { lineText(of: id, .literal) }

  private func text(of id: DocumentIndex.ID) -> [UInt8] { Array(bytes[Int(tree[id].start)..<Int(tree[id].end)]) }

  private func lineText(of id: DocumentIndex.ID, _ style: Notation.Style) -> String {
    switch tree[id].kind {
    case .arrayOfTables:
      return "[" + tree.children(of: id).map { lineText(of: $0, style) }.joined(separator: ", ") + "]"
    case .array: return Notation.lineText(ofArray: text(of: id), style)
    case let kind where kind.isTable:
      if kind == .inline, let literal = Notation.literal(text(of: id), style) { return literal }
      let members = tree.children(of: id).map { child in
        TOMLEmitter.keyText(key(of: child)) + " = " + lineText(of: child, style)
      }
      return members.isEmpty ? "{}" : "{ " + members.joined(separator: ", ") + " }"
    case .float: return Notation.literal(text(of: id), style) ?? Notation.float(text(of: id))
    default: return Notation.literal(text(of: id), style) ?? value(of: id).tomlText
    }
  }
}

/// The text of values as typed.
private enum Notation {
  enum Style {
    /// Our own form, but floats as written.
    case line
    /// As written, if it is on one line.
    case literal
  }

  static func literal(_ text: [UInt8], _ style: Style) -> String? {
    style == .literal && !text.contains(Byte.newline) ? String(decoding: text, as: UTF8.self) : nil
  }

  /// A value's text: as typed if the old text is the plain one, or the value is a number, date or time.
  static func text(_ value: TOMLValue, typed: [UInt8], over old: [UInt8]) -> [UInt8] {
    let isPortable = isPortable(typed)
    if old.elementsEqual(value.tomlText.utf8), isPortable { return typed }
    switch value {
    case .string, .boolean, .table: return old
    case .array(let items):
      guard let list = InlineItems(old, open: 0), let typed = InlineItems(typed, open: 0),
        list.items.count == items.count, typed.items.count == items.count
      else { return old }
      let splices = items.indices.compactMap { index -> Splice? in
        let (range, text) = (list.items[index], Array(typed.bytes[typed.items[index]]))
        let new = self.text(items[index], typed: text, over: Array(old[range]))
        return new.elementsEqual(old[range]) ? nil : Splice(range, new)
      }
      return splices.isEmpty ? old : Splice.apply(splices, to: old)
    default: return isPortable ? typed : old
    }
  }

  /// Whether readers of TOML 1.0 accept a text that this parser accepts. In doubt, `false`.
  static func isPortable(_ bytes: [UInt8]) -> Bool {
    let isOnOneLine = !bytes.contains(Byte.newline)
    var quote: UInt8?
    var last: UInt8?
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      let next = at + 1 < bytes.count ? bytes[at + 1] : 0
      switch byte {
      case Byte.backslash where quote == Byte.quote:
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "x") { return false }
        at += 1
      case _ where quote != nil:
        if byte == quote { quote = nil }
      case Byte.quote, Byte.apostrophe:
        if bytes[at...].starts(with: [byte, byte, byte]) { return false }
        quote = byte
      case Byte.hash: at = bytes[at...].firstIndex(of: Byte.newline) ?? bytes.count
      case Byte.openBrace where !isOnOneLine: return false
      case Byte.closeBrace where last == Byte.comma: return false
      case UInt8(ascii: ":") where !isInWholeTime(bytes, at: at): return false
      default: break
      }
      if !Byte.isBlank(byte) { last = byte }
      at += 1
    }
    return true
  }

  /// Whether a colon is in a time with seconds or in an offset.
  private static func isInWholeTime(_ bytes: [UInt8], at index: Int) -> Bool {
    func byte(_ place: Int) -> UInt8? { bytes.indices.contains(place) ? bytes[place] : nil }
    let before = byte(index - 3)
    return before == UInt8(ascii: ":") || before == UInt8(ascii: "+") || before == UInt8(ascii: "-")
      || byte(index + 3) == UInt8(ascii: ":")
  }

  /// A float as written, without `_`.
  static func float(_ text: some Sequence<UInt8>) -> String {
    String(decoding: text.filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
  }

  static func lineText(ofArray bytes: [UInt8], _ style: Style) -> String {
    if let literal = literal(bytes, style) { return literal }
    guard let list = InlineItems(bytes, open: 0) else { return String(decoding: bytes, as: UTF8.self) }
    let items = list.items.map { range -> String in
      let item = Array(bytes[range])
      if let literal = literal(item, style) { return literal }
      switch item.first {
      case Byte.openBracket?: return lineText(ofArray: item, style)
      case Byte.openBrace?:
        let document = try? TOMLDocument(parsing: Array("v = ".utf8) + item)
        let text = style == .line ? document?.lineText(at: ["v"]) : document?.literal(at: ["v"])
        return text ?? String(decoding: item, as: UTF8.self)
      default:
        let text = String(decoding: item, as: UTF8.self)
        guard let value = try? TOMLValue(parsing: text) else { return text }
        if case .float = value { return float(item) }
        return value.tomlText
      }
    }
    return "[" + items.joined(separator: ", ") + "]"
  }
}

extension TOMLValue {
  /// Whether the value is a float or contains one.
  package var hasFloat: Bool {
    var pending = [self]
    while let value = pending.popLast() {
      switch value {
      case .float: return true
      case .array(let items): pending += items
      case .table(let table): pending += table.entries.map(\.value)
      default: break
      }
    }
    return false
  }
}

extension [UInt8] {
  /// The text without the blanks around it.
  var trimmingBlanks: [UInt8] {
    guard let first = firstIndex(where: { !Byte.isBlank($0) }), let last = lastIndex(where: { !Byte.isBlank($0) })
    else { return [] }
    return Array(self[first...last])
  }
}
