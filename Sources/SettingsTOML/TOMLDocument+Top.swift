extension TOMLDocument {
  /// Sets a key of the root that is to be the first line: where it is, or above all else, comments too.
  ///
  /// - Throws: ``TOMLEditError``. The document is unchanged.
  package mutating func setAtTop(_ key: String, _ value: TOMLValue) throws(TOMLEditError) {
    guard !contains([key]) else {
      try set(value, at: [key])
      return
    }
    _ = try checked(.set([key], value), isSingle: true) { draft throws(TOMLEditError) in
      let name = Array(TOMLEmitter.keyText(key).utf8)
      let start = draft.lines.textStart
      let beginning = name + Array(" = ".utf8)
      let text = beginning + Array(value.tomlText.utf8)
      try draft.commitLine(
        text + draft.lines.lineBreak(at: start), key: 0..<name.count, value: beginning.count..<text.count, at: start,
        in: Tree.root)
      return true
    }
  }
}
