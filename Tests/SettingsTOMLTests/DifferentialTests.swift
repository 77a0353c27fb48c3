import Foundation
import Testing

@testable import SettingsTOML

/// The same documents and edits, read by Python's TOML libraries.
struct DifferentialTests {
  struct Case: Codable {
    var text: String
    var edited: String?
    var path: [String] = []
    var value: String?
  }

  /// The Python that has tomllib, and whether it has tomlkit.
  static let python: (path: String, hasTOMLKit: Bool)? = {
    let candidates = ["/usr/bin/python3", "/usr/local/bin/python3"]
    for path in candidates where (try? run(path, ["-c", "import tomllib, tomlkit"])) != nil { return (path, true) }
    for path in candidates where (try? run(path, ["-c", "import tomllib"])) != nil { return (path, false) }
    return nil
  }()

  struct Failed: Error {}

  @discardableResult
  static func run(_ program: String, _ arguments: [String], _ input: Data = Data()) throws -> String {
    guard FileManager.default.isExecutableFile(atPath: program) else { throw Failed() }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("differential-\(UUID().uuidString)")
    try input.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: file)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed() }
    return String(decoding: data, as: UTF8.self)
  }

  /// What Python says of some cases.
  static func answers(_ cases: [Case]) throws -> [(form: String, edit: String)] {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Differential/differential.py").path
    let output = try run(try #require(python).path, [script], JSONEncoder().encode(cases))
    return output.split(separator: "\n").map { line in
      let parts = line.split(separator: "\t", maxSplits: 1)
      return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }
  }

  /// The form that the script gives a value.
  static func canonical(_ value: TOMLValue) -> String {
    func hex(_ text: String) -> String {
      text.utf8.map { SettingsTOML.hex(UInt32($0), digits: 2).lowercased() }.joined()
    }
    func date(_ date: TOMLLocalDate) -> String { "d\(date.year).\(date.month).\(date.day)" }
    func time(_ time: TOMLLocalTime) -> String {
      "t\(time.hour).\(time.minute).\(time.second).\(time.nanosecond / 1000)"
    }
    switch value {
    case .string(let text): return "s" + hex(text)
    case .integer(let number): return "i\(number)"
    case .float(let number):
      let bits = String(number.bitPattern, radix: 16)
      return number.isNaN ? "fnan" : "f" + String(repeating: "0", count: 16 - bits.count) + bits
    case .boolean(let flag): return "\(flag)"
    case .offsetDateTime(let moment): return date(moment.date) + time(moment.time) + "o\(moment.offsetMinutes)"
    case .localDateTime(let moment): return date(moment.date) + time(moment.time)
    case .localDate(let day): return date(day)
    case .localTime(let moment): return time(moment)
    case .array(let items): return "[" + items.map(canonical).joined(separator: ",") + "]"
    case .table(let table):
      let entries = table.map { (hex($0.key), $0.value) }.sorted { $0.0 < $1.0 }
      return "{" + entries.map { $0.0 + "=" + canonical($0.1) }.joined(separator: ",") + "}"
    }
  }

  @Test(.enabled(if: python != nil, "no python3 with tomllib"))
  func `documents are read as tomllib reads them`() throws {
    let cases = (0..<200).map { seed in
      var generator = Generator(seed: UInt64(seed) &+ 10_000)
      generator.isStrict = true
      return Case(text: generator.document())
    }
    for (item, answer) in zip(cases, try DifferentialTests.answers(cases)) {
      let document = try TOMLDocument(parsing: item.text)
      #expect(DifferentialTests.canonical(.table(document.root)) == answer.form, "\(answer.edit)\n\(item.text)")
    }
  }

  @Test(.enabled(if: python != nil, "no python3 with tomllib"))
  func `damaged documents are refused as tomllib refuses them`() throws {
    let cases = (0..<600).map { seed in
      var generator = Generator(seed: UInt64(seed) &+ 20_000)
      generator.isStrict = true
      return Case(text: generator.damaged(generator.document()))
    }
    for (item, answer) in zip(cases, try DifferentialTests.answers(cases)) {
      do {
        let document = try TOMLDocument(parsing: item.text)
        #expect(DifferentialTests.canonical(.table(document.root)) == answer.form, "\(answer.edit)\n\(item.text)")
      } catch {
        // Python's integers have no limit.
        if error.message.contains("does not fit in 64 bits") { continue }
        #expect(answer.form == "invalid", "\(error.formatted(file: "text"))\n\(item.text)")
      }
    }
  }

  @Test(.enabled(if: python != nil, "no python3 with tomllib"))
  func `an edit means the same to tomllib and tomlkit`() throws {
    var cases: [Case] = []
    for seed in 0..<60 {
      var generator = Generator(seed: UInt64(seed) &+ 30_000)
      generator.isStrict = true
      let before = try TOMLDocument(parsing: generator.document())
      for _ in 0..<3 {
        let path = generator.path(in: before)
        let value: TOMLValue? = generator.chance(30) ? nil : generator.value()
        var document = before
        do {
          guard try value.map({ try document.set($0, at: path) }) ?? document.remove(at: path) else { continue }
        } catch { continue }
        cases.append(
          Case(text: before.text, edited: document.text, path: path.components, value: value?.tomlText))
      }
    }
    var agreed = 0
    for (item, answer) in zip(cases, try DifferentialTests.answers(cases)) {
      if answer.edit == "same" { agreed += 1 }
      // What tomlkit cannot do, or does otherwise than a plain dictionary, says nothing about the edit.
      #expect(
        ["same", "tomlkit cannot", "tomlkit differs"].contains(answer.edit),
        "\(answer) \(item.path) = \(item.value ?? "nothing")\n\(item.text)\n---\n\(item.edited ?? "")")
    }
    #expect(agreed * 10 > cases.count * 8, "\(agreed) of \(cases.count)")
  }
}
