import AppSettings
import Foundation
import Testing
import TestSupport

/// The verb `profile`.
struct ProfileCommandTests {
  let test: SchemaHome
  init() throws {
    test = try SchemaHome()
    try test.write("theme = \"dark\"   # at night\n\n[editor]\nfont-size = 14\n")
  }
  private var app: String { test.app }
  private var home: ScratchHome { test.home }
  private func file(_ name: String) -> String { home.file("profiles/\(name).toml") }

  private func run(_ words: String..., variable: String? = nil) throws -> ChildProcess.Result {
    var environment = home.environment
    environment["APP_SETTINGS_PROFILE"] = variable
    return try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["profile", app] + words, environment: environment, directory: home.path)
  }

  private func answer(_ output: String, _ error: String = "", status: Int32 = 0) -> ChildProcess.Result {
    SchemaHome.answer(output, error, status: status)
  }

  @Test func `a profile is made, chosen, listed and removed`() throws {
    #expect(try run() == answer(""))
    #expect(try run("new", "base") == answer(file("base") + "\n"))
    #expect(home.text(of: file("base")) == "")
    #expect(try run("new", "work", "--inherits", "base") == answer(file("work") + "\n"))
    #expect(home.text(of: file("work")) == "settings-inherits = \"base\"\n")
    #expect(try run("list") == answer("  base  # \(file("base"))\n  work  # \(file("work")), inherits base\n"))
    #expect(try run("use", "work") == answer(""))
    #expect(
      try run("list").output
        == "  base  # \(file("base"))\n* work  # \(file("work")), inherits base, chosen with 'profile use'\n")
    #expect(try test.run("set", app, "theme", "light").status == 0)
    #expect(home.text(of: file("work")) == "settings-inherits = \"base\"\ntheme = \"light\"\n")
    #expect(try run("use", "--none") == answer(""))
    #expect(try run("use", "--none") == answer(""))
    #expect(try test.run("get", app, "theme").output == "dark\n")
    let removed = try run("remove", "work")
    let backup = try #require(home.names(in: home.backups(of: file("work"))).first)
    #expect(removed == answer("backup: \(home.backups(of: file("work")))/\(backup)\n"))
    #expect(home.text(of: home.backups(of: file("work")) + "/" + backup)?.contains("theme = \"light\"") == true)
    #expect(home.text(of: file("work")) == nil)
    #expect(try run("list").output == "  base  # \(file("base"))\n")
  }

  @Test func `a chosen profile without any file is shown, and can be left`() throws {
    try FileManager.default.removeItem(atPath: test.schemaFile)
    try FileManager.default.removeItem(atPath: home.file(""))
    try home.profiles.choose("work")
    #expect(
      try run() == answer("* work  # \(file("work")), which does not exist yet, chosen with 'profile use'\n"))
    #expect(try run("use", "--none") == answer(""))
    #expect(try run().status == 3)
  }

  @Test func `a list says what the environment chooses, and that a stored choice does not count there`() throws {
    _ = try run("new", "work")
    _ = try run("use", "work")
    #expect(
      try run("list", variable: "ghost").output == """
        * ghost  # \(file("ghost")), which does not exist yet, chosen by APP_SETTINGS_PROFILE
          work   # \(file("work")), chosen with 'profile use', which APP_SETTINGS_PROFILE overrides here

        """)
    #expect(try run("list", variable: "").output.hasPrefix("  work"))
    let objects = try json(run("list", "--json", variable: "ghost").output) as? [[String: Any]]
    #expect(objects?.map { $0["name"] as? String } == ["ghost", "work"])
    #expect(objects?.map { $0["isActive"] as? Bool } == [true, false])
    #expect(objects?.map { $0["exists"] as? Bool } == [false, true])
    #expect(objects?[0]["chosenBy"] as? String == "environment" && objects?[1]["chosenBy"] is NSNull)
    let use = try run("use", "--none", variable: "ghost")
    #expect(use.status == 0 && use.error.contains("APP_SETTINGS_PROFILE is set here and chooses 'ghost'"))
  }

  @Test func `a new profile may begin as a copy of the file that is written`() throws {
    #expect(try run("new", "copy", "--from-current").status == 0)
    #expect(home.text(of: file("copy")) == home.text())
    _ = try run("use", "copy")
    _ = try test.run("set", app, "theme", "light")
    #expect(try run("new", "second", "--from-current", "--inherits", "copy").status == 0)
    #expect(
      home.text(of: file("second"))
        == "settings-inherits = \"copy\"\n\ntheme = \"light\"   # at night\n\n[editor]\nfont-size = 14\n"
        || home.text(of: file("second"))
          == "settings-inherits = \"copy\"\ntheme = \"light\"   # at night\n\n[editor]\nfont-size = 14\n"
    )
    var status = stat()
    #expect(stat(file("copy"), &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func `a new profile has the version of the app`() throws {
    try home.write(
      SchemaHome.schema + "[[migrations]]\nversion = 3\nname = \"a\"\nsteps = [{ rename = \"x\", to = \"theme\" }]\n",
      to: test.schemaFile)
    #expect(try run("new", "work").status == 0)
    #expect(home.text(of: file("work")) == "settings-version = 3\n")
  }

  @Test func `what would hurt is refused, and says what to do`() throws {
    _ = try run("new", "base")
    _ = try run("new", "work", "--inherits", "base")
    _ = try run("use", "work")
    #expect(try run("new", "work").status == 5)
    let active = try run("remove", "work")
    #expect(active.status == 5 && active.error.contains("The profile 'work' is active."))
    #expect(try run("remove", "work", variable: "").status == 5)
    let inherited = try run("remove", "base")
    #expect(inherited.status == 5 && inherited.error.contains("The profile 'work' inherits 'base'."))
    #expect(
      try run("use", "wrok")
        == answer("", "settings-cli: Unknown profile 'wrok' of '\(app)'. Did you mean 'work'?\n", status: 3))
    #expect(try run("use", "other").error.contains("To make it, run 'settings-cli profile \(app) new other'."))
    #expect(try run("new", "x", "--inherits", "bse").status == 3)
    #expect(try run("new", "../x").status == 2)
    #expect(try run("remove", "work", "--force").status == 0)
    #expect(try home.profiles.chosen() == nil)
    #expect(try test.run("get", app, "theme").output == "dark\n")
    #expect(home.names(in: home.file("profiles")) == ["base.toml"])
  }

  @Test func `the message about a removed profile says how to bring it back`() throws {
    _ = try run("new", "work")
    _ = try test.run("set", app, "theme", "dark", "--layer", "profile:work")
    #expect(try run("remove", "work").status == 0)
    let removed = answer(
      "",
      "settings-cli: The profile 'work' of '\(app)' was removed. To bring it back, use 'settings-cli recover \(app) "
        + "--layer profile:work --restore'.\n", status: 3)
    #expect(try run("use", "work") == removed)
    #expect(try run("new", "other", "--inherits", "work") == removed)
  }

  @Test func `the names of profiles and layers are completed`() throws {
    _ = try run("new", "work")
    try home.write("", to: home.file("settings.d/10-dotfiles.toml"))
    func candidates(_ line: String) throws -> [String] {
      try test.run("complete", "fish", "--", "settings-cli \(line)").output.split(separator: "\n").dropFirst()
        .map { String($0.prefix { $0 != "\t" }) }
    }
    #expect(try candidates("profile \(app) use ") == ["work"])
    #expect(try candidates("profile \(app) remove w") == ["work"])
    #expect(try candidates("profile \(app) new ").isEmpty)
    #expect(try candidates("profile \(app) ") == ["list", "use", "new", "remove"])
    #expect(try candidates("profile \(app) new x --inherits ") == ["work"])
    #expect(
      try candidates("set \(app) --layer ") == ["user", "profile:work", "drop-in:10-dotfiles", "host", "os", "arch"])
    #expect(try candidates("set \(app) --layer=pro") == ["--layer=profile:work"])
  }
}
