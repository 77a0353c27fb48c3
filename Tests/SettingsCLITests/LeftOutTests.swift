import Foundation
import Testing
import TestSupport

/// What the history leaves out, and how it says so.
struct LeftOutTests {
  let test: SchemaHome
  private var file: String { test.home.path + "/c.toml" }

  init() throws { test = try SchemaHome() }

  private func edit(_ target: String, _ text: String) throws {
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["edit", target, "--text", "-"], environment: test.home.environment,
      input: text, directory: test.home.path)
    #expect(result.status == 0, "\(result)")
  }

  @Test func `an array of tables with a secret is not taken for an empty table`() throws {
    try test.home.write("a = 1\n[[s]]\ntoken = \"SEC\"\n", to: file)
    try test.done("set", "./c.toml", "a", "2")
    try test.home.write("a = 2\ns = 5\n", to: file)
    try test.done("set", "./c.toml", "b", "1")
    let undone = try test.run("undo", "./c.toml", "#2")
    #expect(undone.status == 1 && undone.error.contains("not in the history"), "\(undone)")
    #expect(test.home.text(of: file) == "a = 2\ns = 5\nb = 1\n")
    #expect(try test.done("log", "./c.toml").contains("s: (not in the history)"))
    #expect(try test.run("at", "./c.toml", "#1", "s").status == 1)
    // The text of that time is TOML.
    #expect(try test.done("at", "./c.toml", "#1").contains("[s] # (not in the history)\n\"(not in"))
  }

  @Test func `an array of tables with a secret that becomes a table is one change`() throws {
    try test.home.write("a = 1\n[[s]]\nname = \"a\"\ntoken = \"SEC\"\n", to: file)
    try test.done("set", "./c.toml", "a", "2")
    try test.home.write("a = 2\n[s]\nname = \"b\"\n", to: file)
    try test.done("set", "./c.toml", "a", "3")
    let log = try test.done("log", "./c.toml").split(separator: "\n").filter { $0.contains(" s") && !$0.contains("#") }
    #expect(log.map { $0.trimmingPrefix { $0 == " " } } == ["s: (not in the history)"], "\(log)")
  }

  @Test func `comments within arrays are left out as others are`() throws {
    let text =
      "list = [ # token = \"CANARY\"\n  1, # my password = \"CANARY\"\n  [\"# 'no' comment\"],\n  # stays\n]\nx = 1\n"
    try test.home.write(text, to: file)
    try test.done("set", "./c.toml", "x", "2")
    for words in [
      ["at", "./c.toml", "#0"], ["at", "./c.toml", "#1"], ["set", "./c.toml", "x", "3", "--dry-run"],
      ["describe", "./c.toml", "--document"], ["export", "./c.toml"],
    ] {
      let shown = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: test.home.environment, directory: test.home.path
      ).output
      #expect(!shown.contains("CANARY") && shown.contains("no' comment"), "\(words): \(shown)")
    }
    #expect(try test.done("at", "./c.toml", "#1").contains("# stays"))
    try edit("./c.toml", text.replacing("x = 1", with: "x = 4"))
    #expect(test.home.text(of: file) == text.replacing("x = 1", with: "x = 4"))
  }

  @Test(arguments: ["t = { b = [\n 1 ], c = 2 }\n", "t = { token = \"x\", b = [ # old: y\n 1 ], c = \"d\" }\n"])
  func `a change of an inline table over several lines is recorded`(text: String) throws {
    try edit(test.app, text)
    try test.done("unset", test.app, "t.b")
    let log = try test.done("log", test.app)
    #expect(log.contains("#2 ") && !log.contains("old: y") && !log.contains("damaged"), "\(log)")
    #expect(try !test.done("at", test.app, "#1").contains("old: y"))
  }

  @Test(arguments: [
    ["set", "./c.toml", "s", "--remove", "{ n = 1 }"], ["set", "./c.toml", "s", "--append", "{ n = 3 }"],
    ["set", "./c.toml", "s", "[{n=3}]"], ["unset", "./c.toml", "s"], ["rename", "./c.toml", "s", "token"],
  ]) func `an array of tables with a secret changes`(words: [String]) throws {
    try test.home.write("[[s]]\nn = 1\n[[s]]\nn = 2\ntoken = \"q\"\n", to: file)
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), words, environment: test.home.environment, directory: test.home.path)
    #expect(result.status == 0, "\(result)")
    #expect(try test.done("log", "./c.toml").contains("s: (not in the history)"))
  }

  @Test func `that an edit or an import changed only a secret is recorded`() throws {
    try test.done("set", test.app, "sync.token", "A")
    try test.done("set", test.app, "theme", "dark")
    let text = try #require(test.home.text())
    try edit(test.app, text.replacing("\"A\"", with: "\"B\""))
    let log = SchemaHome.timeless(try test.done("log", test.app, "-n", "1"))
    #expect(log.contains("#3 TIME edit") && log.contains("sync.token: (not in the history)"), "\(log)")
    try test.home.write("sync.token = \"C\"\ntheme = \"dark\"\n", to: test.home.path + "/new.toml")
    try test.done("import", test.app, "./new.toml", "--replace")
    let imported = SchemaHome.timeless(try test.done("log", test.app, "-n", "1"))
    #expect(imported.contains("#4 TIME") && imported.contains("sync.token: (not in the history)"), "\(imported)")
    #expect(try test.done("blame", test.app).contains("sync.token"))
    let undone = try test.run("undo", test.app)
    #expect(undone.status == 1, "\(undone)")
  }

  @Test func `a migration that is taken back leaves the history with all values`() throws {
    try test.home.write(
      """
      app = "org.example.test"
      [keys.theme]
      type = "string"
      [keys.size]
      type = "integer"
      [[migrations]]
      version = 2
      name = "rename a key"
      steps = [{ rename = "colour", to = "theme" }]

      """, to: test.schemaFile)
    try test.write("colour = \"red\"\nsize = 5\n")
    try test.done("migrate", test.app)
    try test.done("migrate", test.app, "--undo")
    let log = try test.done("log", test.app)
    #expect(!log.contains("outside") && !log.contains("not in the history"), "\(log)")
    #expect(try test.done("at", test.app, "#2") == "colour = \"red\"\nsize = 5\n")
  }

  @Test func `a value in the place of a table is a conflict`() throws {
    try test.done("set", "./c.toml", "t.x.a", "1")
    try test.done("set", "./c.toml", "t.k", "1")
    try test.done("unset", "./c.toml", "t.x")
    try test.done("unset", "./c.toml", "t")
    try test.done("set", "./c.toml", "t", "v")
    let undone = try test.run("undo", "./c.toml", "#3")
    #expect(undone.status == 9 && undone.error.contains("'t' was changed since by #5"), "\(undone)")
  }

  @Test func `undo says which of the settings' own keys it leaves as they are`() throws {
    try test.done("lock", test.app, "theme=dark", "--system")
    let undone = try test.run("undo", test.app, "--system")
    #expect(undone.status == 0 && undone.error.contains("'settings-locked' stays as it is"), "\(undone)")
    try test.done("unlock", test.app, "theme", "--system")
    try test.done("lock", test.app, "theme", "--system")
    let nothing = try test.run("undo", test.app, "#3", "--system")
    #expect(nothing.status == 1 && nothing.error.contains("; see 'settings-cli unlock'"), "\(nothing)")
  }

  @Test func `undo stops at a lock, and takes back no older change in its place`() throws {
    try test.done("set", test.app, "theme", "dark", "--system")
    try test.done("lock", test.app, "editor.font-size", "--system")
    let text = test.home.text(of: test.systemFile)
    let stopped = try test.run("undo", test.app, "--system")
    #expect(
      stopped.status == 1
        && stopped.error.hasSuffix(
          " from before #2 already. 'settings-locked' stays as it is; see 'settings-cli unlock'. To take back an older "
            + "change, name its key or its number.\n"),
      "\(stopped)")
    #expect(test.home.text(of: test.systemFile) == text)
    try test.done("undo", test.app, "theme", "--system")
  }

  @Test func `a record with a comment goes when what made it is taken back`() throws {
    let schema = SchemaHome.schema.replacing("minimum = 1 }", with: "minimum = 1, required = true }")
    try test.home.write(schema, to: test.schemaFile)
    let text = "# main office\n[hosts.office]\nport = 1\n"
    try test.write(text)
    try test.done("rename", test.app, "hosts.office", "hosts.hq")
    let lines = try test.done("undo", test.app, "hosts.hq").split(separator: "\n")
    // By either name, the record goes back to where it was.
    #expect(lines.count == 3 && test.home.text() == text, "\(lines)")
    try test.done("redo", test.app)
    try test.done("undo", test.app, "#1")
    #expect(test.home.text() == text)
    try test.write(text + "\n# the second\n[hosts.hq]\nport = 2\n\n# the third\n[hosts.third]\nport = 3\n")
    let made = try test.done("undo", test.app, "hosts.hq").split(separator: "\n")
    #expect(made.count == 2, "\(made)")
    #expect(test.home.text() == text + "\n# the third\n[hosts.third]\nport = 3\n")
  }

  @Test(arguments: [
    "# Measured 3 May.\n[t]\nx = 1\n", "[t] # why\nx = 1\n", "[t]\nx = 1\n# y = 5 is faster\n",
    "# Measured 3 May.\n[t] # why\nx = 1\n# y = 5 is faster\n",
  ]) func `comments that came after the change stay when a table that it added is taken back`(table: String) throws {
    for target in ["./c.toml", test.app] {
      let place = target == test.app ? test.home.file : file
      let (key, text) = target == test.app ? ("theme", "\"dark\"") : ("a", "2")
      let head = target == test.app ? "theme = \"light\"\n\n" : "a = 1\n\n"
      let made = target == test.app ? table.replacing("[t]", with: "[hosts.t]").replacing("x =", with: "port =") : table
      try test.home.write(head, to: place)
      try test.done("set", target, target == test.app ? "hosts.t.port" : "t.x", "1")
      try test.home.write(head + made, to: place)
      try test.done("set", target, key, text.filter { $0 != "\"" })
      try test.done("undo", target, "#1")
      let rest = made.split(separator: "\n").filter { !$0.hasPrefix("x =") && !$0.hasPrefix("port =") }
      #expect(
        test.home.text(of: place) == "\(key) = \(text)\n\n" + rest.map { $0 + "\n" }.joined(), "\(target) \(table)")
    }
  }
}
