import AppSettings
import HTTPTypes

/// A request of the interface.
struct Call: Sendable {
  /// The parts of the path that the route has names for.
  let captures: [String: String]
  let query: [String: String]
  /// The body, which is an object; empty if the request has none.
  let body: JSONTree
  let connection: Connection?
  /// Whether only the head of the answer is sent.
  var isHead = false

  /// A part of the path.
  subscript(name: String) -> String { captures[name] ?? "" }
}

/// What the server does at a path.
struct Route: Sendable {
  let method: HTTPRequest.Method
  /// The path, with names in braces for the parts that differ: `/api/apps/{app}`.
  let path: String
  /// The parameters that may follow after `?`.
  let parameters: Set<String>
  /// The members that the body may have: a mistyped one would be ignored otherwise.
  let members: Set<String>
  let answer: @Sendable (Call) async throws -> Reply

  init(
    _ method: HTTPRequest.Method, _ path: String, parameters: Set<String> = [], members: Set<String> = [],
    _ answer: @escaping @Sendable (Call) async throws -> Reply
  ) {
    (self.method, self.path, self.parameters, self.members) = (method, path, parameters, members)
    self.answer = answer
  }

  /// The parts of a path that this route has names for, still percent-encoded; `nil` if the path is another one.
  func captures(_ path: Substring) -> [String: Substring]? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let names = self.path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == names.count else { return nil }
    var captures: [String: Substring] = [:]
    for (part, name) in zip(parts, names) {
      if name.first == "{" {
        captures[String(name.dropFirst().dropLast())] = part
      } else if part != name {
        return nil
      }
    }
    return captures
  }

  /// Whether the command that answers only reads: it is ended when its client goes away.
  var onlyReads: Bool { method == .get }
}

/// Percent-encoding.
enum PercentEncoding {
  /// The text; `nil` if it is malformed, or not UTF-8.
  static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The text with everything encoded that is special anywhere in a URL.
  static func encode(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      let character = Character(Unicode.Scalar(byte))
      if byte < 0x80, character.isLetter || character.isNumber || "-._~".contains(character) {
        result.append(character)
      } else {
        result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}
