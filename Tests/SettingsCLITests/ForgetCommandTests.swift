import Foundation
import Testing
import TestSupport

/// `forget`: an app that was made by mistake.
struct ForgetCommandTests {
  let home = ScratchHome()

  private func run(_ words: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), words, environment: home.environment, directory: home.path)
  }

  private var app: String { home.path + "/config/editr" }

  @Test func `an app goes with its profiles, and recover brings its settings back`() throws {
    let text = "# Mine.\ntheme = \"dark\"  # at night\npassword = \"hunter2\"\n"
    try home.write(text, to: app + "/settings.toml")
    #expect(try run("profile", "editr", "new", "work").status == 0)
    #expect(try run("profile", "editr", "use", "work").status == 0)
    let asked = try run("forget", "editr")
    #expect(asked.status == 2 && asked.error.contains("use --yes. Nothing was removed."), "\(asked)")
    #expect(
      try run("forget", "editr", "--dry-run").output
        == "remove: \(app)/settings.toml\nremove: \(app)/profiles/work.toml\nremove: the choice of the profile 'work'\n"
    )
    #expect(home.names(in: app).count == 2)
    let result = try run("forget", "editr", "--yes")
    #expect(result.status == 0 && result.output.contains("\nremoved: \(app)/settings.toml\nbackup: /"), "\(result)")
    #expect(
      result.error
        == "settings-cli: To bring them back, use 'settings-cli recover editr --restore'.\nsettings-cli: To bring the "
        + "profile 'work' back, use 'settings-cli recover editr --layer profile:work --restore'.\n")
    #expect(home.names(in: home.path + "/config").isEmpty)
    #expect(try run("apps").output == "")
    #expect(try run("recover", "editr", "--restore").status == 0)
    #expect(home.text(of: app + "/settings.toml") == text)
  }

  @Test func `a reader that is gone is no failure, and an answer that cannot be written says what is done`() throws {
    try home.write("a = 1\n", to: app + "/settings.toml")
    let command = ChildProcess.product("settings-cli")
    let gone = try ChildProcess.shell(
      "mkfifo pipe; exec 3<>pipe; exec 4>pipe; exec 3<&-; '\(command)' forget editr --yes >&4",
      environment: home.environment,
      directory: home.path)
    #expect(gone.status == 0 && !gone.error.contains("GoneReader"), "\(gone)")
    try home.write("a = 1\n", to: app + "/settings.toml")
    let full = try ChildProcess.shell(
      "'\(command)' forget editr --yes >/dev/full", environment: home.environment, directory: home.path)
    #expect(full.status == 7 && full.error.contains("The change itself is stored."), "\(full)")
  }

  @Test func `an app of which nothing is left is forgotten already`() throws {
    try home.write("a = 1\n", to: app + "/settings.toml")
    #expect(try run("unset", "editr", "--all").status == 0 && home.names(in: home.path + "/config").isEmpty)
    try FileManager.default.createDirectory(atPath: app, withIntermediateDirectories: true)
    let result = try run("forget", "editr")
    #expect(
      result.status == 0
        && result.error == "settings-cli: 'editr' has no settings any more.\n"
          + "settings-cli: To bring them back, use 'settings-cli recover editr --restore'.\n",
      "\(result)")
    #expect(home.names(in: home.path + "/config").isEmpty)
    // What nothing is kept of cannot be brought back.
    try home.write("a = = 1\n", to: home.path + "/config/brokn/settings.toml")
    #expect(try run("forget", "brokn", "--yes").error == "")
  }

  @Test func `the choice of a profile without a file is forgotten`() throws {
    try home.write("a = 1\n", to: app + "/settings.toml")
    #expect(try run("profile", "editr", "new", "work").status == 0)
    #expect(try run("profile", "editr", "use", "work").status == 0)
    try FileManager.default.removeItem(atPath: app)
    let choice = "the choice of the profile 'work'"
    #expect(try run("forget", "editr").error.contains("'editr' (\(choice)), use --yes."))
    #expect(try run("forget", "editr", "--dry-run").output == "remove: \(choice)\n")
    #expect(try run("forget", "editr", "--yes").output == "removed: \(choice)\n")
    #expect(try run("profile", "editr").status == 3)
  }

  @Test func `what links lead to stays`() throws {
    let text = "a = 1\n"
    for (link, file) in [("settings.toml", "x.toml"), ("profiles/p.toml", "x.toml"), ("", "x/settings.toml")] {
      try home.write(text, to: home.path + "/dot/" + file)
      let path = link.isEmpty ? app : app + "/" + link
      try? FileManager.default.removeItem(atPath: app)
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: home.path + "/dot/" + (link.isEmpty ? "x" : file))
      let result = try run("forget", "editr", "--yes")
      #expect(result.status == 5 && result.error.contains("'\(path)' is a link"), "\(result)")
      #expect(home.text(of: home.path + "/dot/" + file) == text)
    }
  }

  @Test func `a forgotten app is not made again silently when another one is like it`() throws {
    try home.write("a = 1\n", to: app + "/settings.toml")
    try home.write("a = 1\n", to: home.path + "/config/org.example.editr/settings.toml")
    #expect(try run("forget", "editr", "--yes").status == 0)
    let result = try run("set", "editr", "a", "2")
    #expect(result.status == 3 && result.error.contains("Did you mean 'org.example.editr'?"), "\(result)")
  }

  @Test func `what others own is not forgotten, with a hint`() throws {
    try home.write("a = 1\n")
    let id = "org.example.test"
    for (file, reason) in [
      (home.systemFile("settings.toml"), "administrators have settings of it in"),
      (home.path + "/data/app-settings/\(id).toml", "it is installed"),
      (home.file("settings.d/10-mine.toml"), "is a declared file"),
    ] {
      try home.write("app = \"\(id)\"\n", to: file)
      let result = try run("forget", id, "--yes")
      #expect(result.status == 5 && result.error.contains(reason), "\(result)")
      #expect(result.error.contains(file) && result.error.contains("Nothing was removed."), "\(result)")
      try FileManager.default.removeItem(atPath: file)
    }
    #expect(home.text() == "a = 1\n")
    #expect(try run("forget", "org.example.none", "--yes").status == 3)
    #expect(try run("forget", "./x.toml").status == 2)
  }

  @Test func `unset --all leaves no file of an app that had nothing else`() throws {
    try home.write("settings-version = 1\na = 1\n", to: app + "/settings.toml")
    let result = try run("unset", "editr", "--all")
    #expect(result.status == 0 && result.output.hasPrefix("removed: 1 key\nbackup: /"), "\(result)")
    #expect(try run("apps").output == "" && home.names(in: app).isEmpty)
    #expect(try run("undo", "editr").status == 0)
    #expect(home.text(of: app + "/settings.toml")?.contains("a = 1") == true)
  }

  @Test(.enabled(if: TerminalSession.isPossible, "script(1) is not installed"))
  func `a terminal asks first`() throws {
    try home.write("a = 1\n", to: app + "/settings.toml")
    for (answer, exists) in [("n\n", true), ("\n", true), ("y\n", false)] {
      let session = try TerminalSession(
        "\(ChildProcess.product("settings-cli")) forget editr", environment: home.environment, directory: home.path)
      session.wait(for: "[y/N]")
      session.type(answer)
      #expect(session.end().status == (exists ? 1 : 0))
      #expect(home.names(in: app).isEmpty == !exists)
    }
  }

  @Test func `a profile comes back, too`() throws {
    try home.write("theme = \"dark\"\n", to: app + "/profiles/work.toml")
    let forgotten = try run("forget", "editr", "--yes")
    #expect(
      forgotten.error
        == "settings-cli: To bring the profile 'work' back, use 'settings-cli recover editr --layer profile:work "
        + "--restore'.\n", "\(forgotten)")
    let unknown = try run("get", "editr", "theme", "--layer", "profile:work")
    #expect(unknown.status == 3 && unknown.error.contains("was removed. To bring it back"), "\(unknown)")
    #expect(try run("log", "editr", "--layer", "profile:work").status == 0)
    #expect(try run("recover", "editr", "--layer", "profile:work", "--restore").status == 0)
    #expect(home.text(of: app + "/profiles/work.toml") == "theme = \"dark\"\n")
    #expect(try run("forget", "editr", "--yes").status == 0)
    #expect(try run("undo", "editr", "--layer", "profile:work").status == 0)
    #expect(home.text(of: app + "/profiles/work.toml") == "theme = \"dark\"\n")
  }
}
