import Foundation
import Testing
import TestSupport

/// Writing a part of a value that the file has under a former name of its key.
struct FormerTableTests {
  let home = ScratchHome()
  private let app = "org.example.test"
  private let before = """
    # head

    # the window
    [win] # w
    width = 1 # one
    height = 2
    colour = "red"
    list = [1, 2] # few

    [other]
    x = 1

    """
  /// What has moved is as it was.
  private var moved: String { before.replacing("[win]", with: "[window]") }

  init() throws {
    try home.write(
      """
      app = "org.example.test"
      [keys.window]
      type = "table"
      fields = { width = { type = "integer" }, height = { type = "integer" }, list = { type = "array" } }
      other-fields = true
      formerly = ["win", "old.frame"]
      [keys.size]
      type = "integer"

      """, to: home.path + "/data/app-settings/\(app).toml")
    try home.write(before)
  }

  private func run(_ arguments: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, directory: home.path)
  }

  private func expectDone(_ result: ChildProcess.Result, _ text: String) {
    #expect(result == ChildProcess.Result(status: 0, output: "", error: ""))
    #expect(home.text() == text)
  }

  @Test(arguments: ["window", "win", "old.frame"])
  func `setting a part moves the rest to the present name`(name: String) throws {
    expectDone(try run("set", app, "\(name).height", "5"), moved.replacing("height = 2", with: "height = 5"))
    #expect(try run("get", app, "window.width").output == "1\n")
  }

  @Test func `setting several parts moves the rest once`() throws {
    expectDone(
      try run("set", app, "window.height=5", "window.depth=3", "win.width=4"),
      moved.replacing("height = 2", with: "height = 5").replacing("width = 1", with: "width = 4")
        .replacing("# few\n", with: "# few\ndepth = 3\n"))
  }

  @Test func `a part is removed from what has moved, and one that is not there moves nothing`() throws {
    #expect(try run("unset", app, "window.nope").status == 1)
    #expect(home.text() == before)
    expectDone(try run("unset", app, "window.height"), moved.replacing("height = 2\n", with: ""))
  }

  @Test func `an element goes to the array that the former name has`() throws {
    expectDone(
      try run("set", app, "window.list", "--append", "3", "--remove", "1"),
      moved.replacing("[1, 2]", with: "[2, 3]"))
  }

  @Test func `an inline table moves as well`() throws {
    try home.write("old.frame = { width = 1, height = 2 } # frame\n")
    #expect(try run("set", app, "window.height", "5").status == 0)
    #expect(home.text()?.contains("window = { width = 1, height = 5 }") == true, "\(home.text() ?? "")")
    #expect(home.text()?.contains("frame =") == false)
  }

  @Test func `what stands under a former name beside the present one goes`() throws {
    try home.write("[window]\nheight = 1\n\n[win]\nwidth = 2\n")
    expectDone(try run("set", app, "window.height", "5"), "[window]\nheight = 5\n")
  }

  @Test func `a locked part does not keep the others from being set`() throws {
    try home.write(
      "settings-locked = [\"win.width\"]\n[win]\nwidth = 9\n", to: home.path + "/etc/xdg/\(app)/settings.toml")
    #expect(try run("set", app, "window.width", "5").status == 5)
    #expect(home.text() == before)
    // The locked part has no effect, and stays for when the lock is gone.
    let text = """
      # head

      # the window
      [win] # w
      width = 1 # one

      [other]
      x = 1

      [window]
      height = 5
      colour = "red"
      list = [1, 2] # few

      """
    expectDone(try run("set", app, "window.height", "5"), text)
    #expect(try run("get", app, "window.width").output == "9\n")
    expectDone(
      try run("set", app, "window.height", "6"), text.replacing("height = 5", with: "height = 6"))
  }

  @Test func `an import of a part moves the rest`() throws {
    try home.write("{\"window\": {\"height\": 9}}", to: home.path + "/other.json")
    #expect(try run("import", app, "./other.json").status == 0)
    #expect(home.text() == before)
    #expect(try run("import", app, "./other.json", "--replace").status == 0)
    #expect(home.text() == moved.replacing("height = 2", with: "height = 9"))
  }

  @Test(arguments: ["locked", "refused", "there already"])
  func `an import that takes no part moves nothing`(reason: String) throws {
    if reason == "locked" {
      try home.write("settings-locked = [\"window.height\"]\n", to: home.path + "/etc/xdg/\(app)/settings.toml")
    }
    let value = reason == "refused" ? "\"tall\"" : "9"
    try home.write("{\"window\": {\"height\": \(value)}, \"size\": 3}", to: home.path + "/other.json")
    let rules = reason == "there already" ? [] : ["--replace"]
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["import", app, "./other.json"] + rules, environment: home.environment,
      directory: home.path)
    #expect(result.error == "", "\(result)")
    #expect(home.text() == before.replacing("# head\n", with: "# head\n\nsize = 3\n"))
  }

  @Test func `a value that moves to its present name keeps its comments`() throws {
    let test = try SchemaHome()
    try test.write("theme = \"dark\"\n# why\nfont_size = 14 # mine\n")
    try test.done("set", test.app, "editor.font-size", "16")
    #expect(test.home.text() == "theme = \"dark\"\n\n[editor]\n# why\nfont-size = 16 # mine\n")
  }
}
