import AppSettings

/// Writes JSON objects as bytes: a page's document has hundreds of thousands of members.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []
  private var isEmpty = true

  package mutating func begin() {
    bytes.append(UInt8(ascii: "{"))
    isEmpty = true
  }

  package mutating func end() { bytes.append(UInt8(ascii: "}")) }

  /// Adds what stands between objects.
  package mutating func add(_ text: StaticString) { text.withUTF8Buffer { bytes += $0 } }

  /// Adds a member whose value is JSON; without one, `null`.
  package mutating func add(_ name: StaticString, _ json: String?) {
    addName(name)
    if let json { bytes += json.utf8 } else { add("null") }
  }

  /// Adds a text, or `null`.
  package mutating func add(_ name: StaticString, text: String?) {
    addName(name)
    if let text { JSONText.quote(text, to: &bytes) } else { add("null") }
  }

  package mutating func add(_ name: StaticString, _ flag: Bool) {
    addName(name)
    add(flag ? "true" : "false")
  }

  /// Our own names need no escapes.
  private mutating func addName(_ name: StaticString) {
    add(isEmpty ? "\"" : ",\"")
    isEmpty = false
    add(name)
    add("\":")
  }
}
