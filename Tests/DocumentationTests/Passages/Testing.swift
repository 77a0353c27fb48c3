import AppSettings
import AppSettingsGarage
import AppSettingsObserve
import AppSettingsSchema
import AppSettingsTesting
import Foundation
import Synchronization
import Testing

// Passages of docs/testing.md.

extension SettingsKeys {
  static let tabWidth = SettingsKey("editor.tab-width", default: 4, .in(1...16), "How far a tab indents.")
  static let updateChannel = SettingsKey("update.channel", default: "stable", "Where updates come from.")
}

struct Indenter: Sendable {
  let settings: SettingsStore

  func indented(_ line: String) -> String { String(repeating: " ", count: settings[.tabWidth]) + line }
}

/// Settings in a directory of a test's own, which is removed when the last reference goes.
final class TemporarySettings: Sendable {
  let directory: URL
  let location: SettingsLocation

  init(app: String = "org.example.editor") throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "settings-test-\(UUID().uuidString)")
    location = try SettingsLocation(
      app: app,
      environment: [
        "HOME": directory.path,
        "XDG_CONFIG_HOME": directory.path + "/config",
        "XDG_CONFIG_DIRS": directory.path + "/etc",
        "XDG_STATE_HOME": directory.path + "/state",
        "XDG_DATA_HOME": directory.path + "/data",
      ])
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// The administrators' file.
  var systemFile: String { location.systemDirectories[0] + "/settings.toml" }

  /// Writes a file, as an editor or an administrator does.
  func write(_ text: String, to file: String) throws {
    let url = URL(filePath: file)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url, options: .atomic)
  }

  /// The text of the user's file.
  var text: String? { try? String(contentsOfFile: location.file, encoding: .utf8) }
}

struct TestingSettings {
  @Test func `a line is indented by the width that is set`() {
    let settings = SettingsStore(inMemory: "editor.tab-width = 2")
    #expect(Indenter(settings: settings).indented("x") == "  x")

    settings[.tabWidth] = 3
    #expect(Indenter(settings: settings).indented("x") == "   x")
  }

  @Test func `the width is kept in the file`() async throws {
    let files = try TemporarySettings()
    let settings = SettingsStore(at: files.location)

    settings[.tabWidth] = 2
    try await settings.flush()  // or: try await settings.set(2, for: .tabWidth)
    #expect(files.text == "[editor]\ntab-width = 2\n")
  }

  @Test func `a broken file costs nothing but its values`() throws {
    let files = try TemporarySettings()
    try files.write("editor.tab-width = wide\n", to: files.location.file)
    let settings = SettingsStore(at: files.location)

    #expect(settings[.tabWidth] == 4)  // the default
    #expect(settings.currentProblems.map(\.code) == [.unparsable])
    let error = #expect(throws: SettingsError.self) { try settings.set(8, for: .tabWidth) }
    #expect(error?.code == .unparsable)
    #expect(files.text == "editor.tab-width = wide\n")  // left as it is
  }

  @Test func `an administrator's lock is respected`() throws {
    let files = try TemporarySettings()
    try files.write(
      """
      settings-locked = ["update.channel"]
      update.channel = "beta"
      """, to: files.systemFile)
    let settings = SettingsStore(at: files.location)

    #expect(settings[.updateChannel] == "beta")
    #expect(settings.origin(of: .updateChannel).isLocked)  // the control is disabled by this
    let error = #expect(throws: SettingsError.self) { try settings.set("stable", for: .updateChannel) }
    #expect(error?.code == .locked)
  }

  @Test func `a variable overrides the width`() {
    let variables = ["ORG_EXAMPLE_EDITOR_SETTINGS__EDITOR__TAB_WIDTH": "8"]
    let settings = SettingsStore(
      inMemory: "editor.tab-width = 2",
      overrides: .environment(app: "org.example.editor", variables: variables))
    #expect(settings[.tabWidth] == 8)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a change of the file arrives`() async throws {
    let files = try TemporarySettings()
    let settings = SettingsStore(at: files.location)
    var widths = settings.updates(.tabWidth).makeAsyncIterator()
    let first = await widths.next()  // from here on the file is watched
    #expect(first == 4)

    try files.write("editor.tab-width = 8\n", to: files.location.file)
    let second = await widths.next()
    #expect(second == 8)
  }

  @Test func `a callback has run when the setter returns`() {
    let settings = SettingsStore(inMemory: "")
    let seen = Mutex<[Int]>([])

    let observation = settings.observe(.tabWidth) { width in seen.withLock { $0.append(width) } }
    settings[.tabWidth] = 8
    #expect(seen.withLock { $0 } == [4, 8])
    observation.cancel()
  }

  @Test(.timeLimit(.minutes(5)))
  func `the ruler is drawn again when the width changes`() async {
    let settings = SettingsStore(inMemory: "")
    let (drawn, continuation) = AsyncStream.makeStream(of: String.self)
    var drawings = drawn.makeAsyncIterator()

    // What the app does with each value; the test waits for its effect.
    let task = Task {
      for await width in settings.updates(.tabWidth) { continuation.yield(String(repeating: "-", count: width)) }
    }
    let first = await drawings.next()
    #expect(first == "----")
    settings[.tabWidth] = 2
    let second = await drawings.next()
    #expect(second == "--")
    task.cancel()
    await task.value
  }

  @Test func `the colour moves to the theme`() throws {
    let settings = SettingsStore(inMemory: "colour = \"red\"  # mine\n", migrations: appMigrations)
    #expect(settings.snapshot[["theme", "accent"]] == "red")
    #expect(settings.currentProblems.isEmpty)

    let preview = try SettingsStore(inMemory: "colour = \"red\"  # mine\n", migrations: appMigrations)
      .previewMigration()
    #expect(preview.after == "settings-version = 3\n\n[theme]\naccent = \"red\"  # mine\n")
  }

  @Test func `the schema is the one that was reviewed`() throws {
    let files = try TemporarySettings()
    let published = files.directory.path + "/share/org.example.editor.toml"
    let keys = [SettingsKeys.tabWidth, SettingsKeys.updateChannel]
    try files.write(SettingsSchema(app: "org.example.editor", keys: keys).text, to: published)

    let schema = SettingsSchema(app: "org.example.editor", keys: [.tabWidth, .updateChannel])
    #expect(try schema.text == String(contentsOfFile: published, encoding: .utf8))
  }

  @Test func `a guest is there after the app is opened again`() throws {
    let files = try TemporarySettings()
    let location = try SettingsLocation(
      app: "org.example.hotel", name: "garage", scope: .data, environment: ["HOME": files.directory.path])
    try Garage(at: location).park(Visitor(id: "joan", name: "Joan"))
    let again = try Garage(at: location).retrieve(Visitor.self, id: "joan")
    #expect(again?.name == "Joan")
    #expect(try Garage(inMemory: "").retrieve(Visitor.self, id: "joan") == nil)
  }
}

struct Visitor: Codable, Identifiable {
  var id: String
  var name: String
}
