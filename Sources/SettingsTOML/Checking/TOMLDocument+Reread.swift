/// Reading a text of which nearly all is known.
extension TOMLDocument {
  /// Reads a text that is this document's but for one value, as it is when a value was set by somebody else: of the text
  /// only that value is read.
  ///
  /// The result is what reading all of it gives. What stands before and after the value is the same, byte for byte, and
  /// one value in the place of another changes the meaning of nothing else: what ends a value is no part of it.
  ///
  /// - Returns: The document, and the path that has another value, if it is another one: for a value in an array of
  ///   tables that of the array, as in ``changedPaths(since:)``. `nil` where more than a string, a number, a boolean or a
  ///   date may differ, or something is wrong: read all of it then.
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

  /// The value without children that a range of the text is within.
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
  /// The keys, down to the first array of tables that it leads through.
  fileprivate var pathToTables: TOMLPath {
    Location(
      steps: Array(
        steps.prefix { step in
          if case .key = step { true } else { false }
        })
    ).path
  }
}
