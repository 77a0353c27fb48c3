/// How the key lines around a place are written.
struct LineStyle {
  private let separator: [UInt8]
  /// The column of `=`, if the neighbours are aligned.
  private let column: Int?

  init(_ document: TOMLDocument, sibling: DocumentIndex.ID, previous: DocumentIndex.ID?) {
    let lines = document.lines
    let node = document.tree[sibling]
    separator = Array(document.bytes[Int(node.keyEnd)..<Int(node.start)])
    func place(_ id: DocumentIndex.ID) -> (width: Int, column: Int, rest: ArraySlice<UInt8>) {
      let node = document.tree[id]
      let start = lines.firstNonBlank(from: lines.start(of: Int(node.keyStart)))
      let width = LineStyle.width(document.bytes[start..<Int(node.keyEnd)])
      let blanks = document.bytes[Int(node.keyEnd)..<Int(node.start)].prefix { $0 != Byte.equals }
      return (width, width + blanks.count, document.bytes[blanks.endIndex..<Int(node.start)])
    }
    guard !separator.contains(Byte.tab) else {
      column = nil
      return
    }
    let own = place(sibling)
    let above = previous.map(place)
    let isAligned =
      above.map { $0.column == own.column && $0.width != own.width && $0.rest.elementsEqual(own.rest) } ?? false
    column = isAligned || own.column - own.width > 1 ? own.column : nil
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
    var best: IndexNode?
    for node in document.tree.nodes
    where node.keyEnd < node.start && node.kind.rawValue >= IndexNode.Kind.inline.rawValue {
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
