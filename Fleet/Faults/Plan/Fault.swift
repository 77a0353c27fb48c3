/// Something that goes wrong.
struct Fault: Sendable, CustomStringConvertible {
  /// What kinds there are. Their texts are those of the table in Faults/fleet.md.
  enum Kind: String, Sendable, CaseIterable {
    case leaderKilled = "leader killed"
    case memberKilled = "a member killed"
    case clusterKilled = "all members killed at once"
    case memberPaused = "a member paused"
    case memberCutOff = "a member's messages to the others lost"
    case packetLoss = "packet loss at a member, 1 to 20 %"
    case compaction = "compaction while a mirror is away"
    case deletion = "key deleted and compacted while a mirror is away"
    case noSpace = "etcd full (NOSPACE)"
    case memberReplaced = "a member removed, and an empty one added in its place"
    case restoredBackup = "backup restored, as the same or as a new cluster"
    case mirrorKilled = "mirror killed at a random time"
    case mirrorKilledAtCall = "mirror killed at a random system call"
    case mirrorPaused = "mirror paused"
    case partition = "machine cut off: nothing gets through"
    case silence = "machine cut off: packets lost, for up to 8 s"
    case refusal = "machine cut off: connections refused"
    case connectionsCut = "connections of a machine or of the writers cut"
    case connectionsForgotten = "connections forgotten: what is sent on them is lost for good, new ones work"
    case delay = "network of a machine or of the writers slow"
    case slowLine = "line of a machine slow: 20 to 120 KB a second"
    case certificate = "certificate of a machine expired, then renewed"
    case diskFull = "disk of a machine full, 0 to 3 pages free"
    case clockJump = "wall clock of a mirror jumps by up to 20 years"
    case unparsable = "document that does not parse"
    case invalid = "document that the schema refuses"
    case tooNew = "document that is too new for the app"
    case binary = "document that is not text"
    case unsigned = "document without a signature, with a stranger's or another text's"
  }

  let kind: Kind
  /// Which machine or member it is, and how much of it: whatever the kind makes of it.
  let choice: Int
  let amount: Int
  /// After how many more faults it is taken back; the rest is when the round is healed.
  let length: Int
  /// How many writes are waited for before the next fault.
  let writes: Int

  /// - Parameter amount: How much of it; `nil` for a random one.
  init(_ kind: Kind, amount: Int? = nil, using random: inout SplitMix) {
    self.kind = kind
    choice = Int.random(in: 0..<6, using: &random)
    let any = Int.random(in: 0..<1_000_000, using: &random)
    self.amount = amount ?? any
    length = Int.random(in: 1...5, using: &random)
    writes = Int.random(in: 0...3, using: &random)
  }

  var description: String { "\(kind.rawValue) (\(choice), \(amount), for \(length))" }
}

extension Fault.Kind {
  /// How often it is chosen among the faults of a round. The slow ones are chosen by the round.
  var weight: Int {
    switch self {
    case .leaderKilled: 6
    case .memberKilled, .memberCutOff: 3
    case .clusterKilled: 1
    case .memberPaused: 6
    case .packetLoss: 3
    case .compaction: 4
    case .deletion: 3
    case .noSpace, .memberReplaced, .restoredBackup, .silence: 0
    case .mirrorKilled: 6
    case .mirrorKilledAtCall: 9
    case .mirrorPaused: 6
    case .partition, .refusal: 5
    case .connectionsCut: 7
    case .connectionsForgotten: 3
    case .delay, .slowLine: 4
    case .certificate: 3
    case .diskFull: 6
    case .clockJump: 3
    case .unparsable, .invalid, .tooNew, .unsigned: 3
    case .binary: 2
    }
  }
}

/// Random numbers that a seed repeats.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
