import SettingsTOML

/// JSON (RFC 8259) as it is written, with what TOML does not have: each `null`, and the digits of each number.
package enum JSONTree: Sendable, Equatable {
  case null
  case boolean(Bool)
  case number(String)
  case string(String)
  case array([JSONTree])
  case object([Member])

  /// A member of an object.
  package struct Member: Sendable, Equatable {
    package let name: String
    package let value: JSONTree
  }

  /// Parses a text. Two members of one name are refused: two readers could disagree about which one to use.
  package init(parsing bytes: some Collection<UInt8>) throws(JSONText.Failure) {
    var reader = JSONReader(Array(bytes))
    self = try reader.document()
  }

  /// Parses a text that may begin with a byte order mark, and name a member twice.
  ///
  /// - Parameter limit: The maximum number of values.
  init(lenientlyParsing text: String, limit: Int) throws(JSONText.Failure) {
    var reader = JSONReader(Array(text.utf8))
    if reader.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.at = 3 }
    (reader.rest, reader.isForTOML) = (limit, true)
    self = try reader.document()
  }

  /// The value of one member of an object, without parsing those behind it; `nil` if the object does not have it, or if
  /// the text is no object of JSON, as far as it was read.
  package static func member(_ name: String, of bytes: [UInt8]) -> JSONTree? {
    var reader = JSONReader(bytes)
    return (try? reader.object(upTo: name))?[name]
  }

  /// The value of a member; `nil` if this is not an object, or has no such member.
  package subscript(name: String) -> JSONTree? { members?.first { $0.name == name }?.value }

  package var text: String? { if case .string(let text) = self { text } else { nil } }
  package var flag: Bool? { if case .boolean(let flag) = self { flag } else { nil } }
  package var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }
  package var elements: [JSONTree]? { if case .array(let elements) = self { elements } else { nil } }
  package var members: [Member]? { if case .object(let members) = self { members } else { nil } }

  /// The text, on one line.
  package var json: String {
    switch self {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .number(let text): text
    case .string(let text): JSONText.quoted(text)
    case .array(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { "\(JSONText.quoted($0.name)):\($0.value.json)" }.joined(separator: ",") + "}"
    }
  }

  // MARK: TOML

  fileprivate static let badNumber = "a number is malformed, or too large"

  /// The value that TOML has for it; `nil` for `null`.
  func value(at path: TOMLPath, onNull: ((TOMLPath) -> Void)?) throws(JSONText.Failure) -> TOMLValue? {
    switch self {
    case .null: return nil
    case .boolean(let flag): return .boolean(flag)
    case .string(let text): return .string(text)
    case .number(let text):
      if let number = Int64(text) { return .integer(number) }
      // Stored like a `UInt64`: a float would lose digits.
      if UInt64(text) != nil { return .string(text) }
      guard let number = Double(text), number.isFinite else {
        throw JSONText.Failure(reason: "the text is not JSON (\(Self.badNumber))", isSyntax: true)
      }
      return .float(number)
    case .array(let elements):
      var items: [TOMLValue] = []
      for (index, element) in elements.enumerated() {
        let place = path.appending("[\(index)]")
        if let value = try element.value(at: place, onNull: onNull) {
          items.append(value)
        } else if let onNull {
          onNull(place)
        } else {
          throw JSONText.Failure(
            reason: "element [\(index)] of the JSON array is null, which TOML cannot hold", isSyntax: false)
        }
      }
      return .array(items)
    case .object(let members):
      var table = TOMLTable()
      // Removed together at the end: each removal from a large table takes as long as the table is.
      var nulls = TOMLTable()
      for member in members {
        let key = member.name
        let value = try member.value.value(at: path.appending(key), onNull: onNull)
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

/// Reads a text from its beginning to its end.
private struct JSONReader {
  let bytes: [UInt8]
  var at = 0
  /// The number of values that may still follow.
  var rest = Int.max
  /// Whether TOML has to have the value: numbers are finite, and a name may be in an object twice.
  var isForTOML = false
  private static let mostNested = 128

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() throws(JSONText.Failure) -> JSONTree {
    let tree = try value(depth: 0)
    skipBlanks()
    guard at == bytes.count else { throw fault("text follows its end") }
    return tree
  }

  /// An object up to a member, if it has that one.
  mutating func object(upTo name: String) throws(JSONText.Failure) -> JSONTree? {
    skipBlanks()
    return next == UInt8(ascii: "{") ? try object(depth: 0, upTo: name) : nil
  }

  func fault(_ what: String) -> JSONText.Failure {
    let line = bytes[..<min(at, bytes.count)].reduce(1) { $0 + ($1 == 10 ? 1 : 0) }
    let place = bytes.contains(10) ? " in line \(line)" : ""
    let rest = bytes[min(at, bytes.count)...]
    guard rest.starts(with: "//".utf8) || rest.starts(with: "/*".utf8) else {
      return JSONText.Failure(reason: "the text is not JSON (\(what)\(place))", isSyntax: true)
    }
    return JSONText.Failure(
      reason: "the text is not JSON (a comment begins\(place); remove the comments, and commas before '}' and ']')",
      isSyntax: true)
  }

  /// Throws at a comma that is the last thing in its brackets.
  private mutating func checkComma(before bracket: Character) throws(JSONText.Failure) {
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

  private mutating func take(_ byte: Character) -> Bool {
    guard next == byte.asciiValue else { return false }
    at += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONText.Failure) -> JSONTree {
    guard depth < Self.mostNested else { throw fault("it is nested more than \(Self.mostNested) deep") }
    rest -= 1
    guard rest >= 0 else { throw JSONText.Failure(reason: "the JSON has too many values", isSyntax: false) }
    skipBlanks()
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case nil: throw fault("it ends where a value is needed")
    default: return try number()
    }
  }

  private mutating func word(_ text: String, _ tree: JSONTree) throws(JSONText.Failure) -> JSONTree {
    guard bytes[at...].starts(with: text.utf8) else { throw fault("there is an unknown word") }
    at += text.utf8.count
    return tree
  }

  private mutating func array(depth: Int) throws(JSONText.Failure) -> JSONTree {
    at += 1
    var items: [JSONTree] = []
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

  private mutating func object(depth: Int, upTo last: String? = nil) throws(JSONText.Failure) -> JSONTree {
    at += 1
    var members: [JSONTree.Member] = []
    // By their bytes: to TOML, two spellings of one letter are different.
    var names: Set<[UInt8]> = []
    skipBlanks()
    if take("}") { return .object(members) }
    while true {
      skipBlanks()
      guard next == UInt8(ascii: "\"") else { throw fault("an object needs a name in quotes") }
      let name = try string()
      skipBlanks()
      guard take(":") else { throw fault("an object needs ':' after a name") }
      guard isForTOML || names.insert(Array(name.utf8)).inserted else {
        throw fault("an object has two members of one name")
      }
      members.append(JSONTree.Member(name: name, value: try value(depth: depth + 1)))
      if name == last { return .object(members) }
      skipBlanks()
      if take("}") { return .object(members) }
      guard take(",") else { throw fault("an object needs ',' or '}'") }
      try checkComma(before: "}")
    }
  }

  private mutating func number() throws(JSONText.Failure) -> JSONTree {
    let start = at
    while let byte = next, byte.isDigit || "+-.eE".utf8.contains(byte) { at += 1 }
    var rest = bytes[start..<at]
    let text = String(decoding: rest, as: UTF8.self)
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let digits = rest.prefix(while: \.isDigit)
    guard !digits.isEmpty, digits.count == 1 || digits.first != UInt8(ascii: "0") else {
      throw fault("no value begins like this")
    }
    rest = rest.dropFirst(digits.count)
    var isWhole = true
    func takeDigits() {
      let digits = rest.prefix(while: \.isDigit)
      isWhole = isWhole && !digits.isEmpty
      rest = rest.dropFirst(digits.count)
    }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      takeDigits()
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
      takeDigits()
    }
    guard isWhole, rest.isEmpty, !isForTOML || Int64(text) != nil || Double(text)?.isFinite == true else {
      throw fault(JSONTree.badNumber)
    }
    return .number(text)
  }

  private mutating func string() throws(JSONText.Failure) -> String {
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

  private mutating func escape() throws(JSONText.Failure) -> Unicode.Scalar {
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

  private mutating func hexUnit() throws(JSONText.Failure) -> UInt32 {
    guard at + 4 <= bytes.count,
      bytes[at..<at + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt32(String(decoding: bytes[at..<at + 4], as: UTF8.self), radix: 16)
    else { throw fault("'\\u' needs four hexadecimal digits") }
    at += 4
    return unit
  }
}
