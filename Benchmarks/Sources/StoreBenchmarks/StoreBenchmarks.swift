import AppSettings
import BenchmarkHarness
import CFloor
import Foundation
import Synchronization

extension SettingsKeys {
  static let scalar = SettingsKey("editor.font-size", default: 12)
  static let text = SettingsKey("name", default: "")
  static let counter = SettingsKey("counter", default: 0)
}

/// The budgets of the store, each beside its floor or peer in the same run.
@main
struct StoreBenchmarks {
  static let home: String = {
    let base = ProcessInfo.processInfo.environment["BENCHMARK_DIR"] ?? FileManager.default.currentDirectoryPath
    let path = base + "/.build/benchmark-home-\(getpid())"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }()

  static func main() throws {
    defer { try? FileManager.default.removeItem(atPath: home) }
    Harness.begin()
    try reads()
    try writes()
    try manySetters()
    try manyKeys()
  }

  static func location(_ name: String) throws -> SettingsLocation {
    try SettingsLocation(
      app: name,
      environment: ["HOME": home, "XDG_CONFIG_HOME": home + "/config", "XDG_CONFIG_DIRS": home + "/none"])
  }

  /// A settings file of about 4 KB, with the keys used here.
  static func fourKilobytes() -> String {
    var text = "name = \"a text that is longer than fifteen bytes\"\ncounter = 0\n\n[editor]\nfont-size = 14\n"
    var number = 0
    while text.utf8.count < 4000 {
      text += "setting-\(number) = \"value \(number)\"  # a comment\n"
      number += 1
    }
    return text
  }

  static func write(_ text: String, to location: SettingsLocation) throws {
    let directory = (location.file as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try text.write(toFile: location.file, atomically: false, encoding: .utf8)
    // As the library makes it, and the floor: what is kept of another mode would be more than the floor promises.
    chmod(location.file, 0o600)
  }

  // MARK: Reads

  static func reads() throws {
    let location = try location("reads")
    try write(fourKilobytes(), to: location)
    let settings = SettingsStore(at: location)
    let count = 1_000_000

    let scalar = Harness.pair(rounds: 15) {
      var sum = 0
      for _ in 0..<count { sum &+= settings[.scalar] }
      consume(sum)
    } _: {
      consume(cfloor_loads(count))
    }
    Harness.report("typed scalar read / atomic acquire load", scalar, per: count, budget: .atMost(4))

    let boxed = settings[.text]
    let object = Object()
    let box = Unmanaged.passUnretained(object).toOpaque()
    let string = Harness.pair(rounds: 15) {
      for _ in 0..<count { consume(settings[.text]) }
    } _: {
      cfloor_retains(box, count)
    }
    Harness.report("String read / retain + release", string, per: count, budget: .atMost(1.3))

    let defaults = UserDefaults(suiteName: "app-settings-benchmark-\(getpid())")!
    defaults.set(14, forKey: "font-size")
    defaults.set(boxed, forKey: "name")
    let few = 2_000
    let peer = Harness.nanoseconds { for _ in 0..<few { consume(defaults.integer(forKey: "font-size")) } } / Double(few)
    let peerText = Harness.nanoseconds { for _ in 0..<few { consume(defaults.string(forKey: "name")) } } / Double(few)
    func compare(_ name: String, _ peer: Double, _ ours: Double, budget: Double) {
      Harness.report(name, peer / ours, nanoseconds: [peer, ours], budget: .atLeast(budget))
    }
    compare("UserDefaults integer / typed scalar read", peer, scalar.first.median / Double(count), budget: 500)
    compare("UserDefaults string / String read", peerText, string.first.median / Double(count), budget: 60)

    let both = Harness.pair(rounds: 9) {
      twice { readMany(settings, count * 5) }
    } _: {
      readMany(settings, count * 5)
    }
    // What two threads of this machine take when they share nothing but a variable that nobody writes.
    let floor = Harness.pair(rounds: 9) {
      twice { consume(cfloor_loads(count * 5)) }
    } _: {
      consume(cfloor_loads(count * 5))
    }
    Harness.report("scalar reads, two threads / one", both, per: count * 5, budget: .atMost(1.5))
    Harness.report("atomic acquire loads, two threads / one", floor, per: count * 5)
  }

  /// Runs a piece on two threads at once, to the end of both.
  static func twice(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<2 {
      Thread.detachNewThread {
        body()
        done.signal()
      }
    }
    for _ in 0..<2 { done.wait() }
  }

  @inline(never)
  static func readMany(_ settings: SettingsStore, _ count: Int) {
    var sum = 0
    for _ in 0..<count { sum &+= settings[.scalar] }
    consume(sum)
  }

  final class Object {}

  // MARK: Writes

  static func writes() throws {
    let location = try location("writes")
    let text = fourKilobytes()
    try write(text, to: location)
    let settings = SettingsStore(at: location)
    let directory = (location.file as NSString).deletingLastPathComponent + "-floor"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let bytes = Array(text.utf8)

    var number = 0
    let durable = try Harness.pair(rounds: 300) {
      number += 1
      try settings.set(number, for: .counter)
    } _: {
      precondition(cfloor_replace(directory, "settings.toml", bytes, bytes.count) == 0)
    }
    Harness.report("durable set, 4 KB / temp + fsync + rename + fsync(dir)", durable, budget: .atMost(1.10))
    let plainLocation = try self.location("writes-without-history")
    try write(text, to: plainLocation)
    let plain = SettingsStore(at: plainLocation, history: .off)
    let withoutHistory = try Harness.pair(rounds: 300) {
      number += 1
      try plain.set(number, for: .counter)
    } _: {
      precondition(cfloor_replace(directory, "settings.toml", bytes, bytes.count) == 0)
    }
    Harness.report(
      "durable set without history, 4 KB / temp + fsync + rename + fsync(dir)", withoutHistory, budget: .atMost(1.25))
    func spread(_ name: String, _ figures: Harness.Figures, budget: Harness.Budget? = nil) {
      let times = [figures.quantile(0.99), figures.median]
      Harness.report("\(name), p99 / median", times[0] / times[1], nanoseconds: times, budget: budget)
    }
    spread("durable set", durable.first, budget: .atMost(2.5))
    spread("temp + fsync + rename + fsync(dir)", durable.second)

    let count = 2_000
    let lazySets = Harness.Figures(
      (0..<count).map { index in Harness.nanoseconds { settings[.scalar] = index } })
    try settings.flush()
    Harness.report("settings[.k] = v, returned", lazySets.median, .nanoseconds, budget: .atMost(1000))
    Harness.report("settings[.k] = v, returned, p99", lazySets.quantile(0.99), .nanoseconds)
  }

  static func manySetters() throws {
    let location = try location("setters")
    try write(fourKilobytes(), to: location)
    let settings = SettingsStore(at: location)
    let keys = (0..<64).map { SettingsKey("setting-\($0)", default: "") }
    let rounds = 20
    let one =
      try Harness.nanoseconds {
        for round in 0..<rounds { for key in keys.prefix(8) { try settings.set("one \(round)", for: key) } }
      } / Double(rounds * 8)
    precondition(FileManager.default.fileExists(atPath: location.file))
    let counter = cfloor_count_begin((location.file as NSString).deletingLastPathComponent)
    precondition(counter >= 0, "no inotify instance to be had")
    let together =
      Harness.nanoseconds {
        // Real threads: a pool has no more of them than there are cores.
        let done = DispatchSemaphore(value: 0)
        for index in 0..<64 {
          Thread.detachNewThread {
            for round in 0..<rounds { try! settings.set("many \(round)", for: keys[index]) }
            done.signal()
          }
        }
        for _ in 0..<64 { done.wait() }
      } / Double(rounds * 64)
    Harness.report(
      "one set alone / one of 64 at once", one / together, nanoseconds: [one, together], budget: .atLeast(12))
    let perSet = Double(cfloor_count_end(counter)) / Double(rounds * 64)
    Harness.report("file replaces per set, 64 at once", perSet, .count, budget: .atMost(0.06))
  }

  static func manyKeys() throws {
    var text = ""
    for table in 0..<1000 {
      text += "[table-\(table)]\n"
      for key in 0..<100 { text += "key-\(key) = \(key)\n" }
    }
    // A place for each: stores on one place would share what the first one has read.
    let locations = try (0..<7).map { try location("many-\($0)") }
    for location in locations { try write(text, to: location) }
    let open = Harness.Figures(
      locations.map { location in
        Harness.nanoseconds {
          consume(SettingsStore(at: location)[SettingsKey("table-500.key-50", default: 0)])
        }
      })
    Harness.report(
      "open a file of 100,000 keys and read one", open.median / 1e6, .milliseconds, budget: .atMost(30))
    let settings = SettingsStore(at: locations[0])
    let key = SettingsKey("table-500.key-50", default: 0)
    let set = Harness.Figures(
      try (0..<7).map { number in try Harness.nanoseconds { try settings.set(number + 1000, for: key) } })
    Harness.report(
      "durable set in a file of 100,000 keys, \(text.utf8.count / 1024) KB", set.median / 1e6, .milliseconds)
  }
}
