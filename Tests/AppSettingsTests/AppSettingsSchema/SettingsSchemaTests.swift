import AppSettings
import AppSettingsSchema
import Foundation
import Testing
import TestSupport

struct SettingsSchemaTests {
  let home = ScratchHome()

  @Test func `the text of a schema says what the keys are`() throws {
    try expectFixture("schema.toml", SchemaKeys.schema.text)
  }

  @Test func `a schema that was written reads back as it was`() throws {
    let path = try SchemaKeys.schema.write(environment: home.environment)
    #expect(path == home.path + "/data/app-settings/org.example.test.toml")
    let schema = try #require(try SettingsSchema.find(app: "org.example.test", environment: home.environment))
    #expect(schema.keys == SchemaKeys.schema.keys)
    #expect(schema.groups == SchemaKeys.schema.groups)
    #expect(schema.text == SchemaKeys.schema.text)
  }
}
