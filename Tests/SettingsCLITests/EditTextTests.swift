import Foundation
import Testing
import TestSupport

/// `edit --text`: a text from a program is checked as an editor's is, and secrets stay what and where they are.
struct EditTextTests {
  let test: DocumentHome
  init() throws {
    test = try DocumentHome()
    try test.write(Self.text)
  }

  private static let text = """
    # mine
    theme = "dark"
    host = "h" # no token here

    [sync]
    # hunter0
    token = "hunter2"
    url = "u"

    [creds]
    user = "hunter1"

    """

  private static let shown = """
    # mine
    theme = "dark"
    host = "h" # (not shown: 1)

    [sync]
    # (not shown: 2)
    token = "(not in the history)"
    url = "u"

    [creds] # (not shown: 3)

    """

  /// Stores the text that is shown, after an edit of it.
  private func store(_ old: String, _ new: String, _ options: String...) throws -> (Int32, [[String: Any]]) {
    #expect(try test.document()["text"] as? String == Self.shown)
    #expect(Self.shown.contains(old))
    let result = try test.store(
      Data(Self.shown.replacingOccurrences(of: old, with: new).utf8), ["--json"] + options)
    #expect(!(result.output + result.error).contains("hunter"), "\(result)")
    return (result.status, try #require(try json(result.output) as? [[String: Any]], "\(result)"))
  }

  private func file(_ old: String = "", _ new: String = "") -> String {
    old.isEmpty ? Self.text : Self.text.replacingOccurrences(of: old, with: new)
  }

  @Test(arguments: ["0", "\"2\"", "[1]"]) func `a settings-version that is no version is refused, and can be corrected`(
    version: String
  ) throws {
    let bad = "settings-version = \(version)\ntheme = \"dark\"\n"
    let refused = try test.store(bad)
    #expect(refused.status == 8, "\(refused)")
    #expect(refused.output.contains("\"line\":1,\"column\":20"), "\(refused)")
    #expect(refused.output.contains("Cannot tell the version"), "\(refused)")
    #expect(test.home.text(of: test.file) == Self.text)
    try test.write(bad)
    let stored = try test.store("theme = \"light\"\n")
    #expect(stored.status == 0 && test.home.text(of: test.file) == "theme = \"light\"\n", "\(stored)")
    try test.write(bad)
    let edited = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["edit", test.app],
      environment: test.home.environment.merging(["EDITOR": "sed -i /settings-version/d"]) { $1 })
    #expect(edited.status == 0 && test.home.text(of: test.file) == "theme = \"dark\"\n", "\(edited)")
  }

  @Test func `a version that the app does not know is refused`() throws {
    let schema = SchemaHome.schema + "\n[[migrations]]\nversion = 2\nname = \"m\"\nsteps = [{ remove = \"old\" }]\n"
    let test = try SchemaHome()  // without a file
    try test.home.write(schema, to: test.schemaFile)
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["edit", test.app, "--text", "-"], environment: test.home.environment,
      input: "settings-version = 9\n", directory: test.home.path)
    #expect(result.status == 8 && result.error.contains("settings version 9"), "\(result)")
    #expect(test.home.text(of: test.file) == nil)
  }

  @Test func `what was edited is stored, and no other byte changes`() throws {
    #expect(try store("\"dark\"", "\"light\"").0 == 0)
    #expect(test.home.text() == file("\"dark\"", "\"light\""))
  }

  @Test func `a new secret takes the place of the old one, and one that is removed is removed`() throws {
    #expect(try store("\"(not in the history)\"", "\"new\"").0 == 0)
    #expect(test.home.text() == file("\"hunter2\"", "\"new\""))
    try test.write(Self.text)
    #expect(try store("# (not shown: 2)\ntoken = \"(not in the history)\"\n", "").0 == 0)
    #expect(test.home.text() == file("# hunter0\ntoken = \"hunter2\"\n", ""))
    try test.write(Self.text)
    #expect(try store("[creds] # (not shown: 3)\n", "").0 == 0)
    #expect(test.home.text() == file("[creds]\nuser = \"hunter1\"\n", ""))
  }

  @Test func `a secret's line may move within its table`() throws {
    let lines = "# (not shown: 2)\ntoken = \"(not in the history)\"\n"
    #expect(try store(lines + "url = \"u\"\n", "url = \"v\"\n" + lines).0 == 0)
    let secret = "# hunter0\ntoken = \"hunter2\"\n"
    #expect(test.home.text() == file(secret + "url = \"u\"\n", "url = \"v\"\n" + secret))
  }

  @Test(arguments: [
    // To a place that has no secret, or none now.
    ("url = \"u\"", "url = \"(not in the history)\""), ("url = \"u\"", "list = [\"(not in the history)\"]"),
    ("token =", "tokn ="), ("theme = \"dark\"", "theme = \"dark\"\ncopy.x = \"(not in the history)\""),
    ("[creds] # (not shown: 3)", "[creds]\npass = \"(not in the history)\""),
    ("url = \"u\"", "url = \"\\u0028not in the history)\""),
    // To a place where it would be shown.
    ("# (not shown: 2)\n", ""), ("[creds] # (not shown: 3)", "[more]\n# (not shown: 3)"),
    ("[creds] # (not shown: 3)", "[creds]\nx = 1\n# (not shown: 3)"),
    // Twice, with another number, with more in it.
    ("# mine", "# (not shown: 1)"), ("# mine", "# (not shown: 9)"), ("# mine", "# (not shown: 1) and more"),
    ("# mine", "# (not shown: x)"), ("# mine", "# (not shown: 3)"),
  ])
  func `a placeholder that stands for nothing at its place is refused, and nothing is written`(
    _ old: String, _ new: String
  ) throws {
    // A comment may be removed, but not put elsewhere.
    let (status, findings) =
      old == "# (not shown: 2)\n" ? try store("# mine\n", "# (not shown: 2)\n") : try store(old, new)
    #expect(status == 4 && findings.first?["severity"] as? String == "error", "\(findings)")
    #expect(findings.first?["line"] is Int, "\(findings)")
    #expect(test.home.text() == Self.text)
  }

  @Test func `a number of an earlier text does not take the place of a secret table`() throws {
    let stale = Self.shown.replacingOccurrences(of: "# (not shown: 2)\n", with: "")
      .replacingOccurrences(of: "# (not shown: 3)", with: "# (not shown: 2)")
    let (status, findings) = try store(Self.shown, stale)
    let message = findings.first?["message"] as? String
    #expect(status == 4 && message?.contains("which belongs there: '[creds] # (not shown: 3)'") == true, "\(findings)")
    #expect(test.home.text() == Self.text)
  }

  @Test func `a comment that is not shown belongs to its line`() throws {
    let text = "# hunter0\nsync.token = \"hunter2\"\n\nhost = \"h\"\n"
    try test.write(text)
    let moved = "sync.token = \"(not in the history)\"\n\n# (not shown: 1)\nhost = \"h\"\n"
    let result = try test.store(moved)
    #expect(result.status == 4 && result.output.contains("would be shown at this place"), "\(result)")
    #expect(test.home.text() == text)
  }

  @Test func `a secret in several pieces is kept as a whole or not at all`() throws {
    let text = "creds.a = \"hunter1\"\nhost = \"h\"\ncreds.b = \"hunter2\"\n"
    try test.write(text)
    let shown = try #require(try test.document()["text"] as? String)
    #expect(shown == "creds = \"(not in the history)\"\nhost = \"h\"\n# (not shown: 1)\n")
    #expect(try test.store(shown.replacingOccurrences(of: "# (not shown: 1)\n", with: "")).status == 4)
    #expect(try test.store(shown.replacingOccurrences(of: "host = \"h\"", with: "[editor]")).status == 4)
    #expect(test.home.text() == text)
    #expect(try test.store("host = \"h\"\n").status == 0)
    #expect(test.home.text() == "host = \"h\"\n")
  }

  @Test func `a text that parses again is stored although other lines have old mistakes`() throws {
    let broken = "theme = \"red\"\nfont-wieght = 1\n[sync\nurl = \"u\"\n"
    let mended = broken.replacingOccurrences(of: "[sync", with: "[sync]")
    try test.write(broken)
    #expect(try test.store(mended).status == 0)
    #expect(test.home.text() == mended)
    // What is new is checked.
    try test.write(broken)
    let result = try test.store(mended.replacingOccurrences(of: "red", with: "blue"))
    #expect(result.status == 4 && result.output.contains("theme"), "\(result)")
    #expect(test.home.text() == broken)
  }

  @Test func `a refused value, a locked one and a fault have their status and line, and nothing is written`() throws {
    var (status, findings) = try store("\"dark\"", "\"red\"")
    #expect(status == 4 && findings[0]["kind"] as? String == "invalid-value" && findings[0]["line"] as? Int == 2)
    #expect(findings[0]["key"] as? String == "theme" && findings[0]["column"] as? Int == 9)
    (status, findings) = try store("# mine\ntheme = \"dark\"", "theme = = 1")
    #expect(status == 6 && findings[0]["kind"] as? String == "unparsable" && findings[0]["line"] as? Int == 1)
    (status, findings) = try store("url = \"u\"", "token = \"(not in the history)\"")
    #expect(status == 6, "\(findings)")
    try test.home.write("settings-locked = [\"theme\"]\ntheme = \"dark\"\n", to: test.test.systemFile)
    (status, findings) = try store("\"dark\"", "\"light\"")
    #expect(status == 5 && findings[0]["kind"] as? String == "locked" && findings[0]["key"] as? String == "theme")
    #expect(test.home.text() == Self.text)
    // Without --json the same is said on standard error.
    try FileManager.default.removeItem(atPath: test.test.systemFile)
    let result = try test.store(Data(Self.shown.replacingOccurrences(of: "dark", with: "red").utf8), [])
    #expect(result.status == 4 && result.output == "" && result.error.hasPrefix("settings-cli: text:2:9: Cannot set"))
  }

  @Test func `an unknown key is stored, with a warning`() throws {
    let (status, findings) = try store("url = \"u\"", "url = \"u\"\nother = 1")
    #expect(status == 0 && findings.map { $0["severity"] as? String } == ["warning"], "\(findings)")
    #expect(findings[0]["line"] as? Int == 9)
    #expect(test.home.text() == file("url = \"u\"", "url = \"u\"\nother = 1"))
  }

  @Test(arguments: [
    ("[hosts.a]\nport = 1\nprt = 2", "hosts.a.prt", 12),
    ("[hosts]\na = { port = 1, name = \"n\", x.y = 1 }", "hosts.a.x.y", 11),
  ])
  func `an unknown field of a table is stored, with a warning`(new: String, key: String, line: Int) throws {
    let (status, findings) = try store("url = \"u\"", "url = \"u\"\n\n" + new)
    #expect(status == 0 && findings.map { $0["kind"] as? String } == ["unknown-key"], "\(findings)")
    #expect(findings.first?["key"] as? String == key && findings.first?["line"] as? Int == line, "\(findings)")
    #expect(test.home.text() == file("url = \"u\"", "url = \"u\"\n\n" + new))
  }

  @Test func `a reserved key that does nothing is stored, with a warning`() throws {
    let (status, findings) = try store("# mine", "# mine\nsettings-lockd = [\"theme\"]\nsettings-history = true")
    #expect(status == 0 && findings.map { $0["kind"] as? String } == ["reserved"], "\(findings)")
    #expect((findings.first?["message"] as? String)?.hasSuffix("Did you mean 'settings-locked'?") == true)
    #expect(findings.first?["line"] as? Int == 2)
  }

  @Test func `a text is not stored if the file has changed since its digest`() throws {
    let digest = try #require(try test.document()["digest"] as? String)
    try test.write(Self.text + "# by another\n")
    let result = try test.store(Self.shown.replacingOccurrences(of: "dark", with: "light"), "--if-unchanged", digest)
    #expect(result.status == 9 && result.output == "" && result.error.contains("has changed"), "\(result)")
    #expect(test.home.text() == Self.text + "# by another\n")
  }

  @Test func `bytes that are no text are refused, and CRLF and a byte order mark are stored`() throws {
    for bytes in [[0x61, 0x20, 0x3D, 0x20, 0x22, 0xFF, 0x22, 0x0A], [0x00], [0xC3]] as [[UInt8]] {
      #expect(try test.store(Data(bytes), ["--json"]).status == 6)
    }
    #expect(test.home.text() == Self.text)
    let text = "\u{FEFF}theme = \"light\"\r\n# c\r\n"
    #expect(try test.store(text).status == 0)
    #expect(test.home.text() == text)
    // A large text is stored like any other.
    let large = (0..<40_000).map { "key-\($0) = \"\(String(repeating: "x", count: 40))\"\n" }.joined()
    try test.home.write("", to: test.schemaFile)
    try FileManager.default.removeItem(atPath: test.schemaFile)
    #expect(try test.store(large).status == 0)
    #expect(test.home.text() == large)
  }

  @Test func `standard input is a text, too, and makes a file`() throws {
    try FileManager.default.removeItem(atPath: test.file)
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["edit", test.app, "--text", "-"], environment: test.home.environment,
      input: "theme = \"dark\"\n")
    #expect(result == SchemaHome.answer(""))
    #expect(test.home.text() == "theme = \"dark\"\n")
    let log = try test.run("log", test.app, "--json").output
    #expect(log.contains("\"reason\":\"edit\""), "\(log)")
  }

  @Test func `what stands for something that a history does not keep is not stored`() throws {
    let test = try SchemaHome()
    try test.write("# sync.token is from Ada\ntheme = \"dark\"\n[sync]\ntoken = \"hunter2\"\n")
    try test.done("set", test.app, "theme", "light")
    let old = try test.done("at", test.app, "--entry", "1")
    #expect(old.contains("# (not in the history)"))
    try test.home.write(old, to: test.home.path + "/old.toml")
    let before = test.home.text()
    let result = try test.run("edit", test.app, "--text", "./old.toml")
    #expect(result.status != 0 && result.error.contains("the history does not keep"), "\(result)")
    let imported = try test.done("import", test.app, "./old.toml", "--replace")
    #expect(
      imported.contains("skipped: sync.token: it stands for a value that the history does not keep"), "\(imported)")
    #expect(test.home.text() == before)
  }

  @Test func `a key that is locked under another name is refused`() throws {
    let test = try SchemaHome()
    try test.home.write("settings-locked = [\"font_size\"]\nfont_size = 20\n", to: test.systemFile)
    chmod(test.systemFile, 0o644)
    try test.home.write("editor.font-size = 12\n", to: test.home.path + "/new.toml")
    let result = try test.run("edit", test.app, "--text", "./new.toml")
    #expect(result.status == 5, "\(result)")
  }
}
