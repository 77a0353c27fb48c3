import BenchmarkHarness
import Foundation

/// The budgets of `settings-cli`: whole processes, each beside its peer in turn.
///
/// `cli-benchmarks [EXECUTABLE]` times the static executable that `Scripts/install` has built, or the one that is named.
@main
struct CLIBenchmarks {
  static func main() throws {
    let program =
      CommandLine.arguments.dropFirst().first
      ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../.build-static/release/settings-cli").standardized.path
    guard access(program, X_OK) == 0 else {
      print("There is no executable '\(program)': Scripts/install builds it.")
      exit(2)
    }
    let home = try Home()
    defer { home.remove() }
    Harness.begin()
    gets(program, home)
    sets(program, home)
    memory(program, home)
  }

  private static let rounds = Int(ProcessInfo.processInfo.environment["ROUNDS"] ?? "") ?? 300

  static func gets(_ program: String, _ home: Home) {
    let get = Child([program, "get", Home.app, "editor.font-size"], home.environment)
    compare(
      "settings-cli get / git config --get", get,
      Child(["git", "config", "-f", home.gitFile, "--get", "editor.font-size"], home.environment), budget: .atMost(1))
    compare(
      "settings-cli get of a file / git config --get",
      Child([program, "get", home.file, "editor.font-size"], home.environment),
      Child(["git", "config", "-f", home.gitFile, "--get", "editor.font-size"], home.environment), budget: .atMost(1))
    if home.hasGSettings {
      compare(
        "settings-cli get / gsettings get", get,
        Child(["gsettings", "get", Home.app, "font-size"], home.environment), budget: .atMost(0.45))
    } else {
      print("gsettings or glib-compile-schemas is not installed: not compared with")
    }
    // What the argument parser costs: the same answer by a command line with an option.
    let parsed = Harness.pair(rounds: rounds) {
      Child([program, "get", Home.app, "editor.font-size", "--toml"], home.environment).run()
    } _: {
      get.run()
    }
    Harness.report("settings-cli get --toml (parsed) / get", parsed)
  }

  static func sets(_ program: String, _ home: Home) {
    var number = 20
    let pair = Harness.pair(rounds: rounds) {
      number += 1
      Child([program, "set", Home.app, "editor.font-size", "\(number)"], home.environment).run()
    } _: {
      Child(["git", "config", "-f", home.gitFile, "editor.font-size", "\(number)"], home.environment).run()
    }
    Harness.report("settings-cli set (durable) / git config (which is not)", pair, budget: .atMost(1))
    precondition(try! String(contentsOfFile: home.file, encoding: .utf8).contains("font-size = \(number)\n"))
  }

  static func memory(_ program: String, _ home: Home) {
    for (name, words) in [
      ("get", ["get", Home.app, "editor.font-size"]), ("get --toml", ["get", Home.app, "editor.font-size", "--toml"]),
      ("list", ["list", Home.app]),
    ] {
      let peak = Child([program] + words, home.environment).peakKilobytes()
      Harness.report(
        "settings-cli \(name): peak resident", Double(peak.all) / 1024, .megabytes, budget: .atMost(6))
      Harness.report("settings-cli \(name): peak resident, its own pages", Double(peak.own) / 1024, .megabytes)
    }
  }

  private static func compare(_ name: String, _ first: Child, _ second: Child, budget: Harness.Budget) {
    let pair = Harness.pair(rounds: rounds) {
      first.run()
    } _: {
      second.run()
    }
    Harness.report(name, pair, budget: budget)
  }
}

/// A home with the same settings in the form of each tool.
struct Home {
  static let app = "org.example.editor"
  let path: String
  var file: String { "\(path)/config/\(Self.app)/settings.toml" }
  var gitFile: String { path + "/config.git" }
  private(set) var hasGSettings = false

  init() throws {
    let base = ProcessInfo.processInfo.environment["BENCHMARK_DIR"] ?? FileManager.default.currentDirectoryPath
    path = base + "/.build/benchmark-home-\(getpid())"
    let files = FileManager.default
    try files.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try "theme = \"dark\"  # at night\n\n[editor]\nfont-size = 14\n".write(
      toFile: file, atomically: false, encoding: .utf8)
    try "[theme]\n\tname = dark\n[editor]\n\tfont-size = 14\n".write(
      toFile: gitFile, atomically: false, encoding: .utf8)
    try files.createDirectory(atPath: path + "/schemas", withIntermediateDirectories: true)
    try """
    <schemalist><schema id="\(Self.app)" path="/org/example/editor/">
    <key name="font-size" type="i"><default>14</default></key></schema></schemalist>
    """.write(toFile: path + "/schemas/\(Self.app).gschema.xml", atomically: false, encoding: .utf8)
    hasGSettings =
      Child.find("gsettings") != nil && Child.find("glib-compile-schemas") != nil
      && Child(["glib-compile-schemas", path + "/schemas"], environment).run(mayFail: true) == 0
  }

  var environment: [String] {
    [
      "HOME=\(path)", "XDG_CONFIG_HOME=\(path)/config", "XDG_CONFIG_DIRS=\(path)/none", "XDG_DATA_HOME=\(path)/data",
      "GSETTINGS_SCHEMA_DIR=\(path)/schemas", "PATH=/usr/local/bin:/usr/bin:/bin",
    ]
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
