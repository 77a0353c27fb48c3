import Foundation
import Testing
import TestSupport

struct SchemaCommandTests {
  let test: SchemaHome
  init() throws { test = try SchemaHome() }
  private var app: String { test.app }

  private func answer(_ output: String, _ error: String = "", status: Int32 = 0) -> ChildProcess.Result {
    SchemaHome.answer(output, error, status: status)
  }

  @Test func `an element that the schema refuses is shown as it was typed`() throws {
    try test.home.write(
      "app = \"\(test.app)\"\n[keys.words]\ntype = \"array\"\nelements = { type = \"string\", choices = [\"x\"] }\n",
      to: test.schemaFile)
    let result = try test.run("set", test.app, "words", "--append", "\"x\"")
    #expect(result.status == 4 && result.error.contains(#"Cannot use "\"x\"" as an element of 'words'"#), "\(result)")
  }

  @Test func `schema prints the file as it is, for an app and for a path`() throws {
    #expect(try test.run("schema", app) == answer(SchemaHome.schema))
    #expect(try test.run("schema", test.schemaFile) == answer(SchemaHome.schema))
  }

  @Test func `schema prints a settings file that sets nothing`() throws {
    let defaults = try test.run("schema", app, "--commented-defaults")
    #expect(defaults.status == 0)
    #expect(defaults.output.contains("\n# Colours.\n# One of \"light\", \"dark\".\n#theme = \"light\"\n"))
    #expect(defaults.output.contains("\n# How texts are shown.\n[editor]\n"))
    #expect(defaults.output.contains("\n# token = (a secret, its default is not told)\n"))
    try test.write(defaults.output)
    #expect(try test.run("check", app) == answer(""))
    #expect(try test.run("get", app, "editor.font-size") == answer("12\n"))
    #expect(try test.run("set", app, "editor.font-size", "14") == answer(""))
    #expect(test.home.text()?.contains("#font-size = 12") == true)
    #expect(try test.run("get", app, "editor.font-size") == answer("14\n"))
  }

  @Test func `schema prints a JSON Schema and a Markdown document`() throws {
    let schema = try #require(try json(try test.run("schema", app, "--json-schema").output) as? [String: Any])
    #expect(schema["$schema"] as? String == "http://json-schema.org/draft-04/schema#")
    let properties = try #require(schema["properties"] as? [String: Any])
    #expect(
      Set(properties.keys) == [
        "theme", "editor", "font_size", "sync", "host", "hosts", "settings-version", "settings-history",
        "settings-locked", "settings-inherits", "settings-sealed",
      ])
    let document = try test.run("schema", app, "--markdown").output
    #expect(
      document.hasPrefix("# Settings of org.example.test\n\n## `theme`\n\nColours.\n\n* needs one of `\"light\"`"))
  }

  @Test func `schema refuses one that is wrong with the place, and says where one would be`() throws {
    try test.home.write(
      "app = \"org.example.test\"\n[keys.a]\ntype = \"string\"\n[keys.\"a.b\"]\ntype = \"string\"\n",
      to: test.schemaFile)
    #expect(
      try test.run("schema", app, "--markdown")
        == answer(
          "",
          "settings-cli: Cannot use the schema '\(test.schemaFile):4:1': the key 'a.b' is within the value of the key "
            + "'a'.\n", status: 4))
    try test.home.write("app = [\n", to: test.schemaFile)
    let unparsable = try test.run("schema", app)
    #expect(
      unparsable.status == 6 && unparsable.error.contains("\(test.schemaFile):") && unparsable.error.contains("^"))
    #expect(
      try test.run("schema", "./none.toml")
        == answer("", "settings-cli: Cannot find the schema file './none.toml'.\n", status: 3))
    try test.home.write("a = 1\n", to: test.home.path + "/config/org.example.b/settings.toml")
    #expect(
      try test.run("schema", "org.example.b")
        == answer(
          "",
          "settings-cli: There is no schema for 'org.example.b': the app writes one to "
            + "'\(test.home.path)/data/app-settings/org.example.b.toml' or "
            + "'\(test.home.path)/usr/share/app-settings/org.example.b.toml'.\n", status: 3))
    #expect(try test.run("schema", "org.example.none").status == 3)
    #expect(try test.run("schema", app, "--markdown", "--json-schema").status == 2)
  }

  @Test func `unset removes what is there, and warns of unknown keys beside it`() throws {
    try test.write("theme = \"dark\"\nold = 1\nhost = \"h\"\n")
    #expect(
      try test.run("unset", app, "theme", "old", "editor.wrap", "thme")
        == answer("", "settings-cli: warning: Unknown key 'thme'. Did you mean 'theme'?\n"))
    #expect(test.home.text() == "host = \"h\"\n")
    #expect(try test.run("unset", app, "thme").status == 3)
  }
}
