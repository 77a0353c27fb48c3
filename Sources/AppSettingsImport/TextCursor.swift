/// A place in a text, with the number of its line.
struct TextCursor {
  private let bytes: [UInt8]
  private var at = 0
  /// The number of the line, from 1.
  private(set) var line = 1

  /// Begins after a byte order mark.
  init(_ text: String) {
    bytes = Array(text.utf8)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
  }

  /// The byte there; `nil` at the end.
  var current: UInt8? { at < bytes.count ? bytes[at] : nil }

  /// Takes a byte; `nil` at the end.
  @discardableResult
  mutating func next() -> UInt8? {
    guard let byte = current else { return nil }
    at += 1
    if byte == 10 { line += 1 }
    return byte
  }

  /// Takes bytes while a condition holds.
  @discardableResult
  mutating func take(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = at
    while let byte = current, condition(byte) { next() }
    return bytes[start..<at]
  }
}
