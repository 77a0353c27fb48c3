import Foundation
import Testing
import TestSupport

/// `recover`, and what other verbs say of a file that does not parse.
struct RecoverCommandTests {
  let test: SchemaHome
  init() throws { test = try SchemaHome() }
  private var app: String { test.app }

  @Test func `the newest text comes back, with all that was set after the newest backup`() throws {
    let file = test.home.path + "/old.toml"
    try test.home.write("a = 1\n", to: file)
    try test.home.write("{\"b\": 2}", to: test.home.path + "/x.json")
    try test.done("import", "./old.toml", "./x.json")
    for number in 1...5 { try test.done("set", "./old.toml", "k\(number)", "\(number)") }
    let text = try #require(test.home.text(of: file))
    try test.home.write(text + "oops\n", to: file)
    let broken = try test.run("get", "./old.toml", "k1")
    #expect(broken.status == 6)
    #expect(
      SchemaHome.timeless(broken.error).contains(
        "Correct it with 'settings-cli edit ./old.toml', or bring back the text of TIME (#6 of its history) with "
          + "'settings-cli recover ./old.toml --restore'."), "\(broken)")
    let lines = SchemaHome.timeless(try test.done("recover", "./old.toml", "--restore")).split(separator: "\n").map(
      String.init)
    #expect(lines[0].hasSuffix(".unparsable.toml") && test.home.text(of: lines[0]) == text + "oops\n")
    #expect(lines[1] == "restored: #6 TIME set by settings-cli")
    #expect(lines.last == "-oops" && lines.contains("--- \(file)"), "\(lines)")
    #expect(test.home.text(of: file) == text)
    #expect(SchemaHome.timeless(try test.done("undo", "./old.toml")).hasPrefix("undone: #6 "))
  }

  @Test func `secrets are taken from the text that does not parse, and not shown`() throws {
    try test.done("set", app, "theme=dark", "sync.token=hunter2")
    try test.done("set", app, "editor.font-size", "14")
    let text = try #require(test.home.text(of: test.file))
    try test.write(text.replacingOccurrences(of: "theme = ", with: "theme  "))
    let advice = SchemaHome.timeless(try test.run("list", app).error)
    #expect(
      advice.contains("bring back the text of TIME (#2 of its history)") && !advice.contains("hunter2"), "\(advice)")
    let result = try test.run("recover", app, "--restore")
    #expect(result.status == 0 && !result.output.contains("hunter2") && result.error == "", "\(result)")
    #expect(SchemaHome.timeless(result.output).contains("restored: #2 TIME set by settings-cli\n"))
    #expect(test.home.text(of: test.file) == text)
  }

  @Test func `where a secret is not certain, the newest text that has all is restored, and that is said`() throws {
    try test.done("set", app, "theme", "light")
    try test.done("set", app, "sync.token", "hunter2")
    try test.write("theme = \"dark\n")
    let advice = SchemaHome.timeless(try test.run("list", app).error)
    #expect(advice.contains("bring back the text of TIME (#1 of its history)"), "\(advice)")
    let result = try test.run("recover", app, "--restore")
    #expect(result.status == 0 && SchemaHome.timeless(result.output).contains("restored: #1 TIME"), "\(result)")
    #expect(
      SchemaHome.timeless(result.error)
        == "settings-cli: The text of TIME is newer, but the history does not keep all its values: 'settings-cli at "
        + "\(app) --entry 2' prints the rest.\n")
    #expect(test.home.text(of: test.file) == "theme = \"light\"\n")
  }

  @Test func `a text of which one of two secrets is gone is not taken for whole`() throws {
    try test.done("set", app, "theme", "light")
    try test.done("set", app, "a.password=hunter2", "b.password=hunter3", "--create")
    try test.write("theme = \"light\"\n\n[a]\npassword = \"hunter2\"\n\n[b]\noops = = \"hunter3\"\n")
    let result = try test.run("recover", app, "--restore")
    #expect(result.status == 0 && SchemaHome.timeless(result.output).contains("restored: #1 TIME"), "\(result)")
    #expect(test.home.text(of: test.file) == "theme = \"light\"\n")
  }

  @Test func `the secret of another table is not taken for one that is gone`() throws {
    try test.done("set", app, "theme", "light")
    try test.done("set", app, "prod.password", "hunter2", "--create")
    for broken in [
      "[test]\npassword = \"other\"\ntheme = = 1\n", "theme = \"light\"\n\n[test]\npassword = \"other\"\n\n=",
    ] {
      try test.write(broken)
      try test.done("recover", app, "--restore")
      #expect(test.home.text(of: test.file) == "theme = \"light\"\n")
    }
  }

  @Test func `a backup of a clock that was ahead is not newer than what came after it`() throws {
    try test.done("set", app, "theme", "light")
    let text = try #require(test.home.text(of: test.file))
    try test.home.write(text, to: test.home.backups + "/settings.000007.21000101T000000Z.before-edit.toml")
    try test.done("set", app, "theme", "dark")
    try test.write("theme = \n")
    let output = SchemaHome.timeless(try test.done("recover", app, "--restore"))
    #expect(output.contains("restored: #2 TIME set by settings-cli\n"), "\(output)")
    #expect(test.home.text(of: test.file) == "theme = \"dark\"\n")
  }

  @Test func `without a text that has all, nothing is done, and that is said`() throws {
    try test.write("sync.token = \"hunter2\"\n")
    try test.done("set", app, "theme", "light")
    try test.write("theme = \"dark\n")
    let advice = try test.run("list", app).error
    #expect(
      SchemaHome.timeless(advice).contains(
        "or move it to the backups with 'settings-cli recover \(app)'. 'settings-cli at \(app) --entry 1' prints the text of "
          + "TIME without the values that its history does not keep."), "\(advice)")
    let result = try test.run("recover", app, "--restore")
    #expect(result.status == 1 && result.error.contains("but not all its values"), "\(result)")
    #expect(test.home.text(of: test.file) == "theme = \"dark\n")
  }

  @Test func `a backup that is newer than the history is restored`() throws {
    try test.done("set", app, "theme", "light")
    try test.home.write(
      "theme = \"dark\"\n", to: test.home.backups + "/settings.000007.21000101T000000Z.before-edit.toml")
    try test.write("theme = \n")
    let advice = SchemaHome.timeless(try test.run("list", app).error)
    #expect(advice.contains("bring back the backup of TIME with"), "\(advice)")
    let output = SchemaHome.timeless(try test.done("recover", app, "--restore"))
    #expect(output.contains(".before-edit.toml\nmade: TIME\n"), "\(output)")
    #expect(test.home.text(of: test.file) == "theme = \"dark\"\n")
  }

  @Test func `what a recovery has moved away is no text to restore, and what was before it is`() throws {
    try test.done("set", app, "theme", "light")
    try test.write("theme = \n")
    try test.done("recover", app)
    try test.write("theme = = 2\n")
    #expect(
      SchemaHome.timeless(try test.done("recover", app, "--restore")).contains(
        "restored: #1 TIME set by settings-cli\n"))
    #expect(test.home.text(of: test.file) == "theme = \"light\"\n")
    // Where everything was removed on purpose, nothing is what comes back.
    try test.done("unset", app, "--all")
    #expect(test.home.text(of: test.file) == nil)
    try test.write("theme = \n")
    try test.done("recover", app, "--restore")
    #expect(test.home.text(of: test.file) == "")
  }

  @Test func `what the history leaves out is taken from the text that a recovery has moved away`() throws {
    try test.done("set", app, "theme", "light")
    try test.done("set", app, "sync.token", "hunter2")
    try test.done("set", app, "editor.font-size", "14")
    let text = try #require(test.home.text(of: test.file))
    for later in [nil, "x = = 1\n"] as [String?] {
      try test.write(text + "oops =\n")
      try test.done("recover", app)
      if let later { try test.write(later) }
      let result = try test.run("recover", app, "--restore")
      #expect(result.status == 0 && result.error == "" && !result.output.contains("hunter2"), "\(result)")
      #expect(test.home.text(of: test.file) == text)
    }
    // It was not the recovery that has removed the file.
    try test.done("set", app, "sync.token", "hunter3")
    try FileManager.default.removeItem(atPath: test.file)
    try test.done("recover", app, "--restore")
    #expect(test.home.text(of: test.file)?.contains("hunter2") == false)
  }

  @Test func `a file that was removed comes back with the newest text that it had`() throws {
    try test.done("set", app, "theme", "light")
    try test.done("set", app, "theme", "dark")
    try FileManager.default.removeItem(atPath: test.file)
    let output = SchemaHome.timeless(try test.done("recover", app, "--restore"))
    #expect(output.hasPrefix("restored: #2 TIME set by settings-cli\n--- /dev/null\n"), "\(output)")
    #expect(test.home.text(of: test.file) == "theme = \"dark\"\n")
  }

  @Test func `a backup with an earlier secret does not replace the present one`() throws {
    let file = test.home.path + "/r.toml"
    func make(_ end: String) throws {
      try? FileManager.default.removeItem(atPath: file)
      try test.done("set", "./r.toml", "token", "OLD")
      let edited = try ChildProcess.run(
        ChildProcess.product("settings-cli"), ["edit", "./r.toml", "--text", "-"], environment: test.home.environment,
        input: "token = \"OLD\"\nx = 1\n", directory: test.home.path)
      #expect(edited.status == 0, "\(edited)")
      try test.done("unset", "./r.toml", "x")
      try test.done("set", "./r.toml", "token", "NEW")
      try test.home.write(end, to: file)
    }
    try make("token = \"NEW\"\n= broken\n")
    try test.done("recover", "./r.toml", "--restore")
    #expect(test.home.text(of: file) == "token = \"NEW\"\n")
    try make("x = = 1\n")
    let result = try test.run("recover", "./r.toml", "--restore")
    #expect(result.status == 0 && result.error.contains("is newer, but the history does not keep all"), "\(result)")
    #expect(test.home.text(of: file) == "token = \"OLD\"\n")
  }
}
