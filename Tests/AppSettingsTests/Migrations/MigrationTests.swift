import AppSettings
import AppSettingsSchema
import Foundation
import Testing
import TestSupport

struct MigrationTests {
  let home = ScratchHome()

  private let migrations = [
    Migration(
      2, "native tags",
      [
        .decodeJSONString("tags"),
        .rename("colour", to: "theme.accent"),
        .mapValues("level", ["hi": 3, "lo": 1]),
        .remove("obsolete"),
      ]),
    Migration(4, "split name into first and last") { document in
      guard case .string(let name)? = document[["name"]], let space = name.firstIndex(of: " ") else { return }
      try document.remove(at: ["name"])
      try document.set(.string(String(name[..<space])), at: ["person", "first"])
      try document.set(.string(String(name[name.index(after: space)...])), at: ["person", "last"])
    },
  ]

  @Test func `an old file is upgraded on first access, comments stand, a backup holds the old text`() throws {
    let old = """
      # My settings
      tags = "[\\"a\\", \\"b\\"]"  # from the old app
      # the colour of everything
      colour = "red"
      level = "hi"
      obsolete = 1
      name = "Ada Lovelace"
      unknown = true

      """
    try home.write(old)
    let settings = try home.store(migrations: migrations)
    #expect(settings[SettingsKey<[String]>("tags", default: [])] == ["a", "b"])
    #expect(settings[SettingsKey("theme.accent", default: "")] == "red")
    #expect(settings[SettingsKey("level", default: 0)] == 3)
    #expect(settings[SettingsKey("person.first", default: "")] == "Ada")
    let text = try #require(home.text())
    #expect(text.contains("settings-version = 4\n"))
    #expect(text.contains("# My settings\n"))
    #expect(text.contains("tags = [\"a\", \"b\"]  # from the old app\n"))
    #expect(text.contains("# the colour of everything\naccent = \"red\"\n"))
    #expect(text.contains("unknown = true\n"))
    #expect(!text.contains("obsolete"))
    let backups = home.names(in: home.backups)
    #expect(backups.count == 1)
    #expect(home.text(of: home.backups + "/\(backups[0])") == old)
  }

  @Test func `a current file is left alone`() throws {
    try home.write("settings-version = 4\ntags = \"[]\"\n")
    let settings = try home.store(migrations: migrations)
    #expect(settings[SettingsKey("tags", default: "")] == "[]")
    #expect(home.text() == "settings-version = 4\ntags = \"[]\"\n")
    #expect(home.names(in: home.path) == ["config"])
  }

  @Test func `a new file gets the current version, and reading makes none`() throws {
    let settings = try home.store(migrations: migrations)
    _ = settings[.counter]
    #expect(home.names(in: home.path).isEmpty)
    try settings.set(1, for: .counter)
    #expect(home.text() == "settings-version = 4\ncounter = 1\n")
  }

  @Test func `a failing step leaves file and version, and names itself`() throws {
    let old = "tags = \"no json\"\ncolour = \"red\"\ncounter = 3\n"
    try home.write(old)
    let settings = try home.store(migrations: migrations)
    #expect(settings[.counter] == 3)
    #expect(home.text() == old)
    #expect(home.names(in: home.path) == ["config"])
    let message = try #require(settings.currentProblems.first?.message)
    #expect(message.contains("version 2 'native tags'") && message.contains("at 'tags'"), "\(message)")
    let error = #expect(throws: SettingsError.self) { try settings.set(1, for: .counter) }
    #expect(error?.code == .migrationFailed)
    #expect(home.text() == old)
  }

  @Test func `a newer file is read, and not written`() throws {
    let newer = "settings-version = 9\ncounter = 3\n"
    try home.write(newer)
    let settings = try home.store(migrations: migrations)
    #expect(settings[.counter] == 3)
    let error = #expect(throws: SettingsError.self) { try settings.set(1, for: .counter) }
    #expect(error?.code == .newerVersion)
    #expect(error?.message.contains("version 9") == true && error?.message.contains("up to 4") == true)
    #expect(settings[.counter] == 3)
    #expect(home.text() == newer)
  }

  @Test(arguments: ["\"two\"", "0", "-1", "1.5"])
  func `a version that is no version is an error with its place`(version: String) throws {
    let text = "settings-version = \(version)\ncounter = 3\n"
    try home.write(text)
    let settings = try home.store(migrations: migrations)
    #expect(settings[.counter] == 3)
    #expect(settings.currentProblems.first?.position?.line == 1)
    #expect(throws: SettingsError.self) { try settings.set(1, for: .counter) }
    #expect(home.text() == text)
  }

  @Test func `steps do nothing where their key is absent, nor on their own output`() throws {
    try home.write("counter = 1\n")
    _ = try home.store(migrations: migrations)[.counter]
    #expect(home.text() == "settings-version = 4\ncounter = 1\n")
    try home.write("tags = [\"a\"]\nlevel = 3\n")
    _ = try home.store(migrations: migrations)[.counter]
    #expect(home.text() == "settings-version = 4\ntags = [\"a\"]\nlevel = 3\n")
  }

  @Test func `no permission for backups means no migration`() throws {
    try home.write("level = \"hi\"\n")
    try home.write("in the way", to: home.path + "/state")
    let settings = try home.store(migrations: migrations)
    #expect(settings[SettingsKey("level", default: "")] == "" || settings[SettingsKey("level", default: 0)] == 3)
    #expect(home.text() == "level = \"hi\"\n")
    #expect(!settings.currentProblems.isEmpty)
  }

  @Test func `migrating is one write: nothing after it can fail the call`() throws {
    try home.write("level = \"hi\"\n")
    let afterRename = Counter(isRunning: false)
    let system = Syscalls.failing(.lock, with: EIO, counting: afterRename) { $0.hasSuffix("/config/org.example.test") }
      .and(.before(.rename, where: { $0 == "settings.toml" }) { _ in afterRename.start() })
    let settings = try home.store(migrations: migrations, system: system)
    #expect(try settings.migrate().map(\.version) == [2, 4])
    #expect(home.text() == "settings-version = 4\nlevel = 3\n")
  }

  @Test func `the newest ten backups are kept`() throws {
    let backups = Backups(of: try home.location(), system: Syscalls())
    for number in 0..<13 { try backups.save(Array("\(number)".utf8), reason: "test") }
    let paths = try backups.list().map(\.path)
    #expect(paths.count == 10)
    #expect(home.text(of: paths[0]) == "12")
    #expect(home.text(of: paths[9]) == "3")
  }

  @Test func `a schema file carries declarative steps and names steps of code`() throws {
    let schema = SettingsSchema(app: "org.example.test", migrations: migrations)
    let path = try schema.write(environment: home.environment)
    #expect(path == home.path + "/data/app-settings/org.example.test.toml")
    let read = try #require(try SettingsSchema.find(app: "org.example.test", environment: home.environment))
    #expect(read.migrations.migrations.map(\.version) == [2, 4])
    #expect(read.text == schema.text)
    var document = try TOMLDocument(parsing: "level = \"lo\"\ntags = '[1, {\"b\": null, \"a\": 2.5}]'\n")
    try read.migrations.run(on: &document, upTo: 2)
    #expect(document.text == "settings-version = 2\nlevel = 1\ntags = [1, { a = 2.5 }]\n")
    let error = #expect(throws: SettingsError.self) { try read.migrations.run(on: &document) }
    #expect(error?.message.contains("start the app once") == true)
  }
}
