// Times SettingsTOML beside its peers, and prints the ratios. Exits 1 if a budget is missed.
//
// usage: toml-benchmarks [memory]      with `memory`, only what a document takes
import BenchmarkHarness
import Foundation
@_spi(Benchmarks) import SettingsTOML
import TOMLKit

/// The shortest of some runs, in seconds of this thread's processor time: what else the machine does does not count.
func shortest(_ runs: Int, _ body: () throws -> Void) rethrows -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
  var best = Double.infinity
  for _ in 0..<runs {
    let start = now()
    try body()
    best = min(best, now() - start)
  }
  return best
}

/// The memory of this process that is in use.
func resident() throws -> Int {
  let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
  return Int(words[1])! * Int(getpagesize())
}

// What a document needs, its bytes included; in a process of its own, where no free memory is left from other work.
if CommandLine.arguments.dropFirst().first == "memory" {
  let sample = Sample(keys: 100_000)
  let bytes = Array(sample.toml.utf8)
  let before = try resident()
  let document = try TOMLDocument(parsing: bytes)
  let needed = try resident() - before + bytes.count
  Harness.begin()
  Harness.report(
    "memory of 100,000 keys / their bytes", Double(needed) / Double(document.bytes.count), budget: .atMost(6))
  exit(Harness.hasMissed ? 1 : 0)
}

nonisolated(unsafe) var sink = 0  // keeps results from being optimised away; only the main thread runs

var parseTimes: [Int: Double] = [:]
for keys in [100, 10_000, 100_000] {
  let sample = Sample(keys: keys)
  let bytes = Array(sample.toml.utf8)
  let megabytes = Double(bytes.count) / 1e6
  let runs = keys == 100 ? 2000 : keys == 10_000 ? 60 : 10
  func report(_ what: String, _ value: Double, _ unit: Harness.Unit, atLeast least: Double? = nil) {
    Harness.report("\(keys) keys: \(what)", value, unit, budget: least.map { .atLeast($0) })
  }

  let index = try shortest(runs) { sink += try TOMLDocument(parsing: bytes).bytes.count }
  report("index", megabytes / index, .megabytesPerSecond)
  let parse = try shortest(runs) { sink += try TOMLDocument(parsing: bytes).root.count }
  parseTimes[keys] = parse
  report("parse to typed values", megabytes / parse, .megabytesPerSecond, atLeast: keys == 10_000 ? 160 : nil)

  var document = try TOMLDocument(parsing: bytes)
  if keys <= 10_000 {
    let tomlkit = try shortest(max(3, runs / 20)) { sink += try TOMLKit.TOMLTable(string: sample.toml).count }
    report("TOMLKit", megabytes / tomlkit, .megabytesPerSecond)
    report("parse / TOMLKit", tomlkit / parse, .times, atLeast: keys == 10_000 ? 4 : nil)
    let json = Data(sample.json.utf8)
    let decoder = JSONDecoder()
    let decode = try shortest(max(3, runs / 10)) { sink += try decoder.decode([String: Window].self, from: json).count }
    report("JSONDecoder", Double(json.count) / 1e6 / decode, .megabytesPerSecond)
    report("parse / JSONDecoder", decode / parse, .times, atLeast: keys == 10_000 ? 2 : nil)
  }

  let path: SettingsTOML.TOMLPath = ["window-\(keys / 20)", "font-size"]
  var number: Int64 = 0
  let newKey = SettingsTOML.TOMLPath([path.components[0], "new"])
  let checked = try shortest(runs) {
    number += 1
    try document.set(.integer(number % 2 + 100), at: path)
  }
  report("edit with self-check", megabytes / checked, .megabytesPerSecond)
  let other = try TOMLDocument(parsing: bytes)
  let difference = shortest(runs) { sink += document.changedPaths(since: other).count }
  report("changed paths", megabytes / difference, .megabytesPerSecond)
  try TOMLDocument.$checksEdits.withValue(false) {
    let edit = try shortest(runs) {
      number += 1
      try document.set(.integer(number % 2 == 0 ? 7 : 100_000), at: path)
    }
    report("edit: set", megabytes / edit, .megabytesPerSecond, atLeast: keys == 100 ? nil : 800)
    var inserts: [Double] = []
    var removals: [Double] = []
    for _ in 0..<runs {
      inserts.append(try shortest(1) { try document.set(true, at: newKey) })
      removals.append(try shortest(1) { try document.remove(at: newKey) })
    }
    report("edit: insert", megabytes / inserts.min()!, .megabytesPerSecond, atLeast: keys == 100 ? nil : 800)
    report("edit: remove", megabytes / removals.min()!, .megabytesPerSecond, atLeast: keys == 100 ? nil : 800)
  }
  let scan = bytes.withUnsafeBytes { bytes in
    shortest(runs) { sink += memchr(bytes.baseAddress!, 0, bytes.count) == nil ? 1 : 0 }
  }
  report("memchr scan", megabytes / scan, .megabytesPerSecond)
  let read = shortest(runs) { sink += document[path] == nil ? 0 : 1 }
  report("read of one value", read * 1e9, .nanoseconds)
}

Harness.report("100,000 keys / 10,000 keys", parseTimes[100_000]! / parseTimes[10_000]!, budget: .atMost(15))

/// Quadratic would be 100 ×. The larger size leaves the caches: the shortest of many runs is what a quiet machine takes.
func growth(_ what: String, _ text: (Int) -> String) throws {
  var times: [Double] = []
  for count in [10_000, 100_000] {
    let bytes = Array(text(count).utf8)
    times.append(try shortest(20) { sink += try TOMLDocument(parsing: bytes).root.count })
  }
  Harness.report(
    "\(what), 100,000 / 10,000", times[1] / times[0], nanoseconds: [times[1] * 1e9, times[0] * 1e9],
    budget: .atMost(15))
}

try growth("tables") { count in (0..<count).map { "[t\($0)]\n" }.joined() }
try growth("tables in one table") { count in (0..<count).map { "[t.t\($0)]\nx = 1\n" }.joined() }
try growth("keys in one table") { count in (0..<count).map { "k\($0) = 1\n" }.joined() }
try growth("elements of an array of tables") { count in (0..<count).map { "[[t]]\nx = \($0)\n" }.joined() }
try growth("dotted keys") { count in (0..<count).map { "a.b\($0).c = 1\n" }.joined() }
try growth("members of an inline table") { count in
  "t = {" + (0..<count).map { "k\($0)=1" }.joined(separator: ",") + "}"
}
try growth("inline tables in an array") { count in "t = [" + String(repeating: "{a=1,b=2},", count: count) + "]" }
try growth("items of an array") { count in "t = [" + String(repeating: "1,", count: count) + "]" }
try growth("comment lines") { count in String(repeating: "# comment\n", count: count) }
try growth("bytes of one string, × 100") { count in "s = \"" + String(repeating: "x", count: count * 100) + "\"" }
try growth("levels of dots, ÷ 100") { count in
  (0..<100).map { "k\($0)." + [String](repeating: "a", count: count / 100).joined(separator: ".") + " = 1\n" }.joined()
}

exit(Harness.hasMissed ? 1 : 0)
