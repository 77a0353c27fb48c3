import Foundation
import SettingsTOML
import Testing

/// Each fixture has one fault; beside it stands the error as it is shown. `UPDATE_FIXTURES=1` writes them anew.
struct SyntaxErrorTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")

  static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".toml") }.map { String($0.dropLast(5)) }.sorted()
  }()

  @Test func `the fixtures are found`() { #expect(SyntaxErrorTests.names.count > 90) }

  @Test(arguments: names) func `a fault is shown with its place and what to do`(_ name: String) throws {
    let source = SyntaxErrorTests.folder.appendingPathComponent(name + ".toml")
    let snapshot = SyntaxErrorTests.folder.appendingPathComponent(name + ".txt")
    let bytes = [UInt8](try Data(contentsOf: source))
    let error = try #require(throws: TOMLSyntaxError.self) { try TOMLDocument(parsing: bytes) }
    let shown = error.formatted(file: name + ".toml") + "\n"
    if ProcessInfo.processInfo.environment["UPDATE_FIXTURES"] == "1" {
      try Data(shown.utf8).write(to: snapshot)
    }
    #expect(shown == (try String(contentsOf: snapshot, encoding: .utf8)))
  }

  @Test func `a position counts scalars, and not the byte order mark`() throws {
    let error = #expect(throws: TOMLSyntaxError.self) { try TOMLDocument(parsing: "\u{FEFF}x = 1\n\"é\" = ?\n") }
    #expect(error?.position == TOMLPosition(line: 2, column: 7, byteOffset: 16))
    let first = #expect(throws: TOMLSyntaxError.self) { try TOMLDocument(parsing: "\u{FEFF}?\n") }
    #expect(first?.position == TOMLPosition(line: 1, column: 1, byteOffset: 3))
    #expect(first?.sourceLine == "?")
  }

  /// Made whole, a line of 100 MB took minutes.
  @Test(arguments: ["x", "é", "\u{1}"]) func `a fault in a long line is shown with what is around it`(_ unit: String)
    throws
  {
    let shown = try [300, 200_000].map { count -> [Substring] in
      let text = "a = \"" + String(repeating: "é", count: count) + "\" " + String(repeating: unit, count: count)
      let error = try #require(throws: TOMLSyntaxError.self) { try TOMLDocument(parsing: text) }
      #expect(error.sourceLine.utf8.count < 4096)
      return Array(error.formatted(file: "a").split(separator: "\n").dropFirst())
    }
    #expect(shown[0] == shown[1])
    #expect(shown[0].first?.unicodeScalars.count == 104)
  }

  @Test func `a document larger than the limit is refused`() throws {
    let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: TOMLDocument.maximumSize + 1)
    let error = #expect(throws: TOMLSyntaxError.self) { try TOMLDocument(parsing: bytes) }
    #expect(error?.message.contains("268435457 bytes") == true)
  }
}
