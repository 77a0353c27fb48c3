import Foundation
import Testing
import TestSupport

/// What the command answers to a completion script. ShellCompletionTests has the shells.
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

    [keys.token]
    type = "string"
    secret = true

    """#

  private func lines(_ shell: String, _ words: String...) throws -> [String] {
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["complete", shell, "--"] + words, environment: test.home.environment,
      directory: test.home.path)
    #expect(result.status == 0 && result.error == "")
    return result.output.split(separator: "\n").map(String.init)
  }

  private static let plain = [
    "two words", "it's", "$HOME", "$(touch pwned)", "`touch pwned`", "x;touch pwned", "q\"q", "back\\slash", "*", "~",
    "#c", "16:9", "k=v", "é u",
  ]

  @Test func `a choice is one candidate in one line, and only what the verb takes there is offered`() throws {
    #expect(try lines("fish", "settings-cli set \(test.app) mode ") == ["words", "-5"] + Self.plain)
    #expect(try lines("fish", "settings-cli set \(test.app) mode -- ") == ["words", "-n", "-", "-5"] + Self.plain)
    let assigned = try lines("fish", "settings-cli set \(test.app) mode=")
    #expect(assigned.contains("mode=two words") && !assigned.contains("mode=-"), "\(assigned)")
  }

  @Test(arguments: ["", "'", "\"", "$'"])
  func `a shell makes the very candidates of what is inserted`(_ quote: String) throws {
    // All are inserted in turn: menu-complete. Readline keeps one of two quotes at the start; zsh closes an open one.
    let bash = try lines("bash", "settings-cli set \(test.app) mode \(quote)", "", "37").dropFirst()
      .map { quote + $0.dropFirst(quote.isEmpty ? 0 : 1) }
    let zsh = try lines("zsh", quote, "settings-cli", "set", test.app, "mode", quote).dropFirst()
      .map { quote + $0.prefix { $0 != "\t" }.replacing(/\\([\\:])/) { $0.output.1 } + quote.suffix(1) }
    for words in [bash, zsh] {
      let evaluated = try ChildProcess.run(
        "/bin/bash", ["-c", "printf '%s\\n' " + words.joined(separator: " ")], environment: test.home.environment,
        directory: test.home.path)
      #expect(evaluated.output.split(separator: "\n").map(String.init) == ["-5"] + Self.plain, "\(words)")
    }
    #expect(test.home.text(of: test.home.path + "/pwned") == nil)
  }

  @Test func `an entry's number and the file with the settings of all apps are completed`() throws {
    _ = try test.run("set", test.app, "mode", "16:9")
    for verb in ["undo", "at"] {
      let answer = try lines("fish", "settings-cli \(verb) \(test.app) --entry ")
      #expect(answer.count == 2 && answer[1].hasPrefix("1\t"), "\(answer)")
    }
    #expect(try lines("fish", "settings-cli import --all no") == ["files"])
    #expect(try lines("fish", "settings-cli import org.ex") == ["words", test.app])
  }

  @Test func `what no shell says about a line is answered, too`() throws {
    #expect(try lines("zsh", "longer-than-any-candidate", "settings-cli", "set", test.app, "mode", "") == ["words"])
    let narrow = try lines("bash", "settings-cli e", "e", "63", "\(Int.min)")
    #expect(narrow == ["words", "edit", "export"])
  }

  @Test func `a description of several lines is a note of one`() throws {
    #expect(try lines("zsh", "", "settings-cli", "set", test.app, "mo") == ["words", "mode\tmode:First line."])
    #expect(try lines("fish", "settings-cli set \(test.app) mo") == ["words", "mode\tFirst line."])
  }

  @Test func `a secret has no candidates`() throws {
    try test.write("token = \"hunter2\"\n")
    #expect(try lines("fish", "settings-cli set \(test.app) token ") == ["words"])
    #expect(try lines("fish", "settings-cli set \(test.app) token=") == ["words"])
  }

  @Test func `every verb and option of the help is offered, and each value of an option is known`() throws {
    let help = try test.run("--help").output
    let lists = help.components(separatedBy: " SUBCOMMANDS:\n").dropFirst()
    let verbs = lists.flatMap { $0.matches(of: /(?m)^  ([a-z]+)/) }
    let offered = try lines("fish", "settings-cli ").dropFirst().map { $0.prefix { $0 != "\t" } }
    #expect(offered.dropLast() == verbs.map(\.output.1)[...])
    var seen: Set<String> = []
    for verb in verbs.map(\.output.1) {
      let text = try test.run("help", String(verb)).output
      let options = Set(
        text.matches(of: /(?m)^  (?:-[a-z0-9], |)(--[a-z-]+)(?:, (--[a-z-]+))?/).flatMap { match in
          [match.output.1, match.output.2].compactMap(\.self).map(String.init)
        })
      let known = try lines("fish", "settings-cli \(verb) --").dropFirst().map { String($0.prefix { $0 != "\t" }) }
      #expect(options == Set(known), "\(verb)")
      // What follows an option with a value is that value, and no operand or other option.
      for option in text.matches(of: /(?m)^  (--[a-z-]+) </).map({ String($0.output.1) })
      where seen.insert(option).inserted || TargetState.areAllRun {
        let values = try lines("fish", "settings-cli \(verb) \(option) --c")
        #expect([["words"], ["files"], ["directories"]].contains(values), "\(verb) \(option)")
      }
    }
  }

  @Test func `what completes an argument is of a kind that the scripts know`() throws {
    // The manual page decodes the description of all arguments, with their completions.
    #expect(try test.run("manual").status == 0)
  }

  @Test func `a redirection gets files, and a program after another the same candidates`() throws {
    #expect(try lines("bash", "settings-cli get \(test.app) mode > x", "x") == ["files"])
    #expect(try lines("bash", "settings-cli get \(test.app) 2>/dev/null mo", "mo") == ["words", "mode"])
    #expect(try lines("fish", "sudo -E settings-cli get \(test.app) mo") == ["words", "mode\tFirst line."])
    #expect(try lines("fish", "settings-cli unset \(test.app) mode mo") == ["words"])
    #expect(try lines("fish", "settings-cli get ~/nothing ") == ["words"])
  }

  @Test func `behind the end of an app's id there are the candidates of that app, as the verbs take it`() throws {
    try test.done("set", test.app, "--create", "size=1")
    let end = String(test.app.split(separator: ".").last!)
    for words in ["get APP ", "undo APP --entry ", "set APP --layer "] {
      let words = "settings-cli " + words
      let known = try lines("fish", words.replacing("APP", with: test.app))
      #expect(known.count > 1)
      #expect(try lines("fish", words.replacing("APP", with: end)) == known)
    }
  }
}
