import Foundation
import Testing
import TestSupport

/// `log`, `blame`, `undo` and `at`.
struct HistoryCommandTests {
  let test: SchemaHome
  init() throws { test = try SchemaHome() }
  private var app: String { test.app }

  private func answer(_ output: String, _ error: String = "", status: Int32 = 0) -> ChildProcess.Result {
    SchemaHome.answer(output, error, status: status)
  }

  /// Three writes: a theme, a size, both.
  private func writeThree() throws {
    try test.done("set", app, "theme", "dark")
    try test.done("set", app, "editor.font-size", "14")
    try test.done("set", app, "theme=light", "editor.font-size=16")
  }

  @Test func `a change that is made twice in one write is recorded once`() throws {
    let file = test.home.path + "/d.toml"
    try test.home.write("a = 1\nb = 2\nc = 3\nq = 1\n", to: file)
    try test.done("unset", "./d.toml", "a", "b", "a")
    try test.done("rename", "./d.toml", "c", "q", "--replace")
    #expect(
      SchemaHome.timeless(try test.done("log", "./d.toml")).split(separator: "\n").filter { $0.hasPrefix(" ") }.sorted()
        == [
          "  a: 1 -> (none)", "  b: 2 -> (none)", "  c: 3 -> (none)", "  q: 1 -> 3",
        ])
  }

  // MARK: log

  @Test func `log prints each change, newest first, with who and why`() throws {
    try writeThree()
    try test.write(try #require(test.home.text(of: test.file)).replacingOccurrences(of: "16", with: "18"))
    #expect(
      SchemaHome.timeless(try test.done("log", app)) == """
        #4 TIME outside, not recorded yet
          editor.font-size: 16 -> 18
        #3 TIME update by settings-cli
          theme: "dark" -> "light"
          editor.font-size: 14 -> 16
        #2 TIME set by settings-cli
          editor.font-size: (none) -> 14
        #1 TIME set by settings-cli
          theme: (none) -> "dark"

        """)
    #expect(
      SchemaHome.timeless(try test.done("log", app, "theme")) == """
        #3 TIME update by settings-cli
          theme: "dark" -> "light"
          and 1 other value
        #1 TIME set by settings-cli
          theme: (none) -> "dark"

        """)
    #expect(try test.done("log", app, "font_size") == test.done("log", app, "editor.font-size"))
    #expect(try test.done("log", app, "--limit", "1").hasPrefix("#4 "))
    #expect(try test.done("log", app, "-n", "1") == test.done("log", app, "--limit", "1"))
    try test.done("unset", app, "theme")
    #expect(
      SchemaHome.timeless(try test.done("log", app, "--limit", "2")) == """
        #5 TIME reset by settings-cli
          theme: "light" -> (none)
        #4 TIME outside
          editor.font-size: 16 -> 18

        """)
  }

  @Test func `log as JSON has every part of an entry`() throws {
    try writeThree()
    let entries = try #require(try json(try test.done("log", app, "--json")) as? [[String: Any]])
    #expect(entries.map { $0["number"] as? Int } == [3, 2, 1])
    let first = entries[0]
    #expect(first["by"] as? String == "settings-cli" && first["program"] as? String == "settings-cli")
    #expect(first["uid"] as? Int == Int(getuid()) && (first["pid"] as? Int ?? 0) > 1)
    #expect(first["reason"] as? String == "update" && first["isUnrecorded"] as? Bool == false)
    #expect((first["time"] as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    let changes = try #require(first["changes"] as? [[String: Any]])
    #expect(changes.map { $0["key"] as? String } == ["theme", "editor.font-size"])
    #expect(changes[0]["old"] as? String == "dark" && changes[1]["new"] as? Int == 16)
    #expect(changes[0]["isHidden"] as? Bool == false && changes[0]["isLong"] as? Bool == false)
  }

  @Test func `log takes ages, dates and times`() throws {
    try writeThree()
    for when in ["2d", "3h", "30m", "1w", "60s", "2024-11-23", "2024-11-23 09:30", "2024-11-23T09:30:00+02:00"] {
      #expect(try test.done("log", app, "--since", when).hasPrefix("#3 "), "\(when)")
    }
    let none = try test.run("log", app, "--since", "9000-01-01")
    #expect(
      none
        == answer(
          "", "settings-cli: The history of '\(test.file)' has no change since 9000-01-01 00:00:00.\n", status: 1))
    for when in ["2x", "some day", "d", "-1d", "999999999 years ago"] {
      let refused = try test.run("log", app, "--since=\(when)")
      #expect(refused.status == 2 && refused.error.contains("is not a time"), "\(refused)")
    }
    #expect(try test.run("at", app, "9999 years ago").error.contains("does not go back to 0001-01-01"))
  }

  @Test func `without a history, log says why and exits 1`() throws {
    try test.write("theme = \"dark\"\n")
    #expect(
      try test.run("log", app) == answer("", "settings-cli: The history of '\(test.file)' has no change.\n", status: 1))
    #expect(try test.run("log", app, "--json").output == "[]\n")
    #expect(try test.run("log", app, "thme").status == 3)
    #expect(try test.run("log", "org.example.tset").status == 3)
    #expect(try test.run("undo", app).status == 1 && test.run("at", app, "#1").status == 1)
    #expect(test.home.names(in: test.home.path + "/state").isEmpty)
    try test.write("settings-history = false\ntheme = \"dark\"\n")
    #expect(try test.run("describe", app, "--document").output.contains("\"keepsHistory\":false"))
    try test.done("set", app, "theme", "light")
    #expect(
      try test.run("log", app)
        == answer(
          "", "settings-cli: '\(test.file)' keeps no history: 'settings-history' in it is false.\n", status: 1))
    #expect(try test.run("undo", app).status == 1)
  }

  @Test func `log says what was lost, and numbers go on`() throws {
    try writeThree()
    let journal = test.home.path + "/state/app-settings/files\(test.file).history/journal"
    try Data().write(to: URL(fileURLWithPath: journal))
    let lost = "settings-cli: Changes before #4 are lost: the history was damaged.\n"
    let none = "settings-cli: The history of '\(test.file)' has no change.\n"
    #expect(try test.run("log", app) == answer("", lost + none, status: 1))
    try test.done("set", app, "theme", "dark")
    let after = try test.run("log", app)
    #expect(after.error == lost && SchemaHome.timeless(after.output).hasPrefix("#4 TIME set by settings-cli\n"))
    #expect(try test.done("at", app, "0s") == test.home.text(of: test.file))
  }

  @Test func `what stands in the place of a history's file is named, and nothing is lost`() throws {
    let folder = test.home.path + "/state/app-settings/files\(test.home.path)/own.toml.history"
    let manager = FileManager.default
    try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try manager.createSymbolicLink(atPath: folder + "/journal", withDestinationPath: test.home.path + "/x")
    let link = try test.run("set", "./own.toml", "a", "1")
    let reason = "the history in '\(folder)': one of its files is a symbolic link. Remove the link."
    #expect(link.status == 0 && link.error.contains("Cannot write \(reason)"), "\(link)")
    #expect(try test.run("log", "./own.toml").error.contains("Cannot read \(reason)"))
    #expect(test.home.text(of: test.home.path + "/x") == nil)
    try manager.removeItem(atPath: folder + "/journal")
    try manager.createDirectory(atPath: folder + "/journal", withIntermediateDirectories: false)
    let directory = try test.run("set", "./own.toml", "a", "2")
    #expect(directory.status == 0 && directory.error.contains("the history in '\(folder)': "), "\(directory)")
    #expect(try test.done("get", "./own.toml", "a") == "2\n")
    try manager.removeItem(atPath: folder + "/journal")
    try Data("?".utf8).write(to: URL(fileURLWithPath: folder + "/journal"))
    let lost = "settings-cli: Earlier changes are lost: the history was damaged.\n"
    #expect(try test.run("log", "./own.toml").error.hasPrefix(lost))
  }

  @Test func `the making and the removal of a profile are no migrations`() throws {
    try test.done("set", app, "theme", "dark")
    try test.done("profile", app, "new", "work", "--from-current")
    try test.done("set", app, "theme", "light", "--layer", "profile:work")
    try test.done("profile", app, "remove", "work")
    try test.done("profile", app, "new", "work")
    let entries = try #require(
      try json(try test.done("log", app, "--layer", "profile:work", "--json")) as? [[String: Any]])
    #expect(entries.map { $0["reason"] as? String } == ["reset", "set", "import"])
    #expect(try test.done("undo", app, "--layer", "profile:work").hasPrefix("undone: #3 "))
    #expect(try test.done("get", app, "theme", "--layer", "profile:work") == "light\n")
  }

  // MARK: blame

  @Test func `blame says who changed each value`() throws {
    try test.write("# mine\nsettings-version = 1\n\ntheme = 'dark'\nsync.token = \"hunter2\"\n")
    try test.done("set", app, "editor.font-size", "14")
    try test.done("set", app, "sync.token", "s3cret")
    #expect(
      SchemaHome.timeless(try test.done("blame", app)) == """
        theme = "dark"  # older than the history
        sync.token = (secret)  # #2 TIME set by settings-cli
        editor.font-size = 14  # #1 TIME set by settings-cli

        """)
    #expect(SchemaHome.timeless(try test.done("blame", app, "editor")).hasPrefix("editor.font-size = 14  # #1 "))
    let objects = try #require(try json(try test.done("blame", app, "--json")) as? [[String: Any]])
    #expect(objects.map { $0["key"] as? String } == ["theme", "sync.token", "editor.font-size"])
    #expect(objects[0]["entry"] is NSNull && objects[1]["value"] as? String == "(secret)")
    #expect((objects[2]["entry"] as? [String: Any])?["number"] as? Int == 1)
    #expect(try test.run("blame", app, "host") == answer("", status: 1))
    #expect(try test.run("blame", app, "hosst").status == 3)
  }

  @Test func `blame hides a value in the place of a secret's table, whatever the target`() throws {
    try test.done("set", app, "theme", "dark")
    try test.write("theme = \"dark\"\n\n[[sync]]\ntoken = \"hunter2\"\n")
    for target in [app, test.file] {
      let shown = SchemaHome.timeless(try test.done("blame", target, "sync"))
      #expect(shown == "sync = (secret)  # #2 TIME outside, not recorded yet\n", "\(target)")
    }
  }

  // MARK: undo

  @Test func `undo takes back the last change, that of a key, or an entry, and can be undone`() throws {
    try writeThree()
    #expect(
      SchemaHome.timeless(try test.done("undo", app)) == """
        undone: #3 TIME update by settings-cli
          theme: "light" -> "dark"
          editor.font-size: 16 -> 14

        """)
    #expect(try test.done("get", app, "theme") == "dark\n")
    #expect(SchemaHome.timeless(try test.done("undo", app)).hasPrefix("undone: #2 TIME set by settings-cli\n"))
    try test.done("redo", app)
    #expect(
      SchemaHome.timeless(try test.done("redo", app)) == """
        redone: #4 TIME undo of #3 by settings-cli
          theme: "dark" -> "light"
          editor.font-size: 14 -> 16

        """)
    #expect(try test.run("redo", app).status == 1)
    try test.done("set", app, "theme", "dark")
    #expect(
      SchemaHome.timeless(try test.done("undo", app, "editor.font-size")).hasPrefix(
        "undone: #3 TIME update by settings-cli\n"))
    #expect(try test.done("get", app, "theme") == "dark\n" && test.done("get", app, "editor.font-size") == "14\n")
    try test.done("undo", app, "#8")
    #expect(try test.done("get", app, "theme") == "light\n")
    try test.done("undo", app, "--entry", "10")
    #expect(try test.done("get", app, "theme") == "dark\n")
    #expect(try test.done("log", app, "--limit", "1").contains(" undo of #10 by settings-cli\n"))
  }

  @Test func `undo steps back, redo steps forward, and log says what is undone`() throws {
    for theme in ["dark", "light", "dark"] { try test.done("set", app, "theme", theme) }
    var themes: [String] = []
    for verb in ["undo", "undo", "redo", "redo", "undo"] {
      try test.done(verb, app)
      themes.append(try test.done("get", app, "theme"))
    }
    #expect(themes == ["light\n", "dark\n", "light\n", "dark\n", "light\n"])
    #expect(
      SchemaHome.timeless(try test.done("log", app)) == """
        #8 TIME undo of #3 by settings-cli
          theme: "dark" -> "light"
        #7 TIME redo of #4 by settings-cli
          theme: "light" -> "dark"
        #6 TIME redo of #5 by settings-cli
          theme: "dark" -> "light"
        #5 TIME undo of #2 by settings-cli, undone
          theme: "light" -> "dark"
        #4 TIME undo of #3 by settings-cli, undone
          theme: "dark" -> "light"
        #3 TIME set by settings-cli, undone
          theme: "light" -> "dark"
        #2 TIME set by settings-cli
          theme: "dark" -> "light"
        #1 TIME set by settings-cli
          theme: (none) -> "dark"

        """)
    let entries = try #require(try json(try test.done("log", app, "theme", "--json")) as? [[String: Any]])
    #expect(entries.map { $0["isUndone"] as? Bool } == [false, false, false, true, true, true, false, false])
    #expect(entries.map { $0["of"] as? Int } == [3, 4, 5, 2, 3, nil, nil, nil])
    let difference = try test.done("redo", app, "theme", "--dry-run")
    #expect(difference.contains("-theme = \"light\"\n+theme = \"dark\"\n"), "\(difference)")
    try test.done("set", app, "editor.font-size", "14")
    let ended = try test.run("redo", app)
    #expect(ended.status == 1 && ended.error.contains("the last change in '\(test.file)' is not an undo."), "\(ended)")
    #expect(try test.run("redo", app, "thme").status == 3)
    #expect(try test.done("redo", app, "theme", "--json").contains("\"new\":\"dark\""))
    #expect(try test.done("get", app, "theme") == "dark\n")
  }

  @Test func `a dry run of undo shows a diff, and writes nothing`() throws {
    try writeThree()
    let before = test.home.text(of: test.file)
    #expect(
      try test.done("undo", app, "theme", "--dry-run") == """
        --- \(test.file)
        +++ \(test.file)
        @@ -1,4 +1,4 @@
        -theme = "light"
        +theme = "dark"
         
         [editor]
         font-size = 16

        """)
    #expect(test.home.text(of: test.file) == before)
    let digest = try test.done("get", app, "--digest").dropLast()
    try test.done("undo", app, "--if-unchanged", String(digest))
    #expect(try test.run("undo", app, "--if-unchanged", String(digest)).status == 9)
    let theme = try test.done("get", app, "theme", "--digest").dropLast()
    try test.done("undo", app, "--if-unchanged", String(theme), "--dry-run")
    #expect(try test.run("undo", app, "--if-unchanged", "theme:absent", "--dry-run").status == 9)
  }

  @Test func `comments come back with what was removed`() throws {
    let text = "# mine\n\n# at night\ntheme = 'dark'   # dim\n"
    try test.write(text)
    try test.done("set", app, "editor.font-size", "14")
    try test.done("unset", app, "theme")
    try test.done("undo", app, "theme")
    try test.done("undo", app, "editor.font-size")
    #expect(test.home.text(of: test.file) == text)
  }

  @Test func `what cannot be undone is refused, with the reason and a status of its own`() throws {
    try writeThree()
    let before = test.home.text(of: test.file)
    func refused(_ words: String..., status: Int32, _ reason: String, line: Int = #line) throws {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), ["undo", app] + words, environment: test.home.environment)
      #expect(result.status == status && result.error.contains(reason) && result.output.isEmpty, "\(line): \(result)")
    }
    try refused("#1", status: 9, "'theme' was changed since by #3.")
    try refused("#7", status: 1, "has no entry #7: it has #1 to #3.")
    try refused("host", status: 1, "No change of 'host'")
    try refused("hosst", status: 3, "Did you mean 'host'?")
    try refused("#x", status: 2, "'#x' is not an entry.")
    try refused("theme", "--entry", "1", status: 2, "Use either KEY or --entry")
    #expect(test.home.text(of: test.file) == before)
    // The app takes fewer values today.
    try test.home.write(
      SchemaHome.schema.replacingOccurrences(of: "\"light\", \"dark\"", with: "\"light\""), to: test.schemaFile)
    try refused("theme", status: 4, "value is not valid today: 'theme' needs")
    try test.home.write(SchemaHome.schema, to: test.schemaFile)
    try test.home.write("settings-locked = [\"theme\"]\ntheme = \"light\"\n", to: test.systemFile)
    try refused("theme", status: 5, "'theme': it is locked by")
    #expect(test.home.text(of: test.file) == before)
  }

  @Test func `a secret is neither shown nor put back`() throws {
    try test.done("set", app, "sync.token", "hunter2")
    try test.done("set", app, "sync.token", "s3cret")
    #expect(SchemaHome.timeless(try test.done("log", app)).contains("  sync.token: (not in the history)\n"))
    let refused = try test.run("undo", app)
    #expect(refused.status == 1 && refused.error.contains("it is a secret"), "\(refused)")
    let value = try test.run("at", app, "#1", "sync.token")
    #expect(value.status == 1 && value.output.isEmpty && value.error.contains("not in the history"), "\(value)")
    // A part that the kept text does not have: whether it was there is not known.
    try test.write("sync.token = { user = \"hunter2\" }\n")
    try test.done("set", app, "theme", "dark")
    let part = try test.run("at", app, "#4", "sync.token.user")
    #expect(part.status == 1 && part.error.contains("not in the history"), "\(part)")
    let text = try test.run("at", app, "#1")
    #expect(
      text.output == "[sync]\ntoken = \"(not in the history)\"\n" && text.error.contains("does not keep"), "\(text)")
  }

  @Test func `the rename of a record is undone: what counts is the record, not its halves`() throws {
    let schema = SchemaHome.schema.replacingOccurrences(
      of: "fields = { port", with: "fields = { url = { type = \"string\", required = true }, port")
    try test.home.write(schema, to: test.schemaFile)
    let text = "theme = \"dark\"\n\n# ours\n[hosts.office]\nurl = \"x\" # near\nport = 1\n"
    try test.write(text)
    try test.done("rename", app, "hosts.office", "hosts.hq")
    let renamed = test.home.text(of: test.file)
    try test.done("undo", app, "hosts")
    #expect(test.home.text(of: test.file) == text)
    try test.done("redo", app)
    #expect(test.home.text(of: test.file) == renamed)
    // Also where its lines have changed since, so that only its values can come back.
    try test.write(try #require(renamed).replacingOccurrences(of: "# near", with: "# far"))
    try test.done("undo", app, "#1")
    #expect(try test.done("get", app, "hosts.office.url") == "x\n" && test.run("get", app, "hosts.hq").status == 1)
  }

  @Test func `a change from before a migration is undone in today's form, and a migration is not`() throws {
    let schema = SchemaHome.schema.replacingOccurrences(of: "[keys.theme]", with: "[keys.colour]\n[keys.theme]")
      .replacingOccurrences(of: "[keys.colour]", with: "[keys.colour]\ntype = \"string\"\n")
    try test.home.write(schema, to: test.schemaFile)
    try test.done("set", app, "colour", "dark")
    try test.done("set", app, "colour", "light")
    try test.home.write(
      SchemaHome.schema + """
        [[migrations]]
        version = 2
        name = "name the colour"
        steps = [{ rename = "colour", to = "theme" }]

        """, to: test.schemaFile)
    try test.done("undo", app)
    #expect(test.home.text(of: test.file) == "settings-version = 2\ntheme = \"dark\"\n")
    #expect(
      SchemaHome.timeless(try test.done("log", app, "--limit", "2")).contains("#3 TIME migration by settings-cli\n"))
    let refused = try test.run("undo", app, "#3")
    #expect(refused.status == 8 && refused.error.contains("'settings-cli migrate \(app) --undo'"), "\(refused)")
    #expect(try test.done("at", app, "#1", "theme") == "dark\n")
  }

  // MARK: at

  @Test func `at prints the text of that time, or a value as get does`() throws {
    try writeThree()
    let file = test.file
    #expect(try test.done("at", app, "#1") == "theme = \"dark\"\n")
    #expect(try test.done("at", app, "#0") == "")
    #expect(try test.done("at", app, "#2", "editor.font-size") == "14\n")
    #expect(try test.done("at", app, "--entry", "2", "font_size") == "14\n")
    #expect(try test.done("at", app, "#2", "theme", "--toml") == "\"dark\"\n")
    #expect(
      try test.done("at", app, "#2", "theme", "--json")
        == "{\"key\":\"theme\",\"value\":\"dark\",\"file\":\"\(file)\",\"entry\":2}\n")
    #expect(try test.run("at", app, "#1", "editor.font-size").status == 1)
    #expect(try test.done("at", app, "0s") == test.home.text(of: file))
    let early = try test.run("at", app, "1d")
    #expect(early.status == 1 && early.error.contains("does not go back to"), "\(early)")
    #expect(try test.run("at", app, "#4").status == 1)
    #expect(try test.run("at", app, "soon").status == 2)
    #expect(try test.run("at", app, "#2", "--json").status == 2)
    #expect(try test.run("at", app).status == 2)
  }

  @Test func `at compares with what the file has now`() throws {
    try writeThree()
    #expect(
      try test.done("at", app, "#2", "--diff") == """
        --- \(test.file) (after #2)
        +++ \(test.file)
        @@ -1,4 +1,4 @@
        -theme = "dark"
        +theme = "light"
         
         [editor]
        -font-size = 14
        +font-size = 16

        """)
    #expect(try test.done("at", app, "#3", "--diff") == "")
    let value = try test.done("at", app, "#2", "theme", "--diff")
    #expect(value.hasSuffix("@@ -1 +1 @@\n-theme = \"dark\"\n+theme = \"light\"\n"), "\(value)")
  }

  @Test func `an earlier text is had from the history of a file that does not parse any more`() throws {
    try writeThree()
    let text = test.home.text(of: test.file)
    try test.write("theme = = 1\n")
    #expect(try test.done("at", app, "#3") == text)
    #expect(try test.done("log", app).contains("#3 "))
    #expect(try test.run("undo", app).status == 6)
    try test.done("recover", app, "--restore")
    #expect(test.home.text(of: test.file) == text)
    try test.done("undo", app)
    #expect(try test.done("at", app, "#2") == test.home.text(of: test.file))
  }

  // MARK: Where

  @Test func `a file by its path and an administrator's file have histories of their own`() throws {
    try test.done("set", "./a.toml", "x", "1")
    try test.done("set", app, "theme", "dark", "--system")
    #expect(SchemaHome.timeless(try test.done("log", "./a.toml")) == "#1 TIME set by settings-cli\n  x: (none) -> 1\n")
    #expect(SchemaHome.timeless(try test.done("log", app, "--system")).contains("theme: (none) -> \"dark\""))
    #expect(try test.run("log", app).status == 1)
    try test.done("undo", app, "--system")
    #expect(test.home.text(of: test.systemFile) == "")
  }

  @Test(.enabled(if: TerminalSession.isPossible))
  func `a terminal gets no control characters from values`() throws {
    try test.done("set", app, "host", "a\u{1B}[5mb")
    let session = try TerminalSession(
      "'\(ChildProcess.product("settings-cli"))' log \(app); echo end-of-log", environment: test.home.environment,
      directory: test.home.path)
    let shown = try #require(session.wait(for: "end-of-log"))
    #expect(shown.contains("a\\u001B[5mb") && !shown.contains("\u{1B}[5m"), "\(shown)")
  }

  // MARK: Schemas and reserved keys

  @Test func `a value whose key becomes a secret is not shown any more`() throws {
    try test.done("set", app, "host", "hunter2")
    #expect(try test.done("log", app).contains("hunter2"))
    let schema = SchemaHome.schema.replacingOccurrences(
      of: "[keys.host]\n", with: "[keys.host]\nsecret = true\n")
    try test.home.write(schema, to: test.schemaFile)
    for words in [
      ["log", app], ["log", app, "--json"], ["blame", app], ["at", app, "#1"], ["at", app, "#1", "host"],
    ] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: test.home.environment)
      #expect(!result.output.contains("hunter2") && !result.error.contains("hunter2"), "\(words): \(result)")
    }
    try test.done("set", app, "theme", "dark")
    let journal = try ChildProcess.shell(
      "grep -r hunter2 state; true", environment: test.home.environment, directory: test.home.path)
    #expect(journal.output.isEmpty)
  }

  @Test func `the history of a table has what former names of its keys have outside of it`() throws {
    try test.write("font_size = 14\n")
    try test.done("set", app, "theme", "dark")
    try test.write("font_size = 16\ntheme = \"dark\"\n")
    try test.done("set", app, "theme", "light")
    #expect(try test.done("log", app, "editor").contains("font_size: 14 -> 16"))
    #expect(try test.done("blame", app, "editor").hasPrefix("font_size = 16"))
    #expect(try test.done("at", app, "#1", "editor", "--diff").contains("+font_size = 16"))
    #expect(try test.done("undo", app, "editor").contains("font_size"))
    #expect(test.home.text() == "font_size = 14\ntheme = \"light\"\n")
  }

  @Test func `check finds a settings-history that is no boolean`() throws {
    try test.write("settings-history = false\n")
    #expect(try test.run("check", app) == answer(""))
    try test.write("settings-history = \"no\"\nsettings-histori = false\n")
    let found = try test.run("check", app)
    #expect(found.output.contains("'settings-history' is a string, but must be true or false."), "\(found)")
    #expect(found.output.contains("Did you mean 'settings-history'?"), "\(found)")
    #expect(try test.run("set", app, "settings-history", "false").status == 2)
    #expect(try !test.done("list", app).contains("settings-history"))
  }

  @Test func `entries are completed with their times`() throws {
    try writeThree()
    let lines = { (line: String) in
      try ChildProcess.run(
        ChildProcess.product("settings-cli"), ["complete", "fish", "--", line], environment: test.home.environment
      ).output.split(separator: "\n").map { SchemaHome.timeless(String($0)) }
    }
    let entries = ["#3\tTIME update by settings-cli", "#2\tTIME set by settings-cli", "#1\tTIME set by settings-cli"]
    #expect(try lines("settings-cli at \(app) ") == ["words"] + entries)
    #expect(try lines("settings-cli undo \(app) '#").suffix(3) == entries[...])
    #expect(try lines("settings-cli at \(app) '#1' the").last?.hasPrefix("theme\t") == true)
    #expect(try lines("settings-cli at \(app) --entry 1 the").last?.hasPrefix("theme\t") == true)
  }
}
