import Foundation
import Testing
import TestSupport

/// `rename TARGET OLD NEW`.
struct RenameCommandTests {
  let home = ScratchHome()
  private var file: String { home.path + "/f.toml" }

  private func run(_ arguments: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, directory: home.path)
  }

  @Test func `a value moves with its comments and its text, and a table with all of it`() throws {
    try home.write("# first\n\n# what it is\ncolour = 1.10  # why\nb = 2\n\n[old.x]\n# deep\ny = 0x1F\n", to: file)
    #expect(try run("rename", "./f.toml", "colour", "accent") == SchemaHome.answer(""))
    #expect(
      home.text(of: file) == "# first\n\n# what it is\naccent = 1.10  # why\nb = 2\n\n[old.x]\n# deep\ny = 0x1F\n")
    #expect(try run("rename", "./f.toml", "old", "new.\"a b\"") == SchemaHome.answer(""))
    #expect(home.text(of: file)?.hasSuffix("\n[new.\"a b\".x]\n# deep\ny = 0x1F\n") == true)
    #expect(try run("rename", "./f.toml", "accent", "theme.accent") == SchemaHome.answer(""))
    #expect(home.text(of: file)?.contains("[theme]\n# what it is\naccent = 1.10  # why\n") == true)
    #expect(try run("get", "./f.toml", "colour").status == 1)
  }

  @Test func `a key that exists is replaced only if asked, and a missing one exits 1`() throws {
    try home.write("a = 1  # one\nb = 2\nt.x = 3\n", to: file)
    let refused = try run("rename", "./f.toml", "a", "b")
    #expect(
      refused
        == SchemaHome.answer(
          "",
          "settings-cli: Cannot rename 'a' to 'b': 'b' already has a value. To replace it, use --replace. Nothing was "
            + "written.\n", status: 5))
    #expect(home.text(of: file) == "a = 1  # one\nb = 2\nt.x = 3\n")
    #expect(try run("rename", "./f.toml", "a", "b", "--replace") == SchemaHome.answer(""))
    #expect(home.text(of: file) == "b = 1  # one\nt.x = 3\n")
    #expect(try run("rename", "./f.toml", "a", "c").status == 1)
    for pair in [("t", "t.x"), ("t.x", "t"), ("b", "b")] {
      #expect(try run("rename", "./f.toml", pair.0, pair.1).status == 2, "\(pair)")
    }
    #expect(home.text(of: file) == "b = 1  # one\nt.x = 3\n")
  }

  @Test func `locks, unknown keys and values that the app refuses are refused, and nothing is written`() throws {
    let test = try SchemaHome()
    let text = "extra = \"dark\"\nsize = 900\nok = 20\nfont = 1\n[t]\nx = 1\n"
    try test.write(text)
    try test.home.write("settings-locked = [\"editor.wrap\", \"t.x\"]\n", to: test.systemFile)
    for (old, new, status, words) in [
      ("extra", "them", 3, "Unknown key 'them'. Did you mean 'theme'?"),
      ("extra", "editor.wrap", 5, "'editor.wrap': it is locked"), ("t", "u", 5, "'t': a part of it, 't.x', is locked"),
      ("extra", "editor", 5, "'editor': a part of it, 'editor.wrap', is"),
      ("size", "editor.font-size", 4, "from 6 to 72"),
      ("thema", "theme", 3, "Unknown key 'thema'"),
    ] as [(String, String, Int32, String)] {
      let result = try test.run("rename", test.app, old, new)
      #expect(result.status == status && result.error.contains(words), "\(old) \(new): \(result)")
    }
    #expect(test.home.text() == text)
    #expect(try test.run("rename", test.app, "extra", "them", "--create") == SchemaHome.answer(""))
    #expect(try test.run("rename", test.app, "ok", "editor.font-size") == SchemaHome.answer(""))
    #expect(try test.run("get", test.app, "editor.font-size").output == "20\n")
  }

  @Test func `a former name is replaced as the key's value, and goes with the key`() throws {
    let test = try SchemaHome()
    try test.write("font_size = 20\nsize = 30\n")
    #expect(try test.run("rename", test.app, "size", "editor.font-size").status == 5)
    #expect(try test.run("rename", test.app, "size", "font_size", "--replace").status == 0)
    #expect(test.home.text()?.contains("font_size") == false)
    #expect(try test.run("get", test.app, "editor.font-size").output == "30\n")
    try test.write("font_size = 20 # f\n")
    #expect(try test.run("rename", test.app, "font_size", "editor.font-size").status == 0)
    #expect(test.home.text() == "[editor]\nfont-size = 20 # f\n")
    try test.write("font_size = 20\n")
    #expect(try test.run("rename", test.app, "editor.font-size", "keep", "--create").status == 0)
    #expect(test.home.text() == "keep = 20\n")
  }

  @Test func `a table takes along what former names of its keys have outside of it`() throws {
    let test = try SchemaHome()
    try test.write("# size\nfont_size = 20 # f\n\n[editor]\nwrap = false\n")
    #expect(try test.run("rename", test.app, "editor", "old.editor", "--create") == SchemaHome.answer(""))
    #expect(test.home.text() == "# size\n\n[old.editor]\nwrap = false\nfont-size = 20 # f\n")
    #expect(try test.run("get", test.app, "editor.font-size").output == "12\n")
    try test.write("font_size = 20\n")
    #expect(try test.run("rename", test.app, "editor", "old", "--create") == SchemaHome.answer(""))
    #expect(test.home.text() == "[old]\nfont-size = 20\n")
    // The value that counts moves, and no other one comes back.
    try test.write("font_size = 20\neditor.font-size = 30\n")
    #expect(try test.run("rename", test.app, "editor", "old", "--create") == SchemaHome.answer(""))
    #expect(test.home.text() == "old.font-size = 30\n")
    try test.write("font_size = 20\n\n[new]\nwrap = false\n")
    #expect(try test.run("rename", test.app, "new", "editor").status == 5)
    #expect(try test.run("rename", test.app, "new", "editor", "--replace") == SchemaHome.answer(""))
    #expect(test.home.text() == "[editor]\nwrap = false\n")
    try test.home.write("settings-locked = [\"font_size\"]\n", to: test.systemFile)
    try test.write("font_size = 20\n\n[editor]\nwrap = false\n")
    #expect(try test.run("rename", test.app, "editor", "old", "--create").status == 5)
  }

  @Test func `a secret moves only to a secret, and is in no message`() throws {
    let test = try SchemaHome()
    try test.write("old-token = \"hunter2\"\n[sync]\ntoken = \"hunter3\"\n")
    let exposed = try test.run("rename", test.app, "sync.token", "theme")
    #expect(exposed.status == 4 && !exposed.error.contains("hunter") && exposed.error.contains("'list' would show it"))
    #expect(try test.run("rename", test.app, "sync", "plain", "--create").status == 4)
    let replaced = try test.run("rename", test.app, "old-token", "sync.token", "--replace")
    #expect(replaced == SchemaHome.answer(""))
    #expect(test.home.text() == "[sync]\ntoken = \"hunter2\"\n")
  }
  @Test func `a secret by its name alone moves only to another, and does not get into the history`() throws {
    let test = try SchemaHome()
    let file = test.home.path + "/x.toml"
    try test.home.write("password = \"hunter2\"\nlogins = [{ token = \"hunter2\" }]\ncount = 1\n", to: file)
    for old in ["password", "logins"] {
      let exposed = try test.run("rename", "./x.toml", old, "plain")
      #expect(exposed.status == (old == "logins" ? 0 : 4) && !exposed.error.contains("hunter"), "\(exposed)")
    }
    try test.done("rename", "./x.toml", "password", "api-token")
    try test.done("set", test.app, "password", "hunter2", "--create")
    #expect(try test.run("rename", test.app, "password", "theme").status == 4)
    let log = try test.done("log", "./x.toml") + test.done("log", test.app)
    #expect(!log.contains("hunter"), "\(log)")
  }

  @Test func `a secret of an app moves only to a secret in its file by the path, too`() throws {
    let test = try SchemaHome()
    let secrets = ["pin", "code"].map { "[keys.\($0)]\ntype = \"string\"\nsecret = true\n" }.joined()
    try test.home.write(
      SchemaHome.schema + secrets + "[keys.vault]\ntype = \"table\"\nsecret = true\n", to: test.schemaFile)
    try test.write("draft = \"a\"\npin = \"hunter2\"\n\n[vault]\nx = \"hunter2\"\n")
    try test.done("set", test.app, "theme", "dark")
    for (old, new) in [("pin", "theme"), ("pin", "other"), ("vault", "host"), ("vault.x", "x")] {
      let exposed = try test.run("rename", test.file, old, new, "--replace")
      #expect(exposed.status == 4 && exposed.error.contains("has declared '\(old)' as a secret"), "\(exposed)")
    }
    try test.done("rename", test.file, "pin", "code")
    // One that nobody has declared moves to any.
    try test.done("rename", test.file, "draft", "host")
    #expect(
      test.home.text()
        == "host = \"a\"\ncode = \"hunter2\"\ntheme = \"dark\"\n\n[vault]\nx = \"hunter2\"\n")
    let log = try test.done("log", test.app)
    #expect(!log.contains("hunter") && log.contains("host: (none) -> \"a\""), "\(log)")
  }

  @Test func `names in a secret are not said`() throws {
    let test = try SchemaHome()
    try test.home.write(SchemaHome.schema + "[keys.sec]\ntype = \"table\"\nsecret = true\n", to: test.schemaFile)
    try test.write("[sec.SECRETNAME]\nx = \"1\"\n")
    for words in [["rename", test.app, "sec", "plain.q", "--create"], ["adopt", test.app, "sec", "--layer", "host"]] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: test.home.environment, directory: test.home.path)
      #expect(result.status == 4 && result.error.contains("'sec'"), "\(result)")
      #expect(!result.error.contains("SECRETNAME"), "\(result)")
    }
  }
}
