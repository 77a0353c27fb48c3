import Foundation
import Testing
import TestSupport

@testable import AppSettings

/// What the history says of what it has lost, and of clocks that jump.
struct HistoryLossTests {
  let home = ScratchHome()
  private let theme = SettingsKey("theme", default: "light")
  private var folder: String { home.path + "/state/app-settings/files\(home.file).history" }
  private var journal: String { folder + "/journal" }

  private func bytes() throws -> [UInt8] { Array(try #require(FileManager.default.contents(atPath: journal))) }
  private func put(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: journal)) }

  /// The lines of the journal as ranges, without the line breaks.
  private func lines(_ bytes: [UInt8]) -> [Range<Int>] {
    var (found, start): ([Range<Int>], Int) = ([], 0)
    for (index, byte) in bytes.enumerated() where byte == 0x0A {
      found.append(start..<index)
      start = index + 1
    }
    return found
  }

  /// Gives the records other times, in milliseconds since 1970.
  private func date(_ times: [Int]) throws {
    let old = try bytes()
    var times = times[...]
    var new: [UInt8] = []
    for line in lines(old) {
      let record = Array(old[line]).withUnsafeBytes { HistoryLine.record($0) }
      if var record, let time = times.popFirst() {
        record.time = time
        HistoryLine.append(record, to: &new)
      } else {
        new += old[line] + [0x0A]
      }
    }
    try put(new)
  }

  @Test(arguments: ["", "rubbish\n", "\0\0\0\0"])
  func `a journal that is gone is told once, and numbers go on`(_ damage: String) throws {
    for number in 1...5 { try home.store().set("\(number)", for: theme) }
    #expect(try home.store().historyLosses == [])
    try put(Array(damage.utf8))
    #expect(try home.store().history().isEmpty && home.store().historyLosses == [6])
    try home.store().set("six", for: theme)
    #expect(try home.store().history().map(\.id) == [6])
    #expect(try home.store().formerText(after: 5) == "theme = \"5\"\n")
    #expect(try home.store().historyLosses == [6])
    try home.store().set("seven", for: theme)
    #expect(try home.store().historyLosses == [6] && home.store().history().map(\.id) == [7, 6])
  }

  @Test func `after a journal that was cut anywhere, the next change can be undone`() throws {
    for number in 1...2 { try home.store().set("\(number)", for: theme) }
    let (whole, present) = (try bytes(), FileManager.default.contents(atPath: folder + "/present"))
    for end in stride(from: whole.count - 1, to: 1, by: -7) {
      try put(Array(whole[..<end]))
      for hasPresent in [true, false] {
        try (hasPresent ? present ?? Data() : Data()).write(to: URL(fileURLWithPath: folder + "/present"))
        try home.write("theme = \"2\"\n")
        try home.store().set("next", for: theme)
        try home.store().undo(theme)
        #expect(try home.store()[theme] == "2", "\(end)")
        try home.store().redo(theme)
        #expect(try home.store()[theme] == "next", "\(end)")
        try put(Array(whole[..<end]))
      }
    }
  }

  @Test func `a journal that was removed is told as well`() throws {
    for number in 1...5 { try home.store().set("\(number)", for: theme) }
    try FileManager.default.removeItem(atPath: journal)
    try home.store().set("six", for: theme)
    #expect(try home.store().history().map(\.id) == [6] && home.store().historyLosses == [6])
  }

  @Test func `numbers of a process that writes on are not used again`() throws {
    let settings = try home.store()
    for number in 1...50 { try settings.set("\(number)", for: theme) }
    try put([])
    try settings.set("more", for: theme)
    let entry = try #require(try settings.history().first)
    #expect(entry.id > 50 && entry.id < 100)
    #expect(settings.historyLosses == [entry.id])
  }

  /// Flips a bit in the only checkpoint.
  @Test func `without a checkpoint the entries stay, their texts do not, and numbers go on`() throws {
    try home.store().set("1", for: theme)
    try home.store().set("2", for: theme)
    var damaged = try bytes()
    damaged[lines(damaged)[1].lowerBound + 40] ^= 1
    try put(damaged)
    #expect(try home.store().history().map(\.id) == [2, 1])
    #expect(try home.store().historyLosses == [1])
    let error = #expect(throws: SettingsError.self) { try home.store().formerText(after: 2) }
    #expect(error?.message.contains("was damaged") == true)
    try home.store().set("3", for: theme)
    #expect(try home.store().history().map(\.id) == [3, 2, 1])
    #expect(throws: SettingsError.self) { try home.store().formerText(after: 2) }
    #expect(try home.store().formerText(after: 3) == home.text())
  }

  @Test func `a damaged record is missed, and its number is not used again`() throws {
    for number in 1...4 { try home.store().set("\(number)", for: theme) }
    var damaged = try bytes()
    let last = lines(damaged).last!
    damaged[last.lowerBound + 60] ^= 4
    try put(damaged)
    try home.store().set("5", for: theme)
    #expect(try home.store().history().map(\.id) == [6, 5, 3, 2, 1])
    #expect(try home.store().history()[1].description == ##"#5 outside: theme "3" -> "4""##)
    #expect(try home.store().historyLosses == [5])
    #expect(try home.store().formerText(after: 4) == "theme = \"3\"\n")
    #expect(try home.store().formerText(after: 6) == home.text())
    // In the middle.
    var other = try bytes()
    other[lines(other)[4].lowerBound + 60] ^= 4
    try put(other)
    #expect(try home.store().historyLosses == [3, 5])
  }

  @Test func `a flipped bit in the header is damage, not a newer release`() throws {
    for number in 1...3 { try home.store().set("\(number)", for: theme) }
    let whole = try bytes()
    for place in lines(whole)[0] {
      for bit in 0..<8 {
        var damaged = whole
        damaged[place] ^= 1 << UInt8(bit)
        try put(damaged)
        #expect(throws: Never.self) { try home.store().history() }
        guard place % 9 == 0 else { continue }
        try home.store().set("\(place) \(bit)", for: theme)
        let settings = try home.store()
        #expect(try settings.history().first?.id ?? 0 > 3 && settings.historyLosses.count == 1)
        #expect(settings.core.problems.current.isEmpty)
      }
    }
  }

  @Test func `each entry has its own time, whatever clock it is by`() throws {
    let now = Int(Date().timeIntervalSince1970 * 1000)
    let day = 86_400_000
    for number in 1...5 { try home.store().set("\(number)", for: theme) }
    // The second is a month old, the third of a clock that was ahead, the fifth of one that was behind.
    try date([now - 3 * day, now - 30 * day, now + 900 * day, now - day, now - 60 * day])
    let settings = try home.store()
    func ids(daysAgo: Int) throws -> [Int] {
      try settings.history(since: Date(timeIntervalSinceNow: -Double(daysAgo) * 86_400)).map(\.id)
    }
    #expect(try ids(daysAgo: 2) == [4, 3] && ids(daysAgo: 7) == [4, 3, 1] && ids(daysAgo: 90).count == 5)
    func number(secondsAgo: Double) throws -> Int? {
      let now = Date()
      return try home.store().historyNumber(at: now.addingTimeInterval(-secondsAgo), asked: now)
    }
    #expect(try number(secondsAgo: 0) == 5 && number(secondsAgo: 1) == 5)
    #expect(try number(secondsAgo: 45 * 86_400) == 5 && number(secondsAgo: 100 * 86_400) == nil)
    try date([now - day, now + day, now + 2 * day, now + 3 * day, now + 4 * day])
    #expect(try number(secondsAgo: 0) == 5 && number(secondsAgo: 3600) == 1)
  }
}
