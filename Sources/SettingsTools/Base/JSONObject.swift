package import AppSettings

/// An object of JSON, its members in the order in which they are given.
///
/// ```swift
/// let object: JSONObject = ["key": .text("theme"), "line": .number(nil), "isDefault": .flag(true)]
/// ```
package struct JSONObject: Sendable, ExpressibleByDictionaryLiteral {
  /// A member's value. What is missing is `null`.
  package enum Member: Sendable {
    case text(String?), number(Int?), flag(Bool), texts([String])
    case value(TOMLValue?)
    case object(JSONObject?), objects([JSONObject])
    /// What is JSON already.
    case json(String)
  }

  /// The members as JSON, with commas between them.
  private var members: [UInt8] = []

  package init(dictionaryLiteral members: (String, Member)...) {
    for (name, value) in members { self[name] = value }
  }

  /// The app, where there are several; otherwise no member.
  package init(naming app: String?) { if let app { self["app"] = .text(app) } }

  /// Adds a member. Our own names need no escapes.
  package subscript(name: String) -> Member {
    @available(*, unavailable) get { fatalError("An object is only written.") }
    set {
      if !members.isEmpty { members.append(UInt8(ascii: ",")) }
      members.append(UInt8(ascii: "\""))
      members += name.utf8
      members.append(UInt8(ascii: "\""))
      members.append(UInt8(ascii: ":"))
      newValue.add(to: &members)
    }
  }

  /// The object with members behind its own.
  package static func + (a: JSONObject, b: JSONObject) -> JSONObject {
    var sum = a
    if !a.members.isEmpty, !b.members.isEmpty { sum.members.append(UInt8(ascii: ",")) }
    sum.members += b.members
    return sum
  }

  /// The object as text on one line.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The same as UTF-8.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    add(to: &bytes)
    return bytes
  }

  /// Objects as an array, one a line.
  package static func lines(_ objects: [JSONObject]) -> String {
    "[" + objects.map(\.text).joined(separator: ",\n ") + "]"
  }

  /// Adds the object to a text.
  func add(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    bytes += members
    bytes.append(UInt8(ascii: "}"))
  }
}

extension JSONObject.Member {
  /// The value of a member as text on one line.
  var text: String {
    var bytes: [UInt8] = []
    add(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  fileprivate func add(to bytes: inout [UInt8]) {
    switch self {
    case .text(let text?): JSONText.quote(text, to: &bytes)
    case .number(let number?): bytes += "\(number)".utf8
    case .flag(let flag): bytes += (flag ? "true" : "false").utf8
    case .texts(let texts): bytes.add(texts, between: "[", "]") { JSONText.quote($0, to: &$1) }
    case .value(let value?): bytes.add(value)
    case .object(let object?): object.add(to: &bytes)
    case .objects(let objects): bytes.add(objects, between: "[", "]") { $0.add(to: &$1) }
    case .json(let text): bytes += text.utf8
    case .text(nil), .number(nil), .value(nil), .object(nil): bytes += "null".utf8
    }
  }
}

extension [UInt8] {
  /// Adds elements with commas between them.
  fileprivate mutating func add<Elements: Sequence>(
    _ elements: Elements, between start: Unicode.Scalar, _ end: Unicode.Scalar,
    _ body: (Elements.Element, inout [UInt8]) -> Void
  ) {
    append(UInt8(ascii: start))
    for (index, element) in elements.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      body(element, &self)
    }
    append(UInt8(ascii: end))
  }

  /// Adds a value of TOML as JSON, keys in the order of the file. Values without a JSON form (dates, `nan`, `inf`) become
  /// strings.
  fileprivate mutating func add(_ value: TOMLValue) {
    switch value {
    case .string(let text): JSONText.quote(text, to: &self)
    case .integer(let number): self += "\(number)".utf8
    case .float(let number) where number.isFinite: self += "\(number)".utf8
    case .boolean(let flag): self += (flag ? "true" : "false").utf8
    case .array(let elements): add(elements, between: "[", "]") { $1.add($0) }
    case .table(let table):
      add(table, between: "{", "}") { member, bytes in
        JSONText.quote(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        bytes.add(member.value)
      }
    default: JSONText.quote(value.tomlText, to: &self)
    }
  }
}
