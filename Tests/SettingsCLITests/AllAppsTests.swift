import Foundation
import Testing
import TestSupport

/// Verbs without a target: all apps.
struct AllAppsTests {
  let test: SchemaHome
  private let maps = "org.gnome.maps"

  /// An app with a schema and an app without one, each with settings and comments.
  init() throws {
    test = try SchemaHome()
    try test.write("# Mine.\n\ntheme = \"dark\"  # at night\n\n[sync]\ntoken = \"hunter2\"\n")
    try test.home.write(
      "zoom = 4.50\n\n# what is shown\n[view]\nlayers = [\"a\"]\n[[places]]\nname = \"Bern\"\n", to: file(maps))
  }

  private func file(_ app: String) -> String { test.home.path + "/config/\(app)/settings.toml" }

  private func removeAll() {
    for directory in ["config", "state"] {
      try? FileManager.default.removeItem(atPath: test.home.path + "/" + directory)
    }
  }

  // MARK: Reading

  @Test func `list prints the keys of all apps, with the app before each`() throws {
    let lines = """
      org.example.test theme = "dark"
      org.example.test sync.token = (secret)
      org.example.test editor.font-size = 12
      org.example.test editor.wrap = true
      org.gnome.maps zoom = 4.50
      org.gnome.maps view.layers = ["a"]
      org.gnome.maps places = [{ name = "Bern" }]

      """
    #expect(try test.run("list") == SchemaHome.answer(lines))
    #expect(try test.run("list", "--all") == SchemaHome.answer(lines))
    let origins = try test.done("list", "--origin")
    #expect(origins.contains("org.gnome.maps zoom = 4.50  # user \(file(maps)):1\n"))
    #expect(try test.done("list", "--names").hasPrefix("org.example.test theme\n"))
    #expect(try test.done("list", "-0").contains("org.gnome.maps zoom\n4.50\0"))
    let objects = try json(test.done("list", "--json")) as? [[String: Any]]
    #expect(objects?.compactMap { $0["app"] as? String }.last == maps && objects?.count == 7)
    #expect(objects?[0]["key"] as? String == "theme")
    #expect(try test.done("find", "zoom", "--all") == test.done("find", "zoom"))
  }

  @Test func `list of nothing says so`() throws {
    removeAll()
    try FileManager.default.removeItem(atPath: test.schemaFile)
    let note = "settings-cli: No app has settings or a schema here.\n"
    #expect(try test.run("list") == SchemaHome.answer("", note))
    #expect(try test.run("log").status == 1)
    #expect(try test.run("undo").error.contains("no app's history has a change that is not undone"))
    #expect(try test.run("redo").error.contains("no app is an undo"))
  }

  @Test func `an app that cannot be read is named, and decides the status`() throws {
    try test.home.write("zoom = = 1\n", to: file("org.a.broken"))
    for verb in ["list", "export"] {
      let result = try test.run(verb)
      #expect(result.status == 6 && result.output.contains("org.gnome.maps"), "\(result)")
      #expect(result.error.hasPrefix("settings-cli: warning: Cannot parse '\(file("org.a.broken"))'"), "\(result)")
    }
  }

  @Test func `an app and a directory that this user may not read are named`() throws {
    let directory = test.home.path + "/config"
    /// Runs a command as somebody whom a mode keeps out.
    func run(_ words: String) throws -> ChildProcess.Result {
      let nobody = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
      let product = ChildProcess.product("settings-cli")
      return try ChildProcess.shell(
        "\(nobody) \(product) \(words)", environment: test.home.environment, directory: test.home.path)
    }
    chmod(test.home.path, 0o755)
    // Where a sandbox keeps others from the program, there is nothing to see.
    guard try run("--version").status == 0 else { return }
    try test.home.write("zoom = 1\n", to: file("org.a.closed"))
    chmod(directory + "/org.a.closed", 0)
    for verb in ["list", "export"] {
      let result = try run(verb)
      #expect(result.status != 0 && result.error.contains("\(directory)/org.a.closed/"), "\(result)")
    }
    let apps = try run("apps")
    #expect(apps.status == 0 && apps.output.hasPrefix("org.a.closed\n"), "\(apps)")
    chmod(directory, 0o711)
    for verb in ["apps", "list", "export", "check"] {
      let result = try run(verb)
      #expect(result.status != 0 && result.error.contains("Cannot list '\(directory)'"), "\(result)")
    }
    chmod(directory, 0o755)
  }

  @Test func `export leaves out a profile that does not parse, and nothing else of its app`() throws {
    try test.home.write("zoom = = 1\n", to: file(maps).replacing("settings.toml", with: "profiles/work.toml"))
    let result = try test.run("export")
    #expect(result.status == 6 && result.output.contains("[\"\(maps)\"]\nzoom = 4.50"), "\(result)")
    let advice = "Correct it with 'settings-cli edit \(maps) --layer profile:work'"
    #expect(result.error.contains(advice), "\(result)")
    let backup = "settings-apps = 1\n[\"\(maps)\"]\nsize = 1\n[\"\(maps)/profile:work\"]\nzoom = 5\n"
    try test.home.write(backup, to: test.home.path + "/all.toml")
    let imported = try test.run("import", "--all", "./all.toml")
    #expect(imported.status == 6 && imported.output == "\(maps): 1 value\n", "\(imported)")
    #expect(imported.error.contains(advice), "\(imported)")
  }

  @Test func `log merges the changes of all apps by time, and keeps the order of each`() throws {
    for (app, key, value) in [(test.app, "theme", "light"), (maps, "zoom", "5"), (test.app, "theme", "dark")] {
      try test.done("set", app, key, value)
    }
    let log = SchemaHome.timeless(try test.done("log"))
    #expect(
      log == """
        org.example.test #2 TIME set by settings-cli
          theme: "light" -> "dark"
        org.gnome.maps #1 TIME set by settings-cli
          zoom: 4.5 -> 5.0
        org.example.test #1 TIME set by settings-cli
          theme: "dark" -> "light"

        """)
    #expect(try SchemaHome.timeless(test.done("log", "--limit", "1")).hasPrefix("org.example.test #2 TIME"))
    let objects = try json(test.done("log", "--json", "--since", "1h")) as? [[String: Any]]
    #expect(objects?.map { $0["app"] as? String } == [test.app, maps, test.app])
    #expect(try test.run("log", "--all", test.app).error.contains("Use either --all or TARGET, not both."))
  }

  // MARK: Undoing

  @Test func `undo without a target takes back the last change of any app, and names that app`() throws {
    try test.done("set", test.app, "theme", "light")
    try test.done("set", maps, "zoom", "5.5")
    try test.done("set", test.app, "editor.font-size", "20")
    #expect(try test.done("undo", "--dry-run").contains("-font-size = 20"))
    #expect(SchemaHome.timeless(try test.done("undo")).hasPrefix("undone: org.example.test #2 TIME set"))
    let object = try json(test.done("undo", "--json")) as? [String: Any]
    #expect(object?["app"] as? String == maps)
    #expect(SchemaHome.timeless(try test.done("undo", "--all")).hasPrefix("undone: org.example.test #1 TIME set"))
    #expect(try test.run("undo").status == 1)
    #expect(try test.done("get", maps, "zoom") == "4.50\n" && test.done("get", test.app, "theme") == "dark\n")
    #expect(SchemaHome.timeless(try test.done("redo")).hasPrefix("redone: org.example.test #4 TIME undo of #1"))
    #expect(SchemaHome.timeless(try test.done("redo")).hasPrefix("redone: org.gnome.maps #2 TIME undo of #1"))
  }

  @Test func `undo without a target stops at a change that it cannot take back`() throws {
    try test.done("set", maps, "zoom", "5.5")
    try test.done("set", test.app, "sync.token", "s3cret")
    for words in [["undo"], ["undo", "--dry-run"]] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: test.home.environment)
      #expect(result.status == 1 && result.output == "" && result.error.contains("#1 in '\(test.file)'"), "\(result)")
      #expect(result.error.hasSuffix(" For the last change of another app, name that app.\n"), "\(result)")
    }
    #expect(try test.done("get", maps, "zoom") == "5.5\n")
    #expect(try test.run("undo", maps).status == 0)
    // A redo, too: the value was locked meanwhile.
    try test.done("set", test.app, "theme", "light")
    try test.done("undo")
    let system = test.home.systemFile("settings.toml")
    try test.home.write("settings-locked = [\"theme\"]\n", to: system)
    chmod(system, 0o644)
    let redo = try test.run("redo")
    #expect(redo.status == 5 && redo.error.contains("name that app"), "\(redo)")
    #expect(try test.done("get", maps, "zoom") == "4.50\n")
  }

  @Test func `undo without a target brings back an app that was removed last`() throws {
    try test.home.write("zoom = 4.50\n", to: file(maps))
    try test.done("set", test.app, "theme", "light")
    for words in [["unset", maps, "--all"], ["forget", maps, "--yes"]] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: test.home.environment)
      #expect(result.status == 0 && !FileManager.default.fileExists(atPath: file(maps)), "\(result)")
      #expect(try test.done("log", "--limit", "1").hasPrefix("org.gnome.maps #"))
      #expect(try test.done("undo").hasPrefix("undone: org.gnome.maps #"))
      #expect(try test.done("get", maps, "zoom") == "4.50\n")
    }
    // The history has no secret: that is said, and what has it.
    try test.done("set", maps, "password", "hunter2")
    try test.done("forget", maps, "--yes")
    let secret = try test.run("undo")
    #expect(secret.status == 1 && secret.error.contains("'settings-cli recover org.gnome.maps --restore'"), "\(secret)")
    try test.done("recover", maps, "--restore")
    // What was removed in another way is nobody's last change.
    try FileManager.default.removeItem(atPath: file(maps))
    #expect(try !test.done("log").contains("not recorded yet"))
    #expect(try test.done("undo").hasPrefix("undone: org.example.test #1"))
  }

  @Test func `what is about one app needs a target`() throws {
    for (words, message) in [
      (["undo", "#2"], "Missing TARGET before '#2'."), (["undo", "--entry", "2"], "Missing TARGET: --entry is"),
      (["undo", "--if-unchanged", "absent"], "Missing TARGET: --if-unchanged"),
      (["redo", "--all", "--if-unchanged", "absent"], "Use either --all or --if-unchanged"),
      (["export", "--env"], "Missing TARGET: --env is about one app."),
      (["export", "--all-layers"], "--all-layers is about one app."),
      (["list", "--layer", "host"], "--layer needs a TARGET"), (["import", "--all"], "Missing FILE."),
      (["import", "--all", "x", "--map", "a=b"], "Use either --all or --map, not both."),
      (["import", "--all", "x", "--format", "ini"], "are TOML or JSON"), (["import"], "Missing TARGET."),
      (["import", test.app], "Missing FILE."),
    ] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: test.home.environment, directory: test.home.path)
      #expect(result.status == 2 && result.error.contains(message), "\(words): \(result)")
    }
  }

  // MARK: A backup of everything

  @Test func `export without a target and import --all bring everything back, with comments`() throws {
    try test.done("profile", test.app, "new", "work")
    try test.done("set", test.app, "theme", "light", "--layer", "profile:work")
    let files = [test.file, file(maps), test.home.file("profiles/work.toml")]
    let before = files.map { test.home.text(of: $0) }
    let backup = try test.done("export", "--secrets")
    #expect(
      backup == """
        # The settings of all apps. To bring them back: settings-cli import --all FILE
        settings-apps = 1

        ["org.example.test"]
        # Mine.

        theme = "dark"  # at night

        ["org.example.test".sync]
        token = "hunter2"

        ["org.example.test/profile:work"]
        theme = "light"

        ["org.gnome.maps"]
        zoom = 4.50

        # what is shown
        ["org.gnome.maps".view]
        layers = ["a"]
        [["org.gnome.maps".places]]
        name = "Bern"

        """)
    try test.home.write(backup, to: test.home.path + "/all.toml")
    let json = try test.done("export", "--all", "--json", "--secrets")
    try test.home.write(json, to: test.home.path + "/all.json")
    removeAll()
    let taken = "org.example.test: 2 values\norg.example.test/profile:work: 1 value\norg.gnome.maps: 3 values\n"
    #expect(try test.run("import", "--all", "all.toml") == SchemaHome.answer(taken))
    #expect(files.map { test.home.text(of: $0) } == before)
    removeAll()
    // A file's name alone cannot be an app's.
    #expect(try test.run("import", "all.json", "--dry-run") == SchemaHome.answer(taken))
    #expect(try test.run("import", "all.json") == SchemaHome.answer(taken))
    #expect(try test.done("get", maps, "places") == "[{ name = \"Bern\" }]\n")
    #expect(try test.run("import", "--all", "./all.json").output.contains("org.gnome.maps: 0 values"))
    for file in ["./all.json", "./all.toml"] {
      let one = try test.run("import", maps, file)
      #expect(one.status == 2 && one.error.contains("it has the settings of all apps"), "\(one)")
    }
    #expect(try test.done("import", maps, "./all.toml", "--map", "\"org.gnome.maps\".zoom=depth") != "")
  }

  @Test func `a backup has what files say about themselves`() throws {
    try test.done("profile", test.app, "new", "base")
    try test.done("profile", test.app, "new", "work", "--inherits", "base")
    try test.done("set", test.app, "theme", "light", "--layer", "profile:base")
    try test.home.write("settings-history = false\nzoom = 1\n", to: file(maps))
    let system = test.home.path + "/etc/xdg/\(maps)/settings.toml"
    try test.home.write("settings-locked = [\"zoom\"]\nzoom = 2\n", to: system)
    chmod(system, 0o644)
    for option in ["--secrets", "--json"] {
      try test.home.write(test.done("export", option), to: test.home.path + "/own")
      try test.home.write(test.done("export", "--system", option), to: test.home.path + "/system")
      let files = [system, file(maps), test.home.file("profiles/work.toml")]
      let before = files.map { test.home.text(of: $0) }
      removeAll()
      try FileManager.default.removeItem(atPath: system)
      // First the person's: the key is locked then.
      try test.done("import", "--all", "./own")
      try test.done("import", "--all", "./system", "--system")
      #expect(files.map { test.home.text(of: $0) } == before)
    }
    let profiles = try test.run("import", "--all", "--system", "./own")
    #expect(profiles.status == 6 && profiles.error.contains("have no profiles such as"), "\(profiles)")
    #expect(!FileManager.default.fileExists(atPath: test.home.path + "/etc/xdg/\(test.app)"))
  }

  @Test func `values of an app without a schema here keep their version, also in an export of that app alone`() throws {
    let text = "settings-version = 3\nratio = 10\n"
    for export in [[], [maps]] {
      try test.home.write(text, to: file(maps))
      try test.home.write(try run(["export"] + export).output, to: test.home.path + "/x.toml")
      try FileManager.default.removeItem(atPath: file(maps))
      let words = ["import"] + (export.isEmpty ? ["--all", "./x.toml"] : [maps, "./x.toml", "--create"])
      #expect(try run(words).status == 0)
      #expect(test.home.text(of: file(maps)) == text)
      // Values of two versions are not mixed.
      try test.home.write("other = 1\n", to: file(maps))
      let mixed = try run(words)
      #expect(mixed.status == 8 && mixed.error.contains("has settings version 3"), "\(mixed)")
      #expect(test.home.text(of: file(maps)) == "other = 1\n")
    }
  }

  private func run(_ words: [String]) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), words, environment: test.home.environment, directory: test.home.path)
  }

  @Test func `a secret is left out of a backup with a warning, also one that is not declared`() throws {
    try test.home.write("password = \"hunter3\"\nzoom = 1\n", to: file(maps))
    let result = try test.run("export")
    #expect(!result.output.contains("hunter") && !result.output.contains("sync") && !result.output.contains("(not"))
    #expect(result.error.contains("Left out of 'org.example.test' because they are secret: 'sync.token'."))
    #expect(result.error.contains("Left out of 'org.gnome.maps' because they are secret: 'password'."))
    try test.home.write(result.output, to: test.home.path + "/all.toml")
    #expect(try test.run("import", "--all", "./all.toml", "--replace").status == 0)
    #expect(try test.done("get", test.app, "sync.token") == "hunter2\n")
  }

  @Test func `values that are there stay, unless they are to be replaced`() throws {
    try test.home.write(test.done("export"), to: test.home.path + "/all.toml")
    try test.done("set", maps, "zoom", "7")
    let kept = try test.run("import", "--all", "./all.toml")
    #expect(kept.status == 0 && kept.error.contains("1 value stays as it is, because it differs here."), "\(kept)")
    #expect(try test.done("get", maps, "zoom") == "7.0\n")
    try test.done("import", "--all", "./all.toml", "--replace")
    #expect(try test.done("get", maps, "zoom") == "4.5\n")
    #expect(SchemaHome.timeless(try test.done("undo")).hasPrefix("undone: org.gnome.maps #2 TIME import"))
  }

  @Test func `an import of all keeps to schemas and locks, and migrates`() throws {
    try test.home.write(
      MatrixHome.schema, to: test.home.path + "/data/app-settings/org.example.test.toml")
    removeAll()
    let text = """
      settings-apps = 1
      ["org.example.test"]
      # the colour
      colour = "dark"
      editor.font-size = 100
      ["org.example.new"]
      settings-version = 7
      a = 1
      ["../x"]
      """
    try test.home.write(text, to: test.home.path + "/all.toml")
    let invalid = try test.run("import", "--all", "./all.toml")
    #expect(invalid.status == 6 && invalid.error.contains("Nothing was written"), "\(invalid)")
    try test.home.write(String(text.dropLast(8)), to: test.home.path + "/all.toml")
    let result = try test.run("import", "--all", "./all.toml")
    #expect(
      result.output == """
        org.example.test: 1 value
        skipped: org.example.test editor.font-size: 'editor.font-size' needs an integer from 6 to 72
        org.example.new: 1 value

        """, "\(result)")
    #expect(result.status == 0 && test.home.text() == "settings-version = 2\n# the colour\ntheme = \"dark\"\n")
  }

  @Test(arguments: [
    "theme = 1\n", "settings-apps = 2\n", "settings-apps = 1\nx = 2\n", "a = = 1\n", "[1]", "{\"a\": 1}",
  ])
  func `a file that is no backup of all apps is refused as a whole`(_ text: String) throws {
    try test.home.write(text, to: test.home.path + "/all")
    let result = try test.run("import", "--all", "./all")
    #expect(result.status == 6 && result.output == "" && result.error.contains("into all apps: "), "\(result)")
    #expect(result.error.contains("'settings-cli import TARGET FILE'"))
  }
}
