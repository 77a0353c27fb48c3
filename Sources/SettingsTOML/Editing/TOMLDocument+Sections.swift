extension TOMLDocument {
  /// The keys of a table as a header names them, each as written where it first occurs.
  func headerPrefix(of id: DocumentIndex.ID) -> [String] {
    keyedChain(of: id).map { String(decoding: keyBytes($0), as: UTF8.self) }
  }

  /// Inserts a value below a new header.
  mutating func insertBelowNewHeader(
    _ new: Insertion, under table: DocumentIndex.ID, _ rest: [String]
  ) throws(TOMLEditError) {
    let lineBreak = lines.lineBreak(at: bytes.count)
    let keys = TOMLEmitter.keyTexts(rest, like: new.formerKeys)
    let names = headerPrefix(of: table) + keys.dropLast()
    var text = Array("[\(names.joined(separator: "."))]".utf8) + lineBreak
    for comment in new.comments { text += comment + lineBreak }
    text += Array(keys[keys.count - 1].utf8)
    text += LineStyle.usual(in: self, before: bytes.count) + new.text + new.trailing + lineBreak
    try insertSections([text], under: table)
  }

  /// Inserts new sections after the nearest relative of a table: the last section at or below it, else at the end.
  mutating func insertSections(_ sections: [[UInt8]], under table: DocumentIndex.ID) throws(TOMLEditError) {
    let lines = lines
    let place: Int
    if table != DocumentIndex.root, let last = headers(under: table).last {
      place = section(of: last).upperBound
    } else {
      place = bytes.count
    }
    let lineBreak = lines.lineBreak(at: max(place - 1, 0))
    let text = Array(sections.joined(separator: lineBreak))
    try commitSections(separated(text, at: place, lineBreak), at: place)
  }

  /// A section's text for a place: with one blank line before it, and an end like that of the text.
  func separated(_ text: [UInt8], at place: Int, _ lineBreak: [UInt8]) -> [UInt8] {
    let lines = lines
    if place == lines.textStart { return text }
    if lines.isUnfinished(place) { return lineBreak + lineBreak + text.dropLast(lineBreak.count) }
    return lineBreak + text
  }
}

extension TOMLTable {
  /// The text of a document with these values: first the values that are not tables, then each table under its header.
  package var documentText: String {
    let (lines, sections) = SectionWriter(prefix: [], lineBreak: [Byte.newline]).parts(of: self, names: [])
    let texts = lines.isEmpty ? sections : [lines] + sections
    return String(decoding: Array(texts.joined(separator: [Byte.newline])), as: UTF8.self)
  }
}

extension TOMLDocument {
  /// Whether a value is written with headers where possible.
  static func hasHeader(_ value: TOMLValue) -> Bool {
    switch value {
    case .table: true
    case .array(let items): !items.isEmpty && items.allSatisfy { $0.table != nil }
    default: false
    }
  }
}
