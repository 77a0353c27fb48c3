import AppSettings

/// Reads files of sections and `key = value` lines.
enum KeyFileText {
  enum Dialect { case ini, keyFile, dconf }

  static func read(
    _ text: String, as dialect: Dialect, _ budget: inout ImportBudget
  ) throws(ImportFailure) -> ImportedValues {
    var result = ImportedValues()
    result.isUntyped = dialect != .dconf
    if dialect == .keyFile { result.lists = .single(emptyIsNone: true) }
    var section = TOMLPath.root
    var lines = TextLines(text)
    while let whole = lines.next() {
      let line = whole.withoutBlanks
      if line.isEmpty || line.hasPrefix("#") || (dialect != .dconf && line.hasPrefix(";")) { continue }
      if line.hasPrefix("[") {
        guard let close = line.lastIndex(of: "]"), close == line.index(before: line.endIndex) || dialect == .ini else {
          throw ImportFailure(reason: "line \(lines.number) begins a section and has no ']'")
        }
        let name = String(line[line.index(after: line.startIndex)..<close])
        if dialect != .dconf, name.contains("][") { throw ofKDE(lines.number) }
        section = path(ofSection: name, dialect)
        guard section.components.count < ImportBudget.mostNested else {
          throw ImportFailure(reason: "the section in line \(lines.number) is nested too deep")
        }
        continue
      }
      guard let equals = line.firstIndex(where: { $0 == "=" || (dialect == .ini && $0 == ":") }) else {
        throw ImportFailure(reason: "line \(lines.number) is neither a section nor 'key = value'")
      }
      let key = String(line[..<equals]).withoutBlanks
      let text = String(line[line.index(after: equals)...]).withoutBlanks
      guard !key.isEmpty else { throw ImportFailure(reason: "line \(lines.number) has no key") }
      if dialect != .dconf, key.hasSuffix("]"), key.contains("[$") { throw ofKDE(lines.number) }
      let path = section.appending(key)
      try budget.take(bytes: path.cost + text.utf8.count)
      func skip(_ reason: String) { result.skip(path, reason) }
      switch dialect {
      case .ini: result.setPlain(PlainText.unquoted(text), at: path)
      case .keyFile:
        if key.hasSuffix("]"), key.contains("[") {
          skip("it is a translation")
        } else {
          // GLib keeps the blanks at the end of a value.
          let text = whole.drop { $0 != "=" }.dropFirst().drop { $0.isASCII && $0.isWhitespace }
          try setKeyFileValue(String(text), at: path, in: &result, &budget)
        }
      case .dconf:
        do throws(ImportFailure) {
          func skipNothing(_ place: TOMLPath) { result.skip(path.appending(place), "it is 'nothing'") }
          if let value = try VariantText.value(of: text, &budget, noteNothing: skipNothing) {
            result.set(value, at: path)
          } else {
            skipNothing(.root)
          }
        } catch {
          // One invalid line does not prevent reading the others; a limit does.
          guard !error.isLimit else { throw error }
          skip(error.reason)
        }
      }
    }
    return result
  }

  private static func ofKDE(_ line: Int) -> ImportFailure {
    ImportFailure(reason: "line \(line) is of KDE's form", advice: "Import the file as 'kconfig'.")
  }

  /// A section's name as a path: in GSettings, a directory with slashes.
  private static func path(ofSection name: String, _ dialect: Dialect) -> TOMLPath {
    guard dialect == .dconf else { return TOMLPath([name]) }
    return TOMLPath(name.split(separator: "/").map(String.init))
  }

  private static func setKeyFileValue(
    _ text: String, at path: TOMLPath, in result: inout ImportedValues, _ budget: inout ImportBudget
  ) throws(ImportFailure) {
    var items: [String] = []
    var (whole, current) = (String.UnicodeScalarView(), String.UnicodeScalarView())
    var isList = false
    var scalars = text.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      switch scalar {
      case ";":
        try budget.take()
        isList = true
        items.append(String(current))
        whole += current + [scalar]
        current = String.UnicodeScalarView()
      case "\\":
        switch scalars.next() {
        case "s": current.append(" ")
        case "n": current.append("\n")
        case "t": current.append("\t")
        case "r": current.append("\r")
        case let other?: current.append(other)
        case nil: current.append("\\")
        }
      default: current.append(scalar)
      }
    }
    /// A number or a boolean has no blanks.
    func value(of text: String, otherwise string: String) -> TOMLValue {
      let plain = PlainText.value(of: text.withoutBlanks)
      if case .string = plain { return .string(string) }
      return plain
    }
    guard isList else { return result.set(value(of: text, otherwise: String(current)), at: path, text: text) }
    if !current.isEmpty { items.append(String(current)) }
    result.set(
      .array(items.map { value(of: $0, otherwise: $0) }), at: path, text: String(whole + current), elements: items)
  }
}

/// Reads text without types.
enum PlainText {
  /// The value that a text looks like: a boolean, a number in its usual form, or a string.
  static func value(of text: String) -> TOMLValue {
    switch text {
    case "true", "True", "TRUE": return true
    case "false", "False", "FALSE": return false
    default: break
    }
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard let first = digits.first, first.isASCII, first.isNumber,
      digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") })
    else { return .string(text) }
    // A number with a leading zero is a code or a telephone number, not a quantity.
    if digits.count > 1, first == "0", !digits.hasPrefix("0.") { return .string(text) }
    if let integer = Int64(text) { return .integer(integer) }
    if !digits.hasSuffix("."), digits.contains("."), let float = Double(text), float.isFinite {
      return .float(float)
    }
    return .string(text)
  }

  /// A text without the quotes that enclose the whole of it: there are no others within, except after a backslash.
  static func unquoted(_ text: String) -> String {
    guard text.count >= 2, let quote = text.first, quote == text.last, quote == "\"" || quote == "'" else {
      return text
    }
    let inner = text.dropFirst().dropLast()
    var isEscaped = false
    for character in inner {
      if character == quote, !isEscaped { return text }
      isEscaped = character == "\\" && !isEscaped
    }
    return String(inner)
  }
}

/// The lines of a text without their breaks, one at a time, since a text may have millions of them.
struct TextLines {
  private var rest: Substring.UTF8View
  /// The number of the current line, from 1.
  private(set) var number = 0

  init(_ text: String) {
    var text = text
    text.makeContiguousUTF8()
    rest = text[...].utf8
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
  }

  mutating func next() -> String? {
    guard !rest.isEmpty else { return nil }
    number += 1
    let end = rest.firstIndex(of: 10)
    var line = rest[..<(end ?? rest.endIndex)]
    rest = end.map { rest[rest.index(after: $0)...] } ?? rest[rest.endIndex...]
    if line.last == 13 { line = line.dropLast() }
    return String(Substring(line))
  }
}
