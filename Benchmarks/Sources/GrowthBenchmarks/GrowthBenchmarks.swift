import BenchmarkHarness
import Foundation

/// How the time of each operation on a whole file, a garage or many stores grows: eight times the work takes at most
/// ten times the time.
///
/// `growth-benchmarks [--cli EXECUTABLE] [--only TEXT] [--divide N]`. Without a `settings-cli`, its verbs are left out.
/// `--divide` takes an N-th of each number of things: what grows too fast with the full numbers alone, as they outgrow the
/// processor's caches, is not growing in work.
@main
struct GrowthBenchmarks {
  static func main() throws {
    var program: String?
    var only = ""
    var divisor = 1
    var words = CommandLine.arguments.dropFirst()
    while let word = words.popFirst() {
      switch word {
      case "--cli": program = words.popFirst()
      case "--only": only = words.popFirst() ?? ""
      case "--divide": divisor = words.popFirst().flatMap { Int($0) }.map { max(1, $0) } ?? 1
      default:
        print("usage: growth-benchmarks [--cli EXECUTABLE] [--only TEXT] [--divide N]")
        exit(2)
      }
    }
    let scratch = try Scratch()
    defer { scratch.remove() }
    Harness.begin()
    var kinds = [("store", try StoreGrowth.operations(scratch)), ("garage", try GarageGrowth.operations(scratch))]
    if let program { kinds.append(("settings-cli", CLIGrowth.operations(program, scratch))) }
    for (kind, operations) in kinds {
      for operation in operations where only.isEmpty || operation.name.contains(only) {
        try operation.measure(of: kind, divisor)
      }
    }
    if program == nil { print("The verbs of settings-cli are left out: --cli names its executable.") }
  }
}

/// Something that is done to a number of things.
struct Operation {
  var name: String
  /// The smaller number of things; the larger one is eight times as many.
  var count: Int
  /// Prepares a number of things, and returns what is to be timed. That is called once.
  var prepare: (Int) throws -> () throws -> Void

  /// Prints the ratio of the times for eight times as many things and for as many, the best of three each. What takes
  /// over 5 s is done once.
  func measure(of kind: String, _ divisor: Int) throws {
    let few = count / divisor
    var best = [Double.infinity, Double.infinity]
    for _ in 0..<3 {
      for (index, count) in [few, 8 * few].enumerated() {
        best[index] = min(best[index], try Harness.nanoseconds(prepare(count)))
      }
      if best[1] > 5e9 { break }
    }
    Harness.report(
      "\(kind): \(name), \(8 * few) / \(few)", best[1] / best[0], nanoseconds: [best[1], best[0]],
      budget: .atMost(10))
  }
}

/// A directory with a home for each measurement.
struct Scratch {
  let path: String

  init() throws {
    let base = ProcessInfo.processInfo.environment["BENCHMARK_DIR"] ?? FileManager.default.currentDirectoryPath
    path = base + "/.build/benchmark-home-\(getpid())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// The variables of a new, empty home.
  func environment() throws -> [String: String] {
    let home = "\(path)/\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    return [
      "HOME": home, "XDG_CONFIG_HOME": home + "/config", "XDG_CONFIG_DIRS": home + "/etc",
      "XDG_DATA_HOME": home + "/data", "XDG_STATE_HOME": home + "/state", "XDG_DATA_DIRS": home + "/share",
    ]
  }

  /// Writes a file of which no writer is still to be expected, since it is a minute old.
  func write(_ text: String, to file: String) throws {
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: file)
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// A file with a table for each number, whose values depend on it and on a seed.
func tables(_ count: Int, seed: Int = 0) -> String {
  var text = ""
  for number in 0..<count {
    text += "[tables.table-\(number)]\nname = \"number \(number + seed)\"\nport = \(number + seed)\nisPinned = true\n\n"
  }
  return text
}
