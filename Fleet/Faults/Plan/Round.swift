/// What happens between two checks. The seed and the number decide it.
struct Round: Sendable, CustomStringConvertible {
  let number: Int
  let faults: [Fault]
  /// With which verb the command writes, too, beside the writers in this process; `nil` if it does not. A rollout ends after
  /// the heal, which tells machines of it.
  let command: Commander.Verb?
  /// Whether the writers go on until after the heal. Otherwise no event after it tells a mirror that it missed something.
  let writesAfterHeal: Bool
  let restoresAsNewCluster: Bool
  /// For the texts.
  let random: SplitMix

  var restoresBackup: Bool { faults.last?.kind == .restoredBackup }

  /// Within which time machines have to be right. A kernel takes four seconds to notice that a connection is forgotten.
  var limit: Duration { .seconds(faults.contains { $0.kind == .connectionsForgotten } ? 9 : 5) }

  /// A round of random faults.
  ///
  /// - Parameter kinds: Those that are possible here.
  init(_ number: Int, seed: UInt64, kinds: Set<Fault.Kind>) {
    var random = Self.generator(number, seed)
    var bag: [Fault.Kind] = []
    for kind in Fault.Kind.allCases where kinds.contains(kind) { bag += Array(repeating: kind, count: kind.weight) }
    var faults: [Fault] = []
    for _ in 0..<Int.random(in: 8...16, using: &random) {
      if let kind = bag.randomElement(using: &random) { faults.append(Fault(kind, using: &random)) }
    }
    let (full, restored) = (Fault(.noSpace, using: &random), Fault(.restoredBackup, using: &random))
    let (silence, replaced) = (Fault(.silence, using: &random), Fault(.memberReplaced, using: &random))
    if number % 13 == 0, kinds.contains(.memberReplaced) { faults.insert(replaced, at: faults.count / 2) }
    if number % 23 == 0, kinds.contains(.noSpace) { faults.insert(full, at: faults.count / 2) }
    // The last one, which the heal follows at once: what matters is how long the kernels wait after that.
    if number % 9 == 0, kinds.contains(.silence) { faults.append(silence) }
    if number % 17 == 0, kinds.contains(.restoredBackup) { faults.append(restored) }
    self.init(number, faults, &random)
  }

  private init(_ number: Int, _ faults: [Fault], _ random: inout SplitMix) {
    self.number = number
    self.faults = faults
    let writesAfterHeal = Bool.random(using: &random)
    self.writesAfterHeal = writesAfterHeal
    let verbs = Commander.Verb.allCases.filter { writesAfterHeal || $0 != .rollout }
    command = Int.random(in: 0..<4, using: &random) == 0 ? verbs.randomElement(using: &random) : nil
    restoresAsNewCluster = Bool.random(using: &random)
    self.random = random
  }

  /// Rounds in which each kind is once. What needs a cluster that works comes first.
  static func short(seed: UInt64, kinds: Set<Fault.Kind>) -> [Round] {
    var random = generator(0, seed)
    let parts: [[Fault.Kind]] = [
      // By itself: a machine that is cut off, too, or a member that is gone, would hide it.
      [.silence],
      [.noSpace, .mirrorKilledAtCall, .unparsable, .mirrorKilled, .connectionsCut, .memberKilled, .packetLoss, .delay],
      [
        .memberReplaced, .deletion, .slowLine, .invalid, .clockJump, .memberPaused, .mirrorPaused, .partition,
        .leaderKilled,
      ],
      [
        .connectionsForgotten, .unsigned, .tooNew, .binary, .certificate, .compaction, .diskFull, .refusal,
        .memberCutOff, .clusterKilled,
      ],
    ]
    var rounds = parts.map { part in
      // After 6.5 seconds a kernel waits for the longest: it has just tried again, and does so next after six more.
      part.filter(kinds.contains).map { Fault($0, amount: $0 == .silence ? 6500 : nil, using: &random) }
    }
    if kinds.contains(.restoredBackup), !rounds.isEmpty {
      rounds[rounds.count - 1].append(Fault(.restoredBackup, using: &random))
    }
    return rounds.enumerated().map { index, faults in
      var random = generator(index + 1, seed)
      return Round(index + 1, faults, &random, command: [1: .rollout, 2: .apply, 3: .set][index])
    }
  }

  private init(_ number: Int, _ faults: [Fault], _ random: inout SplitMix, command: Commander.Verb?) {
    self.number = number
    self.faults = faults
    self.command = command
    writesAfterHeal = number % 2 == 0
    restoresAsNewCluster = Bool.random(using: &random)
    self.random = random
  }

  private static func generator(_ number: Int, _ seed: UInt64) -> SplitMix {
    var mixed = SplitMix(state: seed &+ UInt64(number) &* 0xD1B5_4A32_D192_ED03)
    return SplitMix(state: mixed.next())
  }

  var description: String {
    let extras = [
      command.map { "with the command's \($0.rawValue)" }, writesAfterHeal ? nil : "no writes after the heal",
    ]
    return "round \(number): " + faults.map(\.description).joined(separator: "; ")
      + extras.compactMap(\.self).map { ", \($0)" }.joined()
  }
}
