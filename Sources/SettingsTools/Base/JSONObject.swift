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

  private var members: [(String, Member)]

  package init(dictionaryLiteral members: (String, Member)...) { self.members = members }

  /// The app, where there are several; otherwise no member.
  package init(naming app: String?) { members = app.map { [("app", .text($0))] } ?? [] }

  /// Adds a member.
  package subscript(name: String) -> Member {
    @available(*, unavailable) get { fatalError("An object is only written.") }
    set { members.append((name, newValue)) }
  }

  /// The object with members behind its own.
  package static func + (a: JSONObject, b: JSONObject) -> JSONObject {
    var sum = a
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

  private func add(to bytes: inout [UInt8]) {
    bytes.add(members, between: "{", "}") { member, bytes in
      JSONText.quote(member.0, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      member.1.add(to: &bytes)
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
}

extension JSONObject.Member {
  fileprivate func add(to bytes: inout [UInt8]) {
    switch self {
    case .text(let text?): JSONText.quote(text, to: &bytes)
    case .number(let number?): bytes += "\(number)".utf8
    case .flag(let flag): bytes += (flag ? "true" : "false").utf8
    case .texts(let texts): bytes += JSONValue.text(of: .array(texts.map { .string($0) })).utf8
    case .value(let value?): bytes += JSONValue.text(of: value).utf8
    case .object(let object?): object.add(to: &bytes)
    case .objects(let objects): bytes.add(objects, between: "[", "]") { $0.add(to: &$1) }
    case .json(let text): bytes += text.utf8
    case .text(nil), .number(nil), .value(nil), .object(nil): bytes += "null".utf8
    }
  }
}

/// A value of TOML as JSON.
package enum JSONValue {
  /// The value, keys in the order of the file. Values without a JSON form (dates, `nan`, `inf`) become strings.
  package static func text(of value: TOMLValue?) -> String {
    guard let value else { return "null" }
    var bytes: [UInt8] = []
    add(value, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func add(_ value: TOMLValue, to bytes: inout [UInt8]) {
    switch value {
    case .string(let text): JSONText.quote(text, to: &bytes)
    case .integer(let number): bytes += "\(number)".utf8
    case .float(let number) where number.isFinite: bytes += "\(number)".utf8
    case .boolean(let flag): bytes += (flag ? "true" : "false").utf8
    case .array(let elements): bytes.add(elements, between: "[", "]") { add($0, to: &$1) }
    case .table(let table):
      bytes.add(table, between: "{", "}") { member, bytes in
        JSONText.quote(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        add(member.value, to: &bytes)
      }
    default: JSONText.quote(value.tomlText, to: &bytes)
    }
  }
}
