/// Hashes key bytes: fast, and seeded per process, so that no file can be made to collide on purpose.
enum KeyHash {
  static let seed = UInt64.random(in: .min ... .max)

  @inline(__always)
  static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  @inline(__always)
  static func load64(_ pointer: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self))
  }

  @inline(__always)
  static func of(_ pointer: UnsafePointer<UInt8>, count: Int, seed: UInt64) -> UInt64 {
    var hash = seed ^ (UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15)
    if count >= 8 {
      var offset = 0
      while offset + 8 < count {
        hash = fold(hash ^ load64(pointer + offset), 0xE703_7ED1_A0B4_28DB)
        offset += 8
      }
      hash = fold(hash ^ load64(pointer + count - 8), 0x8EBC_6AF0_9C88_C6E3)
    } else {
      var word: UInt64 = 0
      var index = 0
      while index < count {
        word = word << 8 | UInt64(pointer[index])
        index += 1
      }
      hash = fold(hash ^ word, 0x8EBC_6AF0_9C88_C6E3)
    }
    return fold(hash, 0x5899_65CC_7537_4CC3)
  }

  static func of(_ key: String) -> UInt64 {
    var key = key
    return key.withUTF8 { bytes in
      guard let base = bytes.baseAddress else { return of(emptyBase, count: 0, seed: seed) }
      return of(base, count: bytes.count, seed: seed)
    }
  }

  /// A pointer for no bytes; never read through.
  private static var emptyBase: UnsafePointer<UInt8> { UnsafePointer(bitPattern: 1)! }
}

/// A key for look-ups by code units, as TOML compares them. `String` treats canonical equivalents as equal.
package struct ExactKey: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (lhs: ExactKey, rhs: ExactKey) -> Bool { lhs.text.hasSameCodeUnits(as: rhs.text) }

  package func hash(into hasher: inout Hasher) { hasher.combine(codeUnitsOf: text) }
}

extension String {
  /// Whether two strings have the same code units; `==` would treat canonical equivalents as equal.
  package func hasSameCodeUnits(as other: String) -> Bool {
    let mine = utf8
    let theirs = other.utf8
    guard mine.count == theirs.count else { return false }
    let fast = mine.withContiguousStorageIfAvailable { a in
      theirs.withContiguousStorageIfAvailable { b in
        for index in 0..<a.count where a[index] != b[index] { return false }
        return true
      }
    }
    if let fast, let equal = fast { return equal }
    return mine.elementsEqual(theirs)
  }
}

extension Hasher {
  mutating func combine(codeUnitsOf text: String) {
    var text = text
    text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
    combine(0xFF as UInt8)
  }
}
