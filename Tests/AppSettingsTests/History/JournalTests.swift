import Foundation
import TestModels
import Testing
import TestSupport

@testable import AppSettings

/// The journal as a file: what stays readable, whatever happens to it.
struct JournalTests {
  let home = ScratchHome()
  private let theme = SettingsKey("theme", default: "light")
  private var folder: JournalFolder {
    JournalFolder(path: home.path + "/state/app-settings/files\(home.file).history", system: Syscalls())
  }

  private func record(_ number: Int, _ changes: [HistoryRecord.Change]) -> HistoryRecord {
    HistoryRecord(
      number: number, time: 1_700_000_000_000 + number,
      actor: HistoryRecord.Actor(name: "a\"b\\\n\u{1}é", program: nil, process: 7, user: 0), reason: "set",
      changes: changes,
      text: TextChange(parts: [TextChange.Part(offset: 3, removed: [0xFF, 0x22, 0x0A], added: Array("日本\t".utf8))]),
      segment: 77, isUnparsed: true,
      file: HistoryRecord.File(stamp: FileStamp(inode: .max, size: 0, modified: -1, changed: .max), keptSize: 9))
  }

  @Test func `records, checkpoints and indexes are read as they were written`() throws {
    let record = record(
      12,
      [
        .init(path: ["a", "b c", "\"q\""], old: .absent, new: .text("\"x\"")),
        .init(path: .root, old: .hidden, new: .long),
      ])
    var bytes: [UInt8] = []
    HistoryLine.append(record, to: &bytes)
    Array(bytes.dropLast()).withUnsafeBytes { line in
      #expect(HistoryLine.record(line) == record)
      #expect(HistoryLine.head(of: line)?.kind == UInt8(ascii: "n") && HistoryLine.head(of: line)?.number == 12)
      #expect(HistoryLine.time(of: line) == record.time)
    }
    for damaged in bytes.indices.dropLast() {
      var other = bytes
      other[damaged] ^= 1
      Array(other.dropLast()).withUnsafeBytes { #expect(HistoryLine.record($0) == nil) }
    }
    let checkpoint = HistoryCheckpoint(
      head: HistoryCheckpoint.Head(number: 3, known: 99, isAfterLoss: true), text: [0xC0, 0x0A, 0x41])
    var other: [UInt8] = []
    HistoryLine.append(checkpoint, to: &other)
    Array(other.dropLast()).withUnsafeBytes { #expect(HistoryLine.checkpoint($0) == checkpoint) }
    var index: [UInt8] = []
    HistoryLine.append(index: [("i", 4), ("of", 5), ("a.\"b\"", 6)], of: 3, to: &index)
    Array(index.dropLast()).withUnsafeBytes { line in
      #expect(HistoryLine.index(line)?.map(\.path) == ["i", "of", "a.\"b\""])
      #expect(HistoryLine.index(line)?.map(\.segment) == [4, 5, 6])
    }
  }

  @Test func `a checkpoint has any bytes at any place`() throws {
    var random = SeededRandom(3)
    let pieces: [[UInt8]] = [
      [0x22], [0x5C], [0x0A], [0x00], [0x1F], [0x20], [0x7E], [0x7F], [0x80], [0xA2], [0xDC], [0xFF],
      [0xF4, 0x8F, 0xBF, 0xBF],
      Array("é".utf8), Array("日本".utf8), Array("key-1".utf8), Array("\\u00".utf8),
      Array("a long text without any".utf8),
    ]
    for _ in 0..<2_000 {
      let count = Int.random(in: 0..<60, using: &random)
      let text = (0..<count).flatMap { _ in pieces.randomElement(using: &random)! }
      let checkpoint = HistoryCheckpoint(head: HistoryCheckpoint.Head(number: 3, known: 0), text: text)
      var line: [UInt8] = []
      HistoryLine.append(checkpoint, to: &line)
      #expect(!line.dropLast().contains { $0 < 0x20 || $0 == 0x7F })
      Array(line.dropLast()).withUnsafeBytes { #expect(HistoryLine.checkpoint($0) == checkpoint, "\(text)") }
    }
  }

  /// Cuts a journal anywhere, as a kill or a power failure does: the records before the cut are all there, and the next
  /// write goes on.
  @Test func `a journal that ends anywhere`() throws {
    let settings = try home.store()
    for number in 1...8 { try settings.set("value \(number)", for: theme) }
    let whole = try #require(FileManager.default.contents(atPath: folder.path + "/journal"))
    let all = try settings.history()
    for count in stride(from: 0, through: whole.count, by: 7) {
      try whole[..<count].write(to: URL(fileURLWithPath: folder.path + "/journal"))
      let other = try home.store()
      let lines = whole[..<count].filter { $0 == 0x0A }.count
      let known = try other.history().filter { !$0.isUnrecorded && $0.reason != .outside }
      #expect(known == Array(all.suffix(max(0, min(8, lines - 3)))))
      try other.set("next", for: theme)
      #expect(try other.history().first?.changes.first?.new == .string("next"))
      #expect(other.core.problems.current.isEmpty)
      try other.set("value 8", for: theme)
    }
  }

  /// Zeroes a block, as a file system does with what it had not written.
  @Test func `a hole in the middle hides what is in it, and nothing else`() throws {
    let settings = try home.store()
    for number in 1...2000 { try settings.set("value \(number)", for: theme) }
    let journal = folder.path + "/journal"
    var bytes = try #require(FileManager.default.contents(atPath: journal))
    let middle = bytes.count / 2 / 4096 * 4096
    bytes.replaceSubrange(middle..<middle + 4096, with: Data(count: 4096))
    try bytes.write(to: URL(fileURLWithPath: journal))
    let other = try home.store()
    let entries = try other.history()
    #expect(entries.count < 2000 && entries.count > 1970)
    #expect(entries.first?.id == 2000 && entries.last?.id == 1)
    #expect(try other.formerText(after: 2000) == home.text())
    #expect(try other.formerText(after: 1) == "theme = \"value 1\"\n")
    try other.set("next", for: theme)
    #expect(try other.undo(theme).id == 2001)
  }

  /// Fails each call on the history, one at a time.
  @Test func `a call that fails on the history fails nothing else`() throws {
    for failing in 0..<40 {
      let home = ScratchHome()
      let calls = Lock(0)
      let state = home.path + "/state"
      let settings = try home.store(
        system: Syscalls { call, path throws(Errno) in
          guard path.hasPrefix(state) else { return nil }
          let number = calls.withLock { calls in
            calls += 1
            return calls - 1
          }
          if number == failing { throw Errno(ENOSPC) }
          return nil
        })
      try settings.set("a", for: theme)
      try settings.set("b", for: theme)
      #expect(home.text() == "theme = \"b\"\n")
      try settings.set("c", for: theme)
      let last = try home.store().history().first
      #expect(last?.changes.first?.new == .string("c") && last?.isUnrecorded == false)
      if calls.withLock({ $0 }) < failing { break }
    }
  }

  /// Many processes' stores write one file: every record is there, in the order of the texts.
  @Test func `writers of one file keep one journal`() async throws {
    let home = home
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          try await Task.detached {
            let settings = try home.store()
            let key = SettingsKey("w\(writer)", default: 0)
            for number in 1...40 { try settings.set(number, for: key) }
          }.value
        }
      }
      try await group.waitForAll()
    }
    let entries = try home.store().history()
    #expect(entries.map(\.id) == (1...160).reversed())
    #expect(
      entries.allSatisfy { $0.reason == .set && $0.changes.count == 1 }, "\(entries.filter { $0.reason != .set })")
    for writer in 0..<4 {
      let own = try home.store().history(of: SettingsKey("w\(writer)", default: 0))
      #expect(own.reversed().map { $0.changes[0].new } == (1...40).map { .integer($0) })
    }
  }

  @Test func `a garage's records are in it, and sealed or secret ones are not`() throws {
    let settings = SettingsStore(at: try home.location(name: "other"), logger: .silent)
    settings.core.history?.describe([KnownKeys.Entry(path: .root, isSecret: true)])
    try settings.set("hush", for: theme)
    #expect(try settings.history().first?.changes.first?.isHidden == true)
    #expect(try !settings.formerText(after: 1).contains("hush"))
  }
}
