import AppSettings

/// Reads the form of `git config`. Sections and keys become lower case, as git lists them; subsections stay as they
/// are.
struct GitConfigText {
  private var text: TextCursor

  static func read(_ text: String, _ budget: inout ImportBudget) throws(ImportFailure) -> ImportedValues {
    var reader = GitConfigText(text: TextCursor(text))
    var paths: [TOMLPath] = []
    // `nil` for a key without a value, which means true.
    var texts: [TOMLPath: [String?]] = [:]
    var section = TOMLPath.root
    while let byte = reader.skippedBlanks() {
      if byte == UInt8(ascii: "[") {
        section = try reader.section()
        continue
      }
      let path = section.appending(try reader.key())
      let text = try reader.value()
      try budget.take(bytes: path.cost + (text?.utf8.count ?? 0))
      if texts[path] == nil { paths.append(path) }
      texts[path, default: []].append(text)
    }
    var result = ImportedValues()
    result.hasNamesWithDots = false
    result.isUntyped = true
    result.lists = .single(emptyIsNone: false)
    for path in paths {
      let values = texts[path, default: []]
      if path.last == "path", path.components[0] == "include" || path.components[0] == "includeif" {
        result.skip(path, "it includes another file, which is not read: import that file, too")
      } else if values.count > 1 {
        // If a single value is needed, git uses the last.
        let texts = values.map { text in text.map { number(withUnit: $0) ?? $0 } ?? "true" }
        result.set(
          .array(values.map { $0.map(PlainText.value(of:)) ?? true }), at: path,
          text: values.last.flatMap { $0 } ?? "true", elements: texts)
      } else if let text = values[0] {
        if let number = number(withUnit: text) {
          result.set(.string(text), at: path, text: number)
        } else {
          result.setPlain(text, at: path)
        }
      } else {
        result.set(true, at: path)
      }
    }
    return result
  }

  /// The digits of a number with a unit, as git reads it where it needs an integer: `4k` is 4096.
  private static func number(withUnit text: String) -> String? {
    let shifts: [Character: Int64] = ["k": 1 << 10, "m": 1 << 20, "g": 1 << 30]
    guard let unit = text.last.flatMap({ shifts[Character($0.lowercased())] }), let number = Int64(text.dropLast())
    else { return nil }
    let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit)
    return isTooLarge ? nil : String(product)
  }

  private func fault(_ what: String) -> ImportFailure { ImportFailure(reason: "line \(text.line) \(what)") }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 13 }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-")
  }

  /// Skips blanks, line breaks and comments, and returns the next byte.
  private mutating func skippedBlanks() -> UInt8? {
    while let byte = text.current {
      if byte == UInt8(ascii: "#") || byte == UInt8(ascii: ";") {
        text.take { $0 != 10 }
      } else if Self.isBlank(byte) {
        text.next()
      } else {
        return byte
      }
    }
    return nil
  }

  /// Reads `[section]`, `[section "subsection"]`, or the older `[section.subsection]`.
  private mutating func section() throws(ImportFailure) -> TOMLPath {
    text.next()
    let name = taken { Self.isPartOfName($0) || $0 == UInt8(ascii: ".") }.lowercased()
    var parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if let byte = text.current, Self.isBlank(byte), byte != 10 {
      text.take { Self.isBlank($0) && $0 != 10 }
      let rest = try subsection()
      parts = parts.count == 1 ? [parts[0], rest] : [parts[0], parts[1] + "." + rest]
    }
    guard text.current == UInt8(ascii: "]"), !parts[0].isEmpty else {
      throw fault("begins a section that is malformed")
    }
    text.next()
    return TOMLPath(parts)
  }

  private mutating func subsection() throws(ImportFailure) -> String {
    guard text.current == UInt8(ascii: "\"") else { throw fault("has a subsection without quotes") }
    text.next()
    var name: [UInt8] = []
    while let byte = text.current, byte != 10 {
      text.next()
      if byte == UInt8(ascii: "\"") { return String(decoding: name, as: UTF8.self) }
      if byte == UInt8(ascii: "\\"), let escaped = text.current, escaped != 10 {
        text.next()
        name.append(escaped)
      } else {
        name.append(byte)
      }
    }
    throw fault("has a subsection without a closing quote")
  }

  private mutating func key() throws(ImportFailure) -> String {
    guard let first = text.current, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first | 0x20 else {
      throw fault("is neither a section nor 'key = value'")
    }
    return taken(Self.isPartOfName).lowercased()
  }

  /// Reads the value after a key; `nil` if it has none.
  private mutating func value() throws(ImportFailure) -> String? {
    text.take { $0 == 32 || $0 == 9 || $0 == 13 }
    guard let byte = text.current, byte != 10 else { return nil }
    guard byte == UInt8(ascii: "=") else { throw fault("is neither a section nor 'key = value'") }
    text.next()
    var value: [UInt8] = []
    // Leading and trailing blanks are dropped, unless they are in quotes.
    var end = 0
    var isQuoted = false
    while let byte = text.current, byte != 10 {
      text.next()
      switch byte {
      case _ where Self.isBlank(byte) && !isQuoted:
        if byte == 13, text.current == 10 || text.current == nil { continue }
        if !value.isEmpty { value.append(byte) }
        continue
      case UInt8(ascii: "#"), UInt8(ascii: ";"):
        guard isQuoted else {
          text.take { $0 != 10 }
          continue
        }
        value.append(byte)
      case UInt8(ascii: "\\"):
        if text.current == 13 { text.next() }
        // The end of the file ends a line, too.
        switch text.next() {
        case 10, nil: break
        case UInt8(ascii: "t"): value.append(9)
        case UInt8(ascii: "n"): value.append(10)
        case UInt8(ascii: "b"): value.append(8)
        case let escaped? where escaped == UInt8(ascii: "\\") || escaped == UInt8(ascii: "\""): value.append(escaped)
        default: throw fault("has an unknown escape")
        }
      case UInt8(ascii: "\""): isQuoted.toggle()
      default: value.append(byte)
      }
      end = value.count
    }
    guard !isQuoted else { throw fault("has a value without a closing quote") }
    return String(decoding: value[..<end], as: UTF8.self)
  }

  private mutating func taken(_ condition: (UInt8) -> Bool) -> String {
    String(decoding: text.take(while: condition), as: UTF8.self)
  }
}
