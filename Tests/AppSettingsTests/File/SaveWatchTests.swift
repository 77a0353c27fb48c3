@testable import AppSettings
import Testing

/// The rule that tells whether a program may be saving a file, without a file or a clock.
struct SaveWatchTests {
  typealias Known = SaveWatch.Known

  private static let second: Int64 = 1_000_000_000
  private static let millisecond: UInt64 = 1_000_000
  /// A file that was written to some milliseconds ago, or is to be in the future.
  private func found(
    _ text: String?, milliseconds age: Int64 = 0, changed: Int64? = nil, isOpen: Bool? = false, inode: UInt64 = 1
  ) throws -> SettingsFile.Contents {
    guard let text else { return SettingsFile.Contents() }
    var status = try #require(try Syscalls().status(at: "/"))
    let now = 1_000 * Self.second
    status.inode = inode
    status.size = text.utf8.count
    status.modified = now - age * 1_000_000
    status.changed = now - (changed ?? age) * 1_000_000
    return SettingsFile.Contents(bytes: Array(text.utf8), status: status, isOpenForWriting: isOpen)
  }

  private func moment(milliseconds: UInt64 = 0, clock: Int64 = 0) -> SaveWatch.Moment {
    SaveWatch.Moment(
      monotonic: 5 * 1_000_000_000 + milliseconds * Self.millisecond,
      since1970: 1_000 * Self.second + (Int64(milliseconds) + clock) * 1_000_000)
  }

  /// The wait in milliseconds.
  private func wait(
    _ found: SettingsFile.Contents, known: String? = "a = 1\nb = 2\n", inode: UInt64 = 1,
    _ evidence: SaveWatch.Evidence = .doubt, _ wholeness: SaveWatch.Wholeness = .whole
  ) -> UInt64? {
    var watch = SaveWatch()
    let known = Known(bytes: known.map { Array($0.utf8) }, inode: inode)
    return watch.wait(for: found, after: known, evidence, at: moment()) { wholeness }.map { $0 / Self.millisecond }
  }

  @Test func `a whole file that nobody has open counts at once`() throws {
    for evidence in [SaveWatch.Evidence.doubt, .saveEnded, .asked] {
      #expect(wait(try found("a = 3\nb = 2\n"), evidence) == nil)
      #expect(wait(try found("a = 3\n"), evidence) == nil)
    }
  }

  @Test func `a file that is open counts when it is closed, or a second after the last change`() throws {
    #expect(wait(try found("a = 3\n", isOpen: true)) == 50)
    #expect(wait(try found("a = 3\n", milliseconds: 980, isOpen: true), .saveEnded) == 20)
    #expect(wait(try found("a = 3\n", milliseconds: 1_000, isOpen: true)) == nil)
    // A program may set the time of a file that it is still writing; the kernel's own cannot be set.
    #expect(wait(try found("a = 3\n", milliseconds: 90_000, changed: 10, isOpen: true)) == 50)
  }

  @Test func `a part of a text does not count while somebody has it open`() throws {
    for wholeness in [SaveWatch.Wholeness.broken, .lacksKeys] {
      #expect(wait(try found("a = ", milliseconds: 60_000, isOpen: true), .doubt, wholeness) == 1_000)
    }
    #expect(wait(try found("", milliseconds: 60_000, isOpen: true)) == 1_000)
  }

  @Test func `an empty or broken file has half a second, whoever asks`() throws {
    for evidence in [SaveWatch.Evidence.doubt, .saveEnded, .asked] {
      #expect(wait(try found("", milliseconds: 100), evidence) == 400)
      #expect(wait(try found("", milliseconds: 500), evidence) == nil)
      #expect(wait(try found("a = ", milliseconds: 100), evidence, .broken) == 400)
      #expect(wait(try found("a = ", milliseconds: 500), evidence, .broken) == nil)
    }
    #expect(wait(try found("", milliseconds: 100), known: nil) == 400)
    #expect(wait(try found("", milliseconds: 100), known: "") == nil)
  }

  @Test func `a save in place that lost keys has half a second, unless somebody asks for it`() throws {
    #expect(wait(try found("a = 1\n"), .doubt, .lacksKeys) == 500)
    #expect(wait(try found("a = 1\n"), .saveEnded, .lacksKeys) == 500)
    #expect(wait(try found("a = 1\n"), .asked, .lacksKeys) == nil)
    // One that was moved into its place is whole.
    #expect(wait(try found("a = 1\n", inode: 2), .saveEnded, .lacksKeys) == nil)
  }

  @Test func `a file that is gone has 100 ms from when it was first missed`() throws {
    var watch = SaveWatch()
    let known = Known(bytes: [1], inode: 1)
    func wait(at time: UInt64, _ evidence: SaveWatch.Evidence = .doubt) -> UInt64? {
      watch.wait(for: SettingsFile.Contents(), after: known, evidence, at: moment(milliseconds: time)) { .whole }
        .map { $0 / Self.millisecond }
    }
    #expect(wait(at: 0) == 100)
    #expect(wait(at: 60) == 40)
    // It was there meanwhile: a save has ended, so another one has begun.
    #expect(wait(at: 90, .saveEnded) == 100)
    #expect(wait(at: 189) == 1)
    #expect(wait(at: 190) == nil)
    #expect(self.wait(SettingsFile.Contents(), known: nil) == nil)
  }

  @Test func `where the kernel does not say who has a file open, times do`() throws {
    #expect(wait(try found("a = 3\nb = 2\n", isOpen: nil)) == 250)
    #expect(wait(try found("a = 3\nb = 2\n", milliseconds: 250, isOpen: nil)) == nil)
    #expect(wait(try found("a = 3\nb = 2\n", isOpen: nil), .saveEnded) == nil)
    #expect(wait(try found("a = 3\n", isOpen: nil), .saveEnded) == 50)
    #expect(wait(try found("a = 3\n", isOpen: nil, inode: 2), .saveEnded) == nil)
  }

  @Test func `a clock that was set back holds nothing up for longer`() throws {
    var watch = SaveWatch()
    let known = Known(bytes: [1], inode: 1)
    let future = try found("", milliseconds: -3_600_000)
    func wait(at time: UInt64) -> UInt64? {
      watch.wait(for: future, after: known, .doubt, at: moment(milliseconds: time)) { .whole }
        .map { $0 / Self.millisecond }
    }
    #expect(wait(at: 0) == 500)
    #expect(wait(at: 499) == 1)
    #expect(wait(at: 500) == nil)
  }

  @Test(arguments: [
    ("a = 1\nb = 2\n", "a = 2\nb = 2\n", SaveWatch.Wholeness.whole), ("a = 1\n", "b = 2\na = 1", .whole),
    ("a = 1\nb = 2\n", "a = 1\n", .lacksKeys), ("[t]\na = 1\nb = 1\n", "[t]\na = 1\n", .lacksKeys),
    ("a = 1\n", "a = ", .broken), ("a = ", "a = 1\n", .whole),
  ])
  func `a text is compared with the one before`(known: String, text: String, wholeness: SaveWatch.Wholeness) {
    #expect(SaveWatch.Wholeness(of: Array(text.utf8), since: Array(known.utf8)) == wholeness)
    #expect(SaveWatch.Wholeness(of: Array(text.utf8), since: nil) == (wholeness == .broken ? .broken : .whole))
  }
}
