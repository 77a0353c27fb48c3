import AppSettings
import AppSettingsTesting
import Testing

// Passages of docs/migrations.md.

let editorMigrations = SettingsMigrations {
  Migration(2, "store tags as a list") {
    DecodeJSONString("tags")  // "[\"a\"]" becomes ["a"]
    MapValues("level", ["hi": 3, "lo": 1])
  }
  Migration(3, "put the colours together") {
    Rename("colour", to: "theme.accent")
    Remove("theme-cache")
  }
  Migration(4, "split size into width and height") { document in
    guard case .string(let size)? = document[["size"]] else { return }
    let parts = size.split(separator: "x").compactMap { Int64($0) }
    guard parts.count == 2 else { return }
    try document.remove(at: ["size"])
    try document.set(.integer(parts[0]), at: ["window", "width"])
    try document.set(.integer(parts[1]), at: ["window", "height"])
  }
}

@Suite struct MigrationsGuide {
  let fixtures = Repository.root + "/Tests/DocumentationTests/Fixtures"

  @Test func `migrations stay what they were`() throws {
    try assertMigrations(editorMigrations, golden: fixtures + "/migrations", shipped: [1])
  }

  @Test func `the migrations of the guide do what it says`() throws {
    let settings = SettingsStore(
      inMemory: """
        tags = "[\\"a\\"]"
        level = "hi"
        colour = "red"   # like the house
        size = "640x480"
        """, migrations: editorMigrations)

    let root = settings.snapshot.root
    #expect(root["tags"] == ["a"])
    #expect(root["level"] == 3)
    #expect(root["theme"] == ["accent": "red"])
    #expect(root["window"] == ["width": 640, "height": 480])
    #expect(root["size"] == nil)
  }

  @Test func `a schema can be written`() throws {
    let schema = SettingsSchema(app: "org.example.editor", migrations: editorMigrations)
    #expect(schema.text.contains("store tags as a list"))
  }

  func install() throws {
    try SettingsSchema(app: "org.example.editor", migrations: editorMigrations).write()
  }
}
