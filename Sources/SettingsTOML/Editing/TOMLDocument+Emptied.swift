/// Tables that hold nothing any more.
extension TOMLDocument {
  /// Removes the tables above a path that are empty, the innermost first, up to one that holds something or has a
  /// comment of its own. An empty header below the tables that it holds, where a new key has put it, goes too.
  ///
  /// - Parameters:
  ///   - path: The path of a value that was removed or moved.
  ///   - top: A table that stays, as do those above it.
  ///   - keepsWritten: Whether a table stays that has a header or braces of its own.
  /// - Throws: ``TOMLEditError``. The document is unchanged.
  package mutating func removeEmptied(
    above path: TOMLPath, within top: TOMLPath = .root, keepingWritten keepsWritten: Bool = false
  ) throws(TOMLEditError) {
    var table = path.parent
    while table.components.count > top.components.count {
      if let id = find(table) {
        let node = tree[id]
        guard node.kind.isTable else { return }
        guard node.firstChild == DocumentIndex.none else {
          guard node.kind == .header, node.keyStart < node.start, lastBodyLeaf(under: id) == nil, !hasOwnComment(id)
          else { return }
          let value = value(of: id)
          _ = try checked(.set(table, value)) { draft throws(TOMLEditError) in
            try draft.removeHeader(of: id)
            return true
          }
          return
        }
        if hasOwnComment(id) || keepsWritten && (node.kind == .header || node.kind == .inline) { return }
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
