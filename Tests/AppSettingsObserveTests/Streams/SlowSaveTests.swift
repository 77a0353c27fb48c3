import AppSettings
import AppSettingsImport
import AppSettingsObserve
import Foundation
import Testing
import TestSupport

/// Programs that save a followed file slowly, step by step: nothing but the old and the new values is ever seen.
@Suite(.timeLimit(.minutes(10))) struct SlowSaveTests {
  let home = ScratchHome()
  private static let old = "# mine\nnumber = 1\nratio = 1.5\n[view]\ntext = \"old\"\n"
  private static let new = "# mine, edited\nnumber = 2\nratio = 2.5\n[view]\ntext = \"new\"\n"

  /// How a program saves; after each step the file is looked at.
  enum Way: String, CaseIterable, Sendable {
    case inPlace = "emptied and written in pieces"
    case inPlaceWithTime = "emptied, begun, its time set back, then written"
    case removed = "removed, made and written in pieces"
    case movedAway = "moved away, made and written in pieces"
    case emptiedAndAppended = "emptied, closed, then appended to"
    case movedInAndEmptied = "moved in, and emptied at once by another save"

    func save(_ file: String, _ text: String, _ look: () -> Void) throws {
      let half = text.prefix(45)
      let rest = text.dropFirst(45)
      var descriptor: Int32
      switch self {
      case .inPlace, .inPlaceWithTime:
        descriptor = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC)
        put(half, descriptor)
        if self == .inPlaceWithTime {
          let earlier = timespec(tv_sec: time(nil) - 3_600, tv_nsec: 0)
          futimens(descriptor, [earlier, earlier])
        }
      case .removed, .movedAway:
        if self == .removed { unlink(file) } else { rename(file, file + ".away") }
        descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        put(half, descriptor)
      case .emptiedAndAppended:
        close(open(file, O_WRONLY | O_TRUNC | O_CLOEXEC))
        look()
        descriptor = open(file, O_WRONLY | O_APPEND | O_CLOEXEC)
        put(half, descriptor)
      case .movedInAndEmptied:
        try Data(SlowSaveTests.old.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
        descriptor = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC)
        look()
        put(half, descriptor)
      }
      look()
      put(rest, descriptor)
      close(descriptor)
    }

    private func put(_ text: Substring, _ descriptor: Int32) {
      _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
  }

  /// Looks at the files, as any event would have the watcher do.
  private func look(_ settings: SettingsStore) {
    settings.core.look(.doubt)
    settings.core.lookAround(.doubt)
  }

  @Test(arguments: Way.allCases)
  func `a slow save shows the old and the new values, and nothing in between`(way: Way) async throws {
    try home.write(Self.old)
    let settings = try home.store()
    let values = Recorder(settings.updates(.number, .ratio, .text).map { "\($0.0) \($0.1) \($0.2)" })
    await values.wait(for: "1 1.5 old")
    let begin = ContinuousClock.now
    try way.save(home.file, Self.new) { look(settings) }
    let isInTime = begin.duration(to: .now) < .milliseconds(400)
    await values.wait(for: "2 2.5 new")
    // A closed file that stays empty for longer counts as one that somebody has emptied.
    guard way != .emptiedAndAppended || isInTime else { return }
    #expect(values.elements == ["1 1.5 old", "2 2.5 new"])
    #expect(settings.currentProblems == [])
  }

  @Test func `an administrator's file is not taken in part when another one is saved meanwhile`() async throws {
    let directory = home.path + "/etc/xdg/org.example.test/settings.d"
    try home.write("number = 1\nratio = 1.5\n", to: directory + "/10.toml")
    try home.write("flag = 1\n", to: directory + "/20.toml")
    let settings = try home.store()
    let values = Recorder(settings.updates(.number, .ratio).map { "\($0.0) \($0.1)" })
    await values.wait(for: "1 1.5")
    let descriptor = open(directory + "/10.toml", O_WRONLY | O_TRUNC | O_CLOEXEC)
    #expect(write(descriptor, "number = 2\n", 11) == 11)
    try home.replace("flag = 2\n", file: directory + "/20.toml")
    look(settings)
    #expect(write(descriptor, "ratio = 2.5\n", 12) == 12)
    close(descriptor)
    await values.wait(for: "2 2.5")
    #expect(values.elements == ["1 1.5", "2 2.5"])
  }

  // MARK: Own writes

  @Test func `a removal that an own write meets is a change for all that was there`() async throws {
    try home.write(Self.old)
    let settings = try home.store()
    let numbers = Recorder(settings.updates(.number))
    var texts = settings.changes(.text).makeAsyncIterator()
    await numbers.wait(for: 1)
    try FileManager.default.removeItem(atPath: home.file)
    try await settings.set([7], for: .list)
    await numbers.wait(for: 0)
    let change = await texts.next()
    #expect(change?.new == "none" && change?.origin == .outside)
    #expect(home.text() == "list = [7]\n")
  }

  @Test func `what is restored, imported or migrated by hand is this process's change`() async throws {
    try home.write("number = = 1\n")
    let settings = try home.store()
    _ = try settings.recover()
    try await settings.set([5], for: .list)
    var changes = settings.changes(.number).makeAsyncIterator()
    let json = home.path + "/import.json"
    try home.write("{\"number\": 9}", to: json)
    try settings.importFile(json, as: .json)
    let imported = await changes.next()
    #expect(imported?.new == 9 && imported?.origin == .thisProcess)
    let made = try #require(try settings.backups().first { $0.reason == "before-import" })
    try settings.restore(made)
    let restored = await changes.next()
    #expect(restored?.new == 0 && restored?.origin == .thisProcess)
  }
}
