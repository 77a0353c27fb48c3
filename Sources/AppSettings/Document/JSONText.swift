package import SettingsTOML

/// Converts JSON text (RFC 8259) to TOML values and back.
///
/// The reader is strict: it accepts no comments, no comma before a closing bracket, and at most 128 levels.
package enum JSONText {
  /// The reason why a text has no value.
  package struct Failure: Error {
    /// A clause.
    package var reason: String
    /// Whether the text is not JSON; otherwise it is JSON that TOML cannot hold.
    package var isSyntax: Bool

    package init(reason: String, isSyntax: Bool) {
      self.reason = reason
      self.isSyntax = isSyntax
    }
  }

  /// The value of a JSON text; `nil` for `null`. Members keep their order; of two with one name the last one wins.
  ///
  /// A number without a fraction or an exponent is an integer. Above `Int64.max`, if it fits a `UInt64`, it is a
  /// string of its digits, the form in which `UInt64` is stored. All other numbers are floats.
  ///
  /// - Throws: ``Failure`` if the text is not JSON or has a `null` in an array, which TOML cannot hold.
  package static func value(of text: String) throws(Failure) -> TOMLValue? {
    var reader = Reader(bytes: Array(text.utf8))
    let node = try reader.document()
    return try node.value(at: .root, onNull: nil)
  }

  /// Does the same as ``value(of:)``, but leaves out elements and members that are `null`, and reports each.
  ///
  /// - Parameter limit: The maximum number of values.
  package static func value(
    of text: String, limit: Int = .max, onNull: (TOMLPath) -> Void
  ) throws(Failure) -> TOMLValue? {
    var reader = Reader(bytes: Array(text.utf8))
    reader.rest = limit
    let node = try reader.document()
    return try withoutActuallyEscaping(onNull) { onNull throws(Failure) -> TOMLValue? in
      try node.value(at: .root, onNull: onNull)
    }
  }

  /// A value as JSON, on one line; `nil` for infinities and not-a-number. Dates become strings.
  package static func text(of value: TOMLValue) -> String? {
    switch value {
    case .string(let text): return quoted(text)
    case .integer(let number): return String(number)
    case .float(let number): return number.isFinite ? "\(number)" : nil
    case .boolean(let flag): return flag ? "true" : "false"
    case .array(let items):
      let texts = items.compactMap(text(of:))
      return texts.count == items.count ? "[" + texts.joined(separator: ",") + "]" : nil
    case .table(let table):
      var members: [String] = []
      for (key, value) in table {
        guard let text = text(of: value) else { return nil }
        members.append(quoted(key) + ":" + text)
      }
      return "{" + members.joined(separator: ",") + "}"
    default: return quoted(value.tomlText)
    }
  }

  /// A JSON string, RFC 8259 section 7.
  package static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    quote(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends a JSON string, RFC 8259 section 7.
  package static func quote(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { utf8 in
      bytes.append(UInt8(ascii: "\""))
      // Nearly all texts need no escapes, and are copied at once.
      if utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || $0 == 0x7F || $0 == 0xEF }) {
        escape(utf8, to: &bytes)
      } else {
        bytes += utf8
      }
      bytes.append(UInt8(ascii: "\""))
    }
  }

  /// Appends the content of a string, with escapes for quotes, backslashes, control characters and byte order marks.
  private static func escape(_ utf8: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    for (index, byte) in utf8.enumerated() {
      switch byte {
      // Readers drop a byte order mark at the beginning of a string.
      case 0xEF where utf8[index...].starts(with: [0xEF, 0xBB, 0xBF]): bytes += Array("\\ufeff".utf8)
      case 0xBB where index > 0 && utf8[(index - 1)...].starts(with: [0xEF, 0xBB, 0xBF]): break
      case 0xBF where index > 1 && utf8[(index - 2)...].starts(with: [0xEF, 0xBB, 0xBF]): break
      case 0x22, 0x5C: bytes += [0x5C, byte]
      case 0x0A: bytes += [0x5C, UInt8(ascii: "n")]
      case 0x0D: bytes += [0x5C, UInt8(ascii: "r")]
      case 0x09: bytes += [0x5C, UInt8(ascii: "t")]
      case _ where byte < 0x20 || byte == 0x7F:
        let digits = String(byte, radix: 16)
        bytes += Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
      default: bytes.append(byte)
      }
    }
  }

  /// A parsed value, before `null` is left out or refused.
  fileprivate enum Node {
    case null
    case value(TOMLValue)
    case array([Node])
    case object([(String, Node)])

    /// The value of the node; `nil` for `null`.
    ///
    /// - Parameters:
    ///   - path: The path of the node, with elements of arrays as `[3]`.
    ///   - onNull: Gets the path of each `null`, which is left out. Without it, a `null` in an array is a failure.
    func value(at path: TOMLPath, onNull: ((TOMLPath) -> Void)?) throws(Failure) -> TOMLValue? {
      switch self {
      case .null: return nil
      case .value(let value): return value
      case .array(let nodes):
        var items: [TOMLValue] = []
        for (index, node) in nodes.enumerated() {
          let place = path.appending("[\(index)]")
          if let value = try node.value(at: place, onNull: onNull) {
            items.append(value)
          } else if let onNull {
            onNull(place)
          } else {
            throw Failure(
              reason: "element [\(index)] of the JSON array is null, which TOML cannot hold", isSyntax: false)
          }
        }
        return .array(items)
      case .object(let members):
        var table = TOMLTable()
        // Removed together at the end: each removal from a large table takes as long as the table is.
        var nulls = TOMLTable()
        for (key, node) in members {
          let value = try node.value(at: path.appending(key), onNull: onNull)
          if value == nil { onNull?(path.appending(key)) }
          if value == nil || nulls[key] != nil { nulls[key] = .boolean(value == nil) }
          if value != nil || table[key] != nil { table[key] = value ?? .boolean(false) }
        }
        guard !nulls.isEmpty else { return .table(table) }
        var rest = TOMLTable()
        for (key, value) in table where nulls[key] != .boolean(true) { rest[key] = value }
        return .table(rest)
      }
    }
  }

  /// Reads a JSON text from its beginning to its end.
  private struct Reader {
    let bytes: [UInt8]
    var at = 0
    /// The number of values that may still follow.
    var rest = Int.max
    private static let mostNested = 128

    init(bytes: [UInt8]) {
      self.bytes = bytes
      if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    }

    /// Reads one value. Only blanks may follow it.
    mutating func document() throws(Failure) -> Node {
      let node = try value(depth: 0)
      skipBlanks()
      guard at == bytes.count else { throw fault("text follows its end") }
      return node
    }

    /// The failure at the present place, with its line.
    func fault(_ what: String) -> Failure {
      let line = bytes[..<min(at, bytes.count)].reduce(1) { $0 + ($1 == 10 ? 1 : 0) }
      let place = bytes.contains(10) ? " in line \(line)" : ""
      let rest = bytes[min(at, bytes.count)...]
      guard rest.starts(with: "//".utf8) || rest.starts(with: "/*".utf8) else {
        return Failure(reason: "the text is not JSON (\(what)\(place))", isSyntax: true)
      }
      return Failure(
        reason: "the text is not JSON (a comment begins\(place); remove the comments, and commas before '}' and ']')",
        isSyntax: true)
    }

    /// Throws at a comma that is the last thing in its brackets.
    private mutating func checkComma(before bracket: Character) throws(Failure) {
      let comma = at - 1
      skipBlanks()
      guard next == bracket.asciiValue else { return }
      at = comma
      throw fault("remove the comma before '\(bracket)'")
    }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipBlanks() {
      while let byte = next, byte == 32 || byte == 10 || byte == 13 || byte == 9 { at += 1 }
    }

    /// Skips a character, if it is next.
    private mutating func take(_ byte: Character) -> Bool {
      guard next == byte.asciiValue else { return false }
      at += 1
      return true
    }

    /// Reads a value, whose first character shows its kind.
    private mutating func value(depth: Int) throws(Failure) -> Node {
      guard depth < Self.mostNested else { throw fault("it is nested more than \(Self.mostNested) deep") }
      rest -= 1
      guard rest >= 0 else { throw Failure(reason: "the JSON has too many values", isSyntax: false) }
      skipBlanks()
      switch next {
      case UInt8(ascii: "{"): return try object(depth: depth)
      case UInt8(ascii: "["): return try array(depth: depth)
      case UInt8(ascii: "\""): return .value(.string(try string()))
      case UInt8(ascii: "t"): return try word("true", .value(.boolean(true)))
      case UInt8(ascii: "f"): return try word("false", .value(.boolean(false)))
      case UInt8(ascii: "n"): return try word("null", .null)
      case nil: throw fault("it ends where a value is needed")
      default: return try number()
      }
    }

    private mutating func word(_ text: String, _ node: Node) throws(Failure) -> Node {
      guard bytes[at...].starts(with: text.utf8) else { throw fault("there is an unknown word") }
      at += text.utf8.count
      return node
    }

    private mutating func array(depth: Int) throws(Failure) -> Node {
      at += 1
      var items: [Node] = []
      skipBlanks()
      if take("]") { return .array(items) }
      while true {
        items.append(try value(depth: depth + 1))
        skipBlanks()
        if take("]") { return .array(items) }
        guard take(",") else { throw fault("an array needs ',' or ']'") }
        try checkComma(before: "]")
      }
    }

    private mutating func object(depth: Int) throws(Failure) -> Node {
      at += 1
      var members: [(String, Node)] = []
      skipBlanks()
      if take("}") { return .object(members) }
      while true {
        skipBlanks()
        guard next == UInt8(ascii: "\"") else { throw fault("an object needs a name in quotes") }
        let name = try string()
        skipBlanks()
        guard take(":") else { throw fault("an object needs ':' after a name") }
        members.append((name, try value(depth: depth + 1)))
        skipBlanks()
        if take("}") { return .object(members) }
        guard take(",") else { throw fault("an object needs ',' or '}'") }
        try checkComma(before: "}")
      }
    }

    /// Reads a number, RFC 8259 section 6.
    private mutating func number() throws(Failure) -> Node {
      let start = at
      var isInteger = true
      _ = take("-")
      let digits = at
      while let byte = next {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): break
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"), UInt8(ascii: "-"):
          isInteger = false
        default:
          return try finishNumber(start, digits, isInteger)
        }
        at += 1
      }
      return try finishNumber(start, digits, isInteger)
    }

    /// Makes a number of the bytes up to the present place.
    ///
    /// - Parameters:
    ///   - start: Where it begins, with its sign.
    ///   - digits: Where its digits begin.
    ///   - isInteger: Whether it has neither a fraction nor an exponent.
    private func finishNumber(_ start: Int, _ digits: Int, _ isInteger: Bool) throws(Failure) -> Node {
      let text = String(decoding: bytes[start..<at], as: UTF8.self)
      let hasDigit = digits < at && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[digits])
      let hasLeadingZero =
        at - digits > 1 && bytes[digits] == UInt8(ascii: "0")
        && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[digits + 1])
      guard hasDigit, !hasLeadingZero else { throw fault("no value begins like this") }
      if isInteger, let number = Int64(text) { return .value(.integer(number)) }
      // Stored like a `UInt64`: a float would lose digits.
      if isInteger, UInt64(text) != nil { return .value(.string(text)) }
      guard !text.hasSuffix("."), let number = Double(text), number.isFinite else {
        throw fault("a number is malformed, or too large")
      }
      return .value(.float(number))
    }

    /// Reads a string, RFC 8259 section 7.
    private mutating func string() throws(Failure) -> String {
      at += 1
      var content: [UInt8] = []
      while let byte = next {
        at += 1
        switch byte {
        case UInt8(ascii: "\""):
          guard let text = String(validating: content, as: UTF8.self) else { throw fault("a string is not UTF-8") }
          return text
        case UInt8(ascii: "\\"): content += Array(String(try escape()).utf8)
        case 0..<0x20: throw fault("a string holds a control character")
        default: content.append(byte)
        }
      }
      throw fault("a string has no closing quote")
    }

    /// Reads what follows a backslash. Two escapes that form a surrogate pair are one scalar.
    private mutating func escape() throws(Failure) -> Unicode.Scalar {
      guard let byte = next else { throw fault("a string has no closing quote") }
      at += 1
      switch byte {
      case UInt8(ascii: "n"): return "\n"
      case UInt8(ascii: "t"): return "\t"
      case UInt8(ascii: "r"): return "\r"
      case UInt8(ascii: "b"): return "\u{8}"
      case UInt8(ascii: "f"): return "\u{c}"
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
      case UInt8(ascii: "u"):
        var unit = try hexUnit()
        if 0xD800..<0xDC00 ~= unit, take("\\"), take("u") {
          let low = try hexUnit()
          guard 0xDC00..<0xE000 ~= low else { throw fault("an escape is half of a surrogate pair") }
          unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(unit) else { throw fault("an escape is half of a surrogate pair") }
        return scalar
      default: throw fault("there is an unknown escape")
      }
    }

    private mutating func hexUnit() throws(Failure) -> UInt32 {
      guard at + 4 <= bytes.count,
        bytes[at..<at + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
        let unit = UInt32(String(decoding: bytes[at..<at + 4], as: UTF8.self), radix: 16)
      else { throw fault("'\\u' needs four hexadecimal digits") }
      at += 4
      return unit
    }
  }
}
