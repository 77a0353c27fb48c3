import AppSettings
import BenchmarkHarness
import CPeers
import Configuration
import Foundation
import SystemPackage

extension SettingsKeys {
  static let size = SettingsKey("font-size", default: 12)
  static let name = SettingsKey("name", default: "")
}

/// The store beside the libraries and tools that are used in its place, in one run.
///
/// Each has a file of about 4 KB and is asked for the same: to read an integer, to read a text, to change an integer.
/// What a write of theirs does not promise is said in its line.
@main
struct PeerBenchmarks {
  static let home = CommandLine.arguments[1]

  static func main() async throws {
    Harness.begin()
    let settings = try store()
    try openGSettings()
    let benchmarks = PeerBenchmarks()
    try await benchmarks.reads(settings)
    try benchmarks.writes(settings)
    exit(Harness.hasMissed ? 1 : 0)
  }

  // MARK: Set-up

  static let fillers = (0..<110).map { ("setting-\($0)", "value \($0)") }
  static let text = "a text that is longer than fifteen bytes"

  static func store() throws -> SettingsStore {
    let location = try SettingsLocation(app: "peer-benchmark")
    let lines = Self.fillers.map { "\($0) = \"\($1)\"  # a comment\n" }.joined()
    try put("font-size = 14\nname = \"\(text)\"\n" + lines, at: location.file)
    return SettingsStore(at: location)
  }

  static func openGSettings() throws {
    let keys = Self.fillers.map { "<key name='\($0.0)' type='s'><default>''</default></key>" }.joined()
    try put(
      """
      <schemalist><schema id='org.example.peer' path='/org/example/peer/'>
      <key name='font-size' type='i'><default>12</default></key>
      <key name='name' type='s'><default>''</default></key>\(keys)</schema></schemalist>
      """, at: Self.home + "/schemas/org.example.peer.gschema.xml")
    try run("glib-compile-schemas", Self.home + "/schemas")
    let lines = Self.fillers.map { "\($0)='\($1)'\n" }.joined()
    try put("[org/example/peer]\nfont-size=14\nname='\(text)'\n" + lines, at: Self.home + "/keyfile")
    precondition(peers_gsettings_open(Self.home + "/schemas", Self.home + "/keyfile") == 0, "GSettings does not open")
    precondition(peers_gsettings_gets(1) == 14)
  }

  static func put(_ text: String, at path: String) throws {
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  static func run(_ command: String, _ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [command] + arguments
    try process.run()
    process.waitUntilExit()
    precondition(process.terminationStatus == 0, "\(command) failed")
  }

  // MARK: Reads

  private func reads(_ settings: SettingsStore) async throws {
    let count = 1_000_000
    let few = 5_000
    func each(_ count: Int, _ body: () -> Void) -> Double {
      Harness.Figures((0..<9).map { _ in Harness.nanoseconds(body) / Double(count) }).median
    }
    let integer = each(count) {
      var sum = 0
      for _ in 0..<count { sum &+= settings[.size] }
      consume(sum)
    }
    let string = each(count) { for _ in 0..<count { consume(settings[.name]) } }

    let defaults = UserDefaults(suiteName: "peer-benchmark")!
    for (key, value) in Self.fillers { defaults.set(value, forKey: key) }
    defaults.set(14, forKey: "font-size")
    defaults.set(Self.text, forKey: "name")
    faster(
      "UserDefaults, integer", each(few) { for _ in 0..<few { consume(defaults.integer(forKey: "font-size")) } },
      integer, budget: 500)
    faster(
      "UserDefaults, text", each(few) { for _ in 0..<few { consume(defaults.string(forKey: "name")) } }, string,
      budget: 60)

    let json =
      "{\"font-size\": 14, \"name\": \"\(Self.text)\""
      + Self.fillers.map { ", \"\($0)\": \"\($1)\"" }.joined() + "}"
    try Self.put(json, at: Self.home + "/peer.json")
    let reader = ConfigReader(
      provider: try await FileProvider<JSONSnapshot>(filePath: FilePath(Self.home + "/peer.json")))
    precondition(reader.int(forKey: "font-size", default: 0) == 14)
    faster(
      "swift-configuration, integer",
      each(few) { for _ in 0..<few { consume(reader.int(forKey: "font-size", default: 12)) } }, integer)
    faster(
      "swift-configuration, text",
      each(few) { for _ in 0..<few { consume(reader.string(forKey: "name", default: "")) } }, string)

    faster("GSettings, integer", each(few) { consume(peers_gsettings_gets(few)) }, integer)
    faster("GSettings, text", each(few) { consume(peers_gsettings_texts(few)) }, string)
  }

  private func faster(_ peer: String, _ theirs: Double, _ ours: Double, budget: Double? = nil) {
    Harness.report(
      "\(peer) / ours", theirs / ours, nanoseconds: [theirs, ours], budget: budget.map { .atLeast($0) })
  }

  // MARK: Writes

  private func writes(_ settings: SettingsStore) throws {
    var number = 100
    func ours() throws {
      number += 1
      try settings.set(number, for: .size)
    }
    try compare("dconf_client_write_sync", budget: 0.4, ours) { precondition(peers_dconf_write(CInt(number)) == 0) }
    try compare("GSettings with a keyfile, set and sync", ours) {
      precondition(peers_gsettings_set(CInt(number)) == 0)
    }
    let defaults = UserDefaults(suiteName: "peer-benchmark")!
    try compare("UserDefaults, set and synchronize (not durable)", ours) {
      defaults.set(number, forKey: "font-size")
      _ = defaults.synchronize()
    }
    let file = Self.home + "/gitconfig"
    try Self.put("[peer]\n" + Self.fillers.map { "\t\($0) = \($1)\n" }.joined(), at: file)
    try compare("git config, a process (not durable)", ours) {
      precondition(peers_git_config(file, CInt(number)) == 0)
    }
  }

  private func compare(
    _ peer: String, budget: Double? = nil, rounds: Int = 200, _ ours: () throws -> Void, _ theirs: () throws -> Void
  ) rethrows {
    let figures = try Harness.pair(rounds: rounds, ours, theirs)
    Harness.report("durable set / \(peer)", figures, budget: budget.map { .atMost($0) })
  }
}
