import Foundation
import Testing
import TestSupport

/// What somebody gets who has not read the manual: other tools' verbs, short ids, and times as people say them.
struct FirstWordTests {
  let test: SchemaHome
  init() throws { test = try SchemaHome() }

  @Test(arguments: [
    ("show", "list"), ("ls", "list"), ("history", "log"), ("where", "path"), ("restore", "recover"),
    ("backup", "export"),
    ("search", "find"), ("monitor", "watch"), ("read", "get"), ("write", "set"), ("dump", "export"), ("load", "import"),
    ("delete", "unset"), ("remove", "unset"), ("clear", "unset"), ("gui", "page"), ("open", "page"), ("toggle", "set"),
    ("options", "describe"), ("status", "check"), ("revert", "undo"), ("locks", "lock"), ("mv", "rename"),
    ("keys", "list"), ("list-schemas", "apps"), ("list-recursively", "list"), ("writable", "describe"),
    ("range", "describe"), ("reset-recursively", "unset"), ("config", "edit"), ("Rollback", "undo"),
  ])
  func `a verb of another tool is answered with ours`(word: String, verb: String) throws {
    let result = try test.run(word, "org.example.test")
    #expect(result.status == 2 && result.output == "")
    #expect(
      result.error.hasPrefix("settings-cli: Unknown verb '\(word)'. For that there is 'settings-cli \(verb)"),
      "\(result)")
    #expect(try test.run("help", verb).status == 0)
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
      ("org.example.edtior", "org.example.editor"), ("mpas", nil), ("org.gnome.clocks", nil), ("org.example.u", nil),
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
