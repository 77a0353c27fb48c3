import AppSettings
import Testing
import TestSupport

/// Of a table, a write stores what was changed, and not what other layers and overrides have.
struct OwnPartTests {
  struct Window: Codable, SettingsSerializable, Equatable {
    var width = 80
    var height = 24
    var title: String? = "t"
    var place = Place()
  }

  struct Place: Codable, SettingsSerializable, Equatable {
    var x = 0
    var y = 0
  }

  struct Database: Codable, SettingsSerializable, Equatable {
    var host = "h"
    var password = ""
  }

  private let home = ScratchHome()
  private let window = SettingsKey("window", default: Window())
  private let counts = SettingsKey<[String: Int]>("counts", default: [:])
  private var system: String { home.path + "/etc/xdg/org.example.test/settings.toml" }

  private func store(_ variables: [String: String] = [:]) throws -> SettingsStore {
    let named = variables.map { ("ORG_EXAMPLE_TEST_SETTINGS__" + $0.key, $0.value) }
    return try home.store(
      overrides: .environment(app: "org.example.test", variables: Dictionary(uniqueKeysWithValues: named)))
  }

  @Test(arguments: ["", "width = 640\nheight = 480\n"])
  func `an override of one field is not stored by a change of another`(_ fields: String) throws {
    try home.write("[window]\n\(fields)title = \"u\"\n")
    let settings = try store(["WINDOW__WIDTH": "1000", "WINDOW__PLACE__X": "7"])
    settings[window].height = 500
    try settings.flush()
    #expect(try home.store()[window] == Window(width: fields.isEmpty ? 80 : 640, height: 500, title: "u"))
    try settings.update { $0[window].place.y = 9 }
    #expect(try home.store()[window].place == Place(x: 0, y: 9))
    #expect(
      settings[window] == Window(width: fields.isEmpty ? 80 : 1000, height: 500, title: "u", place: Place(x: 7, y: 9)))
  }

  @Test func `a credential is not stored by a change beside it`() throws {
    let directory = home.path + "/credentials"
    try home.write("12345678", to: directory + "/db.password")
    let (password, database) = (
      SettingsKey("db.password", default: "", .secret), SettingsKey("db", default: Database())
    )
    let settings = try home.store(variables: ["CREDENTIALS_DIRECTORY": directory])
    #expect(settings[password] == "12345678")
    #expect(settings[database] == Database(host: "h", password: "12345678"))
    settings[database].host = "x"
    try settings.flush()
    #expect(home.text() == "[db]\nhost = \"x\"\n")
    #expect(settings[database] == Database(host: "x", password: "12345678"))
  }

  @Test func `the fields of an administrator's file stay there`() throws {
    try home.write(
      "[window]\nwidth = 1\nheight = 2\nplace = { x = 3, y = 4 }\n[servers.a]\nregion = \"s\"\nport = 1\n",
      to: system)
    let settings = try store()
    settings[window].place.y = 5
    settings[.servers]["a"]?.port = 2
    try settings.flush()
    #expect(home.text() == "[window.place]\ny = 5\n\n[servers.a]\nport = 2\n")
    #expect(settings[window] == Window(width: 1, height: 2, title: nil, place: Place(x: 3, y: 5)))
    #expect(settings[.servers].all == [Server(id: "a", region: "s", port: 2)])
    // What is set to what it is, and taken back, is not written; what is the user's own is.
    settings[window].height = 2
    settings[window].width = 9
    settings[window].width = 1
    try settings.flush()
    #expect(settings[window].width == 1)
    #expect(home.text()?.contains("height") == false)
  }

  /// Whether the user's file has exactly the values of a text.
  private func owns(_ text: String) throws -> Bool {
    try TOMLDocument(parsing: home.text() ?? "").root == TOMLDocument(parsing: text).root
  }

  @Test func `the entries of an administrator's file stay there`() throws {
    let places = SettingsKey<[String: Place]>("places", default: [:])
    try home.write("[counts]\na = 1\nb = 2\n[places.p]\nx = 1\ny = 2\n", to: system)
    let settings = try store()
    settings[counts]["c"] = 3
    try settings.update { $0[places]["p"]?.y = 5 }
    #expect(try owns("[counts]\nc = 3\n[places.p]\ny = 5\n"), "\(home.text() ?? "")")
    #expect(settings[counts] == ["a": 1, "b": 2, "c": 3] && settings[places] == ["p": Place(x: 1, y: 5)])
    // What an administrator changes later takes effect.
    try home.write("[counts]\na = 9\n[places.p]\nx = 8\ny = 2\n", to: system)
    settings.reload()
    #expect(settings[counts] == ["a": 9, "c": 3] && settings[places] == ["p": Place(x: 8, y: 5)])
    // What another file has cannot be removed.
    try settings.update { $0[counts]["a"] = nil }
    #expect(settings[counts] == ["a": 9, "c": 3])
    try settings.update { $0[counts] = ["a": 9, "d": 4] }
    #expect(try owns("[counts]\nd = 4\n[places.p]\ny = 5\n"), "\(home.text() ?? "")")
    try settings.update { $0[counts]["d"] = nil }
    #expect(try owns("[places.p]\ny = 5\n"), "\(home.text() ?? "")")
    #expect(settings[counts] == ["a": 9])
    #expect(settings.currentProblems.isEmpty, "\(settings.currentProblems)")
  }

  @Test func `the entries of an override are not stored by a change of another, unless they are needed`() throws {
    try home.write("[counts]\na = 1\nb = 2\n")
    let settings = try store(["COUNTS__A": "9", "PAIRS": "{ a = 1, b = 2 }"])
    settings[counts]["c"] = 3
    try settings.flush()
    #expect(try owns("[counts]\na = 1\nb = 2\nc = 3\n"), "\(home.text() ?? "")")
    #expect(settings[counts] == ["a": 9, "b": 2, "c": 3])
    let pairs = SettingsKey("pairs", default: ["x": 0, "y": 0], .count(2...))
    settings[pairs]["c"] = 3
    try settings.flush()
    #expect(try home.store()[pairs] == ["a": 1, "b": 2, "c": 3])
  }

  @Test func `a dictionary with a locked entry is written without it`() throws {
    try home.write("settings-locked = [\"counts.a\"]\ncounts.a = 1\n", to: system)
    try home.write("[counts]\na = 7\nb = 2\n")
    let settings = try store()
    settings[counts]["c"] = 3
    try settings.flush()
    #expect(try owns("[counts]\nb = 2\nc = 3\n"), "\(home.text() ?? "")")
    #expect(settings[counts] == ["a": 1, "b": 2, "c": 3] && settings.currentProblems.isEmpty)
    #expect(settingsError { try settings.set(["a": 5], for: counts) }?.code == .locked)
  }

  @Test func `a table without a part that is locked is refused`() throws {
    let places = SettingsKey<[String: [String: Int]]>("places", default: [:])
    try home.write(
      "settings-locked = [\"counts\", \"places.p\"]\n[counts]\na = 1\nb = 2\n[places.p]\nx = 1\ny = 2\n", to: system)
    let settings = try store()
    for value in [["a": 1], ["a": 1, "b": 2]] {
      #expect(settingsError { try settings.set(value, for: counts) }?.code == .locked)
    }
    #expect(settingsError { try settings.set(["p": ["x": 1]], for: places) }?.code == .locked)
    let renamed = SettingsKey<[String: Int]>("new.counts", default: [:], .formerly("counts"))
    #expect(settingsError { try settings.set(["a": 1], for: renamed) }?.code == .locked)
    #expect(home.text() == nil)
  }

  @Test func `a whole table of an override is not stored by a change of a part`() throws {
    let settings = try store(["WINDOW": "{ width = 5, height = 6 }"])
    settings[window].height = 7
    try settings.flush()
    #expect(try home.store()[window] == Window(width: 80, height: 7, title: nil))
  }

  @Test func `a value under a former name is never lost`() throws {
    let renamed = SettingsKey("window", default: Window(), .formerly("win"))
    try home.write("[win]\nwidth = 640\n")
    try home.write("[window]\nheight = 480\n", to: system)
    let settings = try store(["WINDOW__WIDTH": "1000"])
    settings[renamed] = settings[renamed]
    settings[renamed].place.x = 1
    try settings.flush()
    #expect(try home.store()[renamed].height == 480 && home.store()[renamed].width != 80)
  }

  @Test func `what the app could not read without the fields of an override is stored with them`() throws {
    struct Size: Codable, SettingsSerializable, Equatable {
      var width: Int
      var height: Int
    }
    let size = SettingsKey<Size?>("window")
    let settings = try store(["WINDOW": "{ width = 1000, height = 480 }"])
    settings[size]?.height = 500
    try settings.flush()
    #expect(try home.store()[size] == Size(width: 1000, height: 500))
  }

  @Test func `an argument for a field that no file has is read as its key's type, also in the struct`() throws {
    let title = SettingsKey<String?>("window.title")
    let overrides = SettingsOverrides.arguments(["--window.title=2024"], keys: [title])
    #expect(try home.store(overrides: overrides)[window] == Window(title: "2024"))
    try home.write("window.height = 3\n")
    let settings = try home.store(overrides: overrides)
    #expect(settings[window] == Window(height: 3, title: "2024") && settings[title] == "2024")
    #expect(settings.currentProblems.isEmpty, "\(settings.currentProblems)")
  }

  @Test func `an override within a table is read as the kind of value that it takes the place of`() throws {
    try home.write("[window]\ntitle = \"a\"\nheight = 3\n[servers.a]\nregion = \"s\"\nport = 1\n")
    let settings = try store(["WINDOW__TITLE": "2024", "SERVERS__A__REGION": "1"])
    #expect(settings[window] == Window(height: 3, title: "2024"))
    #expect(settings[.servers]["a"]?.region == "1")
    #expect(settings.currentProblems.isEmpty, "\(settings.currentProblems)")
  }
}
