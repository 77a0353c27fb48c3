import AppSettings
import AppSettingsSchema
import SettingsTools
import Testing
import TestSupport

/// Many secrets at once: the work grows with their number, not with its square.
struct HiddenTextTests {
  @Test(arguments: [
    "# my api-token = \"s\"\nkey0 = 1\n", "table0.api-token = \"s\"\n", "[table0.api-token] # mine\nkey = \"s\"\n",
  ])
  func `many parts that are not shown are put back in no time`(_ part: String) throws {
    let text = (0..<8000).map { part.replacing("0", with: "\($0)") }.joined()
    let hidden = HiddenText(Array(text.utf8), SchemaLookup(schema: nil))
    #expect(!hidden.text.contains("\"s\""))
    let edited = try TOMLDocument(parsing: Array("new = true\n\(hidden.text)".utf8))
    var restored: TOMLDocument?
    let taken = try ThreadClock.measure { restored = try hidden.restoring(edited) }
    #expect(restored?.bytes == Array("new = true\n\(text)".utf8))
    #expect(taken < .seconds(5))
  }
}
