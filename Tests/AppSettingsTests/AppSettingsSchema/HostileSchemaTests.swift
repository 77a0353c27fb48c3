import AppSettings
import AppSettingsSchema
import Foundation
import SettingsTOML
import Testing
import TestSupport

/// Whatever a schema file holds, it is refused with its place, or it is a schema of which every form can be made.
@Suite(.timeLimit(.minutes(10))) struct HostileSchemaTests {
  let home = ScratchHome()
  private var file: String { home.path + "/s.toml" }

  /// Reads a schema, and makes all that is made of one.
  ///
  /// - Returns: The message, if it is refused.
  @discardableResult
  private func refusal(of text: String, _ name: String) throws -> String? {
    try home.write(text, to: file)
    let schema: SettingsSchema
    do {
      schema = try #require(try SettingsSchema.read(file))
    } catch let error as SettingsError {
      #expect(error.code == .invalidValue || error.code == .unparsable, "\(name): \(error)")
      #expect(error.position != nil && error.file == file, "\(name): \(error)")
      let place = error.position.map { ":\($0.line):\($0.column)" } ?? ""
      #expect(error.message.hasPrefix("Cannot use the schema '\(file)\(error.code == .unparsable ? "" : place)'"))
      return error.description
    }
    let json = schema.jsonSchema
    // Foundation reads no deeper JSON.
    if schema.keys.allSatisfy({ $0.paths.allSatisfy { $0.components.count < 200 } }) {
      #expect(throws: Never.self, "\(name)") { try JSONSerialization.jsonObject(with: Data(json.utf8)) }
    }
    #expect(schema.markdown.hasPrefix("# Settings of "), "\(name)")
    #expect(throws: Never.self, "\(name)") { try TOMLDocument(parsing: schema.commentedDefaults) }
    // With the marks taken away it is a settings file.
    let lines = schema.commentedDefaults.split(separator: "\n", omittingEmptySubsequences: false)
    let defaults = lines.map { $0.hasPrefix("#") && !$0.hasPrefix("# ") ? $0.dropFirst() : $0 }
    #expect(throws: Never.self, "\(name)") { try TOMLDocument(parsing: defaults.joined(separator: "\n")) }
    let text = schema.text
    try home.write(text, to: file)
    let again = try #require(try SettingsSchema.read(file))
    #expect(again.keys == schema.keys && again.text == text, "\(name)")
    return nil
  }

  // MARK: Members of other types

  private static let values = [
    "0", "-1", "9223372036854775807", "-9223372036854775808", "1.5", "nan", "-inf", "true", "\"\"", "\"x\"",
    "\"\\u0000\\u001b[31m\\u202e\"", "\"a.b\"", "\"a..b\"", "[]", "[[]]", "[1, \"x\"]", "[{}]", "{}", "{ type = 1 }",
    "{ type = \"any\" }", "{ a = { type = \"array\" } }", "2026-01-31", "0000-01-01T00:00:00+23:59", "07:32:00",
  ]

  private static let types = [
    "string", "integer", "float32", "boolean", "offset-date-time", "duration", "data", "decimal", "character",
    "time-zone", "array", "table", "records", "any",
  ]

  /// A type has every third value in the short form, so that a member has each value with some types.
  @Test(arguments: types.indices) func `a member of a key with a value of any kind is refused with its place, or taken`(
    index: Int
  ) throws {
    let type = Self.types[index]
    let isFull = ProcessInfo.processInfo.environment["SETTINGS_HOSTILE_VALUES"] == "full"
    let members = [
      "minimum", "maximum", "below", "choices", "pattern", "minimum-count", "maximum-count", "unique", "ordered",
      "elements", "fields", "other-fields", "ids", "reads-older-form", "expects", "default", "computed-default",
      "description",
      "group", "formerly", "secret", "example", "needs-restart",
    ]
    var taken = 0
    for (row, member) in members.enumerated() {
      for (column, value) in Self.values.enumerated() where isFull || (index + row + column) % 3 == 0 {
        let text = "app = \"a\"\n[keys.k]\ntype = \"\(type)\"\n\(member) = \(value)\n"
        guard let refusal = try refusal(of: text, "\(type) \(member) = \(value)") else {
          taken += 1
          continue
        }
        #expect(refusal.hasPrefix("Cannot use the schema '\(file):4:"), "\(refusal)")
      }
    }
    #expect(taken > 3)
  }

  @Test func `a member elsewhere with a value of any kind is refused with its place, or taken`() throws {
    let places = [
      "app = VALUE\n", "app = \"a\"\nschema-version = VALUE\n", "app = \"a\"\ngroups = VALUE\n",
      "app = \"a\"\nkeys = VALUE\n", "app = \"a\"\nmigrations = VALUE\n", "app = \"a\"\n[groups]\na = VALUE\n",
      "app = \"a\"\n[groups.a]\ndescription = VALUE\n", "app = \"a\"\n[keys]\nk = VALUE\n",
      "app = \"a\"\n[keys.k]\ntype = VALUE\n",
      "app = \"a\"\n[[migrations]]\nversion = VALUE\nname = \"x\"\n",
      "app = \"a\"\n[[migrations]]\nversion = 2\nname = VALUE\n",
      "app = \"a\"\n[[migrations]]\nversion = 2\nname = \"x\"\nsteps = VALUE\n",
      "app = \"a\"\n[[migrations]]\nversion = 2\nname = \"x\"\nsteps = [VALUE]\n",
    ]
    for place in places {
      for value in Self.values { try refusal(of: place.replacing("VALUE", with: value), "\(place)\(value)") }
    }
  }

  @Test func `a member of a step with a value of any kind is refused with its place, or taken`() throws {
    let steps = [
      "{ rename = \"a\", to = \"b\" }", "{ move = \"a\", to = \"b\", replacing = true }",
      "{ copy = \"a\", to = \"b\" }",
      "{ remove = \"a\" }", "{ set-default = \"a\", value = 1 }", "{ map-values = \"a\", values = [[1, 2]] }",
      "{ convert = \"a\", conversions = [\"integer\"] }", "{ decode-json = \"a\" }", "{ encode-json = \"a\" }",
      "{ merge = [\"a\"], into = \"b\", separator = \"x\", defaults = [1] }",
      "{ split = \"a\", into = [\"b\", \"c\"], separator = \"x\" }", "{ wrap = [\"a\"], in = \"b\" }",
      "{ wrap = \"a\", as = \"b\" }", "{ unwrap = \"a\", taking = \"b\" }", "{ for-each = \"a\", steps = [] }",
      "{ when = { exists = \"a\" }, steps = [], otherwise = [] }", "{ import = \"/none\", format = \"json\" }",
    ]
    for step in steps {
      let table = try TOMLValue(parsing: step).table ?? [:]
      for member in table.keys {
        for value in Self.values {
          var hostile = table
          hostile[member] = try TOMLValue(parsing: value)
          let text =
            "app = \"a\"\n[[migrations]]\nversion = 2\nname = \"x\"\nsteps = [\(TOMLValue.table(hostile).tomlText)]\n"
          guard let refusal = try refusal(of: text, "\(step) \(member) = \(value)") else { continue }
          #expect(refusal.hasPrefix("Cannot use the schema '\(file):5:9'"), "\(refusal)")
        }
      }
    }
  }

  // MARK: Names

  @Test func `names of all kinds are refused with their place, or are keys`() throws {
    let names = [
      "\"\"", "\"\\u0000\"", "\"\\\"\\\"\"", "\"\\\"\\\\u0000\\\\u001b[31m\\\\u202e\\\"\"", "\"a.\"", "\".\"", "\" \"",
      "\"\\\"a\\nb\\\"\"", "\"'`'.'#'.'|'\"", "\"\\\"é\\\".\\\"e\\u0301\\\"\"", "\"settings-version\"",
      "\"\\\"settings-x\\\".y\"", "\"\(String(repeating: "a.", count: 1023))a\"",
      "\"\(String(repeating: "a.", count: 9_999))a\"", "\"\(String(repeating: "n", count: 100_000))\"",
      "__proto__", "\"'constructor'.'$ref'\"",
    ]
    var refused = 0
    for name in names {
      for text in [
        "app = \"a\"\n[keys.\(name)]\ntype = \"integer\"\ndefault = 1\n",
        "app = \"a\"\n[keys.k]\ntype = \"integer\"\nformerly = [\(name.hasPrefix("\"") ? name : "\"\(name)\"")]\n",
        "app = \"a\"\n[groups.\(name)]\ndescription = \"x\"\n",
      ] where try refusal(of: text, name) != nil { refused += 1 }
    }
    #expect(refused > 10)
  }

  @Test func `former names in a circle, of oneself and of several keys are refused with the place`() throws {
    func keys(_ names: [(String, [String])]) -> String {
      "app = \"a\"\n"
        + names.map {
          "[keys.\"\($0)\"]\ntype = \"any\"\nformerly = [\($1.map { "\"\($0)\"" }.joined(separator: ", "))]\n"
        }
        .joined()
    }
    for (names, place) in [
      ([("a", ["b"]), ("b", ["a"])], "5:1"), ([("a", ["b"]), ("b", ["c"]), ("c", ["a"])], "5:1"),
      ([("a", ["a"])], "4:12"), ([("a", ["b", "c"]), ("d", ["c"])], "5:1"), ([("a", ["b.c"]), ("b", ["d"])], "5:1"),
      ([("a", ["b"]), ("b.c", ["d"])], "5:1"),
    ] {
      let refusal = try #require(try refusal(of: keys(names), "\(names)"))
      #expect(refusal.contains("s.toml:\(place)'"), "\(refusal)")
    }
    // Once more says nothing more.
    #expect(try refusal(of: keys([("a", ["b", "b", "c.d", "c"])]), "twice") == nil)
    let many = (0..<5_000).map { "old\($0)" }
    #expect(try refusal(of: keys([("a", many)]), "many") == nil)
  }

  // MARK: Size and depth

  @Test func `a schema that is as deep or as large as files get is read and printed`() throws {
    let deep = String(repeating: "d.", count: 1_020)
    let keys = (0..<20).map { "[keys.\"k\($0).\(deep)x\"]\ntype = \"integer\"\nformerly = [\"f\($0).\(deep)x\"]\n" }
    #expect(try refusal(of: "app = \"a\"\n" + keys.joined(), "deep") == nil)
    let wide = (0..<5_000).map { "[keys.\"k\($0 % 100).x\($0)\"]\ntype = \"integer\"\ndefault = 1\n" }
    #expect(try refusal(of: "app = \"a\"\n" + wide.joined(), "wide") == nil)
    let values = String(repeating: "[", count: 120) + "1" + String(repeating: "]", count: 120)
    #expect(
      try refusal(of: "app = \"a\"\n[keys.k]\ntype = \"any\"\ndefault = \(values)\nchoices = [\(values)]\n", "values")
        == nil)
    let pattern = String(repeating: "(", count: 100_000)
    #expect(try refusal(of: "app = \"a\"\n[keys.k]\ntype = \"string\"\npattern = \"\(pattern)\"\n", "pattern") != nil)
    let text = String(repeating: "x\\n", count: 100_000)
    #expect(
      try refusal(of: "app = \"a\"\n[keys.k]\ntype = \"any\"\ndescription = \"\(text)\"\n", "description") == nil)
  }

  // MARK: Migrations

  /// A store of a file whose schema has some steps.
  private func migrated(_ steps: [String], _ text: String) throws -> (text: String?, error: SettingsError?) {
    try home.write(
      "app = \"a\"\n[[migrations]]\nversion = 2\nname = \"x\"\nsteps = [\(steps.joined(separator: ", "))]\n", to: file)
    let schema = try #require(try SettingsSchema.read(file))
    // Locks of an administrator are followed through the steps, too.
    let system = home.path + "/etc/xdg/org.example.test/settings.toml"
    try home.write("settings-locked = [\"a\", \"r.a\", \"none\"]\n", to: system)
    try home.write(text)
    _ = SettingsCheck.findings(at: try home.location(), schema: schema)
    let store = try home.store(migrations: schema.migrations.migrations)
    #expect(store.snapshot.locks.lock(around: ["none"]) != nil)
    do {
      try store.migrate()
      return (home.text(), nil)
    } catch {
      #expect(home.text() == text)
      return (home.text(), error)
    }
  }

  @Test func `steps in a circle end`() throws {
    let result = try migrated(
      ["{ rename = \"a\", to = \"b\" }", "{ rename = \"b\", to = \"c\" }", "{ rename = \"c\", to = \"a\" }"], "a = 1\n")
    #expect(result.text == "settings-version = 2\na = 1\n")
  }

  @Test func `steps that go deeper than a document are refused`() throws {
    let deep = "a" + String(repeating: ".d", count: 1_000)
    let result = try migrated(
      ["{ rename = \"a\", to = \"\(deep)\" }", "{ rename = \"a\", to = \"b.\(deep)\" }"], "a = 1\n")
    #expect(result.error?.code == .migrationFailed)
  }

  @Test func `steps that double what others have doubled are refused, and their locks end`() throws {
    var steps = ["{ copy = \"a\", to = \"r.a\" }"]
    for index in 0..<30 {
      steps.append("{ copy = \"r\", to = \"s.x\(index)\" }")
      steps.append("{ copy = \"s\", to = \"r.y\(index)\" }")
    }
    let result = try migrated(steps, "a = \"\(String(repeating: "x", count: 2_000))\"\n")
    #expect(result.error?.code == .migrationFailed)
    #expect(result.error?.message.contains("more than 8 MiB") == true, "\(String(describing: result.error))")
  }
  @Test(arguments: [
    "{ merge = [\"a\", \"a\"], into = \"a\", separator = \"xxxxxxxxxxxxxxxx\" }",
    "{ for-each = \"t\", steps = [{ merge = [\"a\", \"a\"], into = \"a\", separator = \"xxxxxxxxxxxxxxxx\" }] }",
    "{ for-each = \"i\", steps = [{ merge = [\"a\", \"a\"], into = \"a\", separator = \"xxxxxxxxxxxxxxxx\" }] }",
  ]) func `steps that join what others have joined are refused`(step: String) throws {
    let text = "a = \"x\"\ni = [{ a = \"x\" }]\n[t.u]\na = \"x\"\n[t.v]\na = \"x\"\n"
    let result = try migrated(Array(repeating: step, count: 40), text)
    #expect(result.error?.code == .migrationFailed)
    #expect(result.error?.message.contains("more than 8 MiB") == true, "\(String(describing: result.error))")
  }

  @Test func `steps that put quotes in quotes are refused`() throws {
    let steps = (0..<40).flatMap { _ in ["{ wrap = \"a\", as = \"c\" }", "{ encode-json = \"a\" }"] }
    let result = try migrated(steps, "a.c = '\"'\n")
    #expect(result.error?.code == .migrationFailed)
  }
}
