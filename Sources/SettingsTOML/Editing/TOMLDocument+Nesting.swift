/// A document as a table of another one, and back, with its comments and notation.
extension TOMLDocument {
  /// The text as that of a root table of another document: each header gets the table's name, and all else stays.
  package func text(nestedIn table: String) -> [UInt8] {
    let name = Array(TOMLEmitter.keyText(table).utf8)
    let names = headers(under: DocumentIndex.root).map { id in
      var start = Int(tree[id].start)
      while bytes[start] == Byte.openBracket { start += 1 }
      return Splice(start..<start, name + [Byte.dot])
    }
    var text = [Byte.openBracket] + name + [Byte.closeBracket, Byte.newline]
    text += Splice.apply(names, to: bytes).dropFirst(lines.textStart)
    if text.last != Byte.newline { text.append(Byte.newline) }
    return text
  }

  /// The texts of root tables as documents of their own, by their names: of each that has a header with all of it below.
  package var tableTexts: [String: [UInt8]] {
    let headers = headers(under: DocumentIndex.root)
    let places = Dictionary(uniqueKeysWithValues: zip(headers, headers.indices))
    var texts: [String: [UInt8]] = [:]
    for id in tree.children(of: DocumentIndex.root) where tree[id].kind == .header {
      guard let place = places[id] else { continue }
      texts[key(of: id)] = text(ofTable: id, at: place, among: headers)
    }
    return texts
  }

  private func text(ofTable id: DocumentIndex.ID, at first: Int, among all: [DocumentIndex.ID]) -> [UInt8]? {
    let own = headers(under: id)
    let next = first + own.count
    guard next <= all.count, Array(all[first..<next]) == own else { return nil }
    let start = lines.end(of: Int(tree[id].end))
    let end = next < all.count ? lines.start(of: Int(tree[all[next]].start)) : bytes.count
    let names = own.dropFirst().map { id in
      let pieces = headerPieces(of: id)
      return Splice(pieces[0].lowerBound - start..<pieces[1].lowerBound - start, [])
    }
    var text = Splice.apply(names, to: Array(bytes[start..<end]))
    // The line that sets the next table off.
    if next < all.count, text.suffix(2) == [Byte.newline, Byte.newline] || text == [Byte.newline] { text.removeLast() }
    return text
  }
}
