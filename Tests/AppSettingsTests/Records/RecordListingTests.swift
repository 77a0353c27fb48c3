import AppSettings
import FoundationEssentials
import Testing
import TestSupport

/// A listing that is brought up to date has to be the one that is made anew.
struct RecordListingTests {
  /// The records as another declaration of the key lists them, which has seen none of them before.
  private func anew(_ settings: SettingsStore) -> [Slot] { settings[SettingsRecordKey<Slot>("slots")].all }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func `after any changes, by whomever, all records are those that a first reading finds`(seed: UInt64) throws {
    var numbers = SeededNumbers(seed)
    let home = ScratchHome()
    let location = try SettingsLocation(app: "org.example.test", environment: home.environment)
    let settings = SettingsStore(at: location)
    let slots = SettingsRecordKey<Slot>("slots")
    func any() -> Int { Int.random(in: 0..<12, using: &numbers) }
    for step in 0..<30 {
      switch Int.random(in: 0..<8, using: &numbers) {
      case 0, 1: settings[slots][any()] = Slot(id: any(), label: "\(step)")
      case 2:
        let id = any()
        settings[slots][id] = Slot(id: id, label: "\(step)")
      case 3: settings[slots][any()] = nil
      case 4: _ = try? settings[slots].rename(any(), to: any())
      case 5:
        // Refused where something else has the table's place.
        try? settings.update { transaction in
          for _ in 0..<5 {
            try transaction[slots].put(Slot(id: any(), label: "u\(step)"))
            try transaction[slots].remove(any())
          }
        }
      case 6:
        // An editor: another order, and one that cannot be read.
        try? settings.flush()
        let ids = (0..<12).filter { _ in Bool.random(using: &numbers) }.shuffled(using: &numbers)
        let texts = ids.map { "[slots.\($0)]\nlabel = \($0 == 7 ? "7" : "\"e\(step)\"")\n" }
        try home.write(texts.joined(separator: "\n"), to: location.file)
        settings.reload()
      default:
        try? settings.flush()
        let text = ["slots = 3\n", "slots.3.label = \"x\"\n", ""].randomElement(using: &numbers)!
        try home.write(text, to: location.file)
        settings.reload()
      }
      #expect(settings[slots].all == anew(settings), "seed \(seed), step \(step)")
      let id = any()
      #expect(settings[slots][id] == anew(settings).first { $0.id == id }, "seed \(seed), step \(step)")
    }
  }

  @Test func `a key that is used with two stores lists each one's own`() {
    let slots = SettingsRecordKey<Slot>("slots")
    let (one, other) = (SettingsStore(inMemory: ""), SettingsStore(inMemory: ""))
    for round in 0..<5 {
      one[slots][round] = Slot(id: round, label: "one")
      #expect(one[slots].all.allSatisfy { $0.label == "one" } && one[slots].count == round + 1)
      other[slots][round * 2] = Slot(id: round * 2, label: "other")
      #expect(other[slots].all.allSatisfy { $0.label == "other" } && other[slots].count == round + 1)
    }
  }

  @Test func `more changes than are remembered are seen all the same`() throws {
    let slots = SettingsRecordKey<Slot>("slots")
    let settings = SettingsStore(inMemory: "")
    #expect(settings[slots].all.isEmpty)
    try settings.update { transaction in
      for id in 0..<400 { try transaction[slots].put(Slot(id: id, label: "a")) }
    }
    #expect(settings[slots].ids == Array(0..<400))
    for id in 0..<300 { settings[slots][id]?.label = "b" }
    #expect(settings[slots].all.filter { $0.label == "b" }.count == 300)
    #expect(settings[slots].all == anew(settings))
  }
}

/// The same numbers in each run.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
