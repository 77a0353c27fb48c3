import Foundation
import Testing
import TestSupport

/// `describe --document`: one object with all that a settings page shows, without secrets.
struct DocumentCommandTests {
  let test: DocumentHome
  init() throws { test = try DocumentHome() }

  /// The text in a span, counted as JavaScript counts.
  private func text(_ document: [String: Any], at key: String) throws -> String? {
    let keys = try #require(document["keys"] as? [[String: Any]])
    let entry = try #require(keys.first { $0["key"] as? String == key }, "\(key)")
    guard let span = entry["span"] as? [String: Int] else { return nil }
    let text = try #require(document["text"] as? String)
    let units = Array(text.utf16)
    let (start, end) = (try #require(span["start"]), try #require(span["end"]))
    let before = String(decoding: units[..<start], as: UTF16.self)
    #expect(span["line"] == before.unicodeScalars.count { $0 == "\n" } + 1)
    return String(decoding: units[start..<end], as: UTF16.self)
  }

  @Test func `the document has the text, its digest, and the place of each value in it`() throws {
    let text =
      "# é😀\ntheme = \"dark\"\n\"ключ😀\" = [1,\n  2]\n\n[editor]\nfont-size = 14 # px\n\n[hosts.a]\nport = 1\n[hosts.b]\n"
    try test.write(text)
    let document = try test.document()
    #expect(document["text"] as? String == text)
    #expect(document["exists"] as? Bool == true && document["isMasked"] as? Bool == false)
    #expect(document["problem"] is NSNull && document["migration"] is NSNull && document["profile"] is NSNull)
    #expect(try document["digest"] as? String == test.run("get", test.app, "--digest").output.dropLast().description)
    #expect(try self.text(document, at: "theme") == "\"dark\"")
    #expect(try self.text(document, at: "editor.font-size") == "14")
    #expect(try self.text(document, at: "\"ключ😀\"") == "[1,\n  2]")
    #expect(try self.text(document, at: "hosts") == "[hosts.a]\nport = 1\n[hosts.b]")
    #expect(try self.text(document, at: "editor.wrap") == nil)
    #expect(document["keepsHistory"] as? Bool == true)
    let layers = try #require(document["layers"] as? [[String: Any]])
    #expect(layers.map { $0["isWritten"] as? Bool } == [true])
    let keys = try #require(document["keys"] as? [[String: Any]])
    let hosts = try #require(keys.first { $0["key"] as? String == "hosts" })
    #expect(hosts["isRecord"] as? Bool == true)
    let fields = (hosts["shape"] as? [String: Any])?["fields"] as? [[String: Any]]
    #expect(fields?.map { $0["name"] as? String } == ["port", "name"])
    let findings = try #require(document["findings"] as? [[String: Any]])
    #expect(findings.map { $0["kind"] as? String } == ["unknown-key"] && findings[0]["textLine"] as? Int == 3)
  }

  @Test func `a value of which JSON says less has its text, unless it is a secret`() throws {
    try test.write(
      "recent = [\"2026-01-01\"]\nx.days = [2026-01-01]\nx.r = [1.0, 2.50]\ncreds = 2026-01-01\nhosts.a.port = 1\n"
        + "hosts.a.since = 2026-01-01\n")
    let keys = try #require(try test.document()["keys"] as? [[String: Any]])
    let texts = keys.compactMap { entry in (entry["toml"] as? String).map { "\(entry["key"] ?? "") \($0)" } }
    #expect(
      texts == [
        "hosts { a = { port = 1, since = 2026-01-01 } }", "x.days [2026-01-01]", "x.r [1.0, 2.50]",
      ])
  }

  @Test func `a byte order mark, CRLF and a missing file are as they are`() throws {
    try test.write("\u{FEFF}theme = \"dark\"\r\n# c\r\nhost = \"x\"\r\n")
    var document = try test.document()
    #expect(document["text"] as? String == "\u{FEFF}theme = \"dark\"\r\n# c\r\nhost = \"x\"\r\n")
    #expect(try text(document, at: "theme") == "\"dark\"" && text(document, at: "host") == "\"x\"")
    try FileManager.default.removeItem(atPath: test.file)
    document = try test.document()
    #expect(document["text"] as? String == "" && document["exists"] as? Bool == false)
    #expect(document["digest"] as? String == "absent")
  }

  @Test(arguments: DocumentHome.secretTexts)
  func `no secret is in the document, and its text is valid and stored again as it was`(_ text: String) throws {
    try test.write(text)
    let result = try test.run("describe", test.app, "--document")
    for secret in ["hunter", "s3cret", "sub"] { #expect(!(result.output + result.error).contains(secret), "\(result)") }
    let document = try test.document()
    let shown = try #require(document["text"] as? String)
    #expect(document["isMasked"] as? Bool == true)
    #expect(document["problem"] is NSNull, "\(shown)")
    let edited = try test.store(shown, "--if-unchanged", try #require(document["digest"] as? String))
    #expect(edited.status == 0 && edited.output == "[]\n", "\(edited)\n\(shown)")
    #expect(test.home.text() == text, "\(shown)")
    // An edit beside the secrets changes its own bytes alone.
    let mark = "\u{FEFF}"
    func commented(_ text: String) -> String {
      text.hasPrefix(mark) ? mark + "theme = \"dark\" # mine\n" + text.dropFirst() : "theme = \"dark\" # mine\n" + text
    }
    let other = try test.store(commented(shown))
    #expect(other.status == 0, "\(other)\n\(shown)")
    #expect(test.home.text() == commented(text), "\(shown)")
  }

  @Test func `a text that does not parse is a problem, and shows what cannot be a secret`() throws {
    try test.write("theme = \"dark\"\n[editor]\nfont-size = = 14\n\n[sync]\ntoken = \"hunter2\"\nurl = \"u\"\n")
    let document = try test.document()
    #expect(
      document["text"] as? String
        == "theme = \"dark\"\n[editor]\nfont-size = = 14\n\n[sync]\ntoken = \"(not in the history)\"\nurl = \"u\"\n")
    let problem = try #require(document["problem"] as? [String: Any])
    #expect(problem["line"] as? Int == 3 && problem["column"] as? Int == 13)
    #expect((document["keys"] as? [[String: Any]])?.isEmpty == false)
    // It is mended in the text that is shown.
    let shown = try #require(document["text"] as? String).replacingOccurrences(of: "= =", with: "=")
    let stored = try test.store(shown)
    #expect(stored.status == 0, "\(stored)")
    #expect(
      test.home.text() == "theme = \"dark\"\n[editor]\nfont-size = 14\n\n[sync]\ntoken = \"hunter2\"\nurl = \"u\"\n")
  }

  @Test(arguments: [
    "theme = \"dark\"\n[sync]\ntoken = \"hunter2\nurl = 1\n", "sync.token = '''hunter2\n[editor]\nx = 1\n",
    "theme = \"dark\"\n[creds]\nuser = = \"hunter2\"\n", "[sync]\n\"tok\\u0065n\" = = \"hunter2\"\n",
    "creds = { a = \"hunter2\"\n[editor]\n", "creds = [\n[\"hunter2\"]\n",
    "sync.token = '''\n[aws]\nkey = \"hunter2\"\n",
  ])
  func `the lines of a broken secret are not shown`(_ text: String) throws {
    try test.write(text)
    let result = try test.run("describe", test.app, "--document")
    #expect(result.status == 0 && !(result.output + result.error).contains("hunter2"), "\(result)")
    #expect(result.output.contains("# (not shown: "), "\(result)")
  }

  @Test func `a pending migration is there with its diff, and keys have their place in the old text`() throws {
    try test.home.write(
      SchemaHome.schema
        + "[[migrations]]\nversion = 2\nname = \"name the colour\"\nsteps = [{ rename = \"colour\", to = \"theme\" }]\n",
      to: test.schemaFile)
    try test.write("colour = \"dark\"\n[sync]\ntoken = \"hunter2\"\n")
    let document = try test.document()
    #expect(try text(document, at: "theme") == "\"dark\"")
    let migration = try #require(document["migration"] as? [String: Any])
    #expect((migration["pending"] as? [[String: Any]])?.first?["name"] as? String == "name the colour")
    let difference = try #require(migration["diff"] as? String)
    #expect(difference.contains("+theme = \"dark\"") && !difference.contains("hunter2"))
    // Storing a text leaves the migration to the one who asks for it.
    let shown = try #require(document["text"] as? String)
    #expect(try test.store(shown.replacingOccurrences(of: "dark", with: "light")).status == 0)
    #expect(test.home.text() == "colour = \"light\"\n[sync]\ntoken = \"hunter2\"\n")
    #expect(try test.store(shown.replacingOccurrences(of: "dark", with: "red")).status == 4)
  }

  @Test func `an unknown app is status 3, and a file needs no schema`() throws {
    #expect(try test.run("describe", "org.example.tset", "--document").status == 3)
    try test.home.write("a = 1\n", to: test.home.path + "/x.toml")
    let result = try test.run("describe", test.home.path + "/x.toml", "--document")
    let document = try #require(try json(result.output) as? [String: Any])
    #expect(document["text"] as? String == "a = 1\n" && document["schema"] is NSNull)
    #expect(try text(document, at: "a") == "1")
  }
}

/// A home with an app that has secrets of every form.
struct DocumentHome {
  let test: SchemaHome
  var home: ScratchHome { test.home }
  var app: String { test.app }
  var file: String { test.file }
  var schemaFile: String { test.schemaFile }

  /// Texts with the secrets `sync.token` and `creds`, in which every secret word contains `hunter`, `s3cret` or `sub`.
  static let secretTexts = [
    "sync.token = \"hunter2\" # hunter1\n",
    "# about it\n# the token hunter\n[sync]\n# hunter0\ntoken = \"hunter2\"   # was s3cret\nurl = \"u\" # u\n",
    "[sync]\r\n# hunter0\r\ntoken = '''\r\nhunter2\r\n'''\r\nurl = \"u\"\r\n",
    "sync = { token = \"hunter2\", url = \"u\" } # hunter1\n",
    "sync = { url = \"u\", token = [\"hunter1\", \"hunter2\"] }\n",
    "sync = [{ token = \"hunter2\" }, { token = \"s3cret\" }]\n",
    "[[sync]]\ntoken = \"hunter1\"\n\n[[sync]]\n# s3cret\ntoken = \"hunter2\"\n\n[editor]\nwrap = true\n",
    "creds.user = \"hunter1\" # s3cret\ncreds.pass = \"hunter2\"\n# above hunter\ncreds.more.sub = 1 # x\nhost = \"h\"\n",
    "[creds]\nuser = \"hunter1\"\n# s3cret\n\n[creds.sub]\npass = \"hunter2\" # x\n\n# about the editor\n[editor]\nwrap = true\n",
    "[creds.sub1]\na = \"hunter1\"\n\n[editor]\nwrap = true\n\n[creds.sub2]\nb = \"hunter2\"\n",
    "creds = { user = \"hunter1\", pass = \"hunter2\" }\n",
    "x = { creds = 1 }\ncreds = { a.sub = \"hunter1\", a.b = \"hunter2\" } # s3cret\n",
    "# old: token = hunter1\n# (not shown: 7)\nsync.token = \"(not in the history)\"\n# token s3cret\n",
    "sync.token = \"hunter2\"", "\u{FEFF}sync.token = \"hunter2\"\n",
    "creds = \"hunter1\"\nsync.token = 's3cret'\n",
  ]

  init() throws {
    test = try SchemaHome()
    try test.home.write(SchemaHome.schema + "\n[keys.creds]\ntype = \"any\"\nsecret = true\n", to: test.schemaFile)
  }

  func write(_ text: String) throws { try test.write(text) }

  func run(_ arguments: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(ChildProcess.product("settings-cli"), arguments, environment: home.environment)
  }

  func document() throws -> [String: Any] {
    let result = try run("describe", app, "--document")
    #expect(result.status == 0 && result.error == "", "\(result)")
    return try #require(try json(result.output) as? [String: Any])
  }

  /// Stores a text with `edit --text`.
  func store(_ text: String, _ options: String...) throws -> ChildProcess.Result {
    try store(Data(text.utf8), ["--json"] + options)
  }

  func store(_ text: Data, _ options: [String]) throws -> ChildProcess.Result {
    let path = home.path + "/new.toml"
    try text.write(to: URL(fileURLWithPath: path))
    return try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["edit", app, "--text", path] + options, environment: home.environment)
  }
}
