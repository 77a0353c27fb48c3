/// Where headers, values and comments are in a text, for hiding parts of it.
struct TextPlaces {
  private let document: TOMLDocument
  // Where headers begin, and where values and headers end, in order.
  private let headers: [Int]
  private let ends: [Int]

  init(of document: TOMLDocument) {
    self.document = document
    let tree = document.tree
    headers = document.headers(under: DocumentIndex.root).map { document.lines.start(of: Int(tree[$0].start)) }
    ends = tree.nodes.dropFirst().filter { $0.kind != .removed && $0.kind != .implicit && $0.kind != .dotted }
      .map { Int($0.end) }.sorted()
  }

  /// The lines of a table with a header: up to the comments that belong to the next header.
  func section(of header: DocumentIndex.ID) -> Range<Int> {
    let tree = document.tree
    let start = document.lines.start(of: Int(tree[header].start))
    let last = document.lastBodyLeaf(under: header).map { Int(tree[$0].end) } ?? Int(tree[header].end)
    let next = headers[headers.firstPlace { $0 > start }...].first
    let end = next.map { document.lines.commentStart(above: $0, after: last) } ?? document.bytes.count
    return start..<max(end, document.lines.end(of: last))
  }

  /// The start of the comment lines directly above a line; the line's own start if there are none.
  func commentStart(above line: Int) -> Int {
    document.lines.commentStart(above: line, after: ends.last(upTo: line))
  }
}

extension TOMLDocument {
  /// The comments, each up to the end of its line, in order, also those within arrays and inline tables.
  package var comments: [Range<Int>] { comments(within: 0..<bytes.count) }

  /// The comments in a part of the text that begins outside of strings.
  func comments(within range: Range<Int>) -> [Range<Int>] {
    guard bytes[range].contains(Byte.hash) else { return [] }
    return bytes.withUnsafeBufferPointer { buffer in
      var found: [Range<Int>] = []
      var parser = Parser(buffer, isDocument: false)
      parser.at = range.lowerBound
      do throws(SyntaxFault) {
        while parser.at < range.upperBound {
          let start = parser.at
          switch buffer[start] {
          case Byte.hash:
            try parser.skipComment()
            found.append(start..<parser.at)
          case Byte.quote, Byte.apostrophe: _ = try parser.scanValue(level: 0)
          default: parser.at += 1
          }
        }
      } catch {
        assertionFailure("The text has been parsed: \(error).")
      }
      return found
    }
  }
}

extension Sequence<UInt8> {
  /// Whether a text contains another.
  package func contains(_ other: some Collection<UInt8>) -> Bool {
    guard let first = other.first else { return true }
    let all = Array(self)
    return all.indices.contains { all[$0] == first && all[$0...].starts(with: other) }
  }
}
