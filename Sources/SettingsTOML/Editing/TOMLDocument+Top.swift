/// The first line of a document's root, and the comment that it goes below.
extension TOMLDocument {
  /// Sets a key of the root on the first line: in its place if it exists, else above all other keys, below the comment
  /// of the file itself.
  ///
  /// - Throws: ``TOMLEditError``. The document is unchanged.
  package mutating func setAtTop(_ key: String, _ value: TOMLValue) throws(TOMLEditError) {
    guard !contains([key]) else {
      try set(value, at: [key])
      return
    }
    _ = try checked(.set([key], value), isSingle: true) { draft throws(TOMLEditError) in
      try draft.insertTopLine(
        Insertion(text: Array(value.tomlText.utf8)), key: Array(TOMLEmitter.keyText(key).utf8),
        separator: Array(" = ".utf8))
      return true
    }
  }

  /// Inserts a key line above all others of the root.
  mutating func insertTopLine(_ new: Insertion, key: [UInt8], separator: [UInt8]) throws(TOMLEditError) {
    let lines = lines
    let lineBreak = lines.lineBreak(at: lines.textStart)
    let header = headerCommentEnd
    var place = header
    var text: [UInt8] = []
    var isLast = false
    if header > lines.textStart {
      // A blank line keeps the comment apart from the key.
      if lines.isEmpty(header) {
        place = lines.end(of: header)
      } else {
        isLast = lines.isUnfinished(header)
        text = isLast ? lineBreak + lineBreak : lineBreak
      }
    }
    for comment in new.comments { text += comment + lineBreak }
    let keyStart = text.count
    text += key + separator
    let valueStart = text.count
    text += new.text + new.trailing
    if !isLast { text += lineBreak }
    if needsBlankLine(before: place, after: header) { text += lineBreak }
    try commitLine(
      text, key: keyStart..<keyStart + key.count, value: valueStart..<valueStart + new.text.count, at: place,
      in: DocumentIndex.root)
  }

  /// Whether a new first line at a place needs a blank line below it.
  private func needsBlankLine(before place: Int, after header: Int) -> Bool {
    let lines = lines
    // A text without anything else gets no more blank lines than it has.
    if place < bytes.count, lines.isBlank(lines.textStart..<bytes.count) { return false }
    guard place < bytes.count, !lines.isEmpty(place) else {
      // Without other keys there, the blank lines are those of what is around: removing the key again leaves them.
      return lastBodyLeaf(under: DocumentIndex.root) == nil && (place < bytes.count || place > header)
    }
    var at = place
    while at < bytes.count, lines.isComment(at) { at = lines.end(of: at) }
    // A comment set off from what follows, or a table; not the next key.
    let next = lines.firstNonBlank(from: at)
    return next == bytes.count || lines.isEmpty(at) || bytes[next] == Byte.openBracket
  }

  /// The end of the comment of the file itself, or the start of the text if the file has no such comment.
  ///
  /// That is the comment at the top that a blank line sets off, that names a licence or its holder, or whose key was
  /// removed. Lines for other programs (`#!`, `#:schema`, an editor's mode) belong to the file, too, and do not end its
  /// comment.
  private var headerCommentEnd: Int {
    let lines = lines
    var header = lines.textStart
    var at = header
    while true {
      while lines.isEmpty(at) { at = lines.end(of: at) }
      let start = at
      var ofPrograms = at
      var namesLicence = false
      while at < bytes.count, lines.isComment(at) {
        let line = bytes[at..<lines.contentEnd(of: at)]
        let text = String(decoding: line, as: UTF8.self).drop { $0 == " " || $0 == "\t" }
        if ofPrograms == at, isForPrograms(text) { ofPrograms = lines.end(of: at) }
        if text.contains("SPDX-") || text.contains("Copyright") { namesLicence = true }
        at = lines.end(of: at)
      }
      guard at > start else { return header }
      let orphanedEnd = orphanedEnd(from: start, to: at)
      at = orphanedEnd ?? at
      if namesLicence || orphanedEnd != nil || at == bytes.count || lines.isEmpty(at) {
        header = at
        // Another comment may follow, which is the file's as well.
        guard ofPrograms == at else { return header }
      } else {
        return ofPrograms > start ? ofPrograms : header
      }
    }
  }

  private func isForPrograms(_ comment: Substring) -> Bool {
    comment.hasPrefix("#!") || comment.hasPrefix("#:") || comment.contains("-*-") || comment.contains(" vim:")
      || comment.contains(" vi:") || comment.contains(" ex:")
  }
}
