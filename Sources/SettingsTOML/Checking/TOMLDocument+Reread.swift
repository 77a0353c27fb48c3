/// Parsing a text that is almost the known one.
extension TOMLDocument {
  /// Parses a text that differs from this document in one value, as after another program set it, and only that value.
  ///
  /// The result is that of parsing the whole text. The bytes before and after the value are the same, and replacing one
  /// value with another does not change the meaning of anything else, because what ends a value is not part of it.
  ///
  /// - Returns: The document, and the path whose value changed, if one did: for a value in an array of tables the
  ///   array's path, as in ``changedPaths(since:)``. `nil` if more than a string, a number, a boolean or a date may
  ///   differ, or the text is invalid: parse all of it then.
  package func reread(_ text: [UInt8]) -> (document: TOMLDocument, changed: TOMLPath?)? {
    guard !isMended, text.count <= TOMLDocument.maximumSize else { return nil }
    let (prefix, suffix) = Scan.commonEnds(bytes, text)
    if prefix == bytes.count && prefix == text.count { return (self, nil) }
    guard let id = scalar(around: prefix..<(bytes.count - suffix)) else { return nil }
    let start = Int(tree[id].start)
    let end = Int(tree[id].end) + text.count - bytes.count
    guard let scanned = TOMLDocument.scan(Array(text[start..<end])), scanned.kind.isScalar else { return nil }
    var document = self
    document.bytes = text
    document.tree.shift(at: start, removed: Int(tree[id].end) - start, inserted: end - start)
    document.tree[id].kind = scanned.kind
    document.tree[id].isPlain = scanned.isPlain
    guard value(of: id) != document.value(of: id) else { return (document, nil) }
    return (document, location(of: id).pathToTables)
  }

  /// The value without children that contains a range of the text.
  private func scalar(around range: Range<Int>) -> DocumentIndex.ID? {
    tree.nodes.withUnsafeBufferPointer { nodes in
      nodes.firstIndex { node in
        Int(node.start) <= range.lowerBound && range.upperBound <= Int(node.end) && node.kind.isScalar
      }
    }.map { DocumentIndex.ID($0) }
  }
}

extension IndexNode.Kind {
  fileprivate var isScalar: Bool {
    rawValue >= IndexNode.Kind.string.rawValue && rawValue < IndexNode.Kind.array.rawValue
  }
}

extension Location {
  /// The keys down to the first array of tables along the path.
  fileprivate var pathToTables: TOMLPath {
    Location(
      steps: Array(
        steps.prefix { step in
          if case .key = step { true } else { false }
        })
    ).path
  }
}
