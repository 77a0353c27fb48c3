import Foundation
import Testing
import TestSupport

/// Candidates are lines that the shell makes the very words of, and that the verb takes.
struct CompletionTests {
  let test: SchemaHome
  init() throws {
    test = try SchemaHome()
    try test.home.write(Self.schema, to: test.schemaFile)
  }

  static let schema = #"""
    app = "org.example.test"

    [keys.mode]
    type = "string"
    choices = [
      "-n", "-", "-5", "two words", "a\nb", "it's", "$HOME", "$(touch pwned)", "`touch pwned`", "x;touch pwned", "q\"q",
      "back\\slash", "*", "~", "#c", "16:9", "k=v", "é u", "",
    ]
    description = "First line.\r\nSecond\u001B line."

    [keys."\"odd key\".x"]
    type = "boolean"

    """#

  private func candidates(_ shell: String, _ words: String...) throws -> [String] {
    var environment = test.home.environment
    environment["SAP_SHELL"] = shell
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"),
      ["---completion", "set", "--", "positional@1", "\(words.count + 3)", "0", "settings-cli", "set", test.app] + words
        + [""],
      environment: environment, directory: test.home.path)
    #expect(result.status == 0 && result.error == "")
    // The library ends the list with a line of one space.
    return result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).filter {
      !$0.isEmpty && $0 != " "
    }
  }

  @Test func `a choice is one candidate in one line, and only what the verb takes there is offered`() throws {
    let plain = [
      "two words", "it's", "$HOME", "$(touch pwned)", "`touch pwned`", "x;touch pwned", "q\"q", "back\\slash", "*", "~",
      "#c", "16:9", "k=v", "é u",
    ]
    #expect(try candidates("fish", "mode") == ["-5"] + plain)
    #expect(try candidates("fish", "mode", "--") == ["-n", "-", "-5"] + plain)
    let escaped = plain.map {
      $0.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: ":", with: "\\:")
    }
    #expect(try candidates("zsh", "mode") == ["-5"] + escaped)
    #expect(
      try candidates("bash", "mode")
        == (["-5"] + plain).map { "'" + $0.replacingOccurrences(of: "'", with: "'\\''") + "'" })
  }

  @Test func `a description of several lines is a note of one`() throws {
    #expect(try candidates("zsh").contains("mode:First line."))
    #expect(try candidates("fish") == ["mode\tFirst line.", "\"odd key\".x"])
  }

  @Test(arguments: ["bash --norc --noprofile -i", "zsh -f -i", "fish --no-config -i"])
  func `what a shell completes is stored as it is, and nothing in it is run`(_ shell: String) throws {
    let name = String(shell.prefix { $0 != " " })
    let isThere = try ChildProcess.shell("command -v \(name)", environment: test.home.environment).status == 0
    guard isThere else { return }  // an optional tool
    let command = ChildProcess.product("settings-cli")
    try ChildProcess.shell(
      "mkdir bin && ln -s '\(command)' bin/settings-cli && bin/settings-cli completion \(name) > completion",
      environment: test.home.environment, directory: test.home.path)
    let session = try TerminalSession(
      shell,
      environment: test.home.environment.merging(
        ["PATH": test.home.path + "/bin:" + (test.home.environment["PATH"] ?? ""), "PS1": "% ", "TERM": "vt100"]) {
          $1
        },
      directory: test.home.path)
    session.type(
      name == "zsh"
        ? "mv completion _settings-cli; fpath=($PWD $fpath); autoload -Uz compinit && compinit -u -D; PS1='% '; "
          + "echo re''ady\n"
        : ". ./completion; echo re''ady\n")
    try #require(session.wait(for: "ready") != nil)
    for (typed, value) in [("tw", "two words"), ("it", "it's"), ("q", "q\"q"), ("back", "back\\slash"), ("é", "é u")] {
      session.type("settings-cli set org.exam\tmod\t\(typed)\t; echo do''ne\n")
      let shown = session.wait(for: "done\r") ?? "nothing"
      let stored = try test.run("get", test.app, "mode").output
      #expect(stored == value + "\n", "\(shell), \(typed): \(shown)")
    }
    session.type("settings-cli set org.exam\tmod\t\t\t\u{15}; echo do''ne\n")
    _ = session.wait(for: "done\r")
    session.type("exit\n")
    _ = session.end()
    #expect(!FileManager.default.fileExists(atPath: test.home.path + "/pwned"))
  }
}
