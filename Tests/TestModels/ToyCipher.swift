import AppSettings
package import AppSettingsGarage

extension GarageCipher {
  /// What a cipher is to a garage, for tests: a key stream, and a keyed sum of all that is authenticated. It keeps nothing
  /// secret from anyone who looks at how it is made.
  package static func toy(
    _ key: UInt64, name: String = "toy", willSeal: @escaping @Sendable () throws -> Void = {}
  ) -> GarageCipher {
    struct Broken: Error {}
    @Sendable func sum(_ parts: [[UInt8]]) -> UInt64 {
      var sum = key &* 0x9E37_79B9_7F4A_7C15 &+ 1
      for part in parts {
        for byte in part { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        sum = (sum ^ UInt64(part.count)) &* 0x9E37_79B9_7F4A_7C15
        sum ^= sum >> 29
      }
      return sum
    }
    @Sendable func stream(_ nonce: [UInt8], _ text: [UInt8]) -> [UInt8] {
      var random = SeededRandom(sum([nonce]))
      return text.map { $0 ^ UInt8(truncatingIfNeeded: random.next()) }
    }
    @Sendable func bytes(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    return GarageCipher(
      name: name,
      seal: { plain, context in
        try willSeal()
        let nonce = bytes(UInt64.random(in: 0 ... .max))
        let sealed = stream(nonce, plain)
        return nonce + sealed + bytes(sum([nonce, sealed, context]))
      },
      open: { sealed, context in
        guard sealed.count >= 16 else { throw Broken() }
        let (nonce, text, tag) = (Array(sealed[..<8]), Array(sealed[8..<sealed.count - 8]), Array(sealed.suffix(8)))
        guard tag == bytes(sum([nonce, text, context])) else { throw Broken() }
        return stream(nonce, text)
      })
  }
}
