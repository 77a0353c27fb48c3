import AppSettings
import AppSettingsImport
import AppSettingsSchema
import AppSettingsTesting
import Foundation
import Testing

// The blocks of docs/migrations.md, compiled.

let appMigrations = [
  Migration(
    2, "give the colour its place",
    [
      .rename("colour", to: "theme.accent"),
      .mapValues("level", ["hi": 3, "lo": 1]),
    ]),
  Migration(3, "keep tags as an array", [.decodeJSONString("tags")]),
]

let splitMigration = Migration(4, "split name into first and last") { document in
  guard case .string(let name)? = document[["name"]], let space = name.firstIndex(of: " ") else { return }
  try document.remove(at: ["name"])
  try document.set(.string(String(name[..<space])), at: ["person", "first"])
  try document.set(.string(String(name[name.index(after: space)...])), at: ["person", "last"])
}

let cacheMigration = Migration(5, "drop the cache's path", [.remove("cache-path")]).afterCommit { _ in
  try FileManager.default.removeItem(atPath: "/var/tmp/editor-cache")
}

let importMigrations = [
  Migration(
    2, "import the old configuration",
    [.importFile("~/.editorrc", as: .ini, mapping: ["view.fontsize": "editor.font-size"])])
]

struct City: Codable, Equatable, SettingsSerializable {
  var id: String
  var title: String
}

struct OldCity: Decodable {
  var id: String
  var name: String
}

extension SettingsKeys {
  static let tags = SettingsKey<[String]>("tags", default: [])
  static let cities = SettingsKey<[City]>("cities", default: [])
}

/// What needs an app that is installed: compiled, and not run.
private func documentedCalls() throws {
  let settings = try SettingsStore(app: "org.example.editor", migrations: appMigrations)
  try settings.migrate(.tags, from: .json)
  let report = try settings.importFile("/home/me/old.json", as: .json, dryRun: true)
  for skipped in report.skipped { print("\(skipped.source): \(skipped.reason)") }
  print(try settings.previewMigration().difference)
  try SettingsSchema(app: "org.example.editor", migrations: appMigrations).write()
  switch try settings.migrationStatus() {
  case .current: break
  case .pending(let migrations): print("still to do:", migrations.map(\.name))
  case .newer(let found, let supported): print("version \(found) is beyond \(supported)")
  }
  for backup in try settings.backups() { print(backup.time, backup.reason, backup.path) }
  try settings.restore()
}

struct Migrations {
  @Test func `migrations stay what they were`() throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures").path
    try assertMigrations(appMigrations, golden: fixtures)
  }

  @Test func `cities are stored as tables`() throws {
    let cities = [
      Migration(
        2, "store cities as tables",
        [.migrate(.cities, from: .json([OldCity].self) { $0.map { City(id: $0.id, title: $0.name) } })])
    ]
    let settings = SettingsStore(inMemory: "cities = '[{\"id\": \"1\", \"name\": \"Vienna\"}]'\n", migrations: cities)
    #expect(settings[.cities] == [City(id: "1", title: "Vienna")])
  }
}
