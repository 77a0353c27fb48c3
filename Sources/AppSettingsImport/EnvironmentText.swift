import AppSettings

/// Reads `KEY=VALUE` lines, as systemd's `EnvironmentFile=` and a shell do.
///
/// A comment directly above a variable may name its key, and one may say their version: see ``EnvironmentForm``.
enum EnvironmentText {
  static func read(_ text: String, _ budget: inout ImportBudget) throws(ImportFailure) -> ImportedValues {
    var result = ImportedValues()
    result.hasVariables = true
    result.isUntyped = true
    var reader = Reader(text: TextCursor(text))
    var note: EnvironmentForm.Note?
    while let entry = try reader.next() {
      switch entry {
      case .comment(let text):
        note = EnvironmentForm.Note(text)
        if let version = EnvironmentForm.version(in: text) { result.set(version, at: SettingsFormat.versionPath) }
      case .variable(let name, let text, let isQuoted):
        defer { note = nil }
        let known = note.flatMap { $0.isAbout(name) ? $0 : nil }
        let path = known?.key ?? [name]
        try budget.take(bytes: path.cost + text.utf8.count)
        if let known {
          result.set(known.value(of: text), at: path)
        } else if isQuoted {
          result.set(.string(text), at: path)
        } else {
          result.setPlain(text, at: path)
        }
      }
    }
    return result
  }

  private enum Entry {
    case comment(String)
    case variable(String, String, isQuoted: Bool)
  }

  private struct Reader {
    var text: TextCursor

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }

    /// Reads the next comment or variable; `nil` at the end.
    mutating func next() throws(ImportFailure) -> Entry? {
      text.take { $0 == 10 || Self.isBlank($0) }
      switch text.current {
      case nil: return nil
      case UInt8(ascii: "#"), UInt8(ascii: ";"):
        return .comment(String(decoding: text.take { $0 != 10 }, as: UTF8.self))
      default: return try variable()
      }
    }

    private mutating func variable() throws(ImportFailure) -> Entry {
      let line = text.line
      var name = text.take { $0 != UInt8(ascii: "=") && $0 != 10 }
      guard text.current == UInt8(ascii: "=") else { throw ImportFailure(reason: "line \(line) is not 'KEY=VALUE'") }
      let afterExport = name.dropFirst(6)
      if name.starts(with: "export".utf8), let blank = afterExport.first, Self.isBlank(blank) {
        name = afterExport.drop(while: Self.isBlank)
      }
      guard let first = name.first, !first.isDigit,
        name.allSatisfy({ $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") })
      else { throw ImportFailure(reason: "line \(line) has no name of a variable before '='") }
      text.next()
      let (value, isQuoted) = try value()
      return .variable(String(decoding: name, as: UTF8.self), value, isQuoted: isQuoted)
    }

    /// Reads a value without its quotes and escapes. Also returns whether it has quotes.
    private mutating func value() throws(ImportFailure) -> (String, isQuoted: Bool) {
      var result: [UInt8] = []
      var isQuoted = false
      // Outside quotes, leading and trailing blanks are dropped.
      var blanks: [UInt8] = []
      func take(_ byte: UInt8) {
        result += blanks
        blanks.removeAll(keepingCapacity: true)
        result.append(byte)
      }
      var isAfterBlank = !text.take(while: Self.isBlank).isEmpty
      while let byte = text.current, byte != 10 {
        text.next()
        let mayBeginComment = isAfterBlank
        isAfterBlank = Self.isBlank(byte)
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
          result += blanks
          blanks.removeAll(keepingCapacity: true)
          isQuoted = true
          try quoted(by: byte, &result)
        case UInt8(ascii: "#") where mayBeginComment: text.take { $0 != 10 }
        case UInt8(ascii: "\\"):
          guard let escaped = text.next() else { throw open(text.line) }
          if escaped == 10 { isAfterBlank = mayBeginComment } else { take(escaped) }
        case _ where Self.isBlank(byte): if !result.isEmpty || isQuoted { blanks.append(byte) }
        default: take(byte)
        }
      }
      return (String(decoding: result, as: UTF8.self), isQuoted)
    }

    private mutating func quoted(by quote: UInt8, _ result: inout [UInt8]) throws(ImportFailure) {
      let start = text.line
      while let byte = text.next() {
        if byte == quote { return }
        guard byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") else {
          result.append(byte)
          continue
        }
        guard let escaped = text.next() else { break }
        if escaped == 10 { continue }
        if !"\"\\$`".utf8.contains(escaped) { result.append(byte) }
        result.append(escaped)
      }
      throw open(start)
    }

    private func open(_ line: Int) -> ImportFailure {
      ImportFailure(reason: "line \(line) has a quote that is not closed")
    }
  }
}
