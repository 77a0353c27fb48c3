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

  // MARK: Questions

  /// An editor that does one thing each time it is opened: `first`, `second`, …, with the file as `$1`.
  private func editor(_ steps: String...) throws -> String {
    let path = home.path + "/editor"
    let cases = steps.enumerated().map { "\($0.offset + 1)) \($0.element) ;;" }.joined(separator: "\n")
    try home.write(
      "#!/bin/sh\necho x >> '\(home.path)/count'\ncase $(wc -l < '\(home.path)/count') in\n\(cases)\nesac\n", to: path)
    chmod(path, 0o700)
    return path
  }

  @Test func `edit shows a fault at its line, opens the editor again, and stores what is right`() throws {
    try home.write("# c\na = 1\n")
    let editor = try editor("sed -i 's/= 1/= = 1/' \"$1\"", "sed -i 's/= = 1/= 2/' \"$1\"")
    let session = try session("\(command) edit \(app) --color never", ["EDITOR": editor])
    let shown = try #require(session.wait(for: "Edit again? [Y/n] "))
    #expect(shown.contains(":2:5: Expected a value, but found '='"))
    #expect(shown.contains("\r\n  a = = 1\r\n      ^\r\n"))
    #expect(home.text() == "# c\na = 1\n")
    session.type("\n")
    #expect(session.end().status == 0)
    #expect(home.text() == "# c\na = 2\n")
  }

  @Test func `edit that is given up writes nothing and leaves no copy`() throws {
    try home.write("a = 1\n")
    let editor = try editor("echo '=' >> \"$1\"")
    let session = try session(
      "\(command) edit \(app) --color never", ["EDITOR": editor, "TMPDIR": home.path])
    session.wait(for: "Edit again? [Y/n] ")
    session.type("n\n")
    let end = session.end()
    #expect(end.status == 6 && end.text.contains("Nothing was written."))
    #expect(home.text() == "a = 1\n")
    #expect(!home.names(in: home.path).contains { $0.hasPrefix("settings-edit-") })
  }

  @Test func `edit asks where both have changed a key, and merges the rest`() throws {
    try home.write("a = 1\nb = 1\nc = 1\n")
    let other = "'\(command)' set \(app) a=3 c=3"
    let editor = try editor("\(other); sed -i -e 's/a = 1/a = 2/' -e 's/b = 1/b = 2  # mine/' \"$1\"")
    let session = try session("\(command) edit \(app) --color never", ["VISUAL": editor, "EDITOR": "false"])
    let shown = try #require(session.wait(for: "store [m]ine, or [q]uit? "))
    #expect(shown.contains("  a: yours is 2, theirs is 3"))
    #expect(home.text() == "a = 3\nb = 1\nc = 3\n")
    session.type("m\n")
    #expect(session.end().status == 0)
    #expect(home.text() == "a = 2\nb = 2  # mine\nc = 3\n")
  }

  @Test func `a value from a terminal is not shown as it is typed`() throws {
    let session = try session("\(command) set \(app) token - && \(command) get \(app) token | wc -c")
    #expect(session.wait(for: "Value of 'token': ") != nil)
    session.type("hunter2\n")
    let end = session.end()
    #expect(!end.text.contains("hunter2") && end.text.hasSuffix("8\n"))
    #expect(home.text() == "token = \"hunter2\"\n")
  }
}
