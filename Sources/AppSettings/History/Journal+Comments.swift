import SettingsTOML

extension Journal {
  /// Whether a comment of a text may have one of some names, in any case.
  ///
  /// A change may begin within a comment, so the first line of its texts is taken for one.
  func mayHaveComment(naming names: [String]) -> Bool {
    guard !names.isEmpty else { return false }
    func has(_ text: some Collection<UInt8>, _ names: TextSet) -> Bool {
      names.hasOne(in: String(decoding: text, as: UTF8.self))
    }
    let escaped = TextSet(
      names.lazy.map { String(decoding: HistoryLine.quoted($0).dropFirst().dropLast(), as: UTF8.self) })
    var last = 0
    for line in lines(from: start, to: end) {
      if comments(in: line).contains(where: { has($0, escaped) }) { return true }
      if line.isRecord, let number = line.head?.number { last = number }
    }
    // An edit within a word leaves the name whole in no line, but in the text that it has made.
    guard let text = self.text(after: last), let document = KeptText.document(of: text) else { return false }
    let names = TextSet(names)
    return document.comments.contains { has(document.bytes[$0], names) }
  }

  /// The pieces of a line that may be in comments, with their escapes.
  private func comments(in line: Line) -> [Slice<UnsafeRawBufferPointer>] {
    let bytes = line.text
    var found: [Slice<UnsafeRawBufferPointer>] = []
    var isQuoted = false
    var start: Int?
    var at = textStart(of: line)
    func end() {
      if let piece = start { found.append(bytes[piece..<at]) }
      start = nil
    }
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "\""):
        end()
        isQuoted.toggle()
        if isQuoted, line.isRecord { start = at + 1 }
      case UInt8(ascii: "\\"):
        if at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "n") { end() }
        at += 1
      case UInt8(ascii: "#"): start = start ?? at
      default: break
      }
      at += 1
    }
    at = bytes.count
    end()
    return found
  }

  /// Where the texts of a line begin: those of a record are behind its values. An index has none.
  private func textStart(of line: Line) -> Int {
    guard line.isRecord else { return line.isIndex ? line.text.count : 0 }
    let mark = Array(",\"s\":[".utf8)
    return firstPlace(of: mark, from: line.place, to: line.next).map { $0 - line.place + mark.count } ?? 0
  }
}
