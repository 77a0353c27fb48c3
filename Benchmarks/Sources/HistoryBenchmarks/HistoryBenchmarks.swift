import AppSettings
import BenchmarkHarness
import Foundation

/// What the history of a file costs a write, and what it takes to ask it.
///
/// The cost is measured beside the same write without a history, in turns. The questions are asked of a journal of a
/// million records, which is made in memory, where a write waits for no disk.
@main
struct HistoryBenchmarks {
  static func main() throws {
    Harness.begin()
    let base = ProcessInfo.processInfo.environment["BENCHMARK_DIR"] ?? FileManager.default.currentDirectoryPath
    try cost(in: base + "/.build", "4 KB", keys: 150)
    try cost(in: base + "/.build", "100 KB", keys: 3_000)
    let records = ProcessInfo.processInfo.environment["RECORDS"].flatMap(Int.init) ?? 1_000_000
    if FileManager.default.isWritableFile(atPath: "/dev/shm") { try questions(in: "/dev/shm", records: records) }
  }

  private static func home(in directory: String, _ name: String) throws -> (path: String, variables: [String: String]) {
    let path = "\(directory)/history-\(name.filter { $0 != " " })-\(getpid())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return (path, ["HOME": path, "XDG_CONFIG_DIRS": path + "/etc"])
  }

  private static func write(_ keys: Int, to file: String) throws {
    var text = "# Settings\n\n[values]\n"
    for key in 0..<keys { text += "key-\(key) = \"value \(key)\"  # kept\n" }
    let directory = (file as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
  }

  private static let values = SettingsKey("values", default: [String: String]())

  private static func cost(in directory: String, _ size: String, keys: Int) throws {
    let home = try home(in: directory, size)
    defer { try? FileManager.default.removeItem(atPath: home.path) }
    let key = SettingsKey("values.key-7", default: "")
    func store(_ app: String, _ history: SettingsHistory) throws -> SettingsStore {
      let location = try SettingsLocation(app: app, environment: home.variables)
      try write(keys, to: location.file)
      let settings = SettingsStore(at: location, history: history)
      _ = settings[values]
      return settings
    }
    let (with, without) = (try store("org.example.with", .on), try store("org.example.without", .off))
    var number = 0
    let pair = try Harness.pair(rounds: ProcessInfo.processInfo.environment["ROUNDS"].flatMap(Int.init) ?? 600) {
      number += 1
      try with.set("\(number)", for: key)
    } _: {
      try without.set("\(number)", for: key)
    }
    Harness.report("durable set, \(size), with a history / without one", pair, budget: .atMost(1.03))
  }

  private static func questions(in directory: String, records: Int) throws {
    let home = try home(in: directory, "questions")
    defer { try? FileManager.default.removeItem(atPath: home.path) }
    let location = try SettingsLocation(app: "org.example.questions", environment: home.variables)
    try write(50, to: location.file)
    let settings = SettingsStore(at: location, history: .limited(toBytes: 4 << 30))
    _ = settings[values]
    let (rare, first) = (SettingsKey("values.key-1", default: ""), SettingsKey("values.key-0", default: ""))
    let others = (2..<50).map { SettingsKey("values.key-\($0)", default: "") }
    try settings.set("once", for: first)
    let started = ContinuousClock.now
    for number in 2...records {
      try settings.set("\(number)", for: number % (records / 40) == 0 ? rare : others[number % others.count])
    }
    let seconds = Double((ContinuousClock.now - started).components.seconds)
    print("\(records) records in \(seconds) s")
    func time(_ name: String, _ body: () throws -> Void) rethrows {
      try body()
      let figures = Harness.Figures(try (0..<21).map { _ in try Harness.nanoseconds(body) })
      Harness.report(name, figures.median / 1e6, .milliseconds, budget: .atMost(10))
    }
    try time("a million records: the last 20 changes of a key") {
      consume(try settings.history(of: others[5], limit: 20))
    }
    try time("a million records: the last change of each of 50 values, as blame asks") {
      for key in [first, rare] + others { consume(try settings.history(of: key, limit: 1)) }
    }
    try time("a million records: all 40 changes of a key that seldom changes") {
      consume(try settings.history(of: rare))
    }
    try time("a million records: the only change of a key, the first of all") {
      let found = try settings.history(of: first).map(\.id)
      precondition(found == [1])
    }
    try time("a million records: the text in the middle of them") { _ = try settings.formerText(after: records / 2) }
    try time("a million records: undo of a key's last change") { try settings.undo(others[7]) }
  }
}
