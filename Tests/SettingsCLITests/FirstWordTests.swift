import Foundation
import Testing
import TestSupport

/// What somebody gets who has not read the manual: other tools' verbs, short ids, and times as people say them.
struct FirstWordTests {
  let test: SchemaHome
  init() throws { test = try SchemaHome() }

  @Test(arguments: [
    ("restore", "recover"), ("write", "set"), ("load", "import"), ("delete", "unset"), ("remove", "unset"),
    ("clear", "unset"), ("toggle", "set"), ("revert", "undo"), ("locks", "lock"), ("mv", "rename"),
    ("reset-recursively", "unset"), ("config", "edit"), ("Rollback", "undo"), ("preview", "try"),
    ("uninstall", "forget"), ("append", "set"), ("enable", "set"), ("create", "set"),
  ])
  func `a verb of another tool is answered with ours`(word: String, verb: String) throws {
    let result = try test.run(word, "org.example.test")
    #expect(result.status == 2 && result.output == "")
    #expect(
      result.error.hasPrefix("settings-cli: Unknown verb '\(word)'. For that there is 'settings-cli \(verb)"),
      "\(result)")
    #expect(try test.run("help", verb).status == 0)
  }

  @Test(arguments: [
    ("show", "list"), ("ls", "list"), ("history", "log"), ("where", "get --origin"), ("backup", "export"),
    ("search", "find"),
    ("monitor", "watch"), ("read", "get"), ("dump", "export"), ("gui", "page"), ("open", "page"),
    ("options", "describe"),
    ("status", "check"), ("keys", "list --names"), ("list-schemas", "apps"), ("list-recursively", "list"),
    ("writable", "describe"), ("range", "describe"), ("why", "describe"), ("version", "--version"),
    ("-V", "--version"),
  ])
  func `a verb of another tool is carried out as ours if it changes nothing`(word: String, command: String) throws {
    let verb = String(command.prefix { $0 != " " })
    let own = try test.run(verb, "--help")
    let result = try test.run(word, "--help")
    #expect(result.status == own.status && result.output == own.output)
    #expect(result.error == "settings-cli: '\(word)' is '\(command)' here.\n" + own.error, "\(result)")
    if verb.first != "-" { #expect(try test.done("help", word) == test.done("help", verb)) }
  }

  @Test func `a translation brings its options`() throws {
    try test.write("theme = \"dark\"\n")
    #expect(try test.done("where", test.app, "theme") == "\"dark\"  # user \(test.file):1\n")
    #expect(try test.done("where", test.app).hasPrefix("theme = \"dark\"  # user \(test.file):1\n"))
    #expect(try test.done("list-keys", test.app) == test.done("list", test.app, "--names"))
  }

  @Test(arguments: [
    ("write APP theme dark", "For that there is 'settings-cli set APP theme VALUE'."),
    ("write APP theme=dark", "For that there is 'settings-cli set APP KEY VALUE'."),
    ("write other theme dark", "For that there is 'settings-cli set TARGET KEY VALUE'."),
    ("add APP recent /tmp/x", "For that there is 'settings-cli set APP recent --append VALUE'."),
    ("enable APP editor.wrap", "For that there is 'settings-cli set APP editor.wrap true'."),
    ("delete APP theme", "For that there is 'settings-cli unset APP theme'."),
    (
      "clear APP",
      "For that there is 'settings-cli unset APP KEY'. For a whole app there is 'settings-cli unset APP --all'."
    ), ("wipe APP", "For that there is 'settings-cli unset APP --all'."),
    ("config get APP theme", "Leave it out: 'settings-cli get APP theme'."),
    ("config --get APP theme", "Leave it out: 'settings-cli get APP theme'."),
    ("config set APP sync.token hunter2", "Leave it out: 'settings-cli set APP sync.token …'."),
    ("config set sync.token hunter2", "Leave it out: 'settings-cli set sync.token …'."),
    ("sync.token set hunter2", "Write the verb first: 'settings-cli set sync.token …'."),
    ("settings get APP theme", "Leave it out: 'settings-cli get APP theme'."),
    ("gett --help", "Did you mean 'get'?"),
    ("APP set sync.token hunter2", "Write the verb first: 'settings-cli set APP sync.token …'."),
    ("APP set sync.token=hunter2", "Write the verb first: 'settings-cli set APP …'."),
    ("--unset APP theme", "Write the verb without '-': 'settings-cli unset APP theme'."),
    ("--list", "Write the verb without '-': 'settings-cli list'."),
    ("set APP --sync.token=hunter2", "Put '--' before a value that begins with '-'."),
    ("set APP theme dark --tpye=string", "Did you mean '--type'?"),
    ("set APP sync.token=hunter2 hunter3", "unlike 'sync.token=…' before it. Quote a VALUE that has spaces."),
    ("set APP theme=dark sync.token=hunter2 hunter3", "unlike 'theme=…' before it. Quote a VALUE that has spaces."),
    ("set APP sync.token --hunter2", "'--hunter…'. Put '--' before a value that begins with '-'."),
    ("try APP sync.token -xhunter2", "'-x…'. Put '--' before a value that begins with '-'."),
    ("get APP sync.token=hunter2", "'sync.token=…': the character '=' needs quotes, as in 'a.\"b c\".d'."),
    ("get sync.token=hunter2", "without '..', such as 'org.example.editor'."),
    ("get APP sync.token hunter2", "Unexpected word '…'. Usage: settings-cli get TARGET KEY"),
    ("undo APP password=x hunter2", "Unexpected word '…'. Usage: settings-cli undo TARGET [KEY]"),
    ("edit APP theme sync.token=hunter2", "Unexpected words 'theme', 'sync.token=…'. Usage: settings-cli edit TARGET"),
    ("profile APP sync.token=hunter2", "Invalid ACTION 'sync.token=…': use list, use, new or remove."),
    ("at APP sync.token=hunter2", "a date such as 2026-11-23, or '2026-11-23 09:30'."),
    ("set sync.token=hunter2", "before 'sync.token=…'. Usage: settings-cli set TARGET KEY=VALUE ..."),
    ("set sync.token=hunter2 APP", "Write the app first: 'settings-cli set APP sync.token=VALUE'."),
  ]) func `the command to type has the words that were typed, and no value`(line: String, advice: String) throws {
    let words = line.replacing("APP", with: test.app).split(separator: " ").map(String.init)
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), words, environment: test.home.environment, directory: test.home.path)
    #expect(result.status == 2 && result.output == "")
    #expect(result.error.hasSuffix(" \(advice.replacing("APP", with: test.app))\n"), "\(result)")
    #expect(!result.error.contains("hunter2"))
  }

  @Test(arguments: ["get --json APP blob", "get --layer user APP blob", "get APP blob --json"])
  func `a word behind a key that is declared as a secret is not shown`(line: String) throws {
    let app = "org.example.vault"
    try test.home.write(
      "app = \"\(app)\"\n[keys.blob]\ntype = \"string\"\nsecret = true\n",
      to: test.home.path + "/data/app-settings/\(app).toml")
    let words = line.replacing("APP", with: app).split(separator: " ").map(String.init)
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), words + ["hunter2"], environment: test.home.environment)
    #expect(result.status == 2 && result.error.contains("Unexpected word '…'"), "\(result)")
    #expect(!result.error.contains("hunter2"))
  }

  @Test func `who would remove an app, or means a time, is told how`() throws {
    let remove = try test.run("remove", "org.example.player")
    #expect(remove.error.hasSuffix("For a whole app there is 'settings-cli forget org.example.player'.\n"), "\(remove)")
    #expect(try !test.run("remove", "./x.toml").error.contains("forget"))
    for (option, meant) in [("--today", "today"), ("--last-week", "\"last week\""), ("--2d", "2d")] {
      let log = try test.run("log", option)
      #expect(log.status == 2 && log.error.hasSuffix("Did you mean '--since \(meant)'?\n"), "\(log)")
    }
    #expect(try !test.run("list", "--today").error.contains("--since"))
    #expect(try test.run("log", "-5").error.hasSuffix("Did you mean '--limit 5'?\n"))
    #expect(try test.run("log", "-n5").error.hasSuffix("Did you mean '-n 5'?\n"))
    #expect(try test.run("list", "-z").error.hasSuffix("Did you mean '-0'?\n"))
    for app in [test.app, "org.example.player"] {
      try test.done("set", app, "theme", "dark", "--create")
      let undo = try test.run("undo", app, "3")
      #expect(undo.error.hasSuffix("For entry 3 of 'log', write '#3', with the quotes.\n"), "\(undo)")
      let export = try test.run("export", app, "out.toml")
      #expect(export.error.hasSuffix("To export to a file, write '> out.toml'.\n"), "\(export)")
    }
    let at = try test.run("at", test.app, "-1")
    #expect(at.status == 2 && at.error.contains("such as '#13', with the quotes."), "\(at)")
  }

  @Test func `a word that nobody says gets a few verbs, and a target gets one`() throws {
    let unknown = try test.run("frobnicate", "org.example.test")
    #expect(unknown.status == 2 && unknown.error.contains("get, set, unset, list") && unknown.error.utf8.count < 160)
    let target = try test.run("org.example.test", "theme", "dark")
    #expect(target.status == 2 && target.error.contains("'settings-cli list org.example.test'"), "\(target)")
    let shifted = try test.run("set", "font-size", "14")
    #expect(shifted.status == 2 && shifted.error.contains("'font-size' is no known app"), "\(shifted)")
  }

  @Test(
    arguments: [
      ("editor", "org.example.editor"), ("Editor", "org.example.editor"), ("org.editor", "org.example.editor"),
      ("maps", "org.gnome.maps"), ("kate", "org.kde.kate"), ("org.gnme.maps", "org.gnome.maps"),
      ("org.example.edtior", "org.example.editor"), ("editr", "org.example.editor"), ("mpas", nil),
      ("org.gnome.clocks", nil), ("org.example.u", nil),
      ("com.acme.paint", nil), ("org.example.solo", nil),
    ] as [(String, String?)])
  func `an id is like another one by its last part and by typos, not by its organization`(
    typed: String, meant: String?
  ) throws {
    for app in ["org.gnome.maps", "org.kde.kate", "org.example.editor", "solo"] {
      #expect(try test.run("set", app, "a", "1", "--create").status == 0)
    }
    let result = try test.run("set", typed, "theme", "dark")
    if let meant {
      #expect(result.status == 3 && result.error.contains("Did you mean '\(meant)'?"), "\(result)")
      #expect(!FileManager.default.fileExists(atPath: test.home.path + "/config/\(typed)"))
    } else {
      #expect(result.status == 0, "\(result)")
    }
  }

  @Test func `an app is named by the end of its id where that is read`() throws {
    let id = "org.example.editor"
    #expect(try test.run("set", id, "a", "1").status == 0)
    let note = "settings-cli: 'editor' is 'org.example.editor'.\n"
    #expect(try test.run("get", "editor", "a") == SchemaHome.answer("1\n", note))
    #expect(try test.run("list", "example.editor").output == "a = 1\n")
    try test.home.write("b = 1\n", to: test.home.path + "/b.toml")
    for words in [
      ["log"], ["describe"], ["export"], ["diff"], ["check"], ["blame"], ["at", "0s"], ["get", "--json"],
      ["get", "--digest"], ["diff", "b.toml"],
    ] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), [words[0], "Editor"] + words.dropFirst(),
        environment: test.home.environment, directory: test.home.path)
      #expect(result.status == 0 && result.error.contains("'Editor' is 'org.example.editor'."), "\(words): \(result)")
    }
    #expect(try test.run("set", "net.other.editor", "a", "2").status == 0)
    let two = try test.run("get", "editor", "a")
    #expect(two.status == 3 && two.error.contains("Did you mean 'net.other.editor' or 'org.example.editor'?"), "\(two)")
    // What only ends alike is no part of the id.
    #expect(try test.run("get", "org.editor", "a").status == 3)
  }

  @Test(.enabled(if: TerminalSession.isPossible, "script(1) is not installed"))
  func `an app that is named by the end of its id is asked for where that is written`() throws {
    #expect(try test.run("set", "org.example.editor", "a", "1").status == 0)
    for (answer, status, value) in [("n\n", 3, "1\n"), ("y\n", 0, "2\n")] as [(String, Int32, String)] {
      let session = try TerminalSession(
        "\(ChildProcess.product("settings-cli")) set editor a 2", environment: test.home.environment,
        directory: test.home.path)
      session.wait(for: "'editor' is no known app. Use 'org.example.editor'? [y/N]")
      session.type(answer)
      #expect(session.end().status == status)
      #expect(try test.done("get", "org.example.editor", "a") == value)
    }
  }

  @Test(arguments: [
    "now", "today", "yesterday", "monday", "last friday", "Tue", "1 week", "2 days ago", "an hour ago", "last week",
    "1w",
  ])
  func `times are taken as people say them`(time: String) throws {
    #expect(try test.run("set", "org.example.test", "--create", "theme", "dark").status == 0)
    let result = try test.run("log", "org.example.test", "--since", time)
    #expect(result.status == 0 || result.status == 1 && time == "now", "\(result)")
    let text = try test.run("log", "org.example.test", "--since", "\(time) or so")
    #expect(text.status == 2 && text.error.contains("yesterday"), "\(text)")
  }

  @Test func `a list wants to know whether to add or to replace`() throws {
    try test.home.write("recent = [\"a\"]\n")
    let schema = "app = \"org.example.test\"\n[keys.recent]\ntype = \"array\"\nelements = { type = \"string\" }\n"
    try test.home.write(schema, to: test.home.path + "/data/app-settings/org.example.test.toml")
    let result = try test.run("set", "org.example.test", "recent", "/tmp/x")
    #expect(result.status == 4 && result.error.contains("--append"), "\(result)")
  }
}
