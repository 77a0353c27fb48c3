import AppSettings
import AppSettingsSchema
import Foundation
import Testing
import TestSupport

struct SchemaExportTests {
  let home = ScratchHome()

  @Test func `the exports are as they are shown`() throws {
    try expectFixture("schema.json", SchemaKeys.schema.jsonSchema)
    try expectFixture("defaults.toml", SchemaKeys.schema.commentedDefaults)
    try expectFixture("schema.md", SchemaKeys.schema.markdown)
  }

  @Test func `commented defaults are a settings file that sets nothing`() throws {
    let text = SchemaKeys.schema.commentedDefaults
    let store = SettingsStore(inMemory: text, logger: .silent)
    for key in SchemaKeys.all { #expect(!store.isSet(key), "\(key)") }
    try home.write(text)
    let location = try home.location()
    #expect(SettingsCheck.findings(at: location, schema: SchemaKeys.schema).filter { $0.kind != .permissions }.isEmpty)
  }

  @Test func `commented defaults without the marks say what the app does without a file`() throws {
    let text = Self.uncommented(SchemaKeys.schema.commentedDefaults)
    let document = try TOMLDocument(parsing: text)
    #expect(document[["settings-version"]] == 3)
    for key in SchemaKeys.schema.keys { #expect(document[key.path] == key.defaultValue, "\(key.path)") }
    let store = SettingsStore(inMemory: text, migrations: SchemaKeys.schema.migrations.migrations, logger: .silent)
    #expect(store[SchemaKeys.window] == SchemaKeys.Window())
    #expect(store[SchemaKeys.pause] == .seconds(5))
    #expect(store.currentProblems.isEmpty)
    // Any one line of them, too.
    for line in SchemaKeys.schema.commentedDefaults.split(separator: "\n") where line.hasPrefix("#font-size") {
      let one = SchemaKeys.schema.commentedDefaults.replacingOccurrences(of: line, with: line.dropFirst())
      #expect(try TOMLDocument(parsing: one)[["editor", "font-size"]] == 12)
    }
  }

  private static func uncommented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("#") && line.count > 1 && !line.hasPrefix("# ") ? String(line.dropFirst()) : String(line)
    }.joined(separator: "\n")
  }

  @Test func `texts with line breaks, control characters and marks stay within their places`() throws {
    let odd = "One\nTwo\r\n\u{1}#three = 3\n\n[x]\n```\u{7F}"
    let key = SettingsKey("a.\"b.c\"", default: "x\ny`z", "\(odd)")
    let schema = SettingsSchema(app: "a", keys: [key])
    #expect(try SettingsSchema.readText(schema.text).keys == schema.keys)
    let document = try TOMLDocument(parsing: schema.commentedDefaults)
    #expect(document.leafPaths() == [["a"]])
    let set = try TOMLDocument(parsing: Self.uncommented(schema.commentedDefaults))
    #expect(set[["a", "b.c"]] == "x\ny`z")
    #expect(set.leafPaths() == [["a", "b.c"]])
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(schema.jsonSchema.utf8)) }
    #expect(schema.markdown.contains("* default: `` \"x\\ny`z\" ``"))
  }

  @Test func `Markdown shows a description as it is written`() {
    let key = SettingsKey(
      "a", default: 1, "## No heading\n<b>x</b> | `c` [l](u) *s*\r\n1. no\u{1B}[31m\u{202E}\u{E0041}\u{1D173}\u{600}")
    let schema = SettingsSchema(app: "org.example.a_b", keys: [key])
    #expect(
      schema.markdown.hasPrefix(
        """
        # Settings of org.example.a\\_b

        ## `a`

        \\## No heading
        \\<b\\>x\\</b\\> \\| \\`c\\` \\[l\\](u) \\*s\\*
        1\\. no\\\\u001B\\[31m\\\\u202E\\\\U000E0041\\\\U0001D173\u{600}

        * needs an integer
        """), "\(schema.markdown)")
    #expect(schema.commentedDefaults.contains("\n# ## No heading\n"))
    #expect(schema.commentedDefaults.contains("\n# 1. no\\u001B[31m\\u202E\\U000E0041\\U0001D173\u{600}\n"))
  }

  /// Whether documents satisfy a JSON Schema, as Python's `jsonschema` says.
  private func validity(of documents: [String], _ schema: String) throws -> [Bool] {
    let script = """
      import json, sys, tomllib, datetime, jsonschema
      schema = json.load(open(sys.argv[1]))
      jsonschema.Draft4Validator.check_schema(schema)
      validator = jsonschema.Draft4Validator(schema)
      for text in json.load(sys.stdin):
        values = json.loads(json.dumps(tomllib.loads(text), default=lambda value: value.isoformat()))
        print(validator.is_valid(values))
      """
    let path = home.path + "/schema.json"
    try schema.write(toFile: path, atomically: true, encoding: .utf8)
    let input = String(decoding: try JSONSerialization.data(withJSONObject: documents), as: UTF8.self)
    let result = try ChildProcess.run(
      "/usr/bin/python3", ["-c", script, path], environment: home.environment, input: input)
    #expect(result.status == 0, "\(result.error)")
    return result.output.split(separator: "\n").map { $0 == "True" }
  }

  static let hasValidator = FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/jsonschema")

  /// Texts, and whether the app takes them.
  static var documents: [(text: String, isValid: Bool)] {
    [
      ("", true), (Self.uncommented(SchemaKeys.schema.commentedDefaults), true), ("theme = 'dark'", true),
      ("theme = 'red'", false), ("theme = 1", false), ("[editor]\nfont-size = 72", true),
      ("[editor]\nfont-size = 73", false), ("[editor]\nfont-size = 12.5", false), ("editor = 1", false),
      ("[editor]\nfont-sise = 12", false), ("font_size = 12", true), ("font_size = 1", false), ("zoom = 7.99", true),
      ("zoom = 8", false), ("zoom = 1", true), ("locale = 'de-AT'", true), ("locale = 'xde'", false),
      ("recent-files = ['http://x']", true), ("recent-files = [1]", false),
      ("recent-files = [\(Array(repeating: "'http://x'", count: 11).joined(separator: ","))]", false),
      ("tags = ['a', 'b']", true), ("tags = ['a', 'a']", true), ("tags = ['A']", false), ("pause = '5s'", true),
      ("pause = 5", true), ("pause = true", false), ("since = 2026-01-31T12:00:00Z", true), ("since = 5", false),
      ("ports = { http = 80 }", true), ("ports = { http = 65536 }", false), ("ports = { http = 'x' }", false),
      ("window = { width = 3, other = true }", true), ("window = { width = 'w' }", false),
      ("window = { tint = 'red' }", false), ("range = [1, 2]", true), ("range = [1, 2, 3]", false),
      ("anything = { a = [1] }", true), ("settings-version = 3\nsettings-locked = ['a']", true),
      ("[hosts.7]\nport = 443\nextra = 1", true), ("[hosts.7]\nport = 65536", false), ("[hosts.x]", false),
      ("hosts = 1", false), ("hosts.7 = 1", false), ("[marks.6D5BA0B4-2F0E-4F6B-9B0A-0D2F0C5F3C11]", true),
      ("[marks.x]", false), ("settings-version = 0", false), ("unknown = 1", false), ("[sync]\ntoken = 't'", true),
      ("settings-inherits = 'base'", true), ("settings-inherits = 1", false),
      ("[settings-sealed.sync]\ntoken = ['v1 id text']", true), ("settings-sealed = 1", false),
    ]
  }

  @Test(.enabled(if: hasValidator, "python3-jsonschema is not installed"))
  func `the JSON Schema takes what the app takes, and refuses what it refuses`() throws {
    let documents = Self.documents
    let validity = try validity(of: documents.map(\.text), SchemaKeys.schema.jsonSchema)
    #expect(validity.count == documents.count)
    for (document, isValid) in zip(documents, validity) { #expect(isValid == document.isValid, "\(document.text)") }
  }

  static let taplo = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/taplo" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test(.enabled(if: taplo != nil, "taplo is not installed"))
  func `taplo, which editors check TOML with, says the same by a first line that names the schema`() throws {
    try SchemaKeys.schema.jsonSchema.write(toFile: home.path + "/schema.json", atomically: true, encoding: .utf8)
    let documents = Self.documents
    let names = documents.indices.map { "\($0).toml" }
    for (name, document) in zip(names, documents) {
      try home.write("#:schema ./schema.json\n\(document.text)\n", to: "\(home.path)/\(name)")
    }
    let result = try ChildProcess.run(
      try #require(Self.taplo), ["lint"] + names, environment: home.environment, directory: home.path)
    let refused = Set(result.error.matches(of: /invalid file .*\/(\d+\.toml)"/).map { String($0.1) })
    #expect(!refused.isEmpty, "\(result)")
    for (name, document) in zip(names, documents) {
      #expect(refused.contains(name) != document.isValid, "\(document.text)")
    }
  }
}
