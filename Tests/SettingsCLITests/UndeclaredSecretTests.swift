import Foundation
import Testing
import TestSupport

/// Values whose names say that they are secret, in files of which nothing is declared; and values that are in the place of
/// a declared secret's table. No verb shows them unasked, and no history keeps them.
struct UndeclaredSecretTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  private static let forms = [
    "password = \"CANARY\" # CANARY\n", "db.api_key = 'CANARY'\n", "[t]\n# CANARY\nclientSecret = \"CANARY\"\nx = 1\n",
    "db = { host = \"h\", password = \"CANARY\" }\n", "[[server]]\nname = \"a\"\npassword = \"CANARY\"\n",
    "servers = [{ password = \"CANARY\" }]\n", "token = [\"CANARY\"]\n", "s = [[{ token = '''CANARY''' }]]\n",
    "settings-token = \"CANARY\"\n[settings-x]\npassword = 'CANARY'\n",
    "# password = \"CANARY\"\nx = 1\n", "\"pass\\u0077ord\" = \"CANARY\"\n", "db.password2 = \"\"\"\nCANARY\n\"\"\"\n",
  ]

  private func run(_ words: [String], input: String? = nil) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), words, environment: home.environment, input: input, directory: home.path)
  }

  /// Every verb that shows something of a target, unasked.
  private func look(at target: String, _ what: String) throws {
    let readers =
      [
        ["list"], ["list", "--json"], ["list", "-0"], ["list", "--origin"], ["export"], ["export", "--json"],
        ["export", "--env"], ["log"], ["log", "--json"], ["blame"], ["blame", "--json"], ["describe"],
        ["describe", "--json"], ["describe", "--document"], ["check"], ["diff"], ["get", "db"],
        ["get", "db", "--json"],
        ["get", "db", "--toml"], ["get", "db.host", "--layers"], ["get", "db.host", "--layers", "--json"],
        ["describe", "db.host"], ["describe", "db.host", "--json"],
      ]
      + (["#0", "0s"].flatMap { [["at", $0], ["at", $0, "--diff"], ["at", $0, "db", "--toml"]] })
      + [["undo", "--dry-run"]]
    for words in readers {
      let result = try run([words[0], target] + words.dropFirst())
      #expect(!(result.output + result.error).contains("CANARY"), "\(words) of \(what): \(result)")
    }
  }

  private func searchState(_ what: String) {
    for case let name as String in FileManager.default.enumerator(atPath: home.path + "/state") ?? .init()
    where name.contains(".history/") {
      let data = FileManager.default.contents(atPath: "\(home.path)/state/\(name)") ?? Data()
      #expect(data.range(of: Data("CANARY".utf8)) == nil, "\(name), \(what)")
    }
  }

  @Test(arguments: forms)
  func `a value with the name of a secret is neither shown nor kept`(form: String) throws {
    // Half of them in a file by its path, the others in an app's.
    for target in [Self.forms.firstIndex(of: form)! % 2 == 0 ? "./x.toml" : app] {
      let file = target == app ? home.file : home.path + "/x.toml"
      try home.write("max-tokens = 5\n" + form, to: file)
      chmod(file, 0o600)
      #expect(try run(["set", target, "top", "1"]).status == 0)
      #expect(try run(["set", target, "max-tokens", "6"]).status == 0)
      try look(at: target, form)
      #expect(try run(["find", "h"]).output.contains("CANARY") == false)
      searchState(form)
      // What is not hidden comes back as it was.
      #expect(try run(["undo", target, "max-tokens"]).status == 0)
      #expect(try String(contentsOfFile: file, encoding: .utf8).contains("max-tokens = 5\n"))
    }
  }

  @Test func `a value set through a table is not kept either`() throws {
    for (index, words) in [
      ["servers", "[{ password = \"CANARY\" }]"], ["db", "{ password = \"CANARY\", host = \"h\" }"],
      ["password", "CANARY"], ["db.token", "CANARY"], ["token", "[\"CANARY\"]"],
    ].enumerated() {
      #expect(try run(["set", "./x.toml"] + words).status == 0)
      #expect(try run(["set", "./x.toml", "a", "1"]).status == 0)
      if index == 4 { try look(at: "./x.toml", "\(words)") }
      searchState("\(words)")
    }
    #expect(try run(["unset", "./x.toml", "password"]).status == 0)
    searchState("unset")
    // It is there for those who ask for it by name.
    #expect(try run(["get", "./x.toml", "db.token"]).output == "CANARY\n")
    #expect(try run(["get", "./x.toml", "servers"]).output.contains("CANARY"))
    #expect(try run(["export", "./x.toml", "--secrets"]).output.contains("CANARY"))
  }

  @Test func `a value in the place of a secret's table is shown in no layer`() throws {
    let schema = """
      app = "org.example.test"
      [keys."db.password"]
      type = "string"
      secret = true
      [keys."db.host"]
      type = "string"

      """
    try home.write(schema, to: home.path + "/data/app-settings/\(app).toml")
    for form in ["db = \"CANARY\"\n", "db = [\"CANARY\"]\n", "[[db]]\npassword = \"CANARY\"\n", "db = 2026-01-01\n"] {
      try home.write(form)
      chmod(home.file, 0o600)
      try look(at: app, form)
      #expect(!(try run(["describe", app, "--document"]).output.contains("2026-01-01")), "\(form)")
    }
  }

  @Test func `the message for a text that does not parse shows no such value`() throws {
    try home.write("a = 1\npassword = \"CANARY\n", to: home.path + "/x.toml")
    for words in [
      ["list"], ["set", "a", "2"], ["describe", "--document"], ["check"], ["recover", "--dry-run"], ["diff"],
    ] {
      let result = try run([words[0], "./x.toml"] + words.dropFirst())
      #expect(!(result.output + result.error).contains("CANARY"), "\(words): \(result)")
    }
  }

  @Test func `in the history, an array of tables that has a secret is one value, whoever changes it`() throws {
    let (file, array) = (home.path + "/x.toml", "[[server]]\nname = \"a\"\npassword = \"CANARY\"\n")
    try home.write("x = 1\n" + array, to: file)
    #expect(try run(["set", "./x.toml", "x", "2"]).status == 0)
    for text in ["x = 2\n", "x = 2\n" + array] {
      try home.write(text, to: file)
      #expect(try run(["set", "./x.toml", "y", "\(text.utf8.count)"]).status == 0)
      let log = try run(["log", "./x.toml"]).output
      #expect(log.contains(" outside\n  server: (not in the history)\n") && !log.contains("server.\""), "\(log)")
      try home.write("y = 1\n", to: file)
    }
    // By a text that brings it along, and by one that removes it.
    try home.write(array, to: home.path + "/other.toml")
    for words in [["import", "./new.toml", "./other.toml"], ["edit", "./new.toml", "--text", "-"]] {
      let result = try run(words, input: "x = 1\n")
      #expect(result.status == 0, "\(result)")
    }
    let log = SchemaHome.timeless(try run(["log", "./new.toml"]).output)
    #expect(
      log.contains("import by settings-cli\n  server: (not in the history)\n")
        && log.contains("  x: (none) -> 1\n  server: (not in the history)\n"), "\(log)")
    #expect(try run(["undo", "./new.toml"]).error.contains("the value of 'server' is not in the history"))
  }

  @Test func `a key that is named like what is not kept is a key`() throws {
    let file = home.path + "/x.toml"
    for (before, name) in [("", ""), ("[t]\ny = 1\n", "t.")] {
      try home.write(before + "\"(not in the history)\" = 5\n", to: file)
      #expect(try run(["set", "./x.toml", "z.x", "2"]).status == 0)
      try home.write(try #require(home.text(of: file)).replacing("= 5", with: "= 6"), to: file)
      #expect(try run(["set", "./x.toml", "z.x", "3"]).status == 0)
      let log = try run(["log", "./x.toml"]).output
      #expect(log.contains(" outside\n  \(name)\"(not in the history)\": 5 -> 6\n"), "\(log)")
      let entry = log.split(separator: "\n").first { $0.hasSuffix(" outside") }?.split(separator: " ").first
      let undo = try run(["undo", "./x.toml", String(try #require(entry))])
      #expect(undo.status == 0 && home.text(of: file)?.contains("\"(not in the history)\" = 5\n") == true, "\(undo)")
    }
  }
}
