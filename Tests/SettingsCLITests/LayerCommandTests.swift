import AppSettings
import Foundation
import Testing
import TestSupport

/// The layers of one's own in the verbs: the active profile, declared files, and `--layer`.
struct LayerCommandTests {
  let test: SchemaHome
  init() throws { test = try SchemaHome() }
  private var app: String { test.app }
  private var home: ScratchHome { test.home }

  private func answer(_ output: String, _ error: String = "", status: Int32 = 0) -> ChildProcess.Result {
    SchemaHome.answer(output, error, status: status)
  }

  private func run(_ line: String, variables: [String: String] = [:]) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"),
      line.split(separator: " ").map { $0 == "APP" ? app : String($0) },
      environment: home.environment.merging(variables) { $1 }, directory: home.path)
  }

  private var work: String { home.file("profiles/work.toml") }
  private var declared: String { home.file("settings.d/10-dotfiles.toml") }

  private func write(_ text: String, to file: String) throws {
    try home.write(text, to: file)
    chmod(file, 0o600)
  }

  // MARK: The active profile

  @Test func `every verb reads and writes the active profile, as the app does`() throws {
    try test.write("theme = \"dark\"\nsync.token = \"hunter2\"\n")
    try write("theme = \"light\"\n", to: work)
    try home.profiles.choose("work")
    #expect(try run("path APP").output == work + "\n")
    #expect(try run("get APP theme").output == "light\n")
    #expect(try run("set APP editor.font-size 20") == answer(""))
    #expect(home.text(of: work) == "theme = \"light\"\n\n[editor]\nfont-size = 20\n")
    #expect(home.text() == "theme = \"dark\"\nsync.token = \"hunter2\"\n")
    let list = try run("list APP --origin").output
    #expect(list.contains("theme = \"light\"  # profile \(work):1\n"))
    #expect(list.contains("sync.token = (secret)  # user \(home.file):2\n"))
    #expect(try run("list APP --changed --names").output == "theme\neditor.font-size\n")
    #expect(
      try run("get APP theme --layers").output == """
        "light"  # profile \(work):1
        "dark"  # user \(home.file):1, hidden by profile \(work):1
        "light"  # the app's default, hidden

        """)
    #expect(try run("describe APP theme").output.contains("hidden    user \(home.file):1: \"dark\""))
    #expect(try run("diff APP").output.contains("+++ \(work)"))
    #expect(try run("unset APP theme") == answer(""))
    #expect(try run("get APP theme").output == "dark\n")
    #expect(try run("find dark").output == "\(app) theme = \"dark\"\n")
    #expect(try run("unset APP --all").status == 0)
    #expect(home.text(of: work)?.contains("font-size") == false)
    #expect(home.text() == "theme = \"dark\"\nsync.token = \"hunter2\"\n")
  }

  @Test func `the variable decides for the process that has it`() throws {
    try write("theme = \"dark\"\n", to: work)
    try home.profiles.choose("work")
    try write("theme = \"light\"\n", to: home.file("profiles/other.toml"))
    #expect(try run("get APP theme", variables: ["APP_SETTINGS_PROFILE": "other"]).output == "light\n")
    #expect(try run("path APP", variables: ["APP_SETTINGS_PROFILE": ""]).output == home.file + "\n")
    let bad = try run("get APP theme", variables: ["APP_SETTINGS_PROFILE": "../x"])
    #expect(bad.status == 2 && bad.error.contains("in the variable APP_SETTINGS_PROFILE"))
  }

  @Test func `edit and migrate work on the active profile`() throws {
    let schema =
      SchemaHome.schema + """
        [[migrations]]
        version = 2
        name = "name the colour"
        steps = [{ rename = "colour", to = "theme" }]

        """
    try home.write(schema, to: test.schemaFile)
    try write("colour = \"dark\"\n", to: work)
    try test.write("settings-version = 2\n")
    try home.profiles.choose("work")
    #expect(try run("migrate APP").output == "migrated: 2 name the colour\n")
    #expect(home.text(of: work)?.contains("theme = \"dark\"") == true)
    #expect(try run("edit APP", variables: ["EDITOR": "sed -i s/dark/light/"]).status == 0)
    #expect(home.text(of: work)?.contains("theme = \"light\"") == true)
    #expect(try run("migrate APP --layer user --status").status == 0)
  }

  @Test func `watch follows a switch of the profile`() throws {
    try test.write("theme = \"dark\"\n")
    try write("theme = \"light\"\n", to: work)
    let script = """
      exec 3< <(exec settings-cli watch \(app) theme --count 3)
      next() { read -r -t 30 line <&3; echo "$line"; }
      next; settings-cli profile \(app) use work; next; settings-cli profile \(app) use --none; next
      """
    var environment = home.environment
    environment["PATH"] = ChildProcess.commandDirectory + ":" + environment["PATH", default: "/usr/bin:/bin"]
    let result = try ChildProcess.run("/bin/bash", ["-c", script], environment: environment, directory: home.path)
    #expect(result.output == "dark\nlight\ndark\n", "\(result)")
  }

  // MARK: --layer

  @Test func `--layer names another file, with the layers below it`() throws {
    try test.write("theme = \"dark\"\n")
    try write("theme = \"light\"\n", to: work)
    try write("editor.font-size = 20\n", to: declared)
    try home.profiles.choose("work")
    #expect(try run("path APP --layer user").output == home.file + "\n")
    #expect(try run("path APP --layer profile:work").output == work + "\n")
    #expect(try run("path APP --layer drop-in:10-dotfiles.toml").output == declared + "\n")
    #expect(try run("get APP theme --layer user").output == "dark\n")
    #expect(try run("get APP editor.font-size --layer user").output == "20\n")
    #expect(try run("get APP theme --layer drop-in:10-dotfiles").output == "light\n")
    #expect(try run("list APP --layer drop-in:10-dotfiles --changed").output == "editor.font-size = 20\n")
    // Nothing of a higher drop-in is in a lower one.
    #expect(try run("get APP editor.font-size --layer drop-in:00-first").output == "12\n")
    #expect(try run("get APP editor.font-size --layer host").output == "20\n")
  }

  @Test func `a declared file is written by the rules for the user's file, and for its owner only`() throws {
    #expect(try run("set APP theme dark --layer drop-in:50-mine") == answer(""))
    let file = home.file("settings.d/50-mine.toml")
    #expect(home.text(of: file) == "theme = \"dark\"\n")
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(!FileManager.default.fileExists(atPath: home.file))
    #expect(try run("list APP --origin").output.contains("theme = \"dark\"  # declared \(file):1\n"))
    #expect(try run("set APP theme red --layer drop-in:50-mine").status == 4)
    #expect(try run("set APP thme dark --layer drop-in:50-mine").status == 3)
    try home.write("settings-locked = [\"editor.font-size\"]\n", to: test.systemFile)
    #expect(try run("set APP editor.font-size 20 --layer drop-in:50-mine").status == 5)
    #expect(try run("unset APP theme --layer drop-in:50-mine") == answer(""))
    #expect(try run("get APP theme").output == "light\n")
  }

  @Test(arguments: [("host", "@host="), ("os", "@os="), ("arch", "@arch=")])
  func `a layer of this machine is a file in its own directory, which counts`(_ word: String, _ start: String) throws {
    #expect(try run("set APP theme dark --layer \(word)") == answer(""))
    let directory = home.names(in: home.file("settings.d"))
    #expect(directory.count == 1 && directory[0].hasPrefix(start))
    let file = home.file("settings.d/\(directory[0])/settings.toml")
    #expect(try run("path APP --layer \(word)").output == file + "\n")
    #expect(home.text(of: file) == "theme = \"dark\"\n")
    #expect(try home.store()[SettingsKey("theme", default: "none")] == "dark")
    #expect(try run("get APP theme --layers").output.hasPrefix("\"dark\"  # declared \(file):1\n"))
    #expect(try run("edit APP --layer \(word)", variables: ["EDITOR": "sed -i s/dark/light/"]).status == 0)
    #expect(try run("check APP --layer \(word)") == answer(""))
    #expect(try run("unset APP theme --layer \(word)").status == 0)
    #expect(try run("recover APP --layer \(word)").status == 0)
  }

  @Test func `check finds what is wrong in a profile that is not in use`() throws {
    try write("theme = = 1\n", to: work)
    let result = try run("check APP")
    #expect(result.status == 6 && result.output.hasPrefix("\(work):1:9: error: "), "\(result)")
    #expect(try run("check APP --layer user") == answer(""))
  }

  @Test func `a value that the app does not read from that layer is stored, and said`() throws {
    try write("theme = \"light\"\n", to: work)
    try home.profiles.choose("work")
    let result = try run("set APP theme dark --layer user")
    #expect(
      result
        == answer(
          "",
          "settings-cli: Stored 'theme' in '\(home.file)', but it has no effect: the value comes from the profile layer "
            + "'\(work)'.\n", status: 5))
    let host = try run("set APP theme dark --layer host")
    #expect(host.status == 5 && host.error.contains("the value comes from the profile layer"))
    // A profile that is not active counts once it is.
    try write("", to: home.file("profiles/home.toml"))
    #expect(try run("set APP theme dark --layer profile:home") == answer(""))
    #expect(home.text(of: home.file("profiles/home.toml")) == "theme = \"dark\"\n")
  }

  @Test func `a link into a tree that another program makes is not written, and the message says whose it is`() throws {
    let store = home.path + "/store/10-hm.toml"
    try home.write("theme = \"dark\"\n", to: store)
    try FileManager.default.createDirectory(atPath: home.file("settings.d"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: home.file("settings.d/10-hm.toml"), withDestinationPath: store)
    chmod(store, 0o444)
    chmod(home.path + "/store", 0o555)
    let product = ChildProcess.product("settings-cli")
    let command = "\(product) set \(app) theme light --layer drop-in:10-hm"
    let result: ChildProcess.Result
    if geteuid() == 0 {
      let drop = "setpriv --reuid=65534 --regid=65534 --clear-groups"
      let script = "chown -R 65534:65534 config state data; chmod 755 . store; \(drop) \(product) --version && \(drop) "
      let probe = try ChildProcess.shell(script + "true", environment: home.environment, directory: home.path)
      guard probe.status == 0 else { return }
      result = try ChildProcess.shell("\(drop) \(command)", environment: home.environment, directory: home.path)
    } else {
      result = try ChildProcess.shell(command, environment: home.environment, directory: home.path)
    }
    #expect(result.status == 5)
    let owner = geteuid() == 0 ? "root" : "you"
    #expect(
      result.error.contains("It is a link to '\(store)', which belongs to \(owner). Change it where it is made"),
      "\(result)")
    #expect(home.text(of: store) == "theme = \"dark\"\n")
  }

  @Test func `find, check and watch know declared files, and name each place`() throws {
    try write("theme = \"dark\"\nthme = 1\neditor.wrap = \"red\"\n", to: declared)
    #expect(try run("find dark").output == "\(app) theme = \"dark\"\n")
    #expect(try run("find red").status == 1)
    let check = try run("check APP").output
    #expect(check.contains("\(declared):3:15: error: 'editor.wrap'") && check.contains("\(declared):2:8: warning:"))
    #expect(try run("check --all").output == check)
    #expect(try run("watch APP theme --count 1").output == "dark\n")
    #expect(try run("describe APP theme").output.contains("from      declared \(declared):1"))
    #expect(try run("apps").output == "\(app)\n")
  }

  @Test func `a value above a key is among its layers only where it hides one`() throws {
    try write("a.b = 1\n", to: home.path + "/etc/xdg/\(app)/settings.toml")
    try test.write("a = 5\ntheme = \"dark\"\n")
    let layers = try run("get APP a.b --layers")
    #expect(layers.status == 3 && layers.output.hasPrefix("5  # user \(home.file):1, as 'a'\n1  # system"), "\(layers)")
    #expect(try run("get APP a.b").status == 3 && run("get APP a.b --layers --json").status == 3)
    // Neither has any value there.
    for words in ["a.c", "theme.x"] {
      let plain = try run("get APP \(words)")
      #expect(plain.output.isEmpty && [1, 3].contains(plain.status), "\(plain)")
      #expect(try run("get APP \(words) --layers") == plain)
      #expect(try run("get APP \(words) --layers --json") == plain)
    }
  }

  // MARK: Credentials

  @Test func `a credential is shown by its place, and never printed`() throws {
    try test.write("sync.token = \"old\"\n")
    let directory = home.path + "/credentials"
    try home.write("s3cret\n", to: directory + "/sync.token")
    try home.write("n3ver\n", to: directory + "/theme")
    let variables = ["CREDENTIALS_DIRECTORY": directory]
    var printed = ""
    for line in [
      "get APP sync.token", "get APP sync.token --json", "get APP sync.token --layers", "get APP sync", "list APP",
      "list APP --json", "list APP --origin", "list APP -0", "describe APP", "describe APP sync.token --json",
      "export APP --secrets", "export APP --env --secrets", "find s3cre", "diff APP", "watch APP sync.token --count 1",
      "check APP", "batch APP < get",
    ] {
      let words = line.replacingOccurrences(of: " < get", with: "").split(separator: " ")
        .map { $0 == "APP" ? app : String($0) }
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: home.environment.merging(variables) { $1 },
        input: line.contains("<") ? "{\"get\":\"sync.token\"}\n" : "", directory: home.path)
      printed += result.output + result.error
    }
    #expect(!printed.contains("s3cret") && !printed.contains("n3ver"))
    let layers = try run("get APP sync.token --layers", variables: variables).output
    #expect(
      layers == """
        (secret)  # credential \(directory)/sync.token
        (secret)  # user \(home.file):1, hidden by credential \(directory)/sync.token

        """)
    #expect(
      try run("describe APP sync.token", variables: variables).output.contains(
        "from      credential \(directory)/sync.token"))
    #expect(
      try run("list APP --origin", variables: variables).output.contains(
        "sync.token = (secret)  # credential \(directory)/sync.token"))
    let set = try run("set APP sync.token new", variables: variables)
    #expect(set.status == 5 && set.error.contains("from the credential layer '\(directory)/sync.token'"))
    #expect(home.text() == "sync.token = \"new\"\n")
  }
}

/// A project's file, as `check --project` sees it.
struct ProjectCommandTests {
  let test: SchemaHome
  init() throws {
    test = try SchemaHome()
    let schema = SchemaHome.schema.replacing("[keys.theme]\n", with: "[keys.theme]\nproject = true\n")
    try test.home.write(schema, to: test.schemaFile)
    try FileManager.default.createDirectory(atPath: test.home.path + "/project/src", withIntermediateDirectories: true)
  }
  private var file: String { test.home.path + "/project/.\(test.app).toml" }

  private func write(_ text: String) throws {
    try test.home.write(text, to: file)
    chmod(file, 0o644)
  }

  private func check(_ words: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["check"] + words, environment: test.home.environment,
      directory: test.home.path + "/project/src")
  }

  @Test func `keys that the app does not allow in a project are findings, and wrong values, too`() throws {
    try write("theme = \"dark\"\n")
    #expect(try check(test.app, "--project", ".") == SchemaHome.answer(""))
    try write("theme = \"red\"\neditor.font-size = 14\n")
    let result = try check(test.app, "--project", "..")
    #expect(result.status == 4)
    #expect(result.output.contains("\(file):1:9: error: 'theme' is the string \"red\""), "\(result)")
    #expect(result.output.contains("\(file):2:20: warning: Ignored 'editor.font-size'"), "\(result)")
    #expect(try check("--all", "--project", ".").output == result.output)
    try write("editor.font-size = 14\n")
    let ignored = try json(check(test.app, "--project", ".", "--json").output) as? [[String: Any]]
    #expect(ignored?.map { $0["kind"] as? String } == ["ignored"])
    #expect(try check(test.app, "--project", ".").status == 5)
  }

  @Test func `a file that others may change, no file, and no directory are said`() throws {
    try write("theme = \"dark\"\n")
    chmod(file, 0o666)
    let open = try check(test.app, "--project", ".")
    #expect(open.status != 0 && open.output.contains("other users may change it"), "\(open)")
    try FileManager.default.removeItem(atPath: file)
    #expect(
      try check(test.app, "--project", ".")
        == SchemaHome.answer("", "settings-cli: There is no file '.\(test.app).toml' in '.' or above it.\n"))
    #expect(try check(test.app, "--project", "none").status == 7)
    #expect(try check("./x.toml", "--project", ".").status == 2)
    #expect(try check(test.app, "--project", ".", "--system").status == 2)
  }
}
