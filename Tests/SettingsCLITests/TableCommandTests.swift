import Foundation
import Testing
import TestSupport

/// Setting and removing tables of which other layers have parts.
struct TableCommandTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  private func run(_ arguments: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, directory: home.path)
  }

  private func answer(_ output: String, status: Int32 = 0) -> ChildProcess.Result {
    ChildProcess.Result(status: status, output: output, error: "")
  }

  @Test func `a table is effective when each value in it is, whatever lower layers add`() throws {
    let system = home.path + "/etc/xdg/\(app)/settings.toml"
    try home.write("[w]\nwidth = 100\ninner = { a = 1, b = 2 }\n", to: system)
    #expect(try run("set", app, "w", "{height=3}") == answer(""))
    #expect(try run("get", app, "w.width") == answer("100\n"))
    #expect(try run("set", app, "w", "{inner={a=5}, width=1}") == answer(""))
    #expect(try run("get", app, "w") == answer("{ width = 1, inner = { a = 5, b = 2 } }\n"))
    #expect(try run("set", app, "w={}") == answer(""))
    #expect(try run("set", app, "w", "5", "--type", "integer") == answer(""))
    #expect(try run("get", app, "w") == answer("5\n"))
    // What lower layers give shows again.
    #expect(try run("unset", app, "w") == answer(""))
    #expect(try run("get", app, "w.inner") == answer("{ a = 1, b = 2 }\n"))
    #expect(try run("unset", app, "w") == answer("", status: 1))
  }

  @Test func `list leaves out tables of which nothing counts, and has those that are empty`() throws {
    let system = home.path + "/etc/xdg/\(app)/settings.toml"
    try home.write("settings-locked = [\"w.width\", \"a.b.c\", \"g.x\"]\n", to: system)
    try home.write("g = { x = 7 }\nempty = {}\n[w]\nwidth = 5\n[a.b]\nc = 1\n[a.d]\n")
    #expect(try run("list", app) == answer("empty = {}\na.d = {}\n"))
    #expect(try run("list", app, "--json").output.contains("\"key\":\"g") == false)
    #expect(try run("list", app, "w") == answer("", status: 1))
    try home.write("settings-locked = [\"g.x\"]\n[g]\ny = 1\n", to: system)
    #expect(try run("list", app, "g") == answer("g.y = 1\n"))
  }

  @Test func `a table that a lock would change in part is refused, and one that leaves it is effective`() throws {
    let system = home.path + "/etc/xdg/\(app)/settings.toml"
    try home.write("settings-locked = [\"w.width\"]\n[w]\nwidth = 100\n", to: system)
    #expect(try run("set", app, "w", "{height=3, width=5}").status == 5)
    #expect(home.text() == nil)
    #expect(try run("set", app, "w", "{height=3, width=100}") == answer(""))
    #expect(try run("get", app, "w") == answer("{ width = 100, height = 3 }\n"))
    #expect(try run("unset", app, "w.width").status == 5)
  }

  @Test(arguments: ["g.x", "ox", "old.x", "old"])
  func `a lock of a former name holds for tables and imports as one of the present name`(locked: String) throws {
    try home.write(
      """
      app = "\(app)"
      [keys."g.x"]
      type = "integer"
      formerly = ["old.x", "ox"]
      [keys."g.y"]
      type = "integer"
      [keys."g.z"]
      type = "integer"

      """, to: home.path + "/data/app-settings/\(app).toml")
    try home.write("settings-locked = [\"\(locked)\"]\n[g]\nx = 4\n", to: home.path + "/etc/xdg/\(app)/settings.toml")
    for value in ["{x=9, y=1}", "5"] {
      let result = try run("set", app, "g", value)
      #expect(result.status != 0 && result.error.contains("othing was written"), "\(result)")
      #expect(home.text() == nil)
    }
    #expect(try run("set", app, "g", "{x=4, y=1}") == answer(""))
    #expect(home.text()?.contains("x = ") == false && home.text()?.contains("y = 1") == true)
    try home.write("{\"g\": {\"x\": 9, \"z\": 2}}", to: home.path + "/other.json")
    let imported = try run("import", app, "./other.json")
    #expect(imported.output.contains("'g.x' is locked by an administrator"), "\(imported)")
    #expect(home.text()?.contains("x = ") == false && home.text()?.contains("z = 2") == true)
    #expect(try run("get", app, "g.x") == answer("4\n"))
  }

  private func writeRenamedKeys() throws {
    try home.write(
      """
      app = "\(app)"
      [keys."g.x"]
      type = "integer"
      formerly = ["old.x", "ox"]
      [keys."g.y"]
      type = "integer"
      [keys."g.w"]
      type = "table"
      formerly = ["win"]

      """, to: home.path + "/data/app-settings/\(app).toml")
  }

  private func batch(_ lines: String) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["batch", app], environment: home.environment, input: lines,
      directory: home.path)
  }

  @Test(arguments: [["unset", "g"], ["set", "g", "{ y = 1 }"], ["batch"]])
  func `a table goes with what the file has of its keys under former names`(_ words: [String]) throws {
    try writeRenamedKeys()
    for (before, after) in [("", ""), ("[g]\ny = 1\n", ""), ("[old]\nx = 3\nz = 4\n", "[old]\nz = 4\n")] {
      try home.write("ox = 9\n" + before)
      let result =
        try words == ["batch"]
        ? batch("{\"unset\":\"g\"}\n") : run(words[0], app, words[1], words.count > 2 ? words[2] : "--prune")
      #expect(result.status == 0 && (words != ["batch"] || result.output.contains("\"changed\":true")), "\(result)")
      #expect(try run("get", app, "g.x") == answer("", status: 1))
      if words[0] != "set" { #expect(home.text() == after) }
    }
  }

  @Test func `what is set in a table after the table has nothing of before, also of former names`() throws {
    try writeRenamedKeys()
    try home.write("[win]\nheight = 1\ndepth = 2\n")
    #expect(try batch("{\"unset\":\"g\"}\n{\"set\":\"g.w.height\",\"value\":5}\n").status == 0)
    #expect(try run("get", app, "g.w") == answer("{ height = 5 }\n"))
    #expect(home.text()?.contains("win") == false && home.text()?.contains("depth") == false)
  }

  @Test func `a locked table goes from the user's file with the former names of its keys`() throws {
    try writeRenamedKeys()
    try home.write("settings-locked = [\"g\"]\n", to: home.path + "/etc/xdg/\(app)/settings.toml")
    try home.write("ox = 9\n[g]\ny = 1\n")
    #expect(try run("unset", app, "g").status == 0)
    #expect(home.text() == "")
  }

  @Test func `an unknown field of a new element is named by the place that the element would have`() throws {
    try home.write(
      """
      app = "\(app)"
      [keys.rules]
      type = "array"
      elements.type = "table"
      elements.fields.name = { type = "string" }
      elements.fields.tags.type = "array"
      elements.fields.tags.elements = { type = "table", fields = { id = { type = "integer" } } }

      """, to: home.path + "/data/app-settings/\(app).toml")
    let text = "rules = [{ name = \"a\", old = 1 }, { name = \"b\" }]\n"
    try home.write(text)
    for (element, place) in [
      ("{ nmae = \"c\" }", "'rules[2].nmae'. Did you mean 'rules[2].name'?"),
      ("{ tags = [{ id = 1 }, { idd = 2 }] }", "'rules[2].tags[1].idd'. Did you mean 'rules[2].tags[1].id'?"),
    ] {
      let refused = try run("set", app, "rules", "--append", element)
      #expect(refused.status == 3 && refused.error.contains("Unknown key \(place)"), "\(refused)")
    }
    let second = try run("set", app, "rules", "--append", "{ name = \"c\" }", "--append", "{ nmae = \"d\" }")
    #expect(second.status == 3 && second.error.contains("Unknown key 'rules[3].nmae'."), "\(second)")
    #expect(home.text() == text)
  }
}
