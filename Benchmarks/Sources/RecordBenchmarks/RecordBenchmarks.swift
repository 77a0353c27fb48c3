import AppSettings
import BenchmarkHarness
import CFloor
import Foundation

struct Server: Codable, Identifiable, Sendable, Equatable {
  var id: String
  var host: String
  var port: Int
  var isPinned: Bool
  var tags: [String]
}

extension SettingsKeys {
  static let servers = SettingsRecordKey<Server>("servers")
  static let text = SettingsKey("text", default: "")
}

/// What records cost among 10,000 of them, each beside its floor in the same run.
@main
struct RecordBenchmarks {
  static let home: String = {
    let base = ProcessInfo.processInfo.environment["BENCHMARK_DIR"] ?? FileManager.default.currentDirectoryPath
    let path = base + "/.build/benchmark-home-\(getpid())"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }()

  static func server(_ number: Int) -> Server {
    Server(
      id: "server-\(number)", host: "host-\(number).example.org", port: number, isPinned: number.isMultiple(of: 3),
      tags: ["red", "green"])
  }

  static func text(_ count: Int) -> String {
    var text = "text = \"a text that is longer than fifteen bytes\"\n"
    for number in 0..<count {
      text += """

        [servers.server-\(number)]
        host = "host-\(number).example.org"
        port = \(number)
        isPinned = \(number.isMultiple(of: 3))
        tags = ["red", "green"]

        """
    }
    return text
  }

  static func store(_ text: String) throws -> (settings: SettingsStore, file: String) {
    let directory = "\(home)/\(UUID().uuidString)"
    let location = try SettingsLocation(
      app: "bench",
      environment: [
        "HOME": directory, "XDG_CONFIG_HOME": directory + "/config", "XDG_CONFIG_DIRS": directory + "/none",
      ])
    try FileManager.default.createDirectory(atPath: directory + "/config/bench", withIntermediateDirectories: true)
    // An empty file may be one that is being saved, which is waited for.
    if !text.isEmpty { try Data(text.utf8).write(to: URL(fileURLWithPath: location.file)) }
    return (SettingsStore(at: location), location.file)
  }

  static func main() throws {
    defer { try? FileManager.default.removeItem(atPath: home) }
    Harness.begin()
    let text = text(10_000)
    // Some of it alone: 'record-benchmarks garage'.
    let parts = CommandLine.arguments.dropFirst()
    func run(_ part: String, _ body: () throws -> Void) rethrows {
      if parts.isEmpty || parts.contains(part) { try body() }
    }
    try run("reads") { try reads(text) }
    try run("writes") { try writes(text) }
    try run("together") { try together() }
    try run("garage") { try garage() }
  }

  // MARK: Reads

  static func reads(_ text: String) throws {
    let (settings, _) = try store(text)
    _ = settings[.text]
    let servers = settings[.servers]
    let bridge = SettingsBridge<Server>.codable
    let stored = try (0..<5_000).map { number in
      guard let value = try bridge.write(server(number)) else { fatalError("nothing to store") }
      return value
    }
    // Every record is read once: what is read again is not decoded again.
    var one: [Double] = []
    var alone: [Double] = []
    for round in 0..<25 {
      let ids = (0..<200).map { "server-\(round * 200 + $0)" }
      let values = stored[round * 200..<(round + 1) * 200]
      one.append(Harness.nanoseconds { for id in ids { consume(servers[id]) } })
      alone.append(try Harness.nanoseconds { for value in values { consume(try bridge.read(value)) } })
    }
    let (first, floor) = (Harness.Figures(one).median / 200, Harness.Figures(alone).median / 200)
    Harness.report(
      "read one of 10,000 by id / decode that record", first / floor, nanoseconds: [first, floor], budget: .atMost(3))

    let count = 100_000
    let cached = Harness.pair(rounds: 9) {
      for _ in 0..<count { consume(servers["server-7"]) }
    } _: {
      for _ in 0..<count { consume(settings[.text]) }
    }
    Harness.report("read it again / String read", cached, per: count)

    let all = Harness.nanoseconds { consume(servers.all) }
    let decodings = try Harness.nanoseconds { for value in stored { consume(try bridge.read(value)) } } * 2
    Harness.report("all of 10,000 / decode 10,000", all / decodings, nanoseconds: [all, decodings])
    settings[.servers]["server-5"]?.port = 99_999
    let after = Harness.nanoseconds { consume(servers.all) }
    Harness.report(
      "all, after one has changed / decode 10,000", after / decodings, nanoseconds: [after, decodings],
      budget: .atMost(1))
    try settings.flush()
  }

  // MARK: Writes

  static func writes(_ text: String) throws {
    let (settings, file) = try store(text)
    _ = settings[.text]
    let bytes = Array(text.utf8)
    let directory = (file as NSString).deletingLastPathComponent + "-floor"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    func measure(_ name: String, _ edit: () throws -> Void) throws {
      let figures = try Harness.pair(rounds: 31, edit) {
        precondition(cfloor_replace(directory, "settings.toml", bytes, bytes.count) == 0)
      }
      Harness.report(
        "\(name), 10,000 records, \(bytes.count / 1024) KB / replace in C", figures, budget: .atMost(2))
    }
    var number = 0
    try measure("put a change") {
      number += 1
      var changed = server(5_000)
      changed.port += number
      try settings[.servers].put(changed)
    }
    try measure("put a new one") {
      number += 1
      try settings[.servers].put(server(20_000 + number))
    }
    try measure("remove one") {
      number -= 1
      try settings[.servers].remove("server-\(1000 + number)")
    }
  }

  /// Many records in one update: one file replace, and a cost that grows with their number and no faster.
  static func together() throws {
    func put(_ count: Int) throws -> Double {
      let (settings, file) = try store("")
      let descriptor = { cfloor_count_begin((file as NSString).deletingLastPathComponent) }()
      let nanoseconds = try Harness.nanoseconds {
        try settings.update { transaction in
          for number in 0..<count { try transaction[.servers].put(server(number)) }
        }
      }
      let replaces = cfloor_count_end(descriptor)
      precondition(replaces == 1, "\(replaces) file replaces")
      return nanoseconds
    }
    let (few, many) = (try put(500), try put(2_000))
    Harness.report(
      "put 2,000 new ones in one update / 500", many / few, nanoseconds: [many, few], budget: .atMost(5))
  }
}
