import Foundation
import Testing
import TestSupport

struct CheckCommandTests {
  let test: SchemaHome
  init() throws { test = try SchemaHome() }
  private var app: String { test.app }

  private func answer(_ output: String, _ error: String = "", status: Int32 = 0) -> ChildProcess.Result {
    SchemaHome.answer(output, error, status: status)
  }

  @Test func `check of what is well says nothing`() throws {
    #expect(try test.run("check", app) == answer(""))
    try test.write("theme = \"dark\"\n[editor]\nfont-size = 14\n[hosts.a]\nport = 80\n")
    #expect(try test.run("check", app) == answer(""))
    #expect(try test.run("check", app, "--json") == answer("[]\n"))
  }

  @Test func `check tells each finding with its place, and ends with the gravest`() throws {
    try test.write(
      "font_size = 8\ntheme = \"red\"\nplugin = 1\n[editor]\nfont-sise = 12\n[hosts.a]\nport = 0\n[sync]\ntoken = 4711\n"
    )
    #expect(
      try test.run("check", app)
        == answer(
          """
          \(test.file):1:13: warning: 'font_size' is a former name of 'editor.font-size'.
          \(test.file):2:9: error: 'theme' is the string "red", but must be one of "light", "dark".
          \(test.file):3:10: warning: Unknown key 'plugin'.
          \(test.file):5:13: warning: Unknown key 'editor.font-sise'. Did you mean 'editor.font-size'?
          \(test.file):7:8: error: 'a.port' in 'hosts' is the integer 0, but must be an integer from 1.
          \(test.file):9:9: error: 'sync.token' is an integer, but must be a string.

          """, status: 4))
  }

  @Test func `each file has its own suggestions, however many keys another one has`() throws {
    let unknown = (0..<120).map { "unknown-\($0) = 1\n" }.joined()
    try test.home.write(unknown, to: test.systemFile)
    try test.write("editor.font-sise = 12\n")
    #expect(try test.run("check", app).output.contains("Did you mean 'editor.font-size'?"))
  }

  @Test func `check names each field that is wrong or missing`() throws {
    let fields = """
      { host = { type = "string", required = true }, user = { type = "string", required = true }, \
      port = { type = "integer", required = true } }
      """
    try test.home.write(
      "app = \"\(app)\"\n[keys.rec]\ntype = \"records\"\nfields = \(fields)\n"
        + "[keys.one]\ntype = \"table\"\nfields = \(fields)\n", to: test.schemaFile)
    try test.write("one = { host = 5 }\n[rec.x]\nport = \"C\"\n[rec.y]\nport = 5\n[rec.z]\nhost = 5\n")
    let lines = try test.run("check", app).output.split(separator: "\n")
    func count(_ text: String) -> Int { lines.count { $0.contains(text) } }
    for (place, lacking, wrong) in [
      ("The record 'rec.x'", ["host", "user"], "'x.port' in 'rec'"), ("The record 'rec.y'", ["host", "user"], nil),
      ("The record 'rec.z'", ["user", "port"], "'z.host' in 'rec'"), ("'one'", ["user", "port"], "'host' in 'one'"),
    ] as [(String, [String], String?)] {
      for field in lacking { #expect(count("\(place) lacks '\(field)'") == 1, "\(lines)") }
      if let wrong { #expect(count(": \(wrong) is ") == 1, "\(lines)") }
    }
    #expect(lines.count == 11, "\(lines)")
  }

  @Test func `check as JSON has every part of a finding`() throws {
    try test.write("[editor]\nfont-sise = 12\n")
    let result = try test.run("check", app, "--json")
    #expect(result.status == 3 && result.error == "")
    let findings = try #require(try json(result.output) as? [[String: Any]])
    #expect(findings.count == 1)
    #expect(findings[0]["file"] as? String == test.file)
    #expect(findings[0]["line"] as? Int == 2 && findings[0]["column"] as? Int == 13)
    #expect(findings[0]["severity"] as? String == "warning" && findings[0]["kind"] as? String == "unknown-key")
    #expect(findings[0]["key"] as? String == "editor.font-sise")
    #expect(findings[0]["suggestion"] as? String == "editor.font-size")
    #expect(findings[0]["message"] as? String == "Unknown key 'editor.font-sise'. Did you mean 'editor.font-size'?")
  }

  @Test func `check ends with a status for each kind of finding`() throws {
    try test.write("plugin = 1\n")
    #expect(try test.run("check", app).status == 3)
    try test.write("theme = 1\n")
    #expect(try test.run("check", app).status == 4)
    try test.home.write("settings-locked = [\"theme\"]\n", to: test.systemFile)
    try test.write("theme = \"dark\"\n")
    #expect(
      try test.run("check", app)
        == answer(
          "\(test.file):1:9: warning: 'theme' has no effect here: it is locked by '\(test.systemFile)', line 1. "
            + "To remove it, run 'settings-cli unset \(test.app) theme'.\n", status: 5))
    try test.write("a = = 1\n")
    let unparsable = try test.run("check", app)
    #expect(unparsable.status == 6 && unparsable.error == "")
    // The schema has a secret: the line is not shown.
    #expect(unparsable.output.hasPrefix("\(test.file):1:5: error: ") && !unparsable.output.contains("a = = 1"))
    try test.write("")
    chmod(test.file, 0o622)
    #expect(
      try test.run("check", app)
        == answer(
          "\(test.file): warning: Other users may change the file (mode 622). Run 'chmod go-w \(test.file)'.\n",
          status: 7))
    try test.write("settings-version = 2\n")
    #expect(try test.run("check", app).status == 8)
    try FileManager.default.removeItem(atPath: test.file)
    try FileManager.default.createDirectory(atPath: test.file, withIntermediateDirectories: true)
    #expect(try test.run("check", app).status == 7)
  }

  @Test func `check tells of a schema that is wrong, and checks the files all the same`() throws {
    try test.home.write(
      "app = \"org.example.test\"\n[keys.k]\ntype = \"string\"\npattern = \"[a-\"\n", to: test.schemaFile)
    try test.write("settings-typo = 1\n")
    let result = try test.run("check", app)
    #expect(result.status == 4 && result.error == "")
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("\(test.schemaFile):4:11: error: Cannot use the schema '") == true)
    #expect(lines.last?.hasPrefix("\(test.file):1:17: warning: 'settings-typo' does nothing") == true)
  }

  @Test func `check of a file goes by the schema that is named`() throws {
    let file = test.home.path + "/x.toml"
    try test.home.write("theme = \"red\"\n", to: file)
    chmod(file, 0o644)
    #expect(try test.run("check", "./x.toml") == answer(""))
    let checked = try test.run("check", "./x.toml", "--schema", test.schemaFile)
    #expect(checked.status == 4 && checked.output.contains("x.toml:1:9: error: 'theme' is the string \"red\""))
    let missing = try test.run("check", "./x.toml", "--schema", "./none.toml")
    #expect(missing == answer("", "settings-cli: Cannot find the schema file './none.toml'.\n", status: 3))
  }

  @Test func `check changes nothing, and knows unknown apps and wrong usage`() throws {
    try test.home.write(
      SchemaHome.schema
        + "[[migrations]]\nversion = 2\nname = \"n\"\nsteps = [{ rename = \"colour\", to = \"theme\" }]\n",
      to: test.schemaFile)
    let old = "colour = \"dark\"\n"
    try test.write(old)
    #expect(try test.run("check", app) == answer(""))
    #expect(test.home.text() == old)
    #expect(
      try test.run("check", "org.example.tset")
        == answer(
          "",
          "settings-cli: Unknown app 'org.example.tset': it has neither settings nor a schema. Did you mean "
            + "'org.example.test'?\n", status: 3))
    #expect(try test.run("check") == test.run("check", "--all"))
    #expect(try test.run("check", app, "key").status == 2)
    #expect(try test.run("check", "..").status == 2)
  }
}
