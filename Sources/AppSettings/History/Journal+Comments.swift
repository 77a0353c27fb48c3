import SettingsTOML

extension Journal {
  /// Whether a comment of a text may have one of some names, in any case.
  ///
  /// A change may begin within a comment, so the first line of its texts is taken for one.
  func mayHaveComment(naming names: [String]) -> Bool {
    guard !names.isEmpty else { return false }
    let names = names.map { name in
      String(decoding: HistoryLine.quoted(name).dropFirst().dropLast(), as: UTF8.self).lowercased()
    }
    return lines(from: start, to: end).contains { line in
      comments(in: line).contains { piece in
        let text = String(decoding: piece, as: UTF8.self).lowercased()
        return names.contains { text.utf8.contains($0.utf8) }
      }
    }
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
