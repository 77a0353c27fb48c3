import Foundation
import Testing
import TestSupport

/// What a person sees at a terminal, and types there.
@Suite(.enabled(if: TerminalSession.isPossible, "script(1) is not installed")) struct TerminalTests {
  let home = ScratchHome()
  private let app = "org.example.test"
  private let command = ChildProcess.product("settings-cli")

  private func session(_ line: String, _ variables: [String: String] = [:]) throws -> TerminalSession {
    try TerminalSession(
      line, environment: home.environment.merging(variables) { $1 }, directory: home.path)
  }

  @Test(arguments: ["\u{3}", "\u{1C}"])
  func `a signal at a value that is typed unseen leaves a terminal that shows what is typed`(_ key: String) throws {
    try home.write("k = 1\n")
    let session = try session("trap : INT QUIT; \(command) set \(app) k -; stty -a")
    session.wait(for: "Value of 'k': ")
    session.type(key)
    #expect(session.end().text.contains(" echo "))
    #expect(home.text() == "k = 1\n")
  }

  // MARK: Colour

  @Test func `a terminal gets colours and columns, unless NO_COLOR, a dumb terminal or --color says otherwise`() throws
  {
    try home.write("a = 1\nlong-name = \"x\"\n")
    let coloured = "\u{1B}[36ma\u{1B}[0m         = \u{1B}[33m1\u{1B}[0m\n"
    let plain = "a         = 1\nlong-name = \"x\"\n"
    #expect(try session("\(command) list \(app)").end().text.hasPrefix(coloured))
    #expect(try session("\(command) list \(app)", ["NO_COLOR": "1"]).end().text == plain)
    #expect(try session("\(command) list \(app)", ["NO_COLOR": ""]).end().text.hasPrefix(coloured))
    #expect(try session("\(command) list \(app)", ["TERM": "dumb"]).end().text == plain)
    #expect(try session("\(command) list \(app) --color never").end().text == plain)
    #expect(try session("\(command) list \(app) --color=always", ["NO_COLOR": "1"]).end().text.hasPrefix(coloured))
    let piped = try ChildProcess.run(command, ["list", app], environment: home.environment)
    #expect(piped.output == "a = 1\nlong-name = \"x\"\n")
    let forced = try ChildProcess.run(command, ["list", app, "--color", "always"], environment: home.environment)
    #expect(forced.output.hasPrefix("\u{1B}[36ma\u{1B}[0m = \u{1B}[33m1\u{1B}[0m\n"))
  }

  @Test func `a person learns that there is nothing to show, and a script has the status`() throws {
    try home.write("theme = \"dark\"\n")
    let cases = [
      ("list ./none.toml", 0, "'./none.toml' does not exist."),
      ("get \(app)/theme", 0, "'\(app)/theme' does not exist."),
      ("get ./none.toml a", 1, "'./none.toml' does not exist."), ("list \(app) them", 1, "Did you mean 'theme'?"),
      ("list \(app) sync", 1, "'sync' has no value."), ("find zzzz", 1, "Nothing has 'zzzz'."),
      ("describe ./none.toml", 0, "'./none.toml' does not exist."),
      ("export ./none.toml", 0, "'./none.toml' does not exist: nothing is set there."),
      ("blame ./none.toml", 0, "'./none.toml' does not exist: nothing is set there."),
      ("diff ./none.toml", 0, "'./none.toml' does not exist: nothing is set there."),
      ("export \(app) --layer host", 0, "does not exist: nothing is set there."),
      ("diff \(app) --system", 0, "does not exist: nothing is set there."),
    ]
    for (line, status, message) in cases {
      let shown = try session("\(command) \(line) --color never").end()
      #expect(shown.text.hasSuffix(message + "\n") && shown.status == Int32(status), "\(line): \(shown)")
      let piped = try ChildProcess.run(
        command, line.split(separator: " ").map(String.init), environment: home.environment, directory: home.path)
      #expect(piped.error == "" && piped.output == "" && piped.status == Int32(status), "\(line): \(piped)")
    }
  }

  @Test func `control characters of a value are escaped on a terminal, and come out as they are elsewhere`() throws {
    try home.write("a = \"x\\u001B]0;title\\u0007\\ty\\nz\\u202E\\u009Bq\"\n")
    let shown = try session("\(command) get \(app) a").end()
    #expect(shown.text == "x\\u001B]0;title\\u0007\ty\nz\\u202E\\u009Bq\n")
    let piped = try ChildProcess.run(command, ["get", app, "a"], environment: home.environment)
    #expect(piped.output == "x\u{1B}]0;title\u{7}\ty\nz\u{202E}\u{9B}q\n")
    let signs = "\u{61C}\u{200B}\u{2066}\u{2069}\u{2028}\u{2029}\u{AD}\u{2060}\u{FEFF}\u{E0041}\u{85}"
    try home.write("a = \"\(signs)👩\u{200D}🚀\"\n", isSettled: false)
    let escaped =
      "\\u061C\\u200B\\u2066\\u2069\\u2028\\u2029\\u00AD\\u2060\\uFEFF\\U000E0041\\u0085👩\u{200D}🚀"
    #expect(try session("\(command) get \(app) a").end().text == escaped + "\n")
    #expect(try session("\(command) list \(app) --color never").end().text == "a = \"\(escaped)\"\n")
    let error = try session("\(command) get \(app) \"$(printf 'a\\033[31m')\" --color never").end()
    #expect(!error.text.contains("\u{1B}[31m") && error.text.contains("\\u001B[31m") && error.status == 2)
  }

  @Test func `a key without a value suggests another one at a terminal only`() throws {
    try home.write("editor.font-size = 1\n")
    let shown = try session("\(command) get \(app) editor.font-siz --color never").end()
    #expect(shown.text.contains("Did you mean 'editor.font-size'?") && shown.status == 1)
    let piped = try ChildProcess.run(command, ["get", app, "editor.font-siz"], environment: home.environment)
    #expect(piped == ChildProcess.Result(status: 1, output: "", error: ""))
  }

  // MARK: Secrets

  @Test func `a value from a terminal is not shown as it is typed`() throws {
    let session = try session("\(command) set \(app) token - && \(command) get \(app) token | wc -c")
    #expect(session.wait(for: "Value of 'token': ") != nil)
    session.type("hunter2\n")
    let end = session.end()
    #expect(!end.text.contains("hunter2") && end.text.hasSuffix("8\n"))
    #expect(home.text() == "token = \"hunter2\"\n")
  }
}
