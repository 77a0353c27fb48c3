import AppSettings
import AppSettingsObserve
import BenchmarkHarness
import Foundation

extension ObservationBenchmarks {
  /// What an observed store costs while nothing happens, beside a process without one.
  static func idle(_ home: Home) throws {
    let bare = try child("bare")
    let file = try home.location("idle").file
    let observed = try child(file)
    let read = try child("read:" + file)
    Harness.report(
      "an observed store, idle: memory beside a bare process", Double(observed.bytes - bare.bytes) / 1024, .kilobytes,
      budget: .atMost(150))
    Harness.report(
      "of that a store from which a value was read", Double(read.bytes - bare.bytes) / 1024, .kilobytes)
    Harness.report(
      "an observed store, idle for \(seconds) s: wake-ups", Double(observed.wakes), .count, budget: .atMost(0))
  }

  private static let seconds = Int(ProcessInfo.processInfo.environment["IDLE_SECONDS"] ?? "") ?? 30

  private static func child(_ argument: String) throws -> (bytes: Int, wakes: Int) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["idle", argument]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let fields = text.split(separator: " ").compactMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    precondition(fields.count == 2, "the idle process said '\(text)'")
    return (fields[0], fields[1])
  }

  /// The process that is measured. It does what is idle in a process: nothing.
  static func beIdle(_ file: String) throws {
    var kept: SettingsObservation?
    var store: SettingsStore?
    if file.hasPrefix("read:") {
      store = SettingsStore(at: try SettingsLocation(file: String(file.dropFirst(5))))
      consume(store?[.counter])
    } else if file != "bare" {
      let settings = SettingsStore(at: try SettingsLocation(file: file))
      kept = settings.observe(.counter) { consume($0) }
      _ = settings[.counter]
    }
    // Both have done the same but for the store, when they count.
    _ = wakes()
    usleep(1_500_000)
    let before = wakes()
    usleep(UInt32(file.hasPrefix("/") ? seconds : 1) * 1_000_000)
    let wakes = wakes() - before
    print(anonymousBytes(), wakes)
    kept?.cancel()
    withExtendedLifetime(store) {}
  }

  /// How often the threads other than this one have gone to sleep.
  private static func wakes() -> Int {
    var count = 0
    for task in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    where Int32(task) != getpid() {
      count += value(of: "voluntary_ctxt_switches", in: "/proc/self/task/\(task)/status")
    }
    return count
  }

  private static func anonymousBytes() -> Int { value(of: "RssAnon", in: "/proc/self/status") * 1024 }

  private static func value(of field: String, in file: String) -> Int {
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(field + ":") }
    return line.flatMap { Int($0.split(whereSeparator: { !$0.isNumber }).last ?? "") } ?? 0
  }
}
