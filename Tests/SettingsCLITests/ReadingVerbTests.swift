import Foundation
import Testing
import TestSupport

/// Verbs that read write nothing, also where a migration is pending.
struct ReadingVerbTests {
  let home = ScratchHome()
  private let app = "org.example.test"
  private let old = "colour = \"red\"   # c\n"

  init() throws {
    try home.write(
      """
      app = "\(app)"
      [keys.theme]
      type = "string"
      [[migrations]]
      version = 2
      name = "rename colour"
      steps = [{ rename = "colour", to = "theme" }]

      """, to: home.path + "/data/app-settings/\(app).toml")
  }

  private func run(_ arguments: String..., input: String? = nil) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, input: input, directory: home.path
    )
  }

  private let note =
    "settings-cli: Pending: 2 'rename colour'. Values are shown as they will be; to write them, run "
    + "'settings-cli migrate org.example.test'.\n"

  /// Every file in the home, with what it holds.
  private func files() -> [String: String] {
    var files: [String: String] = [:]
    for case let name as String in FileManager.default.enumerator(atPath: home.path)! {
      files[name] = home.text(of: home.path + "/" + name) ?? "(directory)"
    }
    return files
  }

  @Test(arguments: [
    ["get", "APP", "theme"], ["get", "APP", "theme", "--json"], ["list", "APP"], ["describe", "APP"], ["diff", "APP"],
    ["export", "APP"], ["watch", "APP", "theme", "--count", "1"], ["list", "APP", "--json"],
  ])
  func `a verb that reads shows what a migration will make, says so, and writes nothing`(words: [String]) throws {
    try home.write(old)
    let before = files()
    let words = words.map { $0 == "APP" ? app : $0 }
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), words, environment: home.environment, directory: home.path)
    #expect(result.status == 0 && result.output.contains("red") && !result.output.contains("colour"), "\(result)")
    #expect(result.error == note)
    #expect(files() == before)
  }

  @Test func `a batch that only reads writes nothing, and one that changes a value migrates`() throws {
    try home.write(old)
    let before = files()
    let get = "{\"get\":\"theme\"}\n"
    let answer = "{\"line\":1,\"ok\":true,\"key\":\"theme\",\"value\":\"red\"}\n"
    #expect(try run("batch", app, input: get) == SchemaHome.answer(answer))
    #expect(try run("batch", app, "--dry-run", input: get) == SchemaHome.answer(""))
    let refused = try run("batch", app, "--keep-going", input: get + "{\"set\":\"thme\",\"value\":\"x\"}\n")
    #expect(refused.status == 3 && refused.output.hasPrefix(answer), "\(refused)")
    let changed = try run("batch", app, "--if-unchanged", "absent", input: get)
    #expect(changed.status == 9, "\(changed)")
    #expect(files() == before)
    #expect(try run("batch", app, input: get + "{\"set\":\"theme\",\"value\":\"blue\"}\n").status == 0)
    #expect(home.text() == "settings-version = 2\ntheme = \"blue\"   # c\n")
  }

  @Test func `a migration that fails is not said to be shown`() throws {
    try home.write("theme = \"dark\"\ncolour = \"red\"\nold = \"x\"\n")
    let schema = home.path + "/data/app-settings/\(app).toml"
    try home.write(
      (home.text(of: schema) ?? "").replacingOccurrences(
        of: "steps = [{ rename = \"colour\", to = \"theme\" }]",
        with: "steps = [{ convert = \"old\", conversions = [\"integer\"] }]"), to: schema)
    let result = try run("get", app, "theme")
    #expect(result.output == "dark\n" && result.error.contains("Nothing was written"), "\(result)")
    #expect(!result.error.contains("Pending"), "\(result)")
  }

  @Test func `verbs that need no values leave a pending migration alone, too`() throws {
    try home.write(old)
    let before = files()
    let silent = [
      ["path", app], ["apps"], ["schema", app], ["migrate", app, "--status"], ["migrate", app, "--dry-run"],
      ["check", app],
      ["recover", app], ["complete", "fish", "--", "settings-cli get \(app) "],
      ["import", app, "-", "--format", "json", "--dry-run"],
    ]
    for words in silent {
      _ = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: home.environment, input: "{}", directory: home.path)
      #expect(files() == before, "\(words)")
    }
  }

  @Test func `verbs that write run the migration, with a backup`() throws {
    for (index, words) in [["set", app, "x", "1", "--create"], ["unset", app, "theme"], ["migrate", app]].enumerated() {
      // Each its own text: of one that is in the backups already no other is made.
      try home.write(old + "a = \(index)\n")
      let count = home.names(in: home.backups).count
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: home.environment, directory: home.path)
      #expect(result.status == 0 && result.error.isEmpty, "\(result)")
      #expect(home.text()?.hasPrefix("settings-version = 2\n") == true)
      #expect(home.names(in: home.backups).count == count + 1)
    }
  }

  @Test(
    arguments: [
      (["set", "them", "x"], 3), (["set", "theme", "x", "--type", "integer"], 4), (["unset", "size"], 1),
      (["unset", "size", "--dry-run"], 1), (["rename", "theme", "nope"], 3),
    ] as [([String], Int32)])
  func `a change that is refused leaves a pending migration alone`(words: [String], status: Int32) throws {
    let schema = home.path + "/data/app-settings/\(app).toml"
    try home.write((home.text(of: schema) ?? "") + "[keys.size]\ntype = \"integer\"\n", to: schema)
    try home.write(old)
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), [words[0], app] + words.dropFirst(), environment: home.environment,
      directory: home.path)
    #expect(result.status == status && result.output.isEmpty, "\(result)")
    #expect(home.text() == old)
  }

  @Test func `a read after an undo does not undo it`() throws {
    try home.write(old)
    #expect(try run("migrate", app).status == 0)
    #expect(try run("migrate", app, "--undo").status == 0)
    #expect(try run("get", app, "theme").output == "red\n")
    #expect(home.text() == old)
    #expect(try run("migrate", app, "--status").status == 1)
  }

  @Test func `an import that is pending is shown, and makes no file`() throws {
    try home.write("theme = dark\n", to: home.path + "/old.ini")
    try home.write(
      """
      app = "\(app)"
      [[migrations]]
      version = 2
      name = "take over"
      steps = [{ import = "~/old.ini", format = "ini" }]

      """, to: home.path + "/data/app-settings/\(app).toml")
    let before = files()
    let result = try run("get", app, "theme")
    #expect(result.output == "dark\n" && result.error.contains("Pending: the import into a new file."))
    #expect(files() == before)
    #expect(try run("set", app, "x", "1").status == 0)
    #expect(try run("get", app, "theme").error.isEmpty)
    #expect(home.text()?.contains("theme = \"dark\"") == true)
  }
}
