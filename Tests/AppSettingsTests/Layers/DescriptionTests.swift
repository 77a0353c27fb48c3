@testable import AppSettings
import Foundation
import Testing
import TestSupport

/// What `print` shows of the library's values.
struct DescriptionTests {
  let home = ScratchHome()
  private let size = SettingsKey("editor.size", default: 12)

  private var systemFile: String { home.path + "/etc/xdg/org.example.test/settings.toml" }

  @Test func `an origin names layer, file and line, and a lock`() throws {
    try home.write("\n[editor]\nsize = 14\n")
    let settings = try home.store()
    #expect("\(settings.origin(of: size))" == "user \(home.file):3")
    #expect("\(settings.origin(of: SettingsKey("other", default: 1)))" == "default")
    #expect("\(settings.origin(of: size).layer)" == "user \(home.file)")
    let renamed = SettingsKey("view.size", default: 1, .formerly("editor.size"))
    #expect("\(settings.origin(of: renamed))" == "user \(home.file):3, under the former name 'editor.size'")
    try home.write("settings-locked = [\"editor\"]\n[editor]\nsize = 6\n", to: systemFile)
    settings.reload()
    #expect("\(settings.origin(of: size))" == "system \(systemFile):3, locked by system \(systemFile):1")
  }

  @Test func `stores, snapshots, locations and records are named by their file`() throws {
    let settings = try home.store()
    let location = try home.location()
    #expect("\(settings)" == home.file && "\(location)" == home.file)
    #expect("\(settings.snapshot)" == "generation \(settings.snapshot.generation) of \(home.file)")
    struct Server: Codable, Identifiable, Sendable { var id: String }
    #expect("\(settings[SettingsRecordKey<Server>("servers")])" == "servers of \(home.file)")
    #expect("\(SettingsStore(inMemory: ""))" == "settings in memory")
    #expect("\(SettingsGroup("editor", "Texts."))" == "editor")
  }

  @Test func `a problem is its message, and a batch its paths and who it was`() throws {
    try home.write("[editor]\nsize = \"x\"\n")
    let settings = try home.store()
    _ = settings[size]
    let problem = try #require(settings.currentProblems.first)
    #expect("\(problem)" == problem.message && problem.message.hasPrefix("Cannot read 'editor.size'"))
    var batch = SettingsChangeBatch(generation: 3, paths: [["a"], ["b", "c d"]], origin: .outside)
    #expect("\(batch)" == "a, b.\"c d\" (outside)")
    batch.paths = (0..<20).map { ["k\($0)"] }
    batch.origin = .thisProcess
    #expect("\(batch)".hasSuffix("k15 and 4 more (this process)"))
  }

  @Test func `overrides show names and no values`() {
    let overrides = SettingsOverrides.environment(app: "a.b", variables: ["A_B_SETTINGS__TOKEN": "hunter2"])
      .adding(.arguments(["--editor.size=7"], keys: [size]))
    #expect("\(overrides)" == "A_B_SETTINGS__TOKEN, --editor.size")
    #expect("\(SettingsOverrides.none)" == "none")
  }

  @Test func `migrations are shown by number and name`() throws {
    try home.write("a = 1\n")
    let migrations = [
      Migration(2, "add b") { document in try document.set(1, at: ["b"]) }
    ]
    let settings = try home.store(migrations: migrations)
    var status = try settings.migrationStatus()
    #expect("\(status)" == "pending: 2 'add b'")
    let preview = try settings.previewMigration()
    #expect("\(preview)" == preview.difference && "\(preview)".contains("+b = 1"))
    _ = settings.snapshot
    status = try settings.migrationStatus()
    #expect("\(status)" == "current")
    let backup = try #require(try settings.backups().first)
    #expect("\(backup)" == backup.path)
  }

  @Test func `errors say as their localized description what they say as text`() throws {
    let settings = try home.store()
    let error = #expect(throws: SettingsError.self) {
      try settings.set(7, for: SettingsKey("odd", default: 2, .satisfying("that is even") { $0.isMultiple(of: 2) }))
    }
    let shown = (error as (any Error)?)?.localizedDescription
    #expect(shown == "Cannot set 'odd' to the integer 7: the key needs an integer that is even. Nothing was changed.")
    let valueError = #expect(throws: SettingsValueError.self) { try Int.settingsBridge.read("x") }
    #expect((valueError as (any Error)?)?.localizedDescription == valueError?.message)
    let syntaxError = #expect(throws: TOMLSyntaxError.self) { try TOMLDocument(parsing: "a =\n") }
    #expect((syntaxError as (any Error)?)?.localizedDescription == syntaxError?.description)
    let pathError = #expect(throws: TOMLPathError.self) { try TOMLPath(parsing: "a..b") }
    #expect((pathError as (any Error)?)?.localizedDescription == pathError?.description)
  }
}
