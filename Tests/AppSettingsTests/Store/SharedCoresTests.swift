import Logging
import Synchronization
import Testing
import TestSupport

@testable import AppSettings

@Suite("objects that are shared while somebody holds them")
struct SharedCoresTests {
  private final class Thing: Sendable {}

  @Test func `an object that is held is found again, however many come`() {
    var table = WeakTable<Int, Thing>()
    let held = (0..<1_000).map { number in table.value(for: number) { Thing() } }
    for (number, thing) in held.enumerated() {
      #expect(table.value(for: number) { Thing() } === thing)
    }
    #expect(table.count == 1_000)
  }

  private struct CountedKey: Hashable, Sendable {
    static let hashes = Atomic(0)
    let number: Int

    func hash(into hasher: inout Hasher) {
      Self.hashes.add(1, ordering: .relaxed)
      hasher.combine(number)
    }
  }

  @Test func `a key is hashed once when it is looked up, and not when the table grows`() {
    var table = WeakTable<CountedKey, Thing>()
    let held = (0..<1_000).map { number in table.value(for: CountedKey(number: number)) { Thing() } }
    #expect(CountedKey.hashes.load(ordering: .relaxed) == held.count)
  }

  @Test func `a log handler may open a store, even while another one is being opened`() throws {
    struct OpeningHandler: LogHandler {
      let open: @Sendable () -> Void
      var metadata: Logger.Metadata = [:]
      var logLevel = Logger.Level.trace
      subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
      }
      func log(event: LogEvent) { open() }
    }
    let home = ScratchHome()
    let (location, other) = (try home.location(), try home.location(name: "other"))
    // A byte that is not UTF-8.
    let overrides = SettingsOverrides.environment(
      app: "org.example.test", processVariables: ["ORG_EXAMPLE_TEST_SETTINGS__A": "\u{10FFFF}"])
    let opened = Recorder<String>()
    let opener = Aside {
      let handler = OpeningHandler {
        opened.note(SettingsStore(at: other, logger: .silent).description)
      }
      _ = SettingsStore(at: location, overrides: overrides, logger: Logger(label: "opening") { _ in handler })
    }
    #expect(opener.ends(within: 60))
    #expect(opened.elements == [other.file])
  }

  @Test func `objects that are gone do not pile up`() {
    var table = WeakTable<Int, Thing>()
    let held = (0..<100).map { number in table.value(for: -1 - number) { Thing() } }
    for number in 0..<10_000 {
      _ = table.value(for: number) { Thing() }
      #expect(table.count <= 2 * held.count + 1)
    }
    for (number, thing) in held.enumerated() {
      #expect(table.value(for: -1 - number) { Thing() } === thing)
    }
  }

  @Test func `an object that is gone is made again`() {
    var table = WeakTable<Int, Thing>()
    var made = 0
    for _ in 0..<3 {
      _ = table.value(for: 1) {
        made += 1
        return Thing()
      }
    }
    #expect(made == 3)
    #expect(table.count == 1)
  }
}
