import AppSettings

/// Reads GVariant's text form, in which `dconf dump` and `gsettings` print values.
struct VariantText {
  private let text: [Unicode.Scalar]
  private var at = 0
  private var budget: ImportBudget
  /// The place in the value, by the keys of dictionaries.
  private var path = TOMLPath.root
  private var leftOut: [TOMLPath] = []

  /// Returns the value of a text; `nil` for `nothing`.
  ///
  /// - Parameter noteNothing: Gets the place of each entry of a dictionary that is `nothing`, and left out.
  static func value(
    of text: String, _ budget: inout ImportBudget, noteNothing: (TOMLPath) -> Void
  ) throws(ImportFailure) -> TOMLValue? {
    var reader = VariantText(text: Array(text.unicodeScalars), budget: budget)
    defer { budget = reader.budget }
    let value = try reader.value(depth: 0)
    reader.skipBlanks()
    guard reader.at == reader.text.count else { throw reader.fault }
    reader.leftOut.forEach(noteNothing)
    return value
  }

  private var fault: ImportFailure {
    ImportFailure(reason: "the value is not GVariant text from character \(at + 1) on")
  }

  private var next: Unicode.Scalar? { at < text.count ? text[at] : nil }

  private mutating func skipBlanks() { while let scalar = next, scalar == " " || scalar == "\t" { at += 1 } }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard next == scalar else { return false }
    at += 1
    return true
  }

  private mutating func value(depth: Int) throws(ImportFailure) -> TOMLValue? {
    guard depth < 64 else { throw ImportFailure(reason: "the value is nested too deep") }
    try budget.take()
    skipBlanks()
    switch next {
    case "'", "\"": return .string(try string())
    case "[": return try list(from: "[", to: "]", depth: depth)
    case "(": return try list(from: "(", to: ")", depth: depth)
    case "{": return try dictionary(depth: depth)
    case "<":
      at += 1
      let value = try value(depth: depth + 1)
      guard take(">") else { throw fault }
      return value
    case "@":
      // A type, as in `@as []`.
      while let scalar = next, scalar != " " { at += 1 }
      return try value(depth: depth + 1)
    default: return try word(depth: depth)
    }
  }

  private mutating func word(depth: Int) throws(ImportFailure) -> TOMLValue? {
    let start = at
    while let scalar = next, scalar.properties.isAlphabetic || "0123456789+-._".unicodeScalars.contains(scalar) {
      at += 1
    }
    let word = String(String.UnicodeScalarView(text[start..<at]))
    switch word {
    case "true": return true
    case "false": return false
    case "nothing": return nil
    case "boolean", "byte", "int16", "uint16", "int32", "uint32", "handle", "int64", "uint64", "double", "string",
      "objectpath", "signature", "just":
      let value = try value(depth: depth + 1)
      if word == "double", case .integer(let number)? = value { return .float(Double(number)) }
      return value
    case "b" where next == "'" || next == "\"": return .string(try string())
    default: break
    }
    if word.hasPrefix("0x"), let number = Int64(word.dropFirst(2), radix: 16) { return .integer(number) }
    if let number = Int64(word) { return .integer(number) }
    if let number = UInt64(word) { return .string(String(number)) }
    let isWhole = !word.isEmpty && word.utf8.allSatisfy { $0 < 0x40 && $0 != UInt8(ascii: ".") }
    guard !isWhole, let number = Double(word) else {
      at = start
      throw isWhole ? ImportFailure(reason: "its number is too large") : fault
    }
    if number.isInfinite, !word.contains("inf") { throw ImportFailure(reason: "its number is too large") }
    return .float(number)
  }

  private mutating func string() throws(ImportFailure) -> String {
    guard let quote = next else { throw fault }
    at += 1
    var result = String.UnicodeScalarView()
    while let scalar = next {
      at += 1
      if scalar == quote { return String(result) }
      guard scalar == "\\" else {
        result.append(scalar)
        continue
      }
      guard let escaped = next else { break }
      at += 1
      switch escaped {
      case "n": result.append("\n")
      case "t": result.append("\t")
      case "r": result.append("\r")
      case "b": result.append("\u{8}")
      case "f": result.append("\u{c}")
      case "u", "U":
        let count = escaped == "u" ? 4 : 8
        let digits = String(String.UnicodeScalarView(text[at..<min(at + count, text.count)]))
        guard digits.count == count, let code = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(code) else {
          throw fault
        }
        at += count
        result.append(scalar)
      default: result.append(escaped)
      }
    }
    throw fault
  }

  private mutating func list(
    from open: Unicode.Scalar, to close: Unicode.Scalar, depth: Int
  ) throws(ImportFailure) -> TOMLValue {
    guard take(open) else { throw fault }
    var items: [TOMLValue] = []
    var isNothing = false
    if take(close) { return .array(items) }
    while true {
      if let item = try value(depth: depth + 1) { items.append(item) } else { isNothing = true }
      let hasComma = take(",")
      if take(close) { break }
      guard hasComma else { throw fault }
    }
    guard !isNothing else { throw ImportFailure(reason: "a list holds 'nothing', which TOML has no value for") }
    return .array(items)
  }

  private mutating func dictionary(depth: Int) throws(ImportFailure) -> TOMLValue {
    guard take("{") else { throw fault }
    var table = TOMLTable()
    if take("}") { return .table(table) }
    while true {
      guard let key = try value(depth: depth + 1)?.scalarText else { throw fault }
      // A single entry is written with a comma: `{'a', 1}`.
      guard take(":") || take(",") else { throw fault }
      let outer = path
      path = path.appending(key)
      if let value = try value(depth: depth + 1) { table[key] = value } else { leftOut.append(path) }
      path = outer
      if take("}") { return .table(table) }
      guard take(",") else { throw fault }
    }
  }
}
