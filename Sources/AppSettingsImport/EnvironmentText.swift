import AppSettings

/// Reads `KEY=VALUE` lines, as systemd's `EnvironmentFile=` and a shell do.
///
/// A comment directly above a variable may name its key: see ``EnvironmentForm``.
enum EnvironmentText {
  static func read(_ text: String, _ budget: inout ImportBudget) throws(ImportFailure) -> ImportedValues {
    var result = ImportedValues()
    result.hasVariables = true
    result.isUntyped = true
    var reader = Reader(bytes: Array(text.utf8))
    var note: EnvironmentForm.Note?
    while let entry = try reader.next() {
      switch entry {
      case .comment(let text): note = EnvironmentForm.Note(text)
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
    let bytes: [UInt8]
    private var at = 0
    private var line = 1

    init(bytes: [UInt8]) {
      self.bytes = bytes
      if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    }

    private var current: UInt8? { at < bytes.count ? bytes[at] : nil }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }

    private mutating func skipBlanks() { while let byte = current, Self.isBlank(byte) { at += 1 } }

    /// Reads the next comment or variable; `nil` at the end.
    mutating func next() throws(ImportFailure) -> Entry? {
      while let byte = current {
        switch byte {
        case UInt8(ascii: "\n"):
          line += 1
          at += 1
        case _ where Self.isBlank(byte): at += 1
        case UInt8(ascii: "#"), UInt8(ascii: ";"):
          let start = at
          while let byte = current, byte != UInt8(ascii: "\n") { at += 1 }
          return .comment(String(decoding: bytes[start..<at], as: UTF8.self))
        default: return try variable()
        }
      }
      return nil
    }

    private mutating func variable() throws(ImportFailure) -> Entry {
      let export = Array("export".utf8)
      if bytes[at...].starts(with: export), at + 6 < bytes.count, Self.isBlank(bytes[at + 6]) {
        at += 7
        skipBlanks()
      }
      let start = at
      while let byte = current, byte != UInt8(ascii: "="), byte != UInt8(ascii: "\n") { at += 1 }
      guard current == UInt8(ascii: "=") else { throw ImportFailure(reason: "line \(line) is not 'KEY=VALUE'") }
      let name = bytes[start..<at]
      guard let first = name.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
        name.allSatisfy({ byte in
          let letter = byte | 0x20
          return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) || byte == UInt8(ascii: "_")
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        })
      else { throw ImportFailure(reason: "line \(line) has no name of a variable before '='") }
      at += 1
      let (text, isQuoted) = try value()
      return .variable(String(decoding: name, as: UTF8.self), text, isQuoted: isQuoted)
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
      skipBlanks()
      while let byte = current, byte != UInt8(ascii: "\n") {
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
          result += blanks
          blanks.removeAll(keepingCapacity: true)
          isQuoted = true
          try quoted(by: byte, &result)
        case UInt8(ascii: "#") where !blanks.isEmpty || (result.isEmpty && !isQuoted):
          while let byte = current, byte != UInt8(ascii: "\n") { at += 1 }
        case UInt8(ascii: "\\"):
          guard let escaped = current else { throw open(line) }
          at += 1
          if escaped == UInt8(ascii: "\n") { line += 1 } else { take(escaped) }
        case _ where Self.isBlank(byte): if !result.isEmpty || isQuoted { blanks.append(byte) }
        default: take(byte)
        }
      }
      return (String(decoding: result, as: UTF8.self), isQuoted)
    }

    private mutating func quoted(by quote: UInt8, _ result: inout [UInt8]) throws(ImportFailure) {
      let start = line
      while let byte = current {
        at += 1
        if byte == quote { return }
        if byte == UInt8(ascii: "\n") { line += 1 }
        guard byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") else {
          result.append(byte)
          continue
        }
        guard let escaped = current else { break }
        at += 1
        if escaped == UInt8(ascii: "\n") {
          line += 1
          continue
        }
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
