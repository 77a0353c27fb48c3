extension TOMLValue {
  /// Parses one TOML value, written as after `=` in a file. Blanks around it are allowed, nothing else.
  ///
  /// - Throws: ``TOMLSyntaxError`` with the position in `literal`.
  public init(parsing literal: String) throws(TOMLSyntaxError) {
    let bytes = Array(literal.utf8)
    let result = bytes.withUnsafeBufferPointer { buffer -> Result<TOMLValue, TOMLSyntaxError> in
      var parser = Parser(buffer, isDocument: false)
      do throws(SyntaxFault) {
        return .success(try parser.parseLoneValue())
      } catch {
        return .failure(TOMLSyntaxError(error, in: buffer, tree: parser.tree))
      }
    }
    self = try result.get()
  }
}

extension Parser {
  fileprivate mutating func parseLoneValue() throws(SyntaxFault) -> TOMLValue {
    guard end <= TextLimits.size else { throw SyntaxFault(.tooLarge, at: 0) }
    skipBlanks()
    var node = IndexNode(kind: .inline)
    node.start = UInt32(at)
    let value: TOMLValue
    if at < end, base[at] == Byte.openBrace {
      let id = tree.append(node, slot: nil)
      try parseInlineTable(id, level: 1)
      value = Materializer(base: base, tree: tree).value(id)
    } else {
      (node.kind, node.isPlain) = try scanValue(level: 1)
      node.end = UInt32(at)
      value = Materializer.scalarOrArray(node, base)
    }
    skipBlanks()
    guard at == end else { throw SyntaxFault(.textAfterValue, at: at) }
    return value
  }
}
