/// A digest of a text by which the history recognizes it: XXH64 with seed 0, as the xxHash specification 0.1.1 defines it.
///
/// It detects texts that differ by accident. It protects nothing against someone who can write the history.
struct TextDigest: Sendable, Hashable {
  let value: UInt64

  private static let primes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63, 0x27D4_EB2F_1656_67C5
  )

  init(of bytes: [UInt8]) { self = bytes.withUnsafeBytes { TextDigest(of: $0) } }

  init(of bytes: UnsafeRawBufferPointer) {
    let (p1, p2, p3, p4, p5) = Self.primes
    func word(_ at: Int) -> UInt64 { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)) }
    func rotated(_ x: UInt64, _ by: UInt64) -> UInt64 { x &<< by | x &>> (64 - by) }
    func round(_ lane: UInt64, _ input: UInt64) -> UInt64 { rotated(lane &+ input &* p2, 31) &* p1 }
    var at = 0
    var hash: UInt64
    if bytes.count >= 32 {
      var (a, b, c, d) = (p1 &+ p2, p2, 0 as UInt64, 0 &- p1)
      while at + 32 <= bytes.count {
        a = round(a, word(at))
        b = round(b, word(at + 8))
        c = round(c, word(at + 16))
        d = round(d, word(at + 24))
        at += 32
      }
      hash = rotated(a, 1) &+ rotated(b, 7) &+ rotated(c, 12) &+ rotated(d, 18)
      for lane in [a, b, c, d] { hash = (hash ^ round(0, lane)) &* p1 &+ p4 }
    } else {
      hash = p5
    }
    hash = hash &+ UInt64(bytes.count)
    while at + 8 <= bytes.count {
      hash = rotated(hash ^ round(0, word(at)), 27) &* p1 &+ p4
      at += 8
    }
    if at + 4 <= bytes.count {
      let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
      hash = rotated(hash ^ (UInt64(half) &* p1), 23) &* p2 &+ p3
      at += 4
    }
    while at < bytes.count {
      hash = rotated(hash ^ (UInt64(bytes[at]) &* p5), 11) &* p1
      at += 1
    }
    hash = (hash ^ hash &>> 33) &* p2
    hash = (hash ^ hash &>> 29) &* p3
    value = hash ^ hash &>> 32
  }

  /// 16 hexadecimal digits.
  var text: String { String(value, radix: 16).padded(to: 16) }
}
