import Foundation
import Testing
import TestSupport

/// `edit` at a terminal: nothing that was typed is lost, unless its author discards it.
@Suite(.enabled(if: TerminalSession.isPossible, "script(1) is not installed")) struct EditCommandTests {
  let home = ScratchHome()
  private let app = "org.example.test"
  private let command = ChildProcess.product("settings-cli")
  private let question = "[e]dit again, [k]eep the copy, or [d]iscard it? "
  private let conflictQuestion = "[e]dit again, store [m]ine, [k]eep the copy, or [d]iscard it? "

  /// Edits with an editor that does one thing each time it is opened: `first`, `second`, …, with the file as `$1`.
  private func edit(_ steps: String...) throws -> TerminalSession {
    let path = home.path + "/editor"
    let cases = steps.enumerated().map { "\($0.offset + 1)) \($0.element) ;;" }.joined(separator: "\n")
    try home.write(
      """
      #!/bin/sh
      echo x >> '\(home.path)/count'
      case $(wc -l < '\(home.path)/count') in
      \(cases)
      *) echo again ;;
      esac

      """, to: path)
    chmod(path, 0o700)
    return try TerminalSession(
      "echo $$ > pid; exec '\(command)' edit \(app) --color never",
      environment: home.environment.merging(["EDITOR": path]) { $1 }, directory: home.path)
  }

  /// The texts of the copies that were kept.
  private var copies: [String?] {
    home.names(in: home.path).filter { $0.hasPrefix("settings-edit-") }.map {
      home.text(of: "\(home.path)/\($0)/settings.toml")
    }
  }

  /// Whether a message names the only copy, which has a text.
  private func isNamed(_ text: String, by message: String) -> Bool {
    let names = home.names(in: home.path).filter { $0.hasPrefix("settings-edit-") }
    return names.count == 1 && copies == [text] && message.contains("'\(home.path)/\(names[0])/settings.toml'")
  }

  private func pid() throws -> pid_t {
    try #require(home.text(of: home.path + "/pid").flatMap { pid_t($0.dropLast()) })
  }

  @Test func `a fault is shown at its line, the editor opens again, and what is right is stored`() throws {
    try home.write("# c\na = 1\n")
    let session = try edit("sed -i 's/= 1/= = 1/' \"$1\"", "sed -i 's/= = 1/= 2/' \"$1\"")
    let shown = try #require(session.wait(for: question))
    #expect(shown.contains(":2:5: Expected a value, but found '='"))
    #expect(shown.contains("\r\n  a = = 1\r\n      ^\r\n"))
    #expect(home.text() == "# c\na = 1\n")
    session.type("\n")
    #expect(session.end().status == 0)
    #expect(home.text() == "# c\na = 2\n" && copies.isEmpty)
  }

  @Test(arguments: ["k", "q", "n", "\u{4}"])
  func `a copy is kept and named if the answer says so, or if there is no answer`(_ answer: String) throws {
    try home.write("a = 1\n")
    let session = try edit("echo '=' >> \"$1\"")
    #expect(session.wait(for: question) != nil)
    if answer != "\u{4}" {
      session.type("what?\n")
      #expect(session.wait(for: question) != nil)
    }
    session.type(answer == "\u{4}" ? answer : answer + "\n")
    let end = session.end()
    #expect(end.status == 6 && end.text.contains("Nothing was written. Your text is in "))
    #expect(isNamed("a = 1\n=\n", by: end.text), "\(end)")
    #expect(home.text() == "a = 1\n")
  }

  @Test func `a copy that is discarded is gone`() throws {
    try home.write("a = 1\n")
    let session = try edit("echo '=' >> \"$1\"")
    #expect(session.wait(for: question) != nil)
    session.type("d\n")
    let end = session.end()
    #expect(end.status == 6 && end.text.hasSuffix("Nothing was written.\n"), "\(end)")
    #expect(home.text() == "a = 1\n" && copies.isEmpty)
  }

  @Test func `without a variable an editor is found in PATH, and one that is missing is named`() throws {
    try home.write("a = 1\n")
    let directory = home.path + "/bin"
    func edit() throws -> (text: String, status: Int32) {
      let end = try TerminalSession(
        "unset VISUAL EDITOR; PATH='\(directory)'; '\(command)' edit \(app) --color never",
        environment: home.environment, directory: home.path
      ).end()
      return (end.text, end.status)
    }
    let none = try edit()
    #expect(none.status == 2 && none.text.contains("PATH has none of sensible-editor, editor, nano, vi."), "\(none)")
    for (number, name) in ["vi", "nano", "editor", "sensible-editor"].enumerated() {
      try home.write("#!/bin/sh\necho 'a = \(number + 2)' > \"$1\"\n", to: "\(directory)/\(name)")
      chmod("\(directory)/\(name)", 0o755)
      #expect(try edit().status == 0)
      #expect(home.text() == "a = \(number + 2)\n")
    }
    let piped = try ChildProcess.run(command, ["edit", app], environment: home.environment)
    #expect(piped.status == 2 && piped.error.contains("there is no terminal for another one"), "\(piped)")
  }

  @Test(arguments: ["m", "q", "d"])
  func `where both have changed a key, the answer is taken once, and the rest is merged`(_ answer: String) throws {
    try home.write("a = 1\nb = 1\nc = 1\n")
    let other = "'\(command)' set \(app) a=3 c=3"
    let session = try edit("\(other); sed -i -e 's/a = 1/a = 2/' -e 's/b = 1/b = 2  # mine/' \"$1\"")
    let shown = try #require(session.wait(for: conflictQuestion))
    #expect(shown.contains("  a: yours is 2, theirs is 3"))
    #expect(home.text() == "a = 3\nb = 1\nc = 3\n")
    session.type(answer + "\n")
    let end = session.end()
    // The editor was opened once.
    #expect(home.text(of: home.path + "/count") == "x\n")
    if answer == "m" {
      #expect(end.status == 0 && home.text() == "a = 2\nb = 2  # mine\nc = 3\n" && copies.isEmpty)
    } else {
      #expect(end.status == 5 && home.text() == "a = 3\nb = 1\nc = 3\n")
      #expect(answer == "d" ? copies.isEmpty : isNamed("a = 2\nb = 2  # mine\nc = 1\n", by: end.text), "\(end)")
    }
  }

  @Test func `comments and notation that another program saved meanwhile are kept`() throws {
    try home.write("a = 1\n\nb = 1\n")
    let other = "a = 1\\n\\n# why\\nb = 1\\nc = [\\n  1, # one\\n]\\n\\n[t] # head\\nx = 0x10 # hex\\n"
    let end = try edit("printf '\(other)' > '\(home.file)'; sed -i 's/a = 1/a = 2/' \"$1\"").end()
    #expect(end.status == 0, "\(end)")
    #expect(home.text() == "a = 2\n\n# why\nb = 1\nc = [\n  1, # one\n]\n\n[t] # head\nx = 0x10 # hex\n")
  }

  @Test(arguments: [
    "a.k = 1\n\nx = 1\nb = 1\ny = 1\n", "a = { k = 1 } # k\n\nx = 1\nb = 1\ny = 1\n",
    "x = 1\nb = 1\ny = 1\n\n[a]\nk = 1\n",
  ])
  func `a value that another program made a table meanwhile is kept`(other: String) throws {
    try home.write("a = 1\n\nx = 1\nb = 1\ny = 1\n")
    let saved = other.replacingOccurrences(of: "\n", with: "\\n")
    let end = try edit("printf '\(saved)' > '\(home.file)'; sed -i 's/b = 1/b = 2/' \"$1\"").end()
    #expect(end.status == 0, "\(end)")
    #expect(home.text() == other.replacingOccurrences(of: "b = 1", with: "b = 2"))
  }

  @Test func `a comment beside what another program has removed meanwhile goes with it, and that is said`() throws {
    try home.write("a = 1\n\n[t]\nx = 1\n")
    let end = try edit("printf 'a = 1\\n' > '\(home.file)'; sed -i 's/^x = 1$/# mine\\nx = 1/' \"$1\"").end()
    #expect(end.status == 0 && end.text.contains("A comment that you added in '"), "\(end)")
    #expect(home.text() == "a = 1\n\n[t]\n")
  }

  @Test(arguments: ["exit 3", "kill -KILL $$"])
  func `an editor that fails leaves its changes in a copy that is named`(_ ending: String) throws {
    try home.write("a = 1\n")
    let end = try edit("echo b = 2 >> \"$1\"; \(ending)").end()
    #expect(end.status == 7 && isNamed("a = 1\nb = 2\n", by: end.text), "\(end)")
    let other = ScratchHome()
    try other.write("a = 1\n")
    let unchanged = try ChildProcess.run(
      command, ["edit", app], environment: other.environment.merging(["EDITOR": "sh -c '\(ending)'"]) { $1 })
    #expect(unchanged.status == 7 && !unchanged.error.contains("Your text"), "\(unchanged)")
    #expect(!other.names(in: other.path).contains { $0.hasPrefix("settings-edit-") })
  }

  @Test func `what an editor did not save but left beside the copy is kept`() throws {
    try home.write("a = 1\n")
    let end = try edit("echo b = 2 > \"$1.save\"; exit 1").end()
    #expect(isNamed("a = 1\n", by: end.text), "\(end)")
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
  func `a signal at the question keeps the copy and names it`(_ number: Int32) throws {
    try home.write("a = 1\n")
    let session = try edit("echo '=' >> \"$1\"")
    #expect(session.wait(for: question) != nil)
    if number == SIGINT { session.type("\u{3}") } else { kill(try pid(), number) }
    let end = session.end()
    #expect(end.status == 128 + number && isNamed("a = 1\n=\n", by: end.text), "\(end)")
  }

  @Test(arguments: [SIGTERM, SIGHUP])
  func `a signal while the editor runs ends both, and what was saved is kept`(_ number: Int32) throws {
    try home.write("a = 1\n")
    // This editor saves at the end.
    let session = try edit(
      "trap 'echo b = 2 >> \"$1\"; kill $!; exit 1' TERM HUP; sleep 60 & echo opened; wait; wait")
    #expect(session.wait(for: "opened") != nil)
    kill(try pid(), number)
    let end = session.end()
    #expect(end.status == 128 + number && isNamed("a = 1\nb = 2\n", by: end.text), "\(end)")
  }

  @Test func `a signal while an editor without changes runs leaves nothing`() throws {
    try home.write("a = 1\n")
    let session = try edit("echo opened; exec sleep 60")
    #expect(session.wait(for: "opened") != nil)
    kill(try pid(), SIGTERM)
    let end = session.end()
    #expect(end.status == 128 + SIGTERM && !end.text.contains("settings-edit-") && copies.isEmpty, "\(end)")
  }

  @Test func `the interrupt key belongs to the editor while it runs`() throws {
    try home.write("a = 1\n")
    let session = try edit("trap 'echo b = 2 >> \"$1\"; kill $!; exit 0' INT; sleep 60 & echo opened; wait; wait")
    #expect(session.wait(for: "opened") != nil)
    session.type("\u{3}")
    #expect(session.end().status == 0)
    #expect(home.text() == "a = 1\nb = 2\n" && copies.isEmpty)
  }

  @Test func `a directory for the copy that is full is left as it was`() throws {
    try home.write("a = 1\n")
    let result = try ChildProcess.shell(
      "ulimit -f 0; EDITOR=true '\(command)' edit \(app)", environment: home.environment, directory: home.path)
    #expect(result.status == 7 && copies.isEmpty, "\(result)")
  }
}
