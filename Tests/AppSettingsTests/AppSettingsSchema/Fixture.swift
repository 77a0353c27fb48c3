import Foundation
import Testing

/// Compares a text with a file in `Fixtures`; writes the file instead where SETTINGS_RECORD_FIXTURES is set.
func expectFixture(_ name: String, _ text: String, _ location: SourceLocation = #_sourceLocation) throws {
  let path = (#filePath as NSString).deletingLastPathComponent + "/Fixtures/" + name
  if ProcessInfo.processInfo.environment["SETTINGS_RECORD_FIXTURES"] != nil {
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }
  let expected = try String(contentsOfFile: path, encoding: .utf8)
  #expect(text == expected, "\(name) differs", sourceLocation: location)
}
