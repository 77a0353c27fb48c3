import AppSettings
import Foundation
import Testing
import TestSupport

private struct Window: Codable, SettingsSerializable, Equatable {
  var width = 80
  var height = 24
  var title: String?
}

extension SettingsKeys {
  fileprivate static let window = SettingsKey("window", default: Window())
  fileprivate static let windowWidth = SettingsKey("window.width", default: 80)
  fileprivate static let anything = SettingsKey<SettingsValue?>("window")
}

/// Writes of tables and structs around a part that an administrator has locked.
struct LockedPartTests {
  let home = ScratchHome()
  private var system: String { home.path + "/etc/xdg/org.example.test/settings.toml" }

  /// A store below an administrator's file.
  private func store(_ text: String, user: String? = nil) throws -> SettingsStore {
    try home.write(text, to: system)
    if let user { try home.write(user) }
    return try home.store()
  }

  @Test func `a default that is computed from other keys may be asked for while a part of the value is locked`() throws
  {
    let settings = try store("settings-locked = [\"window.width\"]\n")
    let columns = SettingsKey("columns", default: 10)
    let window = SettingsKey("window", default: { Window(width: settings[columns] * 8) })
    let setter = Aside {
      settings[window] = Window(width: 80, height: 3)
      #expect(settingsError { try settings.set(Window(width: 81), for: window) }?.code == .locked)
    }
    #expect(setter.ends(within: 60))
    try settings.flush()
    #expect(home.text() == "[window]\nheight = 3\n")
  }

  private static let locked = "settings-locked = [\"window.width\"]\n[window]\nwidth = 100\n"

  @Test(
    arguments: [
      "a scalar", .integer(1), .array([1]), .table(["width": 5]), .table(["width": 5, "height": 3]),
      .table(["width": .table(["x": 1])]),
    ] as [TOMLValue])
  func `a value that would hide or change a locked part is refused, by every way in`(value: TOMLValue) throws {
    let settings = try store(Self.locked)
    let message =
      "Cannot set 'window': a part of it, 'window.width', is locked by '\(system)', line 1, and would change. "
      + "Nothing was written."
    func check(_ body: () throws -> Void) {
      let error = settingsError(body)
      #expect(error?.code == .locked)
      #expect(error?.message == message)
      #expect(error?.file == system && error?.position?.line == 1)
    }
    check { try settings.set(value, for: .anything) }
    check { try settings.update { $0[.anything] = value } }
    check { try settings.core.commit(of: [Edit(path: ["window"], value: value)]) }
    settings[.anything] = value
    #expect(settings.currentProblems.map(\.message) == [message])
    try settings.flush()
    #expect(home.text() == nil)
    #expect(settings[.windowWidth] == 100)
  }

  @Test(arguments: [["height": 3], ["width": 100, "height": 3]] as [TOMLTable])
  func `a table that leaves the locked part as it is can be set, without that part`(table: TOMLTable) throws {
    let settings = try store(Self.locked)
    try settings.set(.table(table), for: .anything)
    #expect(
      home.text() == "window = { height = 3 }\n" || home.text() == "[window]\nheight = 3\n", "\(home.text() ?? "")")
    #expect(settings[.window] == Window(width: 100, height: 3))
  }

  @Test func `a struct of which one part is locked can be set as long as that part stays`() throws {
    let settings = try store(Self.locked)
    try settings.set(Window(width: 100, height: 3), for: .window)
    settings[.window].height = 4
    try settings.update { $0[.window].title = "t" }
    #expect(settings.currentProblems.isEmpty)
    #expect(settings[.window] == Window(width: 100, height: 4, title: "t"))
    #expect(home.text()?.contains("width") == false)
    let text = home.text()
    let error = settingsError { try settings.set(Window(width: 1, height: 5), for: .window) }
    #expect(error?.code == .locked)
    #expect(settingsError { try settings.update { $0[.window].width = 1 } }?.code == .locked)
    #expect(home.text() == text)
    #expect(settings[.window] == Window(width: 100, height: 4, title: "t"))
  }

  @Test func `a locked part without a value counts as the default of the key around it`() throws {
    let settings = try store("settings-locked = [\"window.width\", \"window.title\"]\n")
    try settings.set(Window(width: 80, height: 3), for: .window)
    #expect(settings[.window] == Window(width: 80, height: 3))
    #expect(home.text()?.contains("width") == false)
    #expect(settingsError { try settings.set(Window(width: 81, height: 3), for: .window) }?.code == .locked)
    #expect(settingsError { try settings.set(Window(title: "t"), for: .window) }?.code == .locked)
    #expect(settings[.window] == Window(width: 80, height: 3))
  }

  @Test func `a locked key is refused, also with the value that it has`() throws {
    let settings = try store(Self.locked)
    #expect(settingsError { try settings.set(100, for: .windowWidth) }?.code == .locked)
    #expect(home.text() == nil)
  }

  @Test func `a table with a locked part can be taken out of the user's file, and so can the part`() throws {
    let settings = try store(Self.locked, user: "name = \"n\"\n[window]\nwidth = 5\nheight = 3\n")
    try settings.reset(named: "window.width")
    try settings.flush()
    #expect(home.text() == "name = \"n\"\n[window]\nheight = 3\n")
    try settings.reset(named: "window")
    try settings.flush()
    #expect(home.text() == "name = \"n\"\n")
    #expect(settings[.window] == Window(width: 100))
    try home.write("name = \"n\"\n[window]\nwidth = 5\nheight = 3\n")
    settings.core.look()
    settings.resetAll()
    try settings.flush()
    #expect(home.text() == "" || home.text() == nil)
  }
}
