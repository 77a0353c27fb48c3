import AppSettings
import AppSettingsSchema
import Testing
import TestSupport

/// What a schema says for people: the app's name and icon, an example, and whether a setting needs a restart.
struct GuidanceTests {
  private let home = ScratchHome()

  private static let accent = SettingsKey("accent", default: "", .matching("(#[0-9a-f]{6})?"), .example("#2f5fd0"))
  private static let port = SettingsKey("port", default: 80, .in(1...65535), .needsRestart, "Where it listens.")

  private static var schema: SettingsSchema {
    var schema = SettingsSchema(app: "org.example.test", keys: [accent, port])
    (schema.name, schema.icon) = ("Test App", "🧪")
    return schema
  }

  @Test func `a schema file says it, and gives it back`() throws {
    let text = Self.schema.text
    #expect(text.contains("name = \"Test App\"\nicon = \"🧪\"\n"))
    #expect(text.contains("example = \"#2f5fd0\"\n") && text.contains("needs-restart = true\n"))
    let file = home.path + "/schema.toml"
    try home.write(text, to: file)
    let read = try #require(try SettingsSchema.read(file))
    #expect((read.name, read.icon) == ("Test App", "🧪"))
    #expect(read.keys.map(\.type.example) == ["#2f5fd0", nil])
    #expect(read.keys.map(\.needsRestart) == [false, true])
    #expect(read.text == text)
    #expect(Self.schema.markdown.contains("such as \\\"\\#2f5fd0\\\"") || Self.schema.markdown.contains("#2f5fd0"))
    #expect(Self.schema.markdown.contains("* the app reads it when it starts"))
    #expect(Self.schema.jsonSchema.contains("\"examples\""))
  }

  @Test func `what needs an example gives it in its message`() throws {
    let file = home.path + "/schema.toml"
    try home.write(Self.schema.text, to: file)
    let type = try #require(try SettingsSchema.read(file)).keys[0].type
    #expect(throws: SettingsValueError.self) { try type.check("red") }
    #expect(type.expected == "a string that matches '(#[0-9a-f]{6})?', such as \"#2f5fd0\"")
  }

  @Test(arguments: [
    "[keys.a]\ntype = 'integer'\nexample = 'x'", "[keys.a]\ntype = 'string'\npattern = 'a+'\nexample = 'b'",
    "[keys.a]\ntype = 'string'\nneeds-restart = 1", "name = 1", "icon = 'two words'",
    "[keys.a]\ntype = 'table'\nfields = { b = { type = 'string', description = 1 } }",
  ]) func `what makes no sense is refused with its place`(member: String) throws {
    let file = home.path + "/schema.toml"
    try home.write("app = 'org.example.test'\n\(member)\n", to: file)
    let error = try #require(settingsError { _ = try SettingsSchema.read(file) })
    #expect(error.code == .invalidValue && error.message.contains("schema.toml:"), "\(error)")
  }
}
