import CrashStates
import SettingsTOML

/// Judges the states that a recording may leave.
struct CrashChecker {
  /// The figures of one scenario.
  struct Tally {
    var events = 0
    var states = 0
    var tried = 0
    var isExhaustive = true
    var faults: [CrashFault: Int] = [:]
    /// The first state found with each fault, described for people.
    var examples: [CrashFault: String] = [:]

    mutating func add(_ fault: CrashFault, _ example: @autoclosure () -> String) {
      faults[fault, default: 0] += 1
      if examples[fault] == nil { examples[fault] = example() }
    }

    mutating func add(_ other: Tally) {
      events += other.events
      states += other.states
      tried += other.tried
      isExhaustive = isExhaustive && other.isExhaustive
      faults.merge(other.faults, uniquingKeysWith: +)
      examples.merge(other.examples) { first, _ in first }
    }
  }

  let recording: CrashRecording
  let scenario: CrashScenario
  /// A recording of the same commands without a kill or an error: it says which texts are intended.
  let undisturbed: CrashRecording

  private var file: String { scenario.file }
  private var texts: [[UInt8]?] { recording.milestones.map { $0.tree.bytes(at: file) } }

  /// The acknowledgements, as numbers of events.
  var marks: [Int] { recording.milestones.dropFirst().filter(\.isAcknowledged).map(\.events) }

  /// The faults that the files of a state show.
  ///
  /// - Parameter passed: How many acknowledgements had been given.
  func faults(of state: DiskTree, passed: Int) -> [CrashFault] {
    // Until we have acknowledged something, the state is the other program's work.
    if scenario.beginsForeign && passed == 0 { return [] }
    let text = state.bytes(at: file)
    var faults: [CrashFault] = []
    if !allowed(passed).contains(text) { faults.append(texts.contains(text) || text == nil ? .lost : .torn) }
    if !scenario.holds(state, passed) { faults.append(.lost) }
    if isBackupMissing(in: state) { faults.append(.backupMissing) }
    return faults
  }

  /// Whether the file holds a whole text, even if not the right one, or does not exist.
  func isWhole(_ state: DiskTree) -> Bool {
    let text = state.bytes(at: file)
    return text == nil || texts.contains(text)
  }

  /// The texts that the file may hold: the last one acknowledged, and those after it up to the next acknowledgement.
  private func allowed(_ passed: Int) -> [[UInt8]?] {
    var acknowledged = -1
    var result: [[UInt8]?] = []
    let meant = undisturbed.milestones.map { $0.tree.bytes(at: file) }
    for (milestone, text) in zip(recording.milestones, texts) {
      if milestone.isAcknowledged { acknowledged += 1 }
      if acknowledged == passed || (acknowledged == passed + 1 && milestone.isAcknowledged) { result.append(text) }
      if acknowledged > passed { break }
    }
    // A killed command may have left a file in a state that is not intended, such as none at all.
    return result.filter { meant.contains($0) }
  }

  private func isBackupMissing(in state: DiskTree) -> Bool {
    guard scenario.keepsFormer, let former = texts[0], state.bytes(at: file) != former else { return false }
    return !Self.isBackedUp(former, in: state)
  }

  /// Whether the next set or backup removed a promised backup, or migrated the file without making one.
  func isBackupMissing(in after: DiskTree, of state: DiskTree, _ next: CrashWorker.Next) -> Bool {
    guard let text = state.bytes(at: file) else { return false }
    if next == .migrating, Self.values(in: text)?["settings-version"] == nil {
      return !Self.isBackedUp(text, in: after)
    }
    return text != texts[0] && !isBackupMissing(in: state) && isBackupMissing(in: after)
  }

  private static func isBackedUp(_ text: [UInt8], in tree: DiskTree) -> Bool {
    tree.files(below: "state").contains { $0.bytes == text }
  }

  /// The files in a tree, after the next set and the next backup, that are neither settings nor whole backups.
  func strays(in after: DiskTree) -> [String] {
    let before = recording.milestones[0].tree.nodes
    let made = undisturbed.milestones.reduce(into: Set([file])) { $0.formUnion($1.tree.nodes.keys) }
    return after.nodes.keys.filter { path in
      let name = path.split(separator: "/").last ?? ""
      if before[path] != nil || after.nodes[path] == .directory { return false }
      if name.hasPrefix(".") { return true }
      if made.contains(path) { return false }
      // The history of a file, which is not durable: the next program has judged it.
      if path.contains(".history/"), ["journal", "keys", "present"].contains(name) { return false }
      // What another program saved, if the set was cut off before it could add that.
      if name.hasSuffix(".overtaken.toml") { return false }
      // A backup, wherever those are.
      guard path.hasPrefix("state/"), let bytes = after.bytes(at: path) else { return true }
      return !texts.contains(bytes) && Self.values(in: bytes)?[CrashWorker.nextKey] == nil
    }.sorted()
  }

  /// Whether the next set kept all values of the file, as the state or one of the recorded texts has them.
  func isKept(from state: DiskTree, in after: DiskTree, _ next: CrashWorker.Next) -> Bool {
    guard let text = after.bytes(at: file), var values = Self.values(in: text) else { return false }
    let before = texts + [state.bytes(at: file)]
    if next == .garage {
      let lines = Set(text.split(separator: 10))
      return before.contains { ($0 ?? []).split(separator: 10).allSatisfy(lines.contains) }
    }
    guard values.removeValue(forKey: CrashWorker.nextKey) != nil else { return false }
    values[CrashWorker.importedKey] = nil
    return before.contains { text in
      guard let text, let known = Self.values(in: text) else { return values.isEmpty }
      return known.allSatisfy { values[$0.key] == $0.value }
    }
  }

  private static func values(in text: [UInt8]) -> [String: TOMLValue]? {
    guard let root = try? TOMLDocument(parsing: text).root else { return nil }
    return root.reduce(into: [:]) { $0[$1.key] = $1.value }
  }
}
