import Foundation
import Testing
import TestSupport

/// The files of administrators, as targets: `--system`, `--drop-in`, `lock` and `unlock`.
struct AdministratorsCommandTests {
  let test: SchemaHome
  init() throws { test = try SchemaHome() }
  private var app: String { test.app }

  private func dropIn(_ name: String) -> String { "\(test.home.path)/etc/xdg/\(app)/settings.d/\(name).toml" }

  private func text(_ file: String) -> String? { try? String(contentsOfFile: file, encoding: .utf8) }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private func answer(_ output: String, _ error: String = "", status: Int32 = 0) -> ChildProcess.Result {
    SchemaHome.answer(output, error, status: status)
  }

  // MARK: The files

  @Test func `set --system writes a file that all users can read, and knows the schema`() throws {
    let result = try ChildProcess.shell(
      "umask 077; \(ChildProcess.product("settings-cli")) set \(app) --system theme dark",
      environment: test.home.environment, directory: test.home.path)
    #expect(result == answer(""))
    #expect(text(test.systemFile) == "theme = \"dark\"\n")
    #expect(mode(test.systemFile) == 0o644)
    #expect(mode(test.home.path + "/etc/xdg/\(app)") == 0o755)
    #expect(try test.run("get", app, "theme").output == "dark\n")
    #expect(!FileManager.default.fileExists(atPath: test.file))
    let refused = try test.run("set", app, "--system", "editor.font-size", "900")
    #expect(refused.status == 4 && refused.error.contains("from 6 to 72"))
    #expect(try test.run("set", app, "--system", "thme", "dark").status == 3)
  }

  @Test func `a user's own directory among those for all users stays private`() throws {
    var environment = test.home.environment
    environment["XDG_CONFIG_DIRS"] = "\(test.home.path)/config:\(test.home.path)/etc/xdg"
    func run(_ words: String...) throws -> ChildProcess.Result {
      try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: environment, directory: test.home.path)
    }
    #expect(try run("set", "./config/some.toml", "a", "1").status == 0)
    #expect(mode(test.home.path + "/config/some.toml") == 0o600)
    #expect(try run("set", app, "--system", "theme", "dark").status == 0)
    #expect(text(test.systemFile) == "theme = \"dark\"\n" && !FileManager.default.fileExists(atPath: test.file))
    #expect(try run("set", "./etc/xdg/staged.toml", "a", "1").status == 0)
    #expect(mode(test.home.path + "/etc/xdg/staged.toml") == 0o644)
    #expect(try run("set", "./etc/xdg/../private.toml", "a", "1").status == 0)
    #expect(mode(test.home.path + "/etc/private.toml") == 0o600)
  }

  @Test func `a drop-in is written with the layers below it, and none above`() throws {
    try test.home.write("theme = \"dark\"\n", to: test.systemFile)
    #expect(try test.run("set", app, "--drop-in", "50-site", "editor.font-size", "14") == answer(""))
    #expect(text(dropIn("50-site")) == "[editor]\nfont-size = 14\n" && mode(dropIn("50-site")) == 0o644)
    #expect(try test.run("set", app, "--drop-in", "10-first.toml", "editor.wrap", "no").status == 0)
    #expect(try test.run("list", app, "--drop-in", "10-first", "--changed").output == "editor.wrap = false\n")
    #expect(try test.run("get", app, "editor.font-size", "--drop-in", "10-first").output == "12\n")
    #expect(try test.run("get", app, "editor.font-size", "--drop-in", "50-site").output == "14\n")
    #expect(try test.run("get", app, "theme", "--drop-in", "10-first").output == "dark\n")
    #expect(try test.run("path", app, "--drop-in", "50-site").output == dropIn("50-site") + "\n")
    #expect(try test.run("unset", app, "--drop-in", "50-site", "editor.font-size").status == 0)
  }

  @Test func `a value that a higher administrator's file hides is stored and not effective`() throws {
    try test.home.write("theme = \"dark\"\n", to: dropIn("50-site"))
    let result = try test.run("set", app, "--system", "theme", "light")
    #expect(result.status == 5)
    #expect(
      result.error
        == "settings-cli: Stored 'theme' in '\(test.systemFile)', but it has no effect: the value comes from the system "
        + "layer '\(dropIn("50-site"))'.\n")
    // What a user has set is the user's.
    try test.write("theme = \"light\"\n")
    #expect(try test.run("set", app, "--drop-in", "50-site", "theme", "dark").status == 0)
  }

  @Test func `a lower file's lock holds for a higher one`() throws {
    try test.home.write("settings-locked = [\"theme\"]\ntheme = \"dark\"\n", to: test.systemFile)
    let result = try test.run("set", app, "--drop-in", "50-site", "theme", "light")
    #expect(result.status == 5 && result.error.contains("is locked by '\(test.systemFile)', line 1"))
    // The file that locks a key may change it.
    #expect(try test.run("set", app, "--system", "theme", "light").status == 0)
  }

  @Test func `an administrator's options need an app, and one file`() throws {
    for line in [["--system", "./a.toml"], ["--system", app, "--drop-in", "x"]] {
      let result = try test.run(
        "list", line[0], line[1], line.count > 2 ? line[2] : "theme", line.count > 3 ? line[3] : "")
      #expect(result.status == 2, "\(line): \(result)")
    }
    for name in ["../x", ".hidden", "", "a/b"] {
      let result = try test.run("set", app, "--drop-in", name, "theme", "dark")
      #expect(result.status == 2 && result.error.contains("Invalid drop-in"), "\(name): \(result)")
    }
  }

  // MARK: Values without effect

  @Test func `a value without effect hides nothing in any verb`() throws {
    try test.home.write("settings-locked = [\"n.x\", \"m.b.x\"]\nn = 5\n", to: test.systemFile)
    try test.write("n.x = 1\nm.b.x = 2\n")
    try FileManager.default.removeItem(atPath: test.schemaFile)
    #expect(try test.run("get", app, "n") == answer("5\n"))
    #expect(try test.run("get", app, "m").status == 1)
    #expect(try test.run("list", app) == answer("n = 5\n"))
    #expect(try test.run("export", app, "--all-layers") == answer("settings-version = 1\nn = 5\n"))
    #expect(try test.run("export", app) == answer(""))
    #expect(try test.run("describe", app, "n").output.contains("ignored   user \(test.file):1: { x = 1 }\n"))
    #expect(
      try test.run("get", app, "n", "--layers").output
        == "{ x = 1 }  # user \(test.file):1, ignored: locked by an administrator\n5  # system \(test.systemFile):2\n")
  }

  @Test func `a value of one's own under a lock can be removed, and check says how`() throws {
    try test.home.write(
      "settings-locked = [\"theme\", \"editor.font-size\"]\ntheme = \"light\"\n", to: test.systemFile)
    try test.write("theme = \"dark\"\nfont_size = 20\neditor.wrap = false\n")
    let check = try test.run("check", app)
    #expect(check.status == 5)
    #expect(check.output.contains("To remove it, run 'settings-cli unset \(app) theme'.\n"), "\(check)")
    #expect(check.output.contains("To remove it, run 'settings-cli unset \(app) font_size'.\n"))
    #expect(try test.run("set", app, "theme", "dark").status == 5)
    #expect(try test.run("unset", app, "theme", "--dry-run").output.contains("-theme = \"dark\"\n"))
    #expect(
      try test.run("unset", app, "theme")
        == answer(
          "",
          "settings-cli: Removed your own value of 'theme', which had no effect: it is locked by '\(test.systemFile)', "
            + "line 1.\n"))
    #expect(try test.run("unset", app, "editor.font-size").status == 0)
    #expect(test.home.text() == "editor.wrap = false\n")
    #expect(try test.run("check", app).status == 0)
    let none = try test.run("unset", app, "theme")
    #expect(none.status == 5 && none.error.contains("Cannot unset 'theme': it is locked by"))
    try test.write("theme = \"dark\"\n")
    let batch = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["batch", app], environment: test.home.environment,
      input: "{\"unset\": \"theme\"}\n", directory: test.home.path)
    #expect(batch.status == 0 && test.home.text()?.contains("theme") != true, "\(batch)")
  }

  @Test func `a new administrator's file does not import what the user has from before`() throws {
    let schema =
      SchemaHome.schema + """
        [[migrations]]
        version = 2
        name = "old file"
        steps = [{ rename = "colour", to = "theme" }]

        """
    try test.home.write(schema, to: test.schemaFile)
    #expect(try test.run("set", app, "--system", "theme", "dark").status == 0)
    #expect(
      text(test.systemFile) == "settings-version = 2\n\ntheme = \"dark\"\n"
        || text(test.systemFile)?.contains("settings-version = 2") == true)
  }

  private func writeSchemaThatRenames() throws {
    let migration =
      "[[migrations]]\nversion = 2\nname = \"name the colour\"\nsteps = [{ rename = \"colour\", to = \"theme\" }]\n"
    try test.home.write(SchemaHome.schema + migration, to: test.schemaFile)
  }

  @Test func `unset --all of a file of an older version keeps what is locked under its new name`() throws {
    try writeSchemaThatRenames()
    let locks = "settings-version = 2\nsettings-locked = [\"theme\"]\ntheme = \"dark\"\n"
    try test.home.write(locks, to: test.systemFile)
    try test.write("colour = \"light\"\neditor.wrap = true\n")
    let result = try test.run("unset", app, "--all")
    #expect(result.output.hasPrefix("removed: 1 key\nkept: theme (locked)\n"), "\(result)")
    #expect(text(test.file) == "settings-version = 2\ntheme = \"light\"\n")
  }

  @Test func `migrating an administrator's file makes its locks follow the keys`() throws {
    try writeSchemaThatRenames()
    try test.home.write(
      "settings-locked = [\n  \"editor.wrap\",  # stays\n  { key = \"colour\", reason = \"The house style.\" },\n]\ncolour = \"dark\"\n",
      to: test.systemFile)
    let refused = try test.run("set", app, "theme", "light")
    #expect(refused.status == 5)
    #expect(
      refused.error.contains(
        "Cannot set 'theme': it is locked by '\(test.systemFile)', line 1 (reason: The house style). Nothing was written."
      ),
      "\(refused)")
    #expect(try test.run("migrate", app, "--system") == answer("migrated: 2 name the colour\n"))
    let migrated = text(test.systemFile) ?? ""
    #expect(migrated.contains("{ key = \"theme\", reason = \"The house style.\" }"), "\(migrated)")
    #expect(migrated.contains("\"editor.wrap\",  # stays") && !migrated.contains("colour"), "\(migrated)")
    #expect(try test.run("check", app) == answer(""))
  }

  @Test func `check --system checks administrators' files and no user's`() throws {
    try test.write("theme = 1\n")
    try test.home.write("thme = 1\n", to: dropIn("50-site"))
    chmod(dropIn("50-site"), 0o644)
    let result = try test.run("check", app, "--system")
    #expect(result.status == 3 && result.output.hasPrefix("\(dropIn("50-site")):1:8: warning: Unknown key 'thme'."))
    #expect(!result.output.contains(test.file))
    #expect(try test.run("check", app, "--drop-in", "10-none") == answer(""))
  }

  @Test func `check of a path takes locks for what they may become`() throws {
    let staged = test.home.path + "/staged.toml"
    try test.home.write("settings-locked = [\"theme\", 3]\n", to: staged)
    chmod(staged, 0o644)
    let result = try test.run("check", "./staged.toml", "--schema", test.schemaFile)
    #expect(result.status == 4)
    #expect(result.output.contains("entry 2 of 'settings-locked'") && !result.output.contains("does nothing"))
  }

  @Test func `a secret for all is warned of`() throws {
    let result = try test.run("set", app, "--system", "sync.token", "hunter2")
    #expect(result.status == 0)
    #expect(result.error.contains("The secret 'sync.token' is now in a file that all users may read."))
    #expect(!result.error.contains("hunter2"))
  }

  @Test func `import and edit write an administrator's file`() throws {
    try test.home.write("[editor]\nwrap = false\n", to: test.home.path + "/new.toml")
    #expect(try test.run("import", app, "new.toml", "--drop-in", "50-site").status == 0)
    #expect(text(dropIn("50-site")) == "[editor]\nwrap = false\n")
    var environment = test.home.environment
    environment["EDITOR"] = "sed -i s/false/true/"
    let edited = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["edit", app, "--drop-in", "50-site"], environment: environment,
      directory: test.home.path)
    #expect(edited.status == 0, "\(edited)")
    #expect(text(dropIn("50-site")) == "[editor]\nwrap = true\n")
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can become another user."))
  func `without permission for an administrator's file, the message says to use sudo`() throws {
    let home = ScratchHome(under: "/tmp")
    chmod(home.path, 0o755)
    try home.write("theme = \"dark\"\n", to: home.path + "/etc/xdg/\(app)/settings.toml")
    // The executable may be where nobody else gets to.
    let command = home.path + "/settings-cli"
    try ChildProcess.copyProduct("settings-cli", to: command)
    let words = ["--reuid", "65534", "--regid", "65534", "--clear-groups", command]
    for line in [["set", app, "--system", "theme", "light"], ["lock", app, "theme", "--drop-in", "50-site"]] {
      let result = try ChildProcess.run("/usr/bin/setpriv", words + line, environment: home.environment, directory: "/")
      #expect(result.status == 5)
      let error = result.error
      #expect(error.hasSuffix(" Administrators' files belong to root: run the command with 'sudo'.\n"), "\(result)")
    }
  }

  // MARK: Locks

  @Test func `lock names the key and the reason, and unlock removes them`() throws {
    #expect(try test.run("set", app, "--system", "theme", "dark").status == 0)
    #expect(try test.run("lock", app, "theme", "--reason", "The house style.\nAsk Ada.") == answer(""))
    #expect(
      text(test.systemFile)
        == "theme = \"dark\"\n\n[[settings-locked]]\nkey = \"theme\"\nreason = \"The house style.\\nAsk Ada.\"\n")
    let refused = try test.run("set", app, "theme", "light")
    #expect(
      refused
        == answer(
          "",
          "settings-cli: Cannot set 'theme': it is locked by '\(test.systemFile)', line 3 (reason: The house style. Ask "
            + "Ada). Nothing was written.\n", status: 5))
    let described = try test.run("describe", app, "theme")
    #expect(described.output.contains("  locked    by \(test.systemFile), line 3\n"))
    #expect(described.output.contains("  reason    The house style. Ask Ada.\n"))
    let object = try #require(try json(try test.run("describe", app, "theme", "--json").output) as? [String: Any])
    #expect(object["lockReason"] as? String == "The house style.\nAsk Ada.")
    #expect(try test.run("lock", app, "host").status == 0)
    #expect(text(test.systemFile)?.hasSuffix("\n\n[[settings-locked]]\nkey = \"host\"\n") == true)
    #expect(try test.run("unlock", app, "theme", "host") == answer(""))
    #expect(text(test.systemFile) == "theme = \"dark\"\n")
    #expect(try test.run("set", app, "theme", "light").status == 0)
  }

  @Test func `lock KEY=VALUE sets and locks in one write, by the present name`() throws {
    #expect(try test.run("lock", app, "font_size=14", "theme=dark", "--drop-in", "50-site") == answer(""))
    #expect(try test.run("get", app, "editor.font-size").output == "14\n")
    #expect(text(dropIn("50-site"))?.contains("settings-locked = [\"editor.font-size\", \"theme\"]\n") == true)
    #expect(try test.run("set", app, "editor.font-size", "15").status == 5)
    #expect(try test.run("lock", app, "editor.font-size=900").status == 4)
    #expect(try test.run("lock", app, "thme").status == 3)
    #expect(try test.run("lock", app, "thme", "--create").status == 0)
  }

  @Test func `lock KEY=- reads the value from standard input, as set does`() throws {
    func lock(_ words: String..., input: String) throws -> ChildProcess.Result {
      try ChildProcess.run(
        ChildProcess.product("settings-cli"), ["lock", app] + words, environment: test.home.environment, input: input)
    }
    #expect(try lock("theme", "sync.token=-", input: "hunter2\n").status == 0)
    #expect(text(test.systemFile)?.contains("token = \"hunter2\"\n") == true)
    #expect(try lock("sync.token=-", input: "").status == 4)
    #expect(try lock("sync.token=-", "host=-", input: "x").status == 2)
    #expect(try lock("--", "host=-", input: "x") == answer(""))
    #expect(try test.done("get", app, "host") == "-\n")
  }

  @Test func `what is locked below, or has no value, is said`() throws {
    try test.home.write("settings-locked = [\"theme\"]\ntheme = \"dark\"\n", to: test.systemFile)
    let again = try test.run("lock", app, "theme", "--drop-in", "50-site")
    #expect(
      again == answer("", "settings-cli: 'theme' is locked already, by '\(test.systemFile)', line 1.\n"))
    #expect(text(dropIn("50-site")) == nil)
    #expect(try test.run("lock", app, "hosts={ a = { prot = 80 } }").status == 3)
    let empty = try test.run("lock", app, "editor.wrap")
    #expect(empty.status == 0)
    #expect(
      empty.error
        == "settings-cli: Neither this file nor a lower one sets 'editor.wrap', so it is locked to the app's default.\n"
    )
    let elsewhere = try test.run("unlock", app, "theme", "--drop-in", "50-site")
    #expect(
      elsewhere
        == answer(
          "",
          "settings-cli: 'theme' is not in the list of locks of '\(dropIn("50-site"))'. It is locked by "
            + "'\(test.systemFile)', line 1, perhaps with a table around it: unlock it there.\n", status: 1))
  }

  @Test func `comments in a list of locks stay`() throws {
    try test.home.write(
      "settings-locked = [\n  \"theme\",  # the house style\n  \"editor.wrap\",\n]\n", to: test.systemFile)
    #expect(try test.run("lock", app, "host").status == 0)
    #expect(try test.run("unlock", app, "editor.wrap").status == 0)
    let now = text(test.systemFile) ?? ""
    #expect(
      now.contains("\"theme\",  # the house style\n") && now.contains("\"host\"") && !now.contains("wrap"), "\(now)")
  }

  @Test func `a list of locks that is not an array is not overwritten`() throws {
    try test.home.write("settings-locked = \"theme\"\n", to: test.systemFile)
    let result = try test.run("lock", app, "host")
    #expect(result.status == 4 && result.error.contains("'settings-locked' is a string"))
    #expect(text(test.systemFile) == "settings-locked = \"theme\"\n")
  }

  @Test(arguments: [
    ("{ reason = \"x\" }", "it has no string 'key'"),
    ("{ key = \"theme\", why = \"x\" }", "it has 'why', but may only have 'key' and 'reason'"),
    ("{ key = \"theme\", reason = 1 }", "its 'reason' is an integer, but must be a string"),
    ("3", "it is an integer, but must be a string that names a key, or a table with 'key' and 'reason'"),
  ])
  func `an invalid lock is said`(entry: String, reason: String) throws {
    try test.home.write("settings-locked = [\(entry), \"host\"]\n", to: test.systemFile)
    let result = try test.run("check", app)
    #expect(result.output.contains("Cannot use entry 1 of 'settings-locked' of '\(test.systemFile)': \(reason)."))
    #expect(try test.run("set", app, "host", "x").status == 5)
  }

  // MARK: Layers

  @Test func `get --layers and describe show each layer's value, its place, and what hides it`() throws {
    try test.home.write("theme = \"light\"\n", to: test.systemFile)
    try test.home.write("theme = \"dark\"\n", to: dropIn("50-site"))
    try test.write("theme = \"light\"\n")
    #expect(
      try test.run("get", app, "theme", "--layers")
        == answer(
          """
          "light"  # user \(test.file):1
          "dark"  # system \(dropIn("50-site")):1, hidden by user \(test.file):1
          "light"  # system \(test.systemFile):1, hidden by user \(test.file):1
          "light"  # the app's default, hidden

          """))
    try test.home.write("settings-locked = [\"theme\"]\ntheme = \"dark\"\n", to: dropIn("50-site"))
    let lines = try test.run("get", app, "theme", "--layers").output.split(separator: "\n")
    #expect(lines[0] == "\"light\"  # user \(test.file):1, ignored: locked by '\(dropIn("50-site"))', line 1")
    #expect(lines[1] == "\"dark\"  # system \(dropIn("50-site")):2")
    let described = try test.run("describe", app, "theme").output
    #expect(described.contains("  ignored   user \(test.file):1: \"light\"\n"))
    #expect(described.contains("  hidden    system \(test.systemFile):1: \"light\"\n"))
    let objects = try #require(
      try json(try test.run("get", app, "theme", "--layers", "--json").output) as? [[String: Any]])
    #expect(objects.map { $0["state"] as? String } == ["ignored", "used", "hidden", "hidden"])
    #expect(objects.map { $0["layer"] as? String } == ["user", "system", "system", "default"])
  }

  @Test func `layers show former names, merged tables and what hides a table`() throws {
    try test.home.write("font_size = 20\n[hosts.a]\nport = 1\n", to: test.systemFile)
    try test.write("[editor]\nfont-size = 14\n[hosts.b]\nport = 2\n")
    let sizes = try test.run("get", app, "editor.font-size", "--layers").output
    #expect(
      sizes
        == """
        14  # user \(test.file):2
        20  # system \(test.systemFile):1, as 'font_size', hidden by user \(test.file):2
        12  # the app's default, hidden

        """)
    let editor = try test.run("get", app, "editor", "--layers").output
    #expect(editor.hasSuffix("}  # the app's default, merged with the layers above\n"), "\(editor)")
    let hosts = try test.run("get", app, "hosts", "--layers").output.split(separator: "\n")
    #expect(hosts.count == 2 && hosts[1].hasSuffix(", merged with the layers above"), "\(hosts)")
    try test.write("hosts = 3\n")
    let hidden = try test.run("get", app, "hosts.a", "--layers").output.split(separator: "\n")
    #expect(hidden[0] == "3  # user \(test.file):1, as 'hosts', not usable", "\(hidden)")
    #expect(hidden[1].hasSuffix("hidden by user \(test.file):1"), "\(hidden)")
  }

  @Test func `layers never show a secret`() throws {
    try test.home.write("sync.token = \"old\"\n", to: test.systemFile)
    try test.write("sync.token = \"new\"\n")
    for words in [["get", app, "sync.token", "--layers"], ["get", app, "sync.token", "--layers", "--json"]] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: test.home.environment, directory: test.home.path)
      #expect(result.status == 0 && result.output.contains("(secret)"))
      #expect(!result.output.contains("old") && !result.output.contains("new"))
    }
  }
}
