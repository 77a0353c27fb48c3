import Foundation
import Testing
import TestSupport

/// What Tab makes of a line in real shells, and what the line does then.
struct ShellCompletionTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  /// A line that is typed, with the tabs in it, and what it is then.
  struct Case {
    var typed: String
    /// The line in bash, zsh and fish.
    var bash: String
    var zsh: String
    var fish: String
    /// What the line answers when it is run; `nil` to leave it.
    var answer: String?
    /// The key that the line has set, and its value.
    var stored: (key: String, value: String)?

    init(
      _ typed: String, _ all: String, zsh: String? = nil, fish: String? = nil, answer: String? = nil,
      stored: (key: String, value: String)? = nil
    ) {
      self.typed = typed
      (bash, self.zsh, self.fish) = (all, zsh ?? all, fish ?? zsh ?? all)
      self.answer = answer
      self.stored = stored
    }
  }

  private static let host = "a.example\n"

  /// `APP` stands for the app's id, and `s` at the start for the command.
  static let cases: [Case] = [
    // Verbs, options and their values.
    Case("s ge\t", "s get "),
    Case("s help descr\t", "s help describe "),
    Case("s --vers\t", "s --version "),
    Case("s set --ty\t", "s set --type "),
    Case("s set APP mode x --type st\t", "s set APP mode x --type string "),
    Case("s list APP --color=al\t", "s list APP --color=always "),
    Case("s import APP ./notes.toml --form\t", "s import APP ./notes.toml --format "),
    // One that was given is not offered again: nothing else begins so.
    Case("s list APP --json --js\t", "s list APP --json --js"),
    // Apps and files.
    Case("s get org.ex\t", "s get org.example.test "),
    Case("s get ./no\t", "s get ./notes.toml "),
    Case("s get ~/no\t", "s get ~/notes.toml "),
    Case("s get ./di\t", "s get ./dir/"),
    Case("s get './a d\t", "s get './a dir'/", zsh: "s get './a dir/"),
    Case("s check ./notes.toml --schema sch\t", "s check ./notes.toml --schema schema.toml "),
    Case("s check ./notes.toml --schema=sch\t", "s check ./notes.toml --schema=schema.toml "),
    Case("s get APP theme > no\t", "s get APP theme > notes.toml "),
    // Keys.
    Case("s get APP editor.f\t", "s get APP editor.font-size ", answer: "12\n"),
    Case(
      "s get APP servers.eu\t", "s get APP 'servers.\"eu.west\".host' ",
      fish: #"s get APP servers.\"eu.west\".host "#, answer: host),
    Case(
      "s get APP servers.\"eu\t", #"s get APP servers."\"eu.west\".host" "#,
      zsh: "s get APP 'servers.\"eu.west\".host' ", fish: #"s get APP servers.\"eu.west\".host "#, answer: host),
    Case(
      "s get APP servers.\"eu.west\".ho\t", "s get APP 'servers.\"eu.west\".host' ",
      fish: #"s get APP servers.\"eu.west\".host "#, answer: host),
    Case("s get APP 'servers.\"eu\t", "s get APP 'servers.\"eu.west\".host' ", answer: host),
    Case(
      "s get APP 'servers.eu\t", "s get APP 'servers.\"eu.west\".host' ",
      fish: #"s get APP servers.\"eu.west\".host "#, answer: host),
    Case(
      "s get APP \"servers.eu\t", #"s get APP "servers.\"eu.west\".host" "#,
      fish: #"s get APP servers.\"eu.west\".host "#, answer: host),
    Case(#"s get APP servers.\"eu"# + "\t", #"s get APP servers.\"eu.west\".host "#, answer: host),
    Case(
      "s get APP ui.ke\t", "s get APP 'ui.\"key with space\"' ", fish: #"s get APP ui.\"key\ with\ space\" "#,
      answer: "true\n"),
    Case(
      #"s get APP ui.key\ w"# + "\t", "s get APP 'ui.\"key with space\"' ",
      fish: #"s get APP ui.\"key\ with\ space\" "#, answer: "true\n"),
    Case(
      #"s get APP ui.\"key\ w"# + "\t", #"s get APP ui.\"key\ with\ space\" "#, answer: "true\n"),
    Case("s get APP it\t", #"s get APP '"it'\''s"' "#, fish: #"s get APP \"it\'s\" "#, answer: "1\n"),
    Case(
      "s get APP \"it's\t", #"s get APP "\"it's\"" "#, fish: #"s get APP \"it\'s\" "#, answer: "1\n"),
    Case("s get APP pri\t", #"s get APP '"pri$ce"' "#, fish: #"s get APP \"pri\$ce\" "#, answer: "2\n"),
    Case("s get APP '\"pri$\t", #"s get APP '"pri$ce"' "#, answer: "2\n"),
    Case("s get APP ba\t", #"s get APP '"back\\slash"' "#, fish: #"s get APP \"back\\\\slash\" "#, answer: "3\n"),
    Case("s get APP ü\t", #"s get APP '"über"' "#, fish: #"s get APP \"über\" "#, answer: "4\n"),
    Case(
      "s get APP \"wow\t", #"s get APP "\"wow"'!'"x\"" "#, fish: #"s get APP \"wow!x\" "#, answer: "5\n"),
    Case(
      "s get APP tou\t", #"s get APP '"touch `touch pwned`"' "#, fish: #"s get APP \"touch\ `touch\ pwned`\" "#,
      answer: "6\n"),
    // Several keys: what they share, and no less than what is typed.
    Case("s get APP ui.\t", "s get APP ui."),
    Case("s get APP ui.k\t", "s get APP ui.k", fish: "s get APP ui.kind "),
    Case("s get APP pat\t", "s get APP 'paths.\"/a ", fish: #"s get APP paths.\"/a\ "#),
    Case("s get APP pat\tb\t", "s get APP 'paths.\"/a b\"' ", fish: #"s get APP paths.\"/a\ b\" "#, answer: "1\n"),
    // Values.
    Case("s set APP theme da\t", "s set APP theme dark ", stored: ("theme", "dark")),
    Case(
      "s set APP mode tw\t", "s set APP mode 'two words' ", fish: #"s set APP mode two\ words "#,
      stored: ("mode", "two words")),
    Case("s set APP mode two\\ \t", #"s set APP mode two\ words "#, stored: ("mode", "two words")),
    Case("s set APP mode \"tw\t", "s set APP mode \"two words\" ", stored: ("mode", "two words")),
    Case(
      "s set APP mode it\t", #"s set APP mode 'it'\''s' "#, fish: #"s set APP mode it\'s "#, stored: ("mode", "it's")),
    Case("s set APP mode '$\t", "s set APP mode '$(touch pwned)' ", stored: ("mode", "$(touch pwned)")),
    Case("s set APP mode \"\\$\t", #"s set APP mode "\$(touch pwned)" "#, stored: ("mode", "$(touch pwned)")),
    Case("s set APP mode '`\t", "s set APP mode '`touch pwned`' ", stored: ("mode", "`touch pwned`")),
    Case("s set APP mode '!\t", "s set APP mode '!x' ", stored: ("mode", "!x")),
    Case("s set APP mode \\!\t", #"s set APP mode \!x "#, stored: ("mode", "!x")),
    Case("s set APP mode 16:\t", "s set APP mode 16:9 ", stored: ("mode", "16:9")),
    Case("s set APP mode k\t", "s set APP mode k=v ", stored: ("mode", "k=v")),
    Case("s set APP mode é\t", "s set APP mode 'é u' ", fish: #"s set APP mode é\ u "#, stored: ("mode", "é u")),
    Case("s set APP editor.wrap t\t", "s set APP editor.wrap true ", stored: ("editor.wrap", "true")),
    Case(
      "s set APP mode=tw\t", "s set APP mode='two words' ", zsh: "s set APP 'mode=two words' ",
      fish: #"s set APP mode=two\ words "#, stored: ("mode", "two words")),
    Case("s set APP theme=light mode='tw\t", "s set APP theme=light mode='two words' ", stored: ("mode", "two words")),
    Case(
      "s set APP theme=light edi\tw\tf\t", "s set APP theme=light editor.wrap=false ", stored: ("editor.wrap", "false")),
    Case(
      "s set APP 'ui.\"key with space\"=f\t", "s set APP 'ui.\"key with space\"=false' ",
      stored: ("ui.\"key with space\"", "false")),
    Case("s lock APP theme editor.w\t", "s lock APP theme editor.wrap "),
    // Elements.
    Case(
      "s set APP recent --remove tw\t", "s set APP recent --remove 'two words' ",
      fish: #"s set APP recent --remove two\ words "#, stored: ("recent", "[\"one\"]")),
    Case("s set APP tags --append gre\t", "s set APP tags --append green ", stored: ("tags", "[\"green\"]")),
    Case("s set APP --append x ta\t", "s set APP --append x tags "),
    // Programs and their arguments.
    Case("s watch APP theme --exec zz-\t", "s watch APP theme --exec zz-notify "),
    Case("s watch APP theme --exec=zz-\t", "s watch APP theme --exec=zz-notify "),
    Case("s watch APP theme --exec zz-notify -- no\t", "s watch APP theme --exec zz-notify -- notes.toml "),
  ]

  private static let schema = #"""
    app = "org.example.test"

    [keys.theme]
    type = "string"
    choices = ["light", "dark"]
    description = "Colours."

    [keys."editor.font-size"]
    type = "integer"
    default = 12
    description = "Size of the font: in points."

    [keys."editor.wrap"]
    type = "boolean"

    [keys.mode]
    type = "string"
    choices = ["two words", "it's", "$(touch pwned)", "`touch pwned`", "!x", "16:9", "k=v", "-5", "é u"]

    [keys."ui.\"key with space\""]
    type = "boolean"

    [keys.recent]
    type = "array"
    elements = { type = "string" }

    [keys.tags]
    type = "array"
    elements = { type = "string", choices = ["green", "red"] }

    """#

  private static let settings = #"""
    recent = ["one", "two words"]
    "it's" = 1
    "pri$ce" = 2
    'back\slash' = 3
    "über" = 4
    "wow!x" = 5
    "touch `touch pwned`" = 6

    [servers."eu.west"]
    host = "a.example"

    [ui]
    "key with space" = true
    kind = 1

    [paths]
    "/a b" = 1
    "/a c" = 2

    """#

  private func session(_ shell: ShellSession.Shell) throws -> ShellSession {
    try home.write(Self.schema, to: home.path + "/data/app-settings/\(app).toml")
    try home.write(Self.settings)
    for name in ["notes.toml", "schema.toml", "dir/x", "a dir/x", "bin/zz-notify"] {
      try home.write("", to: home.path + "/" + name)
    }
    chmod(home.path + "/bin/zz-notify", 0o755)
    return try ShellSession(shell, in: home)
  }

  private func check(_ shell: ShellSession.Shell) throws {
    let session = try session(shell)
    for test in Self.cases {
      try home.write(Self.settings)
      let wanted = written(shell == .bash ? test.bash : shell == .zsh ? test.zsh : test.fish)
      let (line, shown) = try #require(session.complete(written(test.typed)), "\(shell) \(test.typed.debugDescription)")
      #expect(line == wanted, "\(shell) \(test.typed.debugDescription): \(shown.debugDescription)")
      let runs = line == wanted && (test.answer != nil || test.stored != nil)
      let answer = try #require(session.finish(runs: runs), "\(shell) \(wanted)")
      guard runs else { continue }
      if let expected = test.answer { #expect(answer == expected, "\(shell) \(wanted)") }
      if let (key, value) = test.stored {
        let result = try ChildProcess.run(
          ChildProcess.product("settings-cli"), ["get", app, key], environment: home.environment)
        #expect(result.output == value + "\n", "\(shell) \(wanted): \(answer)")
      }
    }
    session.end()
    #expect(!FileManager.default.fileExists(atPath: home.path + "/pwned"))
  }

  private func written(_ line: String) -> String {
    (line.hasPrefix("s ") ? "settings-cli" + line.dropFirst() : line).replacingOccurrences(of: "APP", with: app)
  }

  @Test(.enabled(if: ShellSession.Shell.bash.isPossible, "bash or script(1) is not installed"))
  func `bash completes lines that do what they say`() throws { try check(.bash) }

  @Test(.enabled(if: ShellSession.Shell.zsh.isPossible, "zsh or script(1) is not installed"))
  func `zsh completes lines that do what they say`() throws { try check(.zsh) }

  @Test(.enabled(if: ShellSession.Shell.fish.isPossible, "fish or script(1) is not installed"))
  func `fish completes lines that do what they say`() throws { try check(.fish) }

  // MARK: Lists

  private func checkNotes(_ shell: ShellSession.Shell, _ wanted: String) throws {
    let session = try session(shell)
    let (line, shown) = try #require(session.complete("settings-cli get \(app) editor.\t\t"))
    // The list may be over several lines of the terminal, and coloured.
    #expect(shown.contains(wanted), "\(shown.debugDescription)")
    #expect(shell == .bash ? line == "settings-cli get \(app) editor." : !line.contains("Size"))
    _ = session.finish(runs: false)
    session.end()
  }

  @Test(.enabled(if: ShellSession.Shell.bash.isPossible, "bash or script(1) is not installed"))
  func `bash lists candidates with notes that are never inserted`() throws {
    try checkNotes(.bash, "(Size of the font: in points.)")
  }

  @Test(.enabled(if: ShellSession.Shell.zsh.isPossible, "zsh or script(1) is not installed"))
  func `zsh lists candidates with notes that are never inserted`() throws {
    try checkNotes(.zsh, "-- Size of the font: in points.")
  }

  @Test(.enabled(if: ShellSession.Shell.fish.isPossible, "fish or script(1) is not installed"))
  func `fish lists candidates with notes that are never inserted`() throws {
    try checkNotes(.fish, "Size of the font: in points.")
  }
}
