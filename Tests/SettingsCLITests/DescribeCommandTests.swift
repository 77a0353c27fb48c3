import Foundation
import Testing
import TestSupport

struct DescribeCommandTests {
  let test: SchemaHome
  init() throws { test = try SchemaHome() }
  private var app: String { test.app }

  private func answer(_ output: String, _ error: String = "", status: Int32 = 0) -> ChildProcess.Result {
    SchemaHome.answer(output, error, status: status)
  }

  @Test func `describe says what a key is for, has and takes`() throws {
    try test.write("[editor]\nfont-size = 14\n")
    #expect(
      try test.run("describe", app, "editor.font-size")
        == answer(
          """
          editor.font-size
            Size of the font, in points.

            value     14
            from      user \(test.file):2
            default   12
            needs     an integer from 6 to 72
            formerly  font_size

          """))
    #expect(
      try test.run("describe", app, "theme")
        == answer(
          """
          theme
            Colours.

            value     "light"
            from      the app's default
            default   "light"
            needs     one of "light", "dark"

          """))
    #expect(
      try test.run("describe", app, "host")
        == answer("host\n  value     none\n  default   computed by the app\n  needs     a string\n"))
  }

  @Test func `describe tells of a former name, a lock, and a value that the app refuses`() throws {
    try test.write("font_size = 99\n")
    try test.home.write("settings-locked = [\"theme\"]\ntheme = \"red\"\n", to: test.systemFile)
    #expect(
      try test.run("describe", app, "font_size")
        == answer(
          """
          editor.font-size
            Size of the font, in points.

            value     12
            from      the app's default
            unusable  user \(test.file):1: font_size = 99
            default   12
            needs     an integer from 6 to 72
            formerly  font_size
            problem   Found the integer 99, but an integer from 6 to 72 is needed.

          """))
    let locked = try test.run("describe", app, "theme").output
    #expect(locked.contains("  locked    by \(test.systemFile), line 1\n"))
    #expect(locked.contains("  problem   Found the string \"red\", but one of \"light\", \"dark\" is needed.\n"))
  }

  @Test func `describe shows no secret, not even one that is wrong`() throws {
    for text in ["[sync]\ntoken = \"hunter2\"\n", "[sync]\ntoken = 4711\n"] {
      try test.write(text)
      for arguments in [["describe", app, "sync.token"], ["describe", app, "--json"], ["describe", app, "sync"]] {
        let result = try ChildProcess.run(
          ChildProcess.product("settings-cli"), arguments, environment: test.home.environment)
        #expect(result.status == 0)
        #expect(result.output.contains("(secret)"))
        #expect(!(result.output + result.error).contains("hunter2") && !result.output.contains("4711"))
      }
    }
  }

  @Test func `describe as JSON has every fact`() throws {
    try test.write("[editor]\nfont-size = 14\n")
    let one = try #require(
      try json(try test.run("describe", app, "editor.font-size", "--json").output) as? [String: Any])
    #expect(one["key"] as? String == "editor.font-size")
    #expect(one["type"] as? String == "integer")
    #expect(one["needs"] as? String == "an integer from 6 to 72")
    #expect(one["value"] as? Int == 14 && one["default"] as? Int == 12)
    #expect(one["minimum"] as? Int == 6 && one["maximum"] as? Int == 72 && one["below"] is NSNull)
    #expect(one["description"] as? String == "Size of the font, in points.")
    #expect(one["group"] as? String == "editor" && one["formerly"] as? [String] == ["font_size"])
    #expect(one["layer"] as? String == "user" && one["file"] as? String == test.file && one["line"] as? Int == 2)
    #expect(one["isDefault"] as? Bool == false && one["isKnown"] as? Bool == true && one["problem"] is NSNull)
    let all = try #require(try json(try test.run("describe", app, "--json").output) as? [[String: Any]])
    #expect(
      all.map { $0["key"] as? String } == ["theme", "editor.font-size", "editor.wrap", "sync.token", "host", "hosts"])
    #expect(all[0]["choices"] as? [String] == ["light", "dark"])
  }

  @Test func `describe of a table describes its keys, and what the schema does not know`() throws {
    try test.write("[editor]\nplugin = 1\n[hosts.a]\nport = 0\n")
    let result = try test.run("describe", app, "editor")
    #expect(result.status == 0)
    #expect(result.output.components(separatedBy: "\n\neditor.").count == 3)
    #expect(
      result.output.hasSuffix(
        """
        editor.plugin
          value     1
          from      user \(test.file):2
          needs     an integer
          note      the app's schema does not list this key

        """))
    #expect(
      try test.run("describe", app, "hosts").output.contains(
        "  problem   Found the integer 0 at 'a.port', but an integer from 1 is needed.\n"))
    #expect(
      try test.run("describe", app, "hosts.a.port").output.contains("  needs     an integer from 1\n"))
  }

  @Test func `an empty table of declared keys is no key, and one of unknown keys is`() throws {
    try test.write("[editor] # mine\n\n[plugin]\n")
    let described = try #require(try json(test.run("describe", app, "--json").output) as? [[String: Any]])
    let keys = described.compactMap { $0["key"] as? String }
    #expect(!keys.contains("editor") && keys.contains("plugin"), "\(keys)")
  }

  @Test func `describe of what there is not says so`() throws {
    #expect(
      try test.run("describe", app, "editor.font-sise")
        == answer(
          "", "settings-cli: Unknown key 'editor.font-sise'. Did you mean 'editor.font-size'?\n", status: 3))
    #expect(try test.run("describe", "org.example.tset").status == 3)
    #expect(try test.run("describe", "org.example.tset").error.contains("Did you mean 'org.example.test'?"))
    try test.home.write("a = 1\n", to: test.home.path + "/x.toml")
    #expect(
      try test.run("describe", "./x.toml")
        == answer("a\n  value     1\n  from      user \(test.home.path)/x.toml:1\n  needs     an integer\n"))
    #expect(
      try test.run("describe", "./x.toml", "b")
        == answer(
          "", "settings-cli: Nothing is known of 'b': it has no value, and no schema lists it.\n", status: 1))
    #expect(try test.run("describe").status == 2)
    #expect(try test.run("describe", app, "a..b").status == 2)
    try test.write("a = = 1\n")
    #expect(try test.run("describe", app, "theme").status == 6)
  }

  @Test func `a schema that is wrong is done without by what reads, with a warning, and refused by what writes`() throws
  {
    try test.home.write("app = \"org.example.test\"\n[keys.a]\ntype = \"nope\"\n", to: test.schemaFile)
    try test.write("a = 1\n")
    for verb in [["get", app, "a"], ["list", app], ["describe", app, "a"]] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), verb, environment: test.home.environment)
      #expect(result.status == 0, "\(verb)")
      #expect(
        result.error.hasPrefix(
          "settings-cli: warning: Cannot use the schema '\(test.schemaFile):3:8': there is no type 'nope'; there are "),
        "\(verb): \(result.error)")
      #expect(result.error.hasSuffix("The schema is ignored.\n"))
      #expect(result.error.split(separator: "\n").count == 1)
    }
    let refused = try test.run("set", app, "a", "2")
    #expect(refused.status == 4)
    #expect(
      refused.error.hasPrefix("settings-cli: Cannot use the schema '\(test.schemaFile):3:8': there is no type 'nope'"))
    #expect(test.home.text() == "a = 1\n")
  }

  @Test(arguments: [
    "describe --document", "describe", "get a", "get a --json", "get --digest", "list", "log", "export --toml", "watch",
  ]) func `a program that shows what is printed can have a wrong schema refused`(_ words: String) throws {
    try test.home.write("app = \"org.example.test\"\n[keys.a]\ntype = \"nope\"\n", to: test.schemaFile)
    try test.write("a = \"hunter2\"\n")
    let verb = words.split(separator: " ").map(String.init)
    var environment = test.home.environment
    environment["SETTINGS_CLI_SCHEMA"] = "required"
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), [verb[0], app] + verb[1...], environment: environment)
    #expect(result.status == 4)
    #expect(result.output.isEmpty)
    #expect(result.error.hasPrefix("settings-cli: Cannot use the schema '\(test.schemaFile):3:8'"), "\(result.error)")
    let found = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["find", "hunter2"], environment: environment)
    #expect(found.status == 1 && found.output.isEmpty)
    #expect(found.error.contains("Cannot use the schema '\(test.schemaFile):3:8'"), "\(found.error)")
  }

  @Test func `a value under a former name is one of its key, of parts and of tables around it`() throws {
    try test.home.write("settings-locked = [\"font_size\"]\nfont_size = 20\n", to: test.systemFile)
    try test.write("editor = { font-size = 14, wrap = false }\n")
    #expect(try test.run("get", test.app, "editor.font-size").output == "20\n")
    #expect(try test.run("get", test.app, "editor").output == "{ font-size = 20, wrap = false }\n")
    let described = try test.run("describe", test.app, "editor.font-size").output
    #expect(described.contains("ignored   user \(test.file):1: 14\n"))
    let refused = try test.run("set", test.app, "editor.font-size", "15")
    #expect(refused.status == 5 && refused.error.contains("under its former name 'font_size', locked by"))
    #expect(try test.run("list", test.app, "editor").output == "editor.font-size = 20\neditor.wrap = false\n")
    #expect(try test.run("unset", test.app, "editor.font-size").status == 0)
    #expect(try test.run("unset", test.app, "editor.font-size").status == 5)
    #expect(test.home.text() == "editor = { wrap = false }\n")
    // Under a former name, a key is set by its present one.
    try test.home.write("settings-locked = [\"editor.font-size\"]\n", to: test.systemFile)
    for verb in [["set", test.app, "font_size", "15"], ["unset", test.app, "font_size"]] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), verb, environment: test.home.environment, directory: test.home.path)
      #expect(result.status == 5, "\(result)")
      #expect(
        result.error.hasPrefix("settings-cli: Cannot \(verb[0]) 'editor.font-size': it is locked by"), "\(result)")
    }
  }
}
