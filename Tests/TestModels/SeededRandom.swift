import Glibc

/// Random numbers that are the same for the same seed: SplitMix64, https://prng.di.unimi.it/splitmix64.c.
package struct SeededRandom: RandomNumberGenerator {
  package let seed: UInt64
  private var state: UInt64

  package init(_ seed: UInt64) { (self.seed, state) = (seed, seed) }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// The seed that an environment variable names; or else 1 for a short form, so that it does the same in each run,
  /// and a new one for a long form.
  package static func seed(from variable: String, isFull: Bool) -> UInt64 {
    getenv(variable).flatMap { UInt64(String(cString: $0)) } ?? (isFull ? UInt64.random(in: 0 ... .max) : 1)
  }
}
