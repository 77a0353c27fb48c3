/// The bytes of keys whose text differs from their value.
enum KeyText {
  /// The bytes of a key, quotes and escapes undone.
  static func decoded(_ node: IndexNode, in base: UnsafePointer<UInt8>) -> [UInt8] {
    let start = Int(node.keyStart)
    let end = Int(node.keyEnd)
    switch node.keyStyle {
    case .bare: return Array(UnsafeBufferPointer(start: base + start, count: end - start))
    case .literal, .basic: return Array(UnsafeBufferPointer(start: base + start + 1, count: end - start - 2))
    case .escaped: return Escapes.decode(base, from: start + 1, to: end - 1)
    }
  }

  /// The key as a string.
  @inline(__always)
  static func string(_ node: IndexNode, in base: UnsafePointer<UInt8>) -> String {
    if node.keyStyle == .escaped { return String(decoding: decoded(node, in: base), as: UTF8.self) }
    let quotes = node.keyStyle == .bare ? 0 : 1
    let start = Int(node.keyStart) + quotes
    let bytes = UnsafeBufferPointer(start: base + start, count: Int(node.keyEnd) - quotes - start)
    return String(decoding: bytes, as: UTF8.self)
  }
}
