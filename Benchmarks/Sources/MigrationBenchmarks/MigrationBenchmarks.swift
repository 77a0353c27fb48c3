import AppSettings
import BenchmarkHarness
import CFloor
import Foundation

/// The budget of migrations, beside opening the same file when it is current.
@main
struct MigrationBenchmarks {
  static let home: String = {
    let base = ProcessInfo.processInfo.environment["BENCHMARK_DIR"] ?? FileManager.default.currentDirectoryPath
    let path = base + "/.build/benchmark-home-\(getpid())"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }()

  static let migrations = SettingsMigrations {
    Migration(2, "rename a key") { Rename("table-3.key-7", to: "table-3.renamed") }
    Migration(3, "make a number of a string") { Convert("table-5.text", .integer) }
    Migration(4, "decode a list") { DecodeJSONString("table-9.list") }
  }

  static func main() throws {
    defer { try? FileManager.default.removeItem(atPath: home) }
    print("what                                                       measured                       budget")
    var text = ""
    for table in 0..<100 {
      text += "[table-\(table)]\ntext = \"\(table)\"\nlist = '[\"a\", \"b\"]'\n"
      for key in 0..<98 { text += "key-\(key) = \(key)\n" }
      text += "\n"
    }
    let old = Array(text.utf8)
    let current = Array(("settings-version = 4\n" + text).utf8)
    let probe = SettingsKey("table-50.key-50", default: 0)

    // Opened, and one key read.
    func open(_ bytes: [UInt8], migrations: SettingsMigrations) throws -> Double {
      let directory = "\(home)/\(UUID().uuidString)"
      let location = try SettingsLocation(
        app: "bench",
        environment: [
          "HOME": directory, "XDG_CONFIG_HOME": directory + "/config", "XDG_CONFIG_DIRS": directory + "/none",
        ])
      try FileManager.default.createDirectory(atPath: directory + "/config/bench", withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(fileURLWithPath: location.file))
      return Harness.nanoseconds { consume(SettingsStore(at: location, migrations: migrations)[probe]) }
    }

    func median(_ bytes: [UInt8], _ migrations: SettingsMigrations) throws -> Double {
      Harness.Figures(try (0..<31).map { _ in try open(bytes, migrations: migrations) }).median
    }
    let plain = try median(current, .none.accepting(4))
    let nothing = try median(current, migrations)
    let pending = try median(old, migrations)
    // The backup and the file: two durable replaces are the least that the promise costs, whatever is in them.
    let floor = Harness.Figures(
      (0..<31).map { round in
        Harness.nanoseconds {
          _ = cfloor_replace(home, "backup-\(round)", old, old.count)
          _ = cfloor_replace(home, "file", current, current.count)
        }
      }
    ).median
    func milliseconds(_ value: Double) -> String { "\(Harness.short(value / 1e6)) ms" }
    Harness.report(
      "open 10,000 keys, current, migrations known / none",
      "\(Harness.short(nothing / plain)) x (\(milliseconds(nothing)))", budget: "<= 1.05 x",
      isWithin: nothing / plain <= 1.05)
    Harness.report(
      "first access, 3 pending, 10,000 keys / open when current",
      "\(Harness.short(pending / nothing)) x (\(milliseconds(pending)))", budget: "<= 3 x",
      isWithin: pending / nothing <= 3)
    Harness.report(
      "first access, 3 pending / open and two durable replaces in C",
      "\(Harness.short(pending / (nothing + floor))) x (\(milliseconds(nothing + floor)))", budget: "-", isWithin: true)
  }
}

extension SettingsMigrations {
  /// A history of one migration that does nothing, whose version files have.
  fileprivate func accepting(_ version: Int) -> SettingsMigrations {
    SettingsMigrations { Migration(version, "nothing") {} }
  }
}
