import Foundation
import SettingsTOML
import Testing
import TestSupport

@testable import AppSettings

/// Histories against a model: whatever happens to a journal, what it still claims is what was.
struct JournalModelTests {
  /// `SETTINGS_SCHEDULES=full` runs the long form, `SETTINGS_SCHEDULE_SEED` repeats the run that a failure names.
  private static let rounds = Exploration.firstSeed != nil ? 1 : Exploration.isFull ? 30 : 1
  private static let steps = Exploration.isFull ? 300 : 80

  @Test func `what a history claims is what was, whoever wrote and whatever was damaged`() throws {
    for round in 0..<Self.rounds {
      let seed = Exploration.firstSeed ?? (Exploration.isFull ? UInt64.random(in: 0 ... .max) : UInt64(round))
      var model = try HistoryModel(seed)
      for step in 0..<Self.steps {
        try model.step()
        let fault = try model.fault()
        try #require(fault == nil, "seed \(seed), step \(step), \(model.last): \(fault!)")
      }
    }
  }

  @Test func `damage at any byte of the last record costs that record alone`() throws {
    var model = try HistoryModel(7)
    for _ in 0..<6 { try model.writeAlone() }
    let whole = model.journal()
    let start = (whole.dropLast().lastIndex(of: 0x0A) ?? 0) + 1
    let settings = try #require(FileManager.default.contents(atPath: model.home.file))
    let present = FileManager.default.contents(atPath: model.folder.path + "/present")
    let ids = try model.ids()
    // Every 25th byte, each with another bit flipped; in the long form every byte.
    for place in start..<whole.count where Exploration.isFull || (place - start) % 25 == 0 {
      var damaged = whole
      damaged[place] ^= 1 << UInt8(place % 8)
      try model.put(damaged)
      #expect(try model.fault() == nil && model.ids().filter { $0 < ids[0] } == Array(ids.dropFirst()), "\(place)")
      try model.writeAlone()
      let fault = try model.fault()
      #expect(fault == nil, "\(place): \(fault!)")
      // As before.
      try settings.write(to: URL(fileURLWithPath: model.home.file))
      if place % 2 == 0 { try present?.write(to: URL(fileURLWithPath: model.folder.path + "/present")) }
      try model.put(whole)
      model.forget(above: ids[0])
    }
  }

  @Test func `no flipped bit makes a journal claim what was not`() throws {
    var model = try HistoryModel(11)
    for _ in 0..<(Exploration.isFull ? 60 : 20) { try model.writeAlone() }
    let whole = model.journal()
    for _ in 0..<(Exploration.isFull ? 5_000 : 80) {
      var damaged = whole
      let place = Int.random(in: 0..<damaged.count)
      damaged[place] ^= 1 << UInt8.random(in: 0..<8)
      try model.put(damaged)
      let fault = try model.fault()
      #expect(fault == nil, "\(place): \(fault!)")
    }
  }
}

/// A settings file, its journal, and what the file really had.
private struct HistoryModel {
  let home = ScratchHome()
  private var random: SeededNumbers
  private var stores: [SettingsStore] = []
  /// The texts that the file has had, as they are kept.
  private var texts: Set<[UInt8]> = []
  /// The text after an entry, as it was kept when it was recorded.
  private var known: [Int: [UInt8]] = [:]
  /// The highest number that was shown.
  private var highest = 0
  /// What was done last.
  private(set) var last = ""
  /// Whether a write has just been recorded.
  private var isRecorded = false

  private let theme = SettingsKey("theme", default: "light")
  private let long = SettingsKey("editor.text", default: "")
  private let size = SettingsKey("editor.font-size", default: 12)
  private let token = SettingsKey("api.token", default: "", .secret)

  init(_ seed: UInt64) throws {
    random = SeededNumbers(seed | 1 << 40)
    try home.write("# mine\nunknown = 'hush'\ntheme = 'light' # kept\n\n[editor]\nfont-size = 0x0C\n")
    stores = [try store(), try store()]
    try note()
  }

  var folder: JournalFolder {
    JournalFolder(path: home.path + "/state/app-settings/files\(home.file).history", system: Syscalls())
  }

  func journal() -> [UInt8] { Array(FileManager.default.contents(atPath: folder.path + "/journal") ?? Data()) }
  func put(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/journal")) }
  func ids() throws -> [Int] { try store().history().map(\.id) }

  /// A store as of another process, with all keys in use.
  private func store(_ history: SettingsHistory = .limited(toBytes: 40_000)) throws -> SettingsStore {
    let settings = SettingsStore(at: try home.location(), history: history, logger: .silent)
    _ = (settings[theme], settings[long], settings[size], settings[token])
    return settings
  }

  /// The file's text as it is kept.
  private func kept() throws -> [UInt8] {
    var keys = KnownKeys()
    for path in [theme.path, long.path, size.path] { keys.insert(KnownKeys.Entry(path: path, isSecret: false)) }
    keys.insert(KnownKeys.Entry(path: token.path, isSecret: true))
    let text = Array((home.text() ?? "").utf8)
    return KeptText(of: text, try TOMLDocument(parsing: text), keys, .none).bytes
  }

  private mutating func note() throws { texts.insert(try kept()) }

  private mutating func write(to settings: SettingsStore) throws {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: try settings.set("t\(UInt16.random(in: 0 ... .max, using: &random))", for: theme)
    case 1: try settings.set(String(repeating: "é\n", count: Int.random(in: 0..<900, using: &random)), for: long)
    case 2: try settings.set(Int.random(in: 0..<9, using: &random), for: size)
    case 3: try settings.set(String(repeating: "s", count: Int.random(in: 0..<40, using: &random)), for: token)
    case 4: settings.reset([theme, long, token].randomElement(using: &random)!)
    case 5, 6:
      let value = Int.random(in: 0..<9, using: &random)
      try settings.update { settings in
        settings[theme] = "u\(value)"
        settings[size] = value
        if value > 4 { settings[token] = "x\(value)" }
      }
    default: try settings.set("a", for: theme)
    }
    try settings.flush()
  }

  /// A write by another process, at the end of the journal as it is.
  mutating func writeAlone() throws {
    let former = try ids().first ?? 0
    try write(to: store())
    try noteWrite(after: former)
  }

  private mutating func noteWrite(after former: Int) throws {
    try note()
    guard let entry = try store().history(limit: 1).first, !entry.isUnrecorded, entry.id > former else { return }
    known[entry.id] = try kept()
  }

  /// Allows numbers to be used again that only a journal showed of which nothing is left.
  mutating func forget(above number: Int) {
    highest = number
    known = known.filter { $0.key <= number }
  }

  mutating func step() throws {
    let kind = Int.random(in: 0..<16, using: &random)
    isRecorded = false
    switch kind {
    case 0..<9:
      last = "a write"
      let former = try store().history().first { !$0.isUnrecorded }?.id ?? 0
      let before = journal()
      try write(to: kind < 6 ? stores[kind % 2] : store())
      isRecorded = journal() != before
      try noteWrite(after: former)
    case 9, 10:
      last = "a save by another program"
      let lines = (home.text() ?? "").split(separator: "\n", omittingEmptySubsequences: false).filter { _ in
        Int.random(in: 0..<12, using: &random) > 0
      }
      let text = (["# \(UInt8.random(in: 0 ... .max, using: &random))"] + lines).joined(separator: "\n")
      guard (try? TOMLDocument(parsing: Array(text.utf8))) != nil else { return }
      try home.write(text, isSettled: true)
      try note()
    case 11:
      last = "a write that was killed before its record"
      try write(to: store(.off))
      try note()
    case 12:
      last = "an end that is missing"
      var bytes = journal()
      guard !bytes.isEmpty else { return }
      bytes.removeLast(min(bytes.count, Int.random(in: 0..<500, using: &random)))
      try put(bytes)
      forget(above: try store().history().first { !$0.isUnrecorded }?.id ?? 0)
    case 13:
      last = "a flipped bit"
      var bytes = journal()
      guard !bytes.isEmpty else { return }
      bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      try put(bytes)
    case 14:
      last = "another time of the file"
      let time = timespec(tv_sec: Int.random(in: 0..<1_700_000_000, using: &random), tv_nsec: 0)
      _ = utimensat(AT_FDCWD, home.file, [time, time], 0)
    default:
      last = "another process begins"
      stores[0] = try store()
    }
  }

  /// What the history claims that is not so; `nil` if nothing.
  mutating func fault() throws -> String? {
    let contents = try store().core.backing.read()
    let reader = try HistoryReader(
      folder, of: home.file, contents, TOMLDocument(parsing: contents.bytes ?? []), .none)
    var entries: [SettingsHistoryEntry] = []
    reader.visit(nil) { entry, _ in
      entries.append(entry)
      return true
    }
    let recorded = entries.filter { !$0.isUnrecorded }.map(\.id)
    guard zip(entries, entries.dropFirst()).allSatisfy({ $0.id > $1.id }) else { return "numbers \(entries.map(\.id))" }
    if let new = recorded.first, new > highest {
      highest = new
    } else if isRecorded, let new = entries.first?.id, new < highest {
      // The record of a number that was shown may have been damaged since; the next one is still above it.
      return "#\(new) after #\(highest)"
    }
    if let newest = entries.first, let text = try? reader.text(after: newest.id), try kept() != text {
      return "the newest text, of #\(newest.id), is not the file's: \(String(decoding: text, as: UTF8.self))"
    }
    // All of them in the long form: each is made from those before it.
    let some = Exploration.isFull ? entries : Array(entries.shuffled(using: &random).prefix(6))
    for entry in some {
      guard let text = try? reader.text(after: entry.id) else { continue }
      guard texts.contains(text) else { return "a text of #\(entry.id) that never was" }
      if let known = known[entry.id], known != text { return "another text of #\(entry.id)" }
    }
    return nil
  }
}
