import Foundation
import Testing
import TestSupport

/// `migrate`, `recover` and `import` as processes.
struct MigrationCommandTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  private func run(_ arguments: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, directory: home.path)
  }

  private func answer(_ output: String, _ error: String = "", status: Int32 = 0) -> ChildProcess.Result {
    ChildProcess.Result(status: status, output: output, error: error)
  }

  private func schema() throws {
    try home.write(
      """
      app = "\(app)"
      [[migrations]]
      version = 2
      name = "rename colour"
      steps = [{ rename = "colour", to = "theme" }]
      [[migrations]]
      version = 3
      name = "hosts have names"
      [[migrations.steps]]
      for-each = "hosts"
      steps = [{ rename = "host", to = "name" }]
      [[migrations]]
      version = 5
      name = "count is a number"
      steps = [{ convert = "count", conversions = ["integer"] }]

      """, to: home.path + "/data/app-settings/\(app).toml")
  }

  private var backups: [String] { home.names(in: home.backups) }

  @Test func `migrate shows a diff, stops at a version, goes on, and goes back`() throws {
    try schema()
    let old = "# c\n\ncolour = \"red\" # r\ncount = \"3\"\n[[hosts]]\nhost = \"a\" # h\n"
    try home.write(old)
    #expect(
      try run("migrate", app, "--status")
        == answer("pending: 2 rename colour\npending: 3 hosts have names\npending: 5 count is a number\n", status: 1))
    let diff = try run("migrate", app, "--dry-run")
    #expect(diff.status == 0 && diff.error.isEmpty)
    #expect(diff.output.hasPrefix("--- \(home.file)\tversion 1\n+++ \(home.file)\tversion 5\n@@ -1,6 +1,7 @@\n"))
    #expect(
      diff.output.contains(
        "-colour = \"red\" # r\n-count = \"3\"\n+settings-version = 5\n+theme = \"red\" # r\n+count = 3\n"))
    #expect(home.text() == old && backups.isEmpty)
    #expect(try run("migrate", app, "--to", "3") == answer("migrated: 2 rename colour\nmigrated: 3 hosts have names\n"))
    #expect(
      home.text()
        == "# c\n\nsettings-version = 3\ntheme = \"red\" # r\ncount = \"3\"\n[[hosts]]\nname = \"a\" # h\n")
    #expect(try run("migrate", app, "--to", "3") == answer("current: version 3\n"))
    #expect(try run("migrate", app) == answer("migrated: 5 count is a number\n"))
    #expect(try run("migrate", app) == answer("current: version 5\n"))
    #expect(try run("migrate", app, "--dry-run") == answer(""))
    #expect(backups.count == 2)

    let undone = try run("migrate", app, "--undo")
    #expect(undone.status == 0 && undone.output.hasPrefix("restored: ") && undone.output.contains("before-v5-was-v3"))
    #expect(home.text()?.contains("\n\nsettings-version = 3\n") == true)
    #expect(backups.count == 3)
  }

  @Test func `migrate refuses what it cannot do, and the file stays`() throws {
    try schema()
    #expect(try run("migrate", app, "--undo").status == 1)
    #expect(try run("migrate", app, "--to", "9").status == 2)
    #expect(try run("migrate", app, "--status", "--undo").status == 2)
    for text in ["count = \"many\"\n", "settings-version = 8\n", "settings-version = \"x\"\n"] {
      try home.write(text)
      let result = try run("migrate", app)
      #expect(result.status == 8 && result.output.isEmpty && !result.error.isEmpty, "\(result)")
      #expect(try run("migrate", app, "--dry-run").status == 8)
      #expect(home.text() == text)
    }
    #expect(try run("migrate", app, "--status").status == 8)
    try home.write("a = \n")
    #expect(try run("migrate", app).status == 6)
    #expect(backups.isEmpty)
  }

  @Test func `migrate names a step of code and exits 8`() throws {
    try home.write(
      "app = \"\(app)\"\n[[migrations]]\nversion = 2\nname = \"split\"\nsteps = [{ code = true }]\n",
      to: home.path + "/data/app-settings/\(app).toml")
    try home.write("a = 1\n")
    let result = try run("migrate", app)
    #expect(result.status == 8 && result.error.contains("start the app once"))
    #expect(home.text() == "a = 1\n")
  }

  @Test func `recover moves a broken file to a numbered backup and says where`() throws {
    #expect(try run("recover", app).status == 0)
    try home.write("a = 1\n")
    let fine = try run("recover", app)
    #expect(fine.status == 0 && fine.output.isEmpty)
    #expect(home.text() == "a = 1\n")
    try home.write("a = \n")
    #expect(try run("get", app, "a").status == 6)
    let moved = try run("recover", app)
    #expect(moved.status == 0 && moved.error.isEmpty)
    let path = moved.output.trimmingCharacters(in: .newlines)
    #expect(path.hasPrefix(home.backups + "/settings.000001.") && path.hasSuffix("Z.unparsable.toml"))
    #expect(home.text(of: path) == "a = \n")
    #expect(home.text() == nil)
    #expect(try run("get", app, "a").status == 1)
    try home.write("b = \n")
    let again = try run("recover", app, "--restore")
    #expect(again.status == 1 && again.output.isEmpty && again.error.contains("Neither its history nor a backup"))
    #expect(home.text() == "b = \n")
    #expect(backups.count == 1)
  }

  @Test func `recover --restore puts the newest text that parses in place, or the newest such backup`() throws {
    try schema()
    try home.write("colour = \"red\"\n")
    #expect(try run("migrate", app).status == 0)
    let migrated = home.text()
    try home.write("broken\n")
    var result = try run("recover", app, "--restore")
    #expect(result.status == 0 && result.output.contains("restored: #1 "), "\(result)")
    #expect(home.text() == migrated)
    try home.write("broken\n")
    try FileManager.default.removeItem(atPath: home.path + "/state/app-settings/files\(home.file).history")
    result = try run("recover", app, "--restore")
    #expect(result.status == 0)
    #expect(result.output.contains("restored: ") && result.output.contains("before-v5-was-v1"))
    #expect(home.text() == "colour = \"red\"\n")
  }

  @Test func `undo leaves a file of a newer release, and takes a backup that is named`() throws {
    try schema()
    try home.write("colour = \"red\"\n")
    #expect(try run("migrate", app).status == 0)
    let newer = "settings-version = 9\nnew = true\n"
    try home.write(newer)
    let refused = try run("migrate", app, "--undo")
    #expect(refused.status == 1 && refused.output.isEmpty && refused.error.contains("it has version 9"))
    #expect(home.text() == newer)
    #expect(try run("migrate", app, "--undo", "--backup", "none.toml").status == 1)
    #expect(try run("migrate", app, "--backup", "none.toml").status == 2)
    let backup = try #require(backups.first)
    let path = home.backups + "/" + backup
    #expect(try run("migrate", app, "--undo", "--backup", backup) == answer("restored: \(path)\n"))
    #expect(home.text() == "colour = \"red\"\n")
    #expect(home.text(of: home.backups + "/" + backups[1]) == newer)
    #expect(try run("migrate", home.file, "--undo", "--backup", path).status == 0)
  }

  @Test func `an empty standard input is no value, unless it is asked for`() throws {
    try home.write("token = \"t\"\n")
    for input in ["", "\n"] {
      let arguments = ["set", app, "token", "-"]
      let refused = try ChildProcess.run(
        ChildProcess.product("settings-cli"), arguments, environment: home.environment, input: input)
      #expect(refused.status == 4 && refused.error.contains("standard input is empty"))
      #expect(home.text() == "token = \"t\"\n")
    }
    let stored = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["set", app, "token", "-", "--allow-empty"],
      environment: home.environment, input: "")
    #expect(stored == answer(""))
    #expect(home.text() == "token = \"\"\n")
  }

  @Test func `recover works on a file by its path`() throws {
    let file = home.path + "/x.toml"
    try home.write("a = \n", to: file)
    let result = try run("recover", file)
    #expect(result.status == 0)
    #expect(home.text(of: result.output.trimmingCharacters(in: .newlines)) == "a = \n")
    #expect(home.text(of: file) == nil)
  }

  @Test func `import takes what it is told to, and says what it did not`() throws {
    try home.write("[view]\nfontsize = 14\ntheme = dark\n", to: home.path + "/old.ini")
    try home.write("view.theme = \"light\"\n")
    let expected = answer(
      "taken: view.fontsize -> editor.font-size\nskipped: view.theme: 'view.theme' has a value already\n")
    let arguments = ["import", app, "old.ini", "--map", "view.fontsize=editor.font-size"]
    #expect(try run(arguments[0], app, "./old.ini", arguments[3], arguments[4], "--dry-run") == expected)
    #expect(home.text() == "view.theme = \"light\"\n")
    #expect(try run(arguments[0], app, "./old.ini", arguments[3], arguments[4]) == expected)
    #expect(home.text() == "view.theme = \"light\"\n\n[editor]\nfont-size = 14\n")
    #expect(try run("import", app, "old.ini", "--replace").status == 0)
    #expect(home.text()?.hasPrefix("view.theme = \"dark\"\n") == true)
  }

  @Test func `import refuses what it cannot read`() throws {
    try home.write("{", to: home.path + "/bad.json")
    try home.write("x", to: home.path + "/unknown")
    #expect(try run("import", app, "bad.json").status == 6)
    #expect(try run("import", app, "none.json").status == 7)
    #expect(try run("import", app, "unknown").status == 2)
    #expect(try run("import", app, "unknown", "--format", "yaml").status == 2)
    #expect(try run("import", app, "bad.json", "--map", "x").status == 2)
    #expect(home.text() == nil)
  }

  @Test func `the help of each verb has examples`() throws {
    for verb in ["migrate", "recover", "import"] {
      let help = try run(verb, "--help")
      #expect(help.status == 0 && help.output.contains("EXAMPLES") && help.error.isEmpty)
    }
  }

  @Test func `the history can be read after a migration was undone`() throws {
    let test = try SchemaHome()
    let schema = """
      app = "org.example.test"
      [keys.theme]
      type = "string"
      [keys.n]
      type = "integer"
      [[migrations]]
      version = 2
      name = "m"
      steps = [{ rename = "x", to = "theme" }]
      """
    try test.home.write(schema, to: test.schemaFile)
    try test.write("x = \"v\"\n")
    try test.done("migrate", test.app)
    try test.done("migrate", test.app, "--undo")
    try test.done("set", test.app, "theme", "w")
    try test.done("set", test.app, "n", "1")
    try test.done("set", test.app, "n", "2")
    let numbers = try test.done("log", test.app).split(separator: "\n").filter { $0.hasPrefix("#") }.count
    for number in 1...numbers { try test.done("at", test.app, "--entry", "\(number)") }
    try test.done("undo", test.app)
    #expect(try test.done("get", test.app, "n") == "1\n")
  }
}
