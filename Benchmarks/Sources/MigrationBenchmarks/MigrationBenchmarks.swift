import AppSettings
import BenchmarkHarness
import CFloor
import Foundation

/// The budgets of migrations, beside opening the same file when it is current.
///
/// What a first access costs is reading, working and waiting for the disk. The last is what the promise costs, a backup
/// and the new text on disk before anything is replaced, whatever is in them: so it is told apart, by a run on a file
/// system in memory and by a floor in C that does the same waiting.
@main
struct MigrationBenchmarks {
  static func main() throws {
    Harness.begin()
    let base = ProcessInfo.processInfo.environment["BENCHMARK_DIR"] ?? FileManager.default.currentDirectoryPath
    let disk = try FirstAccess(in: base + "/.build")
    defer { disk.end() }
    try disk.nothingPending()
    try disk.threePending()
    if FileManager.default.isWritableFile(atPath: "/dev/shm") {
      let memory = try FirstAccess(in: "/dev/shm")
      defer { memory.end() }
      try memory.threePendingInMemory()
    }
    try RecordGrowth.measure()
  }
}

/// Opening a file of 10,000 keys, and reading one, where the release before has been used.
struct FirstAccess {
  private static let migrations = [
    Migration(2, "rename a key", [.rename("table-3.key-7", to: "table-3.renamed")]),
    Migration(3, "make a number of a string", [.convert("table-5.text", .integer)]),
    Migration(4, "decode a list", [.decodeJSONString("table-9.list")]),
  ]
  private static let rounds = 31

  private let home: String
  private let old: [UInt8]
  private let current: [UInt8]
  private let probe = SettingsKey("table-50.key-50", default: 0)

  init(in directory: String) throws {
    home = "\(directory)/benchmark-home-\(getpid())"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    var text = ""
    for table in 0..<100 {
      text += "[table-\(table)]\ntext = \"\(table)\"\nlist = '[\"a\", \"b\"]'\n"
      for key in 0..<98 { text += "key-\(key) = \(key)\n" }
      text += "\n"
    }
    old = Array(text.utf8)
    current = Array(("settings-version = 4\n" + text).utf8)
  }

  func end() { try? FileManager.default.removeItem(atPath: home) }

  /// Opened, and one key read. The last release has written the file, and begun its history.
  private func open(_ bytes: [UInt8], _ migrations: [Migration] = Self.migrations) throws -> Double {
    let directory = "\(home)/\(UUID().uuidString)"
    let location = try SettingsLocation(
      app: "bench",
      environment: [
        "HOME": directory, "XDG_CONFIG_HOME": directory + "/config", "XDG_CONFIG_DIRS": directory + "/none",
      ])
    try FileManager.default.createDirectory(atPath: directory + "/config/bench", withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: location.file))
    // Another value than the file has: a write that changes nothing has no history.
    try SettingsStore(at: location, migrations: bytes == old ? [] : migrations).set(51, for: probe)
    return Harness.nanoseconds { consume(SettingsStore(at: location, migrations: migrations)[probe]) }
  }

  /// Two kinds in turn: their figures, and the median of the ratios of the pairs.
  private func pairs(
    _ first: () throws -> Double, _ second: () throws -> Double
  ) rethrows -> (first: Harness.Figures, second: Harness.Figures, ratio: Double) {
    var a: [Double] = []
    var b: [Double] = []
    for round in -3..<Self.rounds {
      let (x, y) = (try first(), try second())
      guard round >= 0 else { continue }
      a.append(x)
      b.append(y)
    }
    return (Harness.Figures(a), Harness.Figures(b), Harness.Figures(zip(a, b).map { $0 / $1 }).median)
  }

  func nothingPending() throws {
    let none = [Migration(4, "nothing", [])]
    Harness.report(
      "open 10,000 keys, current, migrations known / none",
      try pairs({ try open(current) }, { try open(current, none) }), budget: .atMost(1.05))
  }

  func threePending() throws {
    Harness.report(
      "first access, 3 pending, 10,000 keys / open when current",
      try pairs({ try open(old) }, { try open(current) }), budget: .atMost(4))
    // One durable replace in C, and a second one for the backup where it is a copy.
    var number = 0
    let overFloor = try pairs(
      { try open(old) },
      {
        number += 1
        let read = try open(current)
        return read + Harness.nanoseconds { _ = cfloor_replace(home, "file-\(number)", current, current.count) }
      })
    Harness.report("first access, 3 pending / open and one durable replace in C", overFloor)
  }

  func threePendingInMemory() throws {
    Harness.report(
      "first access, 3 pending / open when current, in memory",
      try pairs({ try open(old) }, { try open(current) }), budget: .atMost(4))
  }
}

/// What steps over many records cost, beside a quarter of them.
enum RecordGrowth {
  private static let migrations = [
    Migration(
      2, "records",
      [
        .forEach(
          "records",
          [
            .rename("hostname", to: "host"),
            .convert("port", .integer),
          ])
      ])
  ]

  private static let kinds: [(name: String, text: @Sendable (Int) -> String)] = [
    (
      "tables with headers",
      { (0..<$0).map { "[records.r\($0)]\nhostname = \"h\($0)\" # x\nport = \"\($0)\"\n\n" }.joined() }
    ),
    ("an array of tables", { (0..<$0).map { "[[records]]\nhostname = \"h\($0)\"\nport = \"\($0)\"\n\n" }.joined() }),
    (
      "inline tables, a line each",
      { "[records]\n" + (0..<$0).map { "r\($0) = { hostname = \"h\($0)\", port = \"\($0)\" }\n" }.joined() }
    ),
    (
      "an array of inline tables",
      { "records = [\n" + (0..<$0).map { "  { hostname = \"h\($0)\", port = \"\($0)\" },\n" }.joined() + "]\n" }
    ),
  ]

  static func measure() throws {
    for (name, text) in kinds {
      let (few, many) = (text(500), text(2000))
      let key = SettingsKey("none", default: 0)
      let figures = Harness.pair(rounds: 9) {
        consume(SettingsStore(inMemory: many, migrations: migrations)[key])
      } _: {
        consume(SettingsStore(inMemory: few, migrations: migrations)[key])
      }
      Harness.report("ForEach, 2,000 / 500 \(name)", figures, budget: .atMost(4.5))
    }
  }
}
