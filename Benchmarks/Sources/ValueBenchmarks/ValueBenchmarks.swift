import AppSettings
import BenchmarkHarness
import Foundation

/// A record of ten fields, as apps have them.
struct Record: Codable, Equatable, Sendable, SettingsSerializable {
  var name = "a name of some length that is not stored in line"
  var title = "title"
  var width = 640
  var height = 480
  var ratio = 1.5
  var isOpen = true
  var isPinned = false
  var tags = ["red", "green", "blue"]
  var note: String? = "a note"
  var level = 3
}

/// A record with one reference in it, as a string is one.
struct Window: Codable, Sendable, SettingsSerializable {
  var title = "a title of some length that is not stored in line"
  var x = 0, y = 0, width = 640, height = 480, depth = 1
  var ratio = 1.5
  var isOpen = true, isPinned = false, isLarge = false
}

extension SettingsKeys {
  static let record = SettingsKey("record", default: Record(name: ""))
  static let window = SettingsKey("window", default: Window(title: ""))
  static let text = SettingsKey("text", default: "")
}

/// What values cost, each beside its peer in the same run.
@main
struct ValueBenchmarks {
  static func main() throws {
    Harness.begin()
    try cachedReads()
    try decoding()
  }

  /// A record that was decoded once, beside a string: each holds one reference, which whoever takes a copy retains.
  static func cachedReads() throws {
    let settings = SettingsStore(inMemory: "")
    settings[.window] = Window()
    settings[.text] = "a text that is longer than fifteen bytes"
    let count = 500_000
    let reads = Harness.pair(rounds: 15) {
      for _ in 0..<count { consume(settings[.window]) }
    } _: {
      for _ in 0..<count { consume(settings[.text]) }
    }
    Harness.report("cached Codable record of 10 fields / String read", reads, per: count, budget: .atMost(1.3))
    // Who takes a copy of a record retains, and releases, each of its references.
    settings[.record] = Record()
    let copies = Harness.pair(rounds: 15) {
      for _ in 0..<count { consume(settings[.record]) }
    } _: {
      for _ in 0..<count { consume(settings[.text]) }
    }
    Harness.report("cached record of four references / String read", copies, per: count)
  }

  /// A record from the document's value, beside the same record from JSON's bytes.
  static func decoding() throws {
    let record = Record()
    guard let stored = try Record.settingsBridge.write(record) else { return }
    let decoder = JSONDecoder()
    let data = try JSONEncoder().encode(record)
    let bridge = Record.settingsBridge
    let (first, second) = (try bridge.read(stored), try decoder.decode(Record.self, from: data))
    precondition(first == record && second == record)
    let count = 5_000
    let decodings = try Harness.pair(rounds: 15) {
      for _ in 0..<count { consume(try decoder.decode(Record.self, from: data)) }
    } _: {
      for _ in 0..<count { consume(try bridge.read(stored)) }
    }
    Harness.report("JSONDecoder / decoding of 10 fields", decodings, per: count, budget: .atLeast(3))
    let full = try TOMLDocument(parsing: Array("record = \(stored.tomlText)\n".utf8)).bytes
    let whole = try Harness.pair(rounds: 15) {
      for _ in 0..<count { consume(try decoder.decode(Record.self, from: data)) }
    } _: {
      for _ in 0..<count {
        guard let value = try TOMLDocument(parsing: full)[["record"]] else { continue }
        consume(try bridge.read(value))
      }
    }
    Harness.report("JSONDecoder / parsing and decoding of 10 fields", whole, per: count)
  }
}
