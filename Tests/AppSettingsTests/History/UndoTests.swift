import AppSettings
import Foundation
import Testing
import TestSupport

/// Undoing is a write like any other.
struct UndoTests {
  let home = ScratchHome()
  private let theme = SettingsKey("theme", default: "light")
  private let size = SettingsKey("editor.font-size", default: 12, .in(6...72))
  private let token = SettingsKey("api.token", default: "", .secret)

  @Test func `a set is undone, and the undoing, too`() throws {
    let settings = try home.store()
    try settings.set("dark", for: theme)
    try settings.set("blue", for: theme)
    #expect(try settings.undo(theme).id == 2)
    #expect(settings[theme] == "dark" && home.text() == "theme = \"dark\"\n")
    #expect(try settings.history().first?.reason == .undo)
    try settings.undo(#require(settings.history().first))
    #expect(settings[theme] == "blue")
  }

  @Test func `a set in a new file that begins with its version is undone`() throws {
    let migrations = [Migration(2, "name the colour", [.rename("colour", to: "theme")])]
    let settings = try home.store(migrations: migrations)
    try settings.set("dark", for: theme)
    try settings.set("blue", for: theme)
    #expect(try settings.formerText(after: 1) == "settings-version = 2\ntheme = \"dark\"\n")
    #expect(try settings.undo().id == 2 && settings[theme] == "dark")
    #expect(try settings.undo().id == 1 && settings[theme] == "light")
  }

  @Test func `comments come back with a value that was removed`() throws {
    let text = "# top\n\n# of the theme\ntheme = 'dark' # why\n\n[editor]\nfont-size = 0x10\n"
    try home.write(text)
    let settings = try home.store()
    _ = settings[theme]
    try settings.set(20, for: size)
    settings.reset(theme)
    try settings.flush()
    #expect(home.text()?.contains("of the theme") == false)
    try settings.undo(theme)
    #expect(home.text() == text.replacingOccurrences(of: "0x10", with: "0x14"))
    try settings.undo(size)
    #expect(settings[size] == 16)
  }

  @Test func `an entry is undone by its number, if nothing has changed its values since`() throws {
    let settings = try home.store()
    try settings.update { settings in
      settings[theme] = "a"
      settings[size] = 10
    }
    try settings.set("b", for: theme)
    let entries = try settings.history()
    let error = #expect(throws: SettingsError.self) { try settings.undo(entries[1]) }
    #expect(error?.code == .conflict && error?.message.contains("'theme' was changed since by #2") == true, "\(error!)")
    #expect(settings[size] == 10)
    try settings.undo(entries[0])
    try settings.undo(entries[1])
    #expect(settings[theme] == "light" && settings[size] == 12 && (home.text() ?? "") == "")
  }

  @Test func `a change by hand is undone`() throws {
    let settings = try home.store()
    try settings.set("dark", for: theme)
    try home.write("theme = \"vim\"\n# new\n")
    #expect(try settings.undo(theme).reason == .outside)
    #expect(settings[theme] == "dark")
    #expect(try settings.history().map(\.reason) == [.undo, .outside, .set])
  }

  @Test func `a value that is not valid today is refused`() throws {
    let settings = try home.store()
    let wide = SettingsKey("editor.font-size", default: 12)
    try home.store().set(100, for: wide)
    try settings.set(20, for: size)
    let error = #expect(throws: SettingsError.self) { try settings.undo(size) }
    #expect(error?.code == .invalidValue && settings[size] == 20, "\(error!)")
  }

  @Test func `a part is put back beside another one that is not valid`() throws {
    let sizes = SettingsKey<[String: Int]>("sizes", default: [:])
    let settings = try home.store()
    try settings.set(["a": 1], for: sizes)
    try settings.set(["a": 2], for: sizes)
    try home.write("[sizes]\na = 2\nb = \"x\"\n")
    try settings.undo(settings.history()[1])
    #expect(home.text() == "[sizes]\na = 1\nb = \"x\"\n")
    try home.write("[sizes]\na = 1\n")
    // The change by hand is taken back: the key cannot be read then.
    let error = #expect(throws: SettingsError.self) { try settings.undo() }
    #expect(error?.code == .invalidValue && home.text() == "[sizes]\na = 1\n", "\(error!)")
  }

  @Test func `a locked key is refused`() throws {
    let settings = try home.store()
    try settings.set("dark", for: theme)
    try settings.set("blue", for: theme)
    try home.write(
      "settings-locked = [\"theme\"]\ntheme = \"mine\"\n", to: home.path + "/etc/xdg/org.example.test/settings.toml")
    let error = #expect(throws: SettingsError.self) { try home.store().undo(theme) }
    #expect(error?.code == .locked)
  }

  @Test func `a secret is not in the history, and cannot be undone`() throws {
    let settings = try home.store()
    try settings.set("s3cret", for: token)
    try settings.set("0ther", for: token)
    #expect(
      try settings.history().map(\.description) == [
        "#2 set by org.example.test: api.token (not shown)", "#1 set by org.example.test: api.token (not shown)",
      ])
    let error = #expect(throws: SettingsError.self) { try settings.undo(token) }
    #expect(error?.code == .noHistory && settings[token] == "0ther", "\(error!)")
  }

  @Test func `a change from before a migration is undone in today's form`() throws {
    let old = SettingsKey("name", default: "")
    let other = SettingsKey("other", default: 0)
    let before = try home.store()
    try before.set("Ann", for: old)
    try before.set(1, for: other)
    try before.set("Bob", for: old)
    let key = SettingsKey("user.name", default: "", .formerly("name"))
    let migrations = [Migration(2, "rename", [.rename("name", to: "user.name")])]
    let after = try home.store(migrations: migrations)
    #expect(after[key] == "Bob")
    _ = after[other]
    let entries = try after.history()
    #expect(entries.map(\.reason) == [.migration, .set, .set, .set])
    try after.undo(entries[1])
    #expect(after[key] == "Ann" && home.text()?.contains("name = \"Ann\"") == true)
    let failing = [
      Migration(2, "rename", [.rename("name", to: "user.name")]),
      Migration(3, "fails on Ann") { document in
        if document[["user", "name"]] == .string("Bob") { throw CocoaError(.fileNoSuchFile) }
        try document.set(.integer(3), at: ["three"])
      },
    ]
    let last = try home.store(migrations: failing)
    _ = last[key]
    let error = #expect(throws: SettingsError.self) { try last.undo(entries[1]) }
    #expect(error?.code == .migrationFailed, "\(error!)")
  }

  @Test func `a change from before a migration of a value that is not kept is undone`() throws {
    try home.write("scale = 2 # s\n")
    let before = try home.store()
    try before.set("Ann", for: theme)
    try before.set("Bob", for: theme)
    let after = try home.store(migrations: [Migration(2, "scale", [.convert("scale", .scaled(by: 10))])])
    #expect(after[theme] == "Bob")
    let entries = try after.history()
    #expect(entries[0].reason == .migration)
    // Behind the migration, which has no effect in today's form.
    #expect(try after.undo().id == entries[1].id)
    #expect(home.text() == "settings-version = 2\nscale = 20 # s\ntheme = \"Ann\"\n")
  }

  @Test func `a text that did not parse is no former text to go back to`() throws {
    let settings = try home.store()
    try settings.set("dark", for: theme)
    try home.write("theme = \"dark\n")
    try home.store().recover()
    let other = try home.store()
    try other.set("blue", for: theme)
    let entries = try other.history()
    #expect(entries.map(\.reason) == [.set, .recover, .outside, .set])
    #expect(entries[1].changes.isEmpty && entries[2].changes.isEmpty)
    var error = #expect(throws: SettingsError.self) { try other.undo(entries[2]) }
    #expect(error?.code == .noHistory && error?.message.contains("did not parse") == true, "\(error!)")
    // The recovery has what was lost since the last text that parsed.
    error = #expect(throws: SettingsError.self) { try other.undo(entries[1]) }
    #expect(error?.code == .conflict && error?.message.contains("since by #4") == true, "\(error!)")
    #expect(home.text() == "theme = \"blue\"\n")
    try other.undo()
    #expect(try other.undo().id == 3 && home.text() == "theme = \"dark\"\n")
  }

  @Test func `what is not in the history is said`() throws {
    let settings = try home.store()
    var error = #expect(throws: SettingsError.self) { try settings.undo(theme) }
    #expect(error?.code == .noHistory)
    try settings.set("dark", for: theme)
    error = #expect(throws: SettingsError.self) { try settings.undo(.entry(7)) }
    #expect(error?.message == "The history of '\(home.file)' has no entry #7: it has #1 to #1.")
    #expect(throws: SettingsError.self) { try SettingsStore(inMemory: "").undo(theme) }
  }
}
