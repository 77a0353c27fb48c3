import AppSettings
import Foundation
import Testing
import TestSupport

private struct Frame: Codable, SettingsSerializable, Equatable {
  var width = 80
  var height = 24
}

extension SettingsKeys {
  fileprivate static let frame = SettingsKey("w", default: Frame(), .formerly("win"))
  fileprivate static let frameWidth = SettingsKey("w.width", default: 80)
  fileprivate static let plainFrame = SettingsKey("w", default: Frame())
  fileprivate static let inner = SettingsKey<Int?>("p.q.x")
}

/// One rule for a value and for every table around it.
struct LockRuleTests {
  let home = ScratchHome()
  private var system: String { home.path + "/etc/xdg/org.example.test/settings.toml" }
  private func dropIn(_ name: String) -> String { home.path + "/etc/xdg/org.example.test/settings.d/\(name).toml" }

  @Test func `a lock that a higher layer repeats adds nothing`() throws {
    try home.write("settings-locked = [\"p.q\"]\np.q.x = 1\n", to: system)
    try home.write("settings-locked = [\"p.q\", \"p\"]\np.q.x = 2\np.q.y = 9\np.z = 3\n", to: dropIn("1"))
    try home.write("p.q.y = 8\np.z = 4\n")
    let settings = try home.store()
    #expect(settings[.inner] == 1)
    #expect(settings.snapshot[["p", "q"]] == ["x": 1])
    #expect(settings.snapshot[["p"]] == ["q": ["x": 1], "z": 3])
    #expect(settings.snapshot.root == ["p": ["q": ["x": 1], "z": 3]])
    #expect(settings.origin(of: .inner).lock?.layer.file == system)
  }

  @Test func `a locked part stays where a higher layer has no table around it, its own lock or not`() throws {
    try home.write("settings-locked = [\"g.p.x\"]\ng.p.x = 1\n", to: system)
    try home.write("settings-locked = [\"g.p\"]\ng.p = 5\n", to: dropIn("1"))
    try home.write("g = [1]\n")
    let snapshot = try home.store().snapshot
    #expect(snapshot.origin(of: ["g", "p", "x"]).layer.file == system)
    #expect(snapshot.origin(of: ["g", "p"]).layer.file == system)
    #expect(snapshot.root == ["g": ["p": ["x": 1]]])
    let ignored = snapshot.values(at: [["g", "p", "x"]]).filter { $0.state == .ignored }.reversed()
    #expect(ignored.map(\.layer.file) == [dropIn("1"), home.file])
    #expect(ignored.map(\.position?.line) == [2, 1])
  }

  @Test func `a value without effect hides nothing`() throws {
    try home.write("settings-locked = [\"n.x\", \"m.b.x\", \"w.width\"]\nn = 5\n", to: system)
    try home.write("n.x = 1\nm.b.x = 2\nw.width = 3\n")
    let settings = try home.store()
    let snapshot = settings.snapshot
    #expect(snapshot.root == ["n": 5])
    #expect(snapshot[["n"]] == 5 && snapshot[["m"]] == nil && snapshot[["m", "b"]] == nil)
    #expect(snapshot.origin(of: ["n"]).layer.file == system && snapshot.origin(of: ["m"]).isDefault)
    #expect(snapshot.values(at: [["n"]]).map(\.state) == [.ignored, .used])
    #expect(settings.origin(of: .frame).isDefault && settings[.frame] == Frame())
    // A table that says that it is empty has an effect, and so has one with a value that counts.
    try home.write("n = {}\nm = { b = { x = 2 }, c = {} }\nw = { width = 3, height = 4 }\n")
    settings.core.look()
    #expect(settings.snapshot.root == ["n": [:], "m": ["c": [:]], "w": ["height": 4]])
  }

  @Test func `an override of which nothing counts hides nothing`() throws {
    try home.write("settings-locked = [\"w.width\"]\n", to: system)
    try home.write("w = 5\n")
    let settings = try store(["ORG_EXAMPLE_TEST_SETTINGS__W": "{ width = 7 }"], [])
    #expect(settings.snapshot.root.isEmpty && settings.origin(of: .frame).isDefault)
    let file = home.path + "/etc/xdg/org.example.test/settings.d/1.toml"
    try home.write("v = 5\nsettings-locked = [\"v.a\"]\n", to: file)
    let other = try store(["ORG_EXAMPLE_TEST_SETTINGS__V": "{ a = 7 }"], ["--w={ width = 9 }"])
    #expect(other.snapshot.root == ["v": 5] && other.origin(of: .frame).isDefault)
  }

  @Test func `a struct reads its locked part, whatever hides the table`() throws {
    try home.write("settings-locked = [\"w.width\"]\n[w]\nwidth = 100\n", to: system)
    try home.write("w = 5\n")
    let settings = try home.store()
    #expect(settings[.plainFrame] == Frame(width: 100))
    #expect(settings[.frame] == Frame(width: 100))
    #expect(settings[.frameWidth] == 100)
    #expect(settings.currentProblems.isEmpty)
    try home.write("[w]\nwidth = 5\nheight = 6\n")
    settings.core.look()
    #expect(settings[.plainFrame] == Frame(width: 100, height: 6))
  }

  @Test func `a lock of what no layer has keeps it absent, and the default counts`() throws {
    try home.write("settings-locked = [\"w.width\"]\n", to: system)
    try home.write("w = { width = 5, height = 6 }\n", to: dropIn("1"))
    let settings = try home.store()
    #expect(settings[.plainFrame] == Frame(width: 80, height: 6))
    #expect(settings[.frameWidth] == 80)
    #expect(settings.origin(of: .frameWidth).isDefault && settings.origin(of: .frameWidth).isLocked)
  }

  @Test func `a lock of a part under a former name is one of that part`() throws {
    try home.write("settings-locked = [\"win.width\"]\nwin.width = 100\n", to: system)
    try home.write("[w]\nwidth = 5\nheight = 6\n")
    let settings = try home.store()
    #expect(settings[.frame] == Frame(width: 100, height: 6))
    let error = settingsError { try settings.set(Frame(width: 7, height: 6), for: .frame) }
    #expect(error?.code == .locked)
    #expect(
      error?.message
        == "Cannot set 'w.width': it is, under its former name 'win.width', locked by '\(system)', line 1. "
        + "Nothing was written.")
    try settings.set(Frame(width: 100, height: 7), for: .frame)
    #expect(settings[.frame] == Frame(width: 100, height: 7))
  }

  @Test(arguments: [("w", "it is locked"), ("win", "it is, under its former name 'win', locked")])
  func `setting a key that is locked under one of its names is refused by its present name`(
    _ name: String, _ reason: String
  ) throws {
    try home.write("settings-locked = [\"\(name)\"]\n", to: system)
    try home.write("[win]\nwidth = 5\nheight = 6\n")
    let settings = try home.store()
    let error = settingsError { try settings.set(Frame(width: 7, height: 6), for: .frame) }
    #expect(error?.message == "Cannot set 'w': \(reason) by '\(system)', line 1. Nothing was written.")
    #expect(home.text() == "[win]\nwidth = 5\nheight = 6\n")
  }

  // MARK: Overrides

  private func store(_ variables: [String: String], _ arguments: [String] = []) throws -> SettingsStore {
    SettingsStore(
      at: try home.location(),
      overrides: .environment(app: "org.example.test", variables: variables)
        .adding(.arguments(arguments, keys: [SettingsKeys.plainFrame, SettingsKeys.frameWidth])), logger: .silent)
  }

  @Test func `an override counts in every table around it`() throws {
    try home.write("[w]\nwidth = 5\nheight = 6\n")
    let settings = try store(["ORG_EXAMPLE_TEST_SETTINGS__W__HEIGHT": "7"], ["--w.width=9"])
    #expect(settings[.plainFrame] == Frame(width: 9, height: 7))
    #expect(settings[.frameWidth] == 9)
    #expect(settings.snapshot.root == ["w": ["width": 9, "height": 7]])
    #expect(settings.origin(of: .plainFrame).layer.kind == .process)
  }

  @Test func `an override of a table counts for what is in it, and hides the rest`() throws {
    try home.write("[w]\nwidth = 5\nheight = 6\n")
    let settings = try store(["ORG_EXAMPLE_TEST_SETTINGS__W": "{ height = 7 }"])
    #expect(settings[.plainFrame] == Frame(width: 80, height: 7))
    #expect(settings[.frameWidth] == 80)
    #expect(settings.origin(of: .frameWidth).isDefault)
  }

  @Test(arguments: ["{ width = 1, height = 7 }", "{ height = 7 }", "5", "wide"])
  func `an override leaves a locked part as the files have it`(text: String) throws {
    try home.write("settings-locked = [\"w.width\"]\n[w]\nwidth = 100\nheight = 6\n", to: system)
    let settings = try store([:], ["--w=\(text)"])
    #expect(settings[.plainFrame] == Frame(width: 100, height: text.hasPrefix("{") ? 7 : 6))
    #expect(settings[.frameWidth] == 100)
    #expect(settings.currentProblems.isEmpty)
  }
}
