/// Tables that hold nothing any more.
extension TOMLDocument {
  /// Removes the tables above some paths that are empty, the innermost first, up to one that holds something or has a
  /// comment of its own. An empty header below the tables that it holds, where a new key has put it, goes too.
  ///
  /// - Parameters:
  ///   - paths: The paths of values that were removed or moved.
  ///   - top: A table that stays, as do those above it.
  ///   - keepsWritten: Whether a table stays that has a header or braces of its own.
  /// - Throws: ``TOMLEditError``. The document may have changed.
  package mutating func removeEmptied(
    above paths: [TOMLPath], within top: TOMLPath = .root, keepingWritten keepsWritten: Bool = false
  ) throws(TOMLEditError) {
    var places = paths.map(\.parent)
    while let depth = places.lazy.map(\.components.count).max(), depth > top.components.count {
      var seen: Set<TOMLPath> = []
      let tables = places.filter { $0.components.count == depth && seen.insert($0).inserted }
      places.removeAll { $0.components.count == depth }
      var emptied: [TOMLPath] = []
      for table in tables {
        if let id = find(table) {
          guard tree[id].kind.isTable, try isEmptied(id, at: table, keepingWritten: keepsWritten) else { continue }
          emptied.append(table)
        }
        places.append(table.parent)
      }
      // One is removed in place.
      if emptied.count == 1 { try remove(at: emptied[0]) } else { try removeAll(at: emptied) }
    }
  }

  /// Whether a table is empty and may go. If it holds only tables, its own header goes at once.
  private mutating func isEmptied(
    _ id: DocumentIndex.ID, at table: TOMLPath, keepingWritten keepsWritten: Bool
  ) throws(TOMLEditError) -> Bool {
    let node = tree[id]
    guard node.firstChild != DocumentIndex.none else {
      return !hasOwnComment(id) && !(keepsWritten && (node.kind == .header || node.kind == .inline))
    }
    if node.kind == .header, node.keyStart < node.start, lastBodyLeaf(under: id) == nil, !hasOwnComment(id) {
      let value = value(of: id)
      _ = try checked(.set(table, value)) { draft throws(TOMLEditError) in
        try draft.removeHeader(of: id)
        return true
      }
    }
    return false
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
