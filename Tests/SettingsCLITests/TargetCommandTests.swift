import Foundation
import Testing
import TestSupport

/// What a target may be: a name that was meant as a file, or as another app, makes nothing.
struct TargetCommandTests {
  let test: SchemaHome
  init() throws { test = try SchemaHome() }

  private func answer(_ output: String, _ error: String = "", status: Int32 = 0) -> ChildProcess.Result {
    SchemaHome.answer(output, error, status: status)
  }

  private var made: [String] {
    (try? FileManager.default.subpathsOfDirectory(atPath: test.home.path + "/config").sorted()) ?? []
  }

  @Test(arguments: [
    ["get", "settings.toml", "theme"], ["set", "settings.toml", "theme", "b"], ["set", "Settings.TOML", "theme=b"],
    ["unset", "settings.toml", "theme"], ["list", "none.toml"], ["describe", "settings.toml"],
    ["edit", "settings.toml"],
    ["import", "settings.toml", "old.ini"], ["watch", "settings.toml", "--timeout", "0.1"], ["check", "settings.toml"],
    ["migrate", "settings.toml"], ["recover", "settings.toml"], ["path", "settings.toml"], ["export", "settings.toml"],
    ["diff", "settings.toml"], ["schema", "settings.toml"], ["lock", "settings.toml", "theme"],
    ["unlock", "settings.toml", "theme"], ["log", "settings.toml"], ["undo", "settings.toml"],
    ["redo", "settings.toml"], ["blame", "settings.toml"], ["at", "settings.toml", "0s"],
    ["rename", "settings.toml", "a", "b"],
    ["adopt", "settings.toml", "theme"], ["profile", "settings.toml"], ["try", "settings.toml", "theme", "b"],
    ["batch", "settings.toml"], ["page", "settings.toml"], ["forget", "settings.toml", "--yes"],
  ])
  func `a file's name without a slash is never an app`(words: [String]) throws {
    try test.home.write("theme = \"a\"\n", to: test.home.path + "/settings.toml")
    try test.home.write("[a]\nb = 1\n", to: test.home.path + "/old.ini")
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), words, environment: test.home.environment, directory: test.home.path)
    let name = words[1]
    #expect(
      result
        == answer(
          "",
          "settings-cli: '\(name)' is not an app's id. For the file in this directory, write './\(name)'.\n", status: 2)
    )
    #expect(made == [])
    // Where a person has made such an app's file, that has a path.
    let file = test.home.path + "/config/\(name)/settings.toml"
    try test.home.write("theme = \"c\"\n", to: file)
    let known = try ChildProcess.run(
      ChildProcess.product("settings-cli"), words, environment: test.home.environment, directory: test.home.path)
    #expect(
      known
        == answer(
          "",
          "settings-cli: '\(name)' is not an app's id. For the file in this directory, write './\(name)'; for the one in the "
            + "place of an app's settings, '\(file)'.\n", status: 2))
    #expect(test.home.text(of: file) == "theme = \"c\"\n")
  }

  @Test func `a new app is made also where a key or a value is the id of another app`() throws {
    try test.home.write("x = 1\n", to: test.home.path + "/config/theme/settings.toml")
    for words in [["org.new.app", "theme", "dark"], ["org.fresh.app", "default", "theme"]] {
      let (app, key, value) = (words[0], words[1], words[2])
      #expect(try test.run("set", app, key, value) == answer(""))
      #expect(test.home.text(of: test.home.path + "/config/\(app)/settings.toml") == "\(key) = \"\(value)\"\n")
    }
    let swapped = try test.run("set", "x", "7", "theme")
    #expect(swapped.status == 2 && swapped.error.contains("'settings-cli set theme x VALUE'"), "\(swapped)")
  }

  @Test(arguments: [
    ["set", "org.example.tset", "theme", "dark"], ["set", "org.example.tset", "--system", "theme", "dark"],
    ["import", "org.example.tset", "./old.toml"], ["edit", "org.example.tset"], ["lock", "org.example.tset", "theme"],
  ])
  func `a new app whose id is near another one is asked about`(words: [String]) throws {
    try test.home.write("theme = \"dark\"\n", to: test.home.path + "/old.toml")
    var environment = test.home.environment
    environment["EDITOR"] = "sh -c 'echo a = 1 > \"$1\"' edit"
    func run(_ words: [String]) throws -> ChildProcess.Result {
      try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: environment, directory: test.home.path)
    }
    #expect(
      try run(words)
        == answer(
          "",
          "settings-cli: Unknown app 'org.example.tset': it has neither settings nor a schema. Did you mean "
            + "'org.example.test'? To make a new app, use --create.\n", status: 3))
    #expect(made == [])
    #expect(!FileManager.default.fileExists(atPath: test.home.path + "/etc/xdg/org.example.tset"))
    #expect(try run(words + ["--create"]).status == 0)
  }

  @Test func `a new app with an id of its own is made, and known from then on`() throws {
    #expect(try test.run("set", "com.other.tool", "theme", "dark") == answer(""))
    #expect(try test.run("set", "com.other.tool2", "theme", "dark").status == 3)
    #expect(try test.run("set", "com.other.tool2", "theme", "dark", "--create").status == 0)
    #expect(try test.run("set", "com.other.tool2", "theme", "light").status == 0)
  }

  @Test func `the name of a file here is not made an app`() throws {
    try test.home.write("a = 1\n", to: test.home.path + "/config.ini")
    #expect(
      try test.run("set", "config.ini", "a", "2")
        == answer(
          "",
          "settings-cli: Unknown app 'config.ini'. For the file in this directory, write './config.ini'. To make a new "
            + "app, use --create.\n", status: 3))
    #expect(try test.run("get", "config.ini", "a").error.hasSuffix("write './config.ini'.\n"))
    // A directory here says nothing: one may be in ~/.config.
    try test.home.write("a = 1\n", to: test.home.path + "/org.else.app/x")
    #expect(try test.run("set", "org.else.app", "a", "2").status == 0)
  }

  @Test func `the end of an app's id is that app for path, and no new one for recover`() throws {
    let test = try SchemaHome()
    try test.done("set", test.app, "theme", "dark")
    let path = try test.run("path", "test")
    #expect(path.output == test.file + "\n" && path.error.contains("'test' is 'org.example.test'"), "\(path)")
    #expect(try test.run("path", "org.example.new").output.hasSuffix("/org.example.new/settings.toml\n"))
    #expect(try test.run("recover", "test").status == 3)
    // What was forgotten comes back, though another app has such an id.
    try test.done("set", "test", "a", "1", "--create")
    try test.done("forget", "test", "--yes")
    try test.done("recover", "test", "--restore")
    #expect(try test.done("get", "test", "a") == "1\n")
  }

  /// A home of another user with a settings file, and the directory of the file.
  private func homeOfAnother() throws -> (home: ScratchHome, directory: String) {
    let home = ScratchHome(under: "/tmp")
    try home.write("theme = \"dark\"\n")
    try ChildProcess.copyProduct("settings-cli", to: home.path + "/settings-cli")
    try ChildProcess.shell("chown -R 65534:65534 .", environment: home.environment, directory: home.path)
    return (home, URL(fileURLWithPath: home.file).deletingLastPathComponent().path)
  }

  /// Runs the command as that user.
  private func runAsAnother(in home: ScratchHome, _ words: String...) throws -> ChildProcess.Result {
    let user = ["--reuid", "65534", "--regid", "65534", "--clear-groups", home.path + "/settings-cli"]
    return try ChildProcess.run("/usr/bin/setpriv", user + words, environment: home.environment, directory: "/")
  }

  @Test(
    .enabled(if: geteuid() == 0, "Only root gives files to another user."),
    arguments: [("file", 0o600), ("file", 0o644), ("directory", 0o700), ("directory", 0o755)] as [(String, mode_t)])
  func `what root has made in a user's home is named, with the command that gives it back`(
    what: String, mode: mode_t
  ) throws {
    let (home, directory) = try homeOfAnother()
    let path = what == "file" ? home.file : directory
    for made in what == "file" ? [home.file] : [home.file, directory] { chown(made, 0, 0) }
    chmod(path, mode)
    let result = try runAsAnother(in: home, "set", "org.example.test", "theme", "light")
    #expect(result.status == 5)
    #expect(
      result.error.hasSuffix(
        " '\(path)' belongs to root. To make it yours, use 'sudo chown -R 65534 \(path)'.\n"), "\(result)")
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can become another user."), arguments: ["file", "directory"])
  func `check reports what it may not read, with the command that allows it`(what: String) throws {
    let (home, directory) = try homeOfAnother()
    let path = what == "file" ? home.file : directory
    chmod(path, 0)
    defer { chmod(path, 0o700) }
    let result = try runAsAnother(in: home, "check", "org.example.test")
    #expect(result.status == 7 && result.error == "", "\(result)")
    let mode = what == "file" ? "u+rw" : "u+rwx"
    #expect(
      result.output.hasSuffix(
        "\(home.file): error: Cannot read '\(home.file)': this process has no permission. "
          + "To allow it, use 'chmod \(mode) \(path)'.\n"), "\(result)")
  }
}
