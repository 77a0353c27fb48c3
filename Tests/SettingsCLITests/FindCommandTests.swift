import Foundation
import Testing
import TestSupport

/// `find WORD…` over all apps.
struct FindCommandTests {
  let test: SchemaHome
  private let other = "org.example.other"

  init() throws {
    test = try SchemaHome()
    try test.write("theme = \"dark\"\n[sync]\ntoken = \"hunter2\"\n")
    try test.home.write("colours.theme = \"light blue\"\n", to: test.home.path + "/config/\(other)/settings.toml")
  }

  @Test func `names, descriptions and values are searched, whatever the case`() throws {
    #expect(
      try test.run("find", "THEME")
        == SchemaHome.answer("\(other) colours.theme = \"light blue\"\n\(test.app) theme = \"dark\"\n"))
    #expect(
      try test.run("find", "points")
        == SchemaHome.answer("\(test.app) editor.font-size = 12  # Size of the font, in points.\n"))
    #expect(try test.run("find", "blue").output == "\(other) colours.theme = \"light blue\"\n")
    // A key without a value.
    #expect(try test.run("find", "hosts") == SchemaHome.answer("\(test.app) hosts\n"))
    #expect(try test.run("find", "theme", "dark") == SchemaHome.answer("\(test.app) theme = \"dark\"\n"))
    #expect(try test.run("find", "no such thing") == SchemaHome.answer("", status: 1))
    #expect(try test.run("find").status == 2)
  }

  @Test func `a typo finds what is similar, and says so`() throws {
    #expect(
      try test.run("find", "fomt")
        == SchemaHome.answer(
          "\(test.app) editor.font-size = 12  # Size of the font, in points.\n",
          "settings-cli: Nothing has 'fomt'. These are similar:\n"))
  }

  @Test func `secrets are found by name only, and not shown`() throws {
    #expect(try test.run("find", "token") == SchemaHome.answer("\(test.app) sync.token = (secret)\n"))
    #expect(try test.run("find", "hunter2") == SchemaHome.answer("", status: 1))
    #expect(try test.run("find", "secret") == SchemaHome.answer("", status: 1))
  }

  @Test func `JSON says what matched`() throws {
    let found = try json(test.run("find", "size", "--json").output) as? [[String: Any]]
    #expect(found?.count == 1 && found?[0]["app"] as? String == test.app)
    #expect(found?[0]["key"] as? String == "editor.font-size" && found?[0]["value"] as? Int == 12)
    #expect(found?[0]["matched"] as? [String] == ["name", "description"])
    #expect(try test.run("find", "nothing at all", "--json") == SchemaHome.answer("[]\n", status: 1))
  }

  @Test func `an app that cannot be read is named, and the others are searched`() throws {
    try test.home.write("theme = = 1\n", to: test.home.path + "/config/\(other)/settings.toml")
    let result = try test.run("find", "dark")
    #expect(result.status == 0 && result.output == "\(test.app) theme = \"dark\"\n")
    #expect(result.error.hasPrefix("settings-cli: warning: Cannot search all of '\(other)': "), "\(result)")
  }
}
