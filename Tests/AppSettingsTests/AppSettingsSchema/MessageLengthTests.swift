import AppSettings
import AppSettingsSchema
import Foundation
import Testing
import TestSupport

/// However much a schema or a file has, a message shows the beginning of it.
struct MessageLengthTests {
  private static let many = (0..<100_000).map { "choice-\($0)" }
  private static let long = String(repeating: "abcd", count: 2000)

  private func refusal(of member: String) -> String {
    let text = "app = \"org.example.test\"\n[keys.k]\ntype = \"string\"\n\(member)\n"
    return (#expect(throws: SettingsError.self) { try SettingsSchema.readText(text) })?.message ?? ""
  }

  @Test func `a pattern in a message is cut, whether it is faulty or not met`() throws {
    let faulty = refusal(of: "pattern = '\(Self.long)('")
    #expect(faulty.contains("abcdabcd") && faulty.contains("…") && faulty.count < 600, "\(faulty.prefix(1000))")
    let key = SettingsKey("k", default: Self.long, .matching(Self.long))
    let error = try #require(throws: SettingsValueError.self) { try SchemaKey(key).type.check("x") }
    #expect(error.message.count < 400 && error.expected == key.expected)
  }

  @Test func `choices in a message are the first ones, and all of them in a document`() throws {
    let list = Self.many.map { "\"\($0)\"" }.joined(separator: ", ")
    let schema = try SettingsSchema.readText(
      "app = \"org.example.test\"\n[keys.k]\ntype = \"string\"\nchoices = [\(list)]\n")
    let type = schema.keys[0].type
    let error = try #require(throws: SettingsValueError.self) { try type.check("x") }
    #expect(error.message.hasSuffix("\"choice-11\", … is needed.") && error.message.count < 400)
    // The app says the same.
    let key = SettingsKey("k", default: "choice-0", .oneOf(Array(Self.many.prefix(1000))))
    #expect(key.expected == type.expected && SchemaKey(key).type.expectedWords == nil)
    #expect(type.expectedInFull.hasSuffix("\"choice-99999\""))
  }

  @Test(arguments: ["type", "ids", "\(long)", "minimum", "default", "formerly", "choices", "elements"])
  func `a long text in a schema is cut in its refusal`(member: String) {
    let text = "app = \"org.example.test\"\n[keys.k]\ntype = \"records\"\n"
    let line = member == "type" ? "" : "\(member) = \"\(Self.long)\"\n"
    let whole = member == "type" ? text.replacing("records", with: Self.long) : text + line
    let error = #expect(throws: SettingsError.self) { try SettingsSchema.readText(whole) }
    #expect((error?.message.count ?? .max) < 700, "\(error?.message.prefix(1000) ?? "")")
  }
}
