import Foundation
import Testing
import TestSupport

/// `import` of what other programs have written, with a schema and for an administrator.
struct ImportCommandTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  private func run(_ arguments: String..., input: String? = nil) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, input: input, directory: home.path
    )
  }

  private func writeSchema() throws {
    try home.write(
      """
      app = "org.example.test"
      [keys.home]
      type = "url"
      [keys.bookmarks]
      type = "array"
      elements = { type = "url" }
      [keys.scores]
      type = "array"
      elements = { type = "integer" }
      [keys.names]
      type = "array"
      elements = { type = "string" }
      [keys.zone]
      type = "table"
      [keys.wrap]
      type = "boolean"
      [keys.title]
      type = "string"
      [keys."remote.fetch"]
      type = "string"
      [keys."pack.limit"]
      type = "integer"
      [keys."pack.size"]
      type = "string"
      """, to: home.path + "/data/app-settings/org.example.test.toml")
  }

  @Test func `with a schema, JSON in strings and data of a property list is taken as what the keys need`() throws {
    try writeSchema()
    let list = #"""
      <plist version="1.0"><dict>
        <key>home</key><string>"https:\/\/example.org\/"</string>
        <key>bookmarks</key><array><string>"https:\/\/example.org\/a"</string></array>
        <key>scores</key><data>WzMsMV0=</data>
        <key>zone</key><string>{"id":"0"}</string>
        <key>title</key><string>"quoted"</string>
      </dict></plist>
      """#
    let result = try run("import", app, "-", "--format", "plist", input: list)
    #expect(result.status == 0 && !result.output.contains("skipped"), "\(result)")
    let text = home.text() ?? ""
    for line in [
      #"home = "https://example.org/""#, #"bookmarks = ["https://example.org/a"]"#, "scores = [3, 1]",
      #"title = "\"quoted\"""#, #"id = "0""#,
    ] { #expect(text.contains(line), "\(text)") }
  }

  @Test func `a wrong record or entry of a table is skipped, and the others are imported`() throws {
    try home.write(
      """
      app = "org.example.test"
      [keys.hosts]
      type = "records"
      fields = { port = { type = "integer" }, name = { type = "string" } }
      [keys.limits]
      type = "table"
      elements = { type = "integer" }
      maximum-count = 2
      """, to: home.path + "/data/app-settings/org.example.test.toml")
    try home.write("[hosts.old]\nport = 'x'\n")
    let text = #"{"hosts": {"a": {"port": "y", "name": "A"}, "b": {"port": 1}}, "limits": {"c": 1, "d": "x"}}"#
    let result = try run("import", app, "-", "--format", "json", input: text)
    let expected = """
      taken: hosts.b.port
      taken: limits.c
      skipped: hosts.a.port: 'port' in 'hosts.a' needs an integer
      skipped: hosts.a.name: 'port' in 'hosts.a' needs an integer
      skipped: limits.d: 'limits.d' needs an integer

      """
    #expect(result.status == 0 && result.output == expected, "\(result)")
    #expect(home.text() == "[hosts.old]\nport = 'x'\n\n[hosts.b]\nport = 1\n\n[limits]\nc = 1\n")
    // Nobody can say which of them are too many.
    let many = try run("import", app, "-", "--format", "json", input: #"{"limits": {"e": 1, "f": 2}}"#)
    #expect(many.status == 4 && !many.output.contains("taken"), "\(many)")
  }

  @Test func `a name with dots goes to the key of that path, or stays one name and is named`() throws {
    let file = home.path + "/copy.toml"
    let list = """
      <plist version="1.0"><dict>
        <key>remote.fetch</key><string>x</string><key>pack.size</key><string>2</string><key>pack.limit</key><integer>5</integer>
      </dict></plist>
      """
    // Without a schema.
    let plain = try run("import", file, "-", "--format", "plist", input: list)
    #expect(plain.status == 0, "\(plain)")
    #expect(home.text(of: file) == "\"pack.limit\" = 5\n\"pack.size\" = \"2\"\n\"remote.fetch\" = \"x\"\n")
    #expect(
      plain.error
        == "settings-cli: The dots in '\"pack.limit\"' stay part of the name, as in 2 others. To put a value into a table, "
        + "use --map, as in '--map pack.limit=pack.limit'.\n", "\(plain.error)")
    let mapped = try run(
      "import", file, "-", "--format", "plist", "--map", "pack.limit=pack.limit", "--only-mapped", input: list)
    #expect(mapped.status == 0 && mapped.error.isEmpty)
    #expect(mapped.output.hasPrefix("taken: \"pack.limit\" -> pack.limit\nskipped: "), "\(mapped)")
    // With one.
    try writeSchema()
    let known = try run("import", app, "-", "--format", "plist", input: list)
    #expect(known.status == 0 && known.error.isEmpty, "\(known)")
    #expect(
      known.output == """
        taken: "pack.limit" -> pack.limit
        taken: "pack.size" -> pack.size
        taken: "remote.fetch" -> remote.fetch

        """)
    #expect(home.text() == "[pack]\nlimit = 5\nsize = \"2\"\n\n[remote]\nfetch = \"x\"\n", "\(home.text() ?? "")")
    let unknown = try run("import", app, "-", "--format", "json", input: #"{"pack.other": 1}"#)
    #expect(unknown.status == 3, "\(unknown)")
  }

  @Test func `with a schema, lists and words of files without types are taken as what the keys need`() throws {
    try writeSchema()
    #expect(
      try run("import", app, "-", "--format", "kconfig", input: "names=a\\\\,b,c\nscores=1,2\nwrap=on\n").status == 0)
    #expect(home.text() == "names = [\"a,b\", \"c\"]\nscores = [1, 2]\nwrap = true\n", "\(home.text() ?? "")")
    // Of several values, git has the last for who wants one.
    let git = "[remote]\nfetch = a\nfetch = 12\n"
    #expect(
      try run("import", app, "-", "--format", "git", input: git).output == "taken: remote.fetch\n")
    #expect(home.text()?.contains("fetch = \"12\"") == true)
    let units = "[pack]\nlimit = 2K\nsize = 2k\n"
    #expect(try run("import", app, "-", "--format", "git", input: units).status == 0)
    #expect(home.text()?.contains("[pack]\nlimit = 2048\nsize = \"2k\"\n") == true, "\(home.text() ?? "")")
    let tooLarge = try run("import", app, "-", "--format", "git", "--replace", input: "[pack]\nlimit = 99999999999g\n")
    #expect(tooLarge.status == 4)
    #expect(try run("import", app, "-", "--format", "keyfile", "--replace", input: "title=a;b;\n").status == 0)
    #expect(home.text()?.contains("title = \"a;b;\"") == true)
  }

  @Test(arguments: [
    (
      "keyfile", "names=1.10;2.0;007;true;a b\\;c;\nscores=1;2;\ntitle=Hello\\nWorld\\s\\; bye\\;x\nwrap=1\n",
      "names = [\"1.10\", \"2.0\", \"007\", \"true\", \"a b;c\"]\nscores = [1, 2]\ntitle = \"Hello\\nWorld ; bye;x\"\nwrap = true\n"
    ),
    (
      "git", "names = 1.10\nnames = 4k\nnames = abc\nscores = 4k\nscores = 8\nwrap = 0\ntitle = 1.10\ntitle = 4k\n",
      "names = [\"1.10\", \"4k\", \"abc\"]\nscores = [4096, 8]\nwrap = false\ntitle = \"4k\"\n"
    ),
    // A single element is a list of one, and in a key file nothing is a list without elements.
    ("keyfile", "names=1.10\nscores=3 \ntitle=1 \n", "names = [\"1.10\"]\nscores = [3]\ntitle = \"1 \"\n"),
    ("keyfile", "names=\nscores=\ntitle=\n", "names = []\nscores = []\ntitle = \"\"\n"),
    ("keyfile", "names=a\\;b\n", "names = [\"a;b\"]\n"),
    ("git", "names = one\nscores = 4k\n", "names = [\"one\"]\nscores = [4096]\n"),
    ("git", "names =\n", "names = [\"\"]\n"),
  ])
  func `each element of a list without types is taken as what its key needs`(
    form: String, text: String, expected: String
  ) throws {
    let keys = [
      "names": "\"array\"\nelements = { type = \"string\" }", "scores": "\"array\"\nelements = { type = \"integer\" }",
      "wrap": "\"boolean\"", "title": "\"string\"",
    ]
    let schema = "app = \"\(app)\"\n" + keys.map { "[keys.\"x.\($0.key)\"]\ntype = \($0.value)\n" }.joined()
    try home.write(schema, to: home.path + "/data/app-settings/\(app).toml")
    let result = try run("import", app, "-", "--format", form, input: "[x]\n" + text)
    #expect(result.status == 0 && home.text() == "[x]\n" + expected, "\(result) \(home.text() ?? "")")
  }

  @Test func `a file whose variables expand to more than an import may make is refused as a whole`() throws {
    var environment = home.environment
    environment["BIG"] = String(repeating: "x", count: 100_000)
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["import", app, "-", "--format", "kconfig"], environment: environment,
      input: "a=1\nb[$e]=" + String(repeating: "$BIG", count: 700) + "\n")
    #expect(result.status == 6 && result.error.contains("67108864 bytes, which is the limit"), "\(result.status)")
    #expect(home.text() == nil)
  }

  @Test func `locks are taken into an administrator's file, and not into a user's`() throws {
    let text = "[proxy]\nurl[$i]=x\n[update][$i]\nchannel=beta\n"
    let user = try run("import", app, "-", "--format", "kconfig", "--locks", input: text)
    #expect(user.status == 2 && home.text() == nil)
    #expect(user.error.contains("The user of 'org.example.test' cannot lock keys."))
    let file = home.path + "/etc/xdg/org.example.test/settings.toml"
    let site = try run("import", file, "-", "--format", "kconfig", "--locks", input: text)
    #expect(
      site.output == """
        taken: proxy.url
        taken: update.channel
        taken: proxy.url -> settings-locked
        taken: update -> settings-locked

        """, "\(site)")
    let set = try run("set", app, "update.channel", "stable")
    #expect(set.status == 5, "\(set)")
    #expect(try run("get", app, "proxy.url").output == "x\n")
  }

  @Test func `a new file gets the comments of a TOML text, below the version of the app's migrations`() throws {
    try home.write(MatrixHome.schema, to: home.path + "/data/app-settings/\(app).toml")
    try home.write("# mine\n\ntheme = \"dark\"  # at night\n", to: home.path + "/old.toml")
    for option in ["--replace", "--create"] {
      try? FileManager.default.removeItem(atPath: home.file)
      #expect(try run("import", app, "./old.toml", option).status == 0)
      #expect(home.text() == "# mine\n\nsettings-version = 2\ntheme = \"dark\"  # at night\n")
    }
  }

  @Test(arguments: ["toml", "json", "env"])
  func `what an older release exported is migrated, in each form`(_ form: String) throws {
    func schema(_ migrations: String) -> String {
      "app = \"\(app)\"\nkeys.speed = { type = \"integer\" }\nkeys.\"view.color\" = { type = \"string\" }\n"
        + migrations
    }
    let schemaFile = home.path + "/data/app-settings/\(app).toml"
    let first = "[[migrations]]\nversion = 2\nname = \"a\"\nsteps = [{ rename = \"x\", to = \"y\" }]\n"
    let old = schema(first).replacing("keys.\"view.color\"", with: "keys.colour")
    try home.write(old, to: schemaFile)
    try home.write("settings-version = 2\nspeed = 3\ncolour = \"02\"\n")
    let exported = try run("export", app, form == "toml" ? "--toml" : "--\(form)")
    #expect(exported.status == 0 && exported.output.contains("settings-version"), "\(exported)")
    let part = try run("export", app, "colour", "--\(form)").output
    #expect(part.contains("settings-version") && !part.contains("speed"))
    let second = first.replacing("version = 2\nname = \"a\"", with: "version = 3\nname = \"b\"")
      .replacing("\"x\", to = \"y\"", with: "\"colour\", to = \"view.color\"")
    try home.write(schema(first + second), to: schemaFile)
    try FileManager.default.removeItem(atPath: home.file)
    let result = try run("import", app, "-", "--format", form, input: exported.output)
    #expect(result == SchemaHome.answer("taken: speed\ntaken: view.color\n"))
    #expect(home.text() == "settings-version = 3\nspeed = 3\n\n[view]\ncolor = \"02\"\n")
    // One of a newer release is refused, also by the name of the file alone.
    try home.write(schema(first + second), to: schemaFile)
    let newer = exported.output.replacing(/(settings-version"?(:| =)) 2/) { "\($0.1) 7" }
    let refused = try run("import", app, "-", "--format", form, input: newer)
    #expect(refused.status == 8 && refused.error.contains("it has settings version 7"), "\(refused)")
    // Without a schema, the version stays with the values.
    #expect(try run("import", "./copy.toml", "-", "--format", form, input: exported.output).status == 0)
    #expect(home.text(of: home.path + "/copy.toml")?.contains("settings-version = 2\n") == true)
  }

  @Test(arguments: ["toml", "json", "env"])
  func `what a release without migrations exported is migrated, in each form`(_ form: String) throws {
    let schemaFile = home.path + "/data/app-settings/\(app).toml"
    let schema = "app = \"\(app)\"\nkeys.delay = { type = \"integer\" }\n"
    try home.write(schema, to: schemaFile)
    try home.write("delay = 5 # s\n")
    let exported = try run("export", app, "--\(form)").output
    let step = "{ convert = \"delay\", conversions = [{ scaled = 1000 }] }"
    try home.write(schema + "[[migrations]]\nversion = 2\nname = \"ms\"\nsteps = [\(step)]\n", to: schemaFile)
    // A settings file without a version has the first one, like any TOML.
    let originals = form == "toml" ? [exported, home.text()] : [exported]
    for original in originals {
      try FileManager.default.removeItem(atPath: home.file)
      #expect(try run("import", app, "-", "--format", form, input: original) == SchemaHome.answer("taken: delay\n"))
      #expect(try run("get", app, "delay").output == "5000\n")
    }
    // What has names of its own for keys has today's values.
    try home.write("delay = 7\n", to: home.path + "/other.toml")
    #expect(try run("import", app, "./other.toml", "--map", "delay=delay", "--replace").status == 0)
    #expect(try run("get", app, "delay").output == "7\n")
    // Without a schema, the first version needs no words.
    #expect(try run("import", "./copy.toml", "-", "--format", form, input: exported).status == 0)
    #expect(home.text(of: home.path + "/copy.toml") == "delay = 5\n")
  }

  @Test func `a name of --map that the file does not have is named`() throws {
    let text = "{\"a\": {\"b\": 1}, \"c.d\": 2, \"e\": null}"
    let words = ["a=x", "c.d=y", "e=z", "aa=x", "a.c=w"].flatMap { ["--map", $0] }
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["import", "./x.toml", "-", "--format", "json"] + words,
      environment: home.environment, input: text, directory: home.path)
    #expect(result.status == 0)
    #expect(result.error == "settings-cli: warning: FILE does not have 'a.c', 'aa', which --map names.\n", "\(result)")
  }

  @Test(arguments: [
    ("toml", "older = 3\nold.n = 4\n", 4, "'old.n'"), ("toml", "older = 3\nold.n = 4\nn = 5\n", 5, "'n'"),
    ("env", "OLDER=3\nOLD__N=4\n", 4, "'OLD__N'"), ("env", "OLDER=3\nOLD__N=4\nN=5\n", 5, "'N'"),
    ("env", "ORG_EXAMPLE_TEST_SETTINGS__OLDER=3\nN=5\n", 5, "'N'"), ("json", "{\"older\": 3}", 3, ""),
  ])
  func `of several names of a key, the newest is taken`(
    _ form: String, _ original: String, _ value: Int, _ newest: String
  ) throws {
    try home.write(
      "app = \"\(app)\"\nkeys.n = { type = \"integer\", formerly = [\"old.n\", \"older\"] }\n",
      to: home.path + "/data/app-settings/\(app).toml")
    for options in [[], ["--replace"]] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), ["import", app, "-", "--format", form] + options,
        environment: home.environment, input: original)
      #expect(result.status == 0 && result.output.contains("\(newest) is there, too, ") == !newest.isEmpty, "\(result)")
      #expect(home.text() == "n = \(value)\n")
      try FileManager.default.removeItem(atPath: home.file)
    }
  }

  @Test func `a value under a former name is the key's, there and in the original`() throws {
    let test = try SchemaHome()
    try test.home.write("{\"editor\": {\"font-size\": 20}}", to: test.home.path + "/new.json")
    try test.home.write("{\"font_size\": 30}", to: test.home.path + "/old.json")
    try test.write("font_size = 14 # mine\n")
    #expect(try test.run("import", test.app, "./new.json").output.contains("has a value already"))
    #expect(test.home.text() == "font_size = 14 # mine\n")
    #expect(try test.done("import", test.app, "./old.json", "--replace") == "taken: font_size -> editor.font-size\n")
    #expect(test.home.text() == "[editor]\nfont-size = 30 # mine\n")
    #expect(try test.run("import", test.app, "./old.json").output.contains("has a value already"))
    // The present name wins, wherever it stands.
    try test.home.write("font_size = 30\neditor.font-size = 40\n", to: test.home.path + "/both.toml")
    try FileManager.default.removeItem(atPath: test.file)
    #expect(try test.run("import", test.app, "./both.toml").output.contains("skipped: font_size"))
    #expect(test.home.text() == "editor.font-size = 40\n")
    try test.home.write("# mine\nfont_size = 30 # c\n", to: test.home.path + "/former.toml")
    try FileManager.default.removeItem(atPath: test.file)
    try test.done("import", test.app, "./former.toml")
    #expect(try test.done("get", test.app, "editor.font-size") == "30\n")
    #expect(test.home.text()?.contains("font_size") == false)
  }

  @Test func `what is skipped in an array is named by its number`() throws {
    let result = try run("import", "./new.toml", "-", "--format", "json", input: #"{"a b": [1, [2, null]]}"#)
    #expect(result.output == "taken: \"a b\"\nskipped: \"a b\"[1][1]: null has no value in TOML\n", "\(result)")
    #expect(home.text(of: home.path + "/new.toml") == "\"a b\" = [1, [2]]\n")
  }

  @Test(arguments: [
    ("import ./new.toml ./pipe --format toml", "taken: a\n", "a = 1\n"),
    ("edit ./new.toml --text ./pipe", "", "a = 1\n"),
    ("diff ./new.toml ./pipe --exit-code | tail -n 1", "-a = 1\n", nil),
  ])
  func `a file that is only read may be a pipe`(words: String, output: String, text: String?) throws {
    // As of 'settings-cli import … <(command)'.
    let script = "mkfifo pipe; timeout 60 sh -c \"printf 'a = 1\\n' > pipe\" & settings-cli \(words)"
    var environment = home.environment
    environment["PATH"] = ChildProcess.commandDirectory + ":" + environment["PATH", default: "/usr/bin:/bin"]
    let result = try ChildProcess.run("/bin/sh", ["-c", script], environment: environment, directory: home.path)
    #expect(result == ChildProcess.Result(status: 0, output: output, error: ""))
    #expect(home.text(of: home.path + "/new.toml") == text)
  }
}
