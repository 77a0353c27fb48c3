import FoundationEssentials
import SettingsFleet

/// Random numbers that a seed repeats (SplitMix64).
struct Numbers: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  mutating func pick<T>(_ items: [T]) -> T { items.randomElement(using: &self)! }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}

/// How long the random tests run: `SETTINGS_FLEET=full` runs the long form, a number that many, and
/// `SETTINGS_FLEET_SEED` repeats the one that a failure names.
enum Seeds {
  static func list(short: Int, full: Int) -> [UInt64] {
    let variables = ProcessInfo.processInfo.environment
    if let seed = variables["SETTINGS_FLEET_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    let form = variables["SETTINGS_FLEET"] ?? ""
    return (0..<(UInt64(form) ?? UInt64(form == "full" ? full : short))).map { $0 }
  }
}
