import AppSettings
import Foundation
import Testing
import TestSupport

/// What `export` prints, `import` takes: names and types, with a schema and without.
struct RoundTripTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  private func run(_ arguments: String..., input: String? = nil) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, input: input, directory: home.path
    )
  }

  private static let text = #"""
    "" = "empty"
    "a.b" = 1
    "quo\"te" = true
    "li\nne" = 2
    UPPER_case = 3
    dash-ed = 4
    under_scored = 5
    "é漢" = "é漢"
    1digit = 6
    digits = "14"
    yes = "true"
    date = "1979-05-27"
    list = "[1, 2]"
    quoted = "\"14\""
    apostrophe = "it's '\u0301 $(x) `y` \\ \""
    blanks = "  x "
    multi = "one\r\ntwo\n\n# three\n#: a.b\nX=1"
    whole = 1.0
    large = 1e300
    least = -9223372036854775808
    off = false
    array = [1, "two", [3.0, []], { x = 1 }]
    empty = []
    nothing = {}

    [deep.er."x y"]
    z = 1

    [[tables]]
    a = 1

    [[tables]]
    a = "x"

    """#

  private static let odd = """
    nan = nan
    infinite = -inf
    moment = 1979-05-27T07:32:00.5-07:00
    local = 1979-05-27T07:32:00
    day = 1979-05-27
    time = 07:32:00
    times = [07:32:00]

    """

  @Test(arguments: ["toml", "json", "env"], [true, false])
  func `what is exported is imported as it was`(form: String, isFile: Bool) throws {
    // JSON has no form for these: without a schema, they are strings in it.
    let text = Self.text + (form == "json" ? "" : "\n[odd]\n" + Self.odd)
    let source = isFile ? "./source.toml" : app
    try home.write(text, to: isFile ? home.path + "/source.toml" : nil)
    let exported = try run("export", source, "--\(form)")
    #expect(exported.status == 0 && exported.error.isEmpty)
    let taken = try run("import", "./new.toml", "-", "--format", form, input: exported.output)
    #expect(taken.status == 0 && !taken.output.contains("skipped"), "\(taken)")
    // No schema says whether the dots of a name separate tables. In TOML they do not.
    let isAsked = taken.error.hasPrefix("settings-cli: The dots in '\"a.b\"'") && taken.error.hasSuffix("'.\n")
    #expect(form == "toml" ? taken.error.isEmpty : isAsked, "\(taken)")
    let (new, old) = (try run("export", "./new.toml"), try run("export", source))
    #expect((isFile ? "" : "settings-version = 1\n") + new.output == old.output)
    #expect(new.status == 0 && new.error == old.error)
    // Again, over what there is.
    try home.write("# mine\ndigits = 1\n[deep]\nx = 1\n", to: home.path + "/other.toml")
    #expect(
      try run("import", "./other.toml", "-", "--format", form, "--replace", input: exported.output).status == 0)
    #expect(try run("get", "./other.toml", "digits", "--toml").output == "\"14\"\n")
    #expect(try run("get", "./other.toml", "multi", "-0") == run("get", source, "multi", "-0"))
  }

  /// A key of each type.
  private static let schema = """
    app = "org.example.test"

    [keys.nan]
    type = "float"
    [keys.infinite]
    type = "float"
    [keys.ratio]
    type = "float"
    [keys.moment]
    type = "offset-date-time"
    [keys.local]
    type = "local-date-time"
    [keys.day]
    type = "local-date"
    [keys.time]
    type = "local-time"
    [keys.times]
    type = "array"
    elements = { type = "local-time" }
    [keys."editor.font-size"]
    type = "integer"
    minimum = 6
    [keys.code]
    type = "string"
    [keys.wait]
    type = "duration"
    [keys.hosts]
    type = "records"
    fields = { port = { type = "integer", minimum = 1 }, since = { type = "local-date" } }
    [keys.token]
    type = "string"
    secret = true

    """

  private func writeSchema() throws {
    try home.write(Self.schema, to: home.path + "/data/app-settings/\(app).toml")
  }

  @Test(arguments: ["toml", "json", "env"])
  func `a schema gives back the types that a form does not have`(form: String) throws {
    try writeSchema()
    try home.write(
      Self.odd + """
        ratio = 2.0
        editor.font-size = 14
        code = "007"
        wait = "1h30m"
        token = "t"

        [hosts."eu.west"]
        port = 80
        since = 1979-05-27

        """)
    let exported = try run("export", app, "--\(form)", "--secrets")
    let before = try run("export", app, "--secrets")
    #expect(before.status == 0)
    try FileManager.default.removeItem(atPath: home.file)
    let taken = try run("import", app, "-", "--format", form, input: exported.output)
    #expect(taken.status == 0 && taken.error.isEmpty && !taken.output.contains("skipped"), "\(taken)")
    #expect(try run("export", app, "--secrets") == before)
    #expect(try run("check", app).status == 0)
  }

  @Test func `a schema says which key a variable is, and what an INI file's texts are`() throws {
    try writeSchema()
    let variables = """
      ORG_EXAMPLE_TEST_SETTINGS__EDITOR__FONT_SIZE=14
      CODE=007
      RATIO='2'
      HOSTS='{ a = { port = 80, since = 1979-05-27 } }'
      MOMENT=1979-05-27T07:32:00Z
      ORG_EXAMPLE_TEST_SETTINGS__NONE=1

      """
    let taken = try run("import", app, "-", "--format", "env", input: variables)
    #expect(
      taken.output == """
        taken: ORG_EXAMPLE_TEST_SETTINGS__EDITOR__FONT_SIZE -> editor.font-size
        taken: CODE -> code
        taken: RATIO -> ratio
        taken: HOSTS -> hosts
        taken: MOMENT -> moment
        skipped: ORG_EXAMPLE_TEST_SETTINGS__NONE: the app's schema does not have 'ORG_EXAMPLE_TEST_SETTINGS__NONE'

        """)
    #expect(taken.status == 0 && taken.error.isEmpty)
    #expect(try run("get", app, "hosts.a.since").output == "1979-05-27\n")
    #expect(try run("get", app, "code", "--toml").output == "\"007\"\n")
    #expect(try run("get", app, "ratio").output == "2.0\n")
    #expect(try run("check", app).status == 0)

    let ini = "code = 12\nratio = 1.50\n[editor]\nfont-size = 8\n[hosts]\nx = 1\n"
    #expect(
      try run("import", app, "-", "--format", "ini", "--replace", input: ini).output == """
        taken: code
        taken: ratio
        taken: editor.font-size
        skipped: hosts.x: 'hosts.x' needs a table with fields such as 'port', 'since'

        """)
    #expect(try run("get", app, "code", "--toml").output == "\"12\"\n")
  }

  @Test func `what the app would refuse is named and not taken`() throws {
    try writeSchema()
    try home.write("code = \"x\"\n")
    let json = #"{"editor": {"font-size": 2}, "hosts": {"a": {"port": 80}, "b": {"port": 0}}, "cod": 1, "ratio": 1.5}"#
    let taken = try run("import", app, "-", "--format", "json", input: json)
    #expect(
      taken.output == """
        taken: hosts.a.port
        taken: ratio
        skipped: editor.font-size: 'editor.font-size' needs an integer from 6
        skipped: hosts.b.port: 'port' in 'hosts.b' needs an integer from 1
        skipped: cod: the app's schema does not have 'cod'; did you mean 'code'?

        """, "\(taken)")
    #expect(taken.status == 0 && home.text() == "code = \"x\"\nratio = 1.5\n\n[hosts.a]\nport = 80\n")
    // Where nothing is left, that is an error, and nothing is written.
    let before = home.text()
    for (json, status) in [(#"{"cod": 1}"#, 3), (#"{"editor": {"font-size": 2}}"#, 4), (#"{"editor": 1}"#, 4)] {
      let refused = try run("import", app, "-", "--format", "json", input: json)
      #expect(
        refused.status == Int32(status) && refused.error.hasPrefix("settings-cli: Nothing was imported: "), "\(refused)"
      )
      #expect(home.text() == before)
    }
    #expect(home.names(in: home.backups).count == 1)
    #expect(try run("import", app, "-", "--format", "json", "--create", input: #"{"cod": 1}"#).status == 0)
    #expect(try run("get", app, "cod").output == "1\n")
  }

  @Test(arguments: ["toml", "json", "env"])
  func `what is exported elsewhere leaves later defaults and other layers alive`(form: String) throws {
    let schemaFile = home.path + "/data/app-settings/\(app).toml"
    func schema(font: String) -> String {
      "app = \"\(app)\"\n[keys.theme]\ntype = \"string\"\ndefault = \"light\"\n[keys.font]\ntype = \"string\"\n"
        + "default = \"\(font)\"\n[keys.channel]\ntype = \"string\"\n[keys.zoom]\ntype = \"integer\"\ndefault = 1\n"
        + "[keys.words]\ntype = \"table\"\n[keys.box]\ntype = \"table\"\n"
        + "fields = { width = { type = \"integer\", required = true }, title = { type = \"string\", default = \"t\" } }\n"
    }
    try home.write(schema(font: "Mono"), to: schemaFile)
    try home.write("channel = \"stable\"\nwords = { a = 1 }\nbox.width = 5\n", to: home.systemFile("settings.toml"))
    try home.write("theme = \"dark\"\nzoom = 2\nwords = { b = 2 }\nbox.title = \"mine\"\n")
    try home.write("zoom = 3\n", to: home.file("profiles/work.toml"))
    try home.profiles.choose("work")
    let exported = try run("export", app, "--\(form)")
    #expect(exported.status == 0 && exported.error.isEmpty)
    if form == "toml" {
      let text = "settings-version = 1\ntheme = \"dark\"\nzoom = 3\n\n[words]\nb = 2\n\n[box]\ntitle = \"mine\"\n"
      #expect(exported.output == text)
    }
    let all = try run("export", app, "--\(form)", "--all-layers").output
    #expect(["Mono", "stable", "dark", "3"].allSatisfy(all.contains))
    try FileManager.default.removeItem(atPath: home.file(""))
    try home.profiles.choose(nil)
    #expect(try run("import", app, "-", "--format", form, input: exported.output).status == 0)
    try home.write(schema(font: "Sans"), to: schemaFile)
    try home.write("channel = \"beta\"\nwords = { a = 5 }\n", to: home.systemFile("settings.toml"))
    #expect(try run("get", app, "font").output == "Sans\n")
    #expect(try run("get", app, "channel").output == "beta\n")
    #expect(try run("get", app, "zoom").output == "3\n")
    #expect(try run("get", app, "words").output == "{ a = 5, b = 2 }\n")
  }

  @Test func `what no variable can hold is refused before anything is printed`() throws {
    try home.write("a = 1\nb = \"x\\u0000y\"\n")
    let result = try run("export", app, "--env")
    #expect(result.status == 4 && result.output.isEmpty)
    #expect(
      result.error.contains("Cannot export 'b': a variable cannot hold the character U+0000. Nothing was printed."))
    #expect(try run("export", app, "--json").status == 0)
  }

  @Test func `no value gets out of its quotes in a shell`() throws {
    // A quote with an accent is one character, and a quote to a shell.
    let value = "x'\u{301}; touch bad; 'y"
    #expect(try run("set", app, "v", "--type", "string", "--", value).status == 0)
    let command = ChildProcess.product("settings-cli")
    let shell = try ChildProcess.shell(
      "eval \"$('\(command)' export \(app) --env)\"; printf %s \"$ORG_EXAMPLE_TEST_SETTINGS__V\"",
      environment: home.environment, directory: home.path)
    #expect(shell.output == value)
    #expect(!home.names(in: home.path).contains("bad"))
  }
}
