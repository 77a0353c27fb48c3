/// Tables that hold nothing any more.
extension TOMLDocument {
  /// Removes the tables above a path that are empty, the innermost first, up to one that holds something or has a
  /// comment of its own.
  ///
  /// - Parameters:
  ///   - path: The path of a value that was removed or moved.
  ///   - top: A table that stays, as do those above it.
  /// - Throws: ``TOMLEditError``. The document is unchanged.
  package mutating func removeEmptied(above path: TOMLPath, within top: TOMLPath = .root) throws(TOMLEditError) {
    var table = path.parent
    while table.components.count > top.components.count {
      if let id = find(table) {
        guard tree[id].kind.isTable, tree[id].firstChild == DocumentIndex.none, !hasOwnComment(id) else { return }
        try remove(at: table)
      }
      table = table.parent
    }
  }

  /// Whether an empty table has a comment: on its line, directly above or below it, or within its braces.
  private func hasOwnComment(_ id: DocumentIndex.ID) -> Bool {
    let lines = lines
    let node = tree[id]
    if let outer = inlineTable(around: id) {
      if bytes[Int(node.start)..<Int(node.end)].contains(Byte.hash) { return true }
      guard bytes[Int(tree[outer].start)..<Int(tree[outer].end)].contains(Byte.newline) else { return false }
      // On lines of its own, or at the end of one.
      let start = lines.start(of: Int(node.keyStart))
      return bytes[Int(node.end)..<lines.end(of: Int(node.end))].contains(Byte.hash)
        || lines.previous(start).map(lines.isComment) == true
    }
    let range = node.kind == .inline ? statement(of: id) : section(of: id)
    return bytes[Int(node.kind == .inline ? node.start : node.end)..<range.upperBound].contains(Byte.hash)
      || commentStart(above: range.lowerBound) < range.lowerBound
  }
}
