import AppSettings
import AppSettingsSchema
import Foundation
import Testing
import TestSupport

/// What is wrong in a schema file is refused with its place and with what was expected.
struct SchemaReaderTests {
  let home = ScratchHome()

  struct Case: Sendable, CustomTestStringConvertible {
    let text: String
    /// `line:column: reason`, without the last full stop.
    let expected: String
    var testDescription: String { expected }

    init(_ text: String, _ expected: String) {
      self.text = text
      self.expected = expected
    }
  }

  /// A schema with one key, which has some members.
  private static func key(_ members: String, name: String = "k") -> String {
    "app = \"a\"\n[keys.\(name)]\n\(members)\n"
  }

  static let cases: [Case] = [
    Case("", "1:1: 'app' is missing; it must be the app's id, such as \"org.example.editor\""),
    Case("app = 1", "1:7: 'app' is the integer 1, but must be the app's id, such as \"org.example.editor\""),
    Case("app = \"../x\"", "1:7: 'app' is not an app id"),
    Case(
      "app = \"a\"\nschema-version = 0",
      "2:18: 'schema-version' is the integer 0, but must be an integer of at least 1"),
    Case(
      "app = \"a\"\nschema-version = \"1\"",
      "2:18: 'schema-version' is the string \"1\", but must be an integer of at least 1"),
    Case(
      key("type = \"string\"\nmaximum-count = 9223372036854775807"),
      "4:17: 'maximum-count' is the integer 9223372036854775807, but must be an integer from 0 to 2147483647"),
    Case(
      "app = \"a\"\n[[migrations]]\nversion = 9223372036854775807\nname = \"x\"",
      "3:11: a migration needs an integer up to 2147483647 as its 'version'"),
    Case("app = \"a\"\nkesy = {}", "2:8: there is no member 'kesy'; 'keys' may be meant"),
    Case(
      "app = \"a\"\nkeys = 1",
      "2:8: 'keys' is the integer 1, but must be a table of keys, as in [keys.\"editor.font-size\"]"),
    Case(
      "app = \"a\"\n[keys]\nk = 1",
      "3:5: 'k' is the integer 1, but must be a table with a 'type'. A name with dots needs quotes, as in "
        + "[keys.\"editor.font-size\"]"),
    Case(
      key("type = \"integre\""),
      "3:8: there is no type 'integre'; 'integer' may be meant"),
    Case(
      key("type = \"whatever\""),
      "3:8: there is no type 'whatever'; there are string, integer, float, float32, boolean, offset-date-time, "
        + "local-date-time, local-date, local-time, duration, url, uuid, data, decimal, character, time-zone, array, "
        + "table, records, any"),
    Case(
      key("default = 1"),
      "2:1: 'type' is missing; it must be one of string, integer, float, float32, boolean, offset-date-time, local-date-time, "
        + "local-date, local-time, duration, url, uuid, data, decimal, character, time-zone, array, table, records, any"
    ),
    // A name with dots that is not quoted is taken for a table of tables.
    Case(
      "app = \"a\"\n[keys.editor.size]\ntype = \"integer\"",
      "2:1: a key's name needs quotes where it has dots, as in [keys.\"editor.size\"]"),
    Case(
      key("type = \"integer\"", name: "\"a..b\""), "2:1: 'a..b' is not a key path: there is no key between two dots"),
    Case(
      key("type = \"integer\"", name: "settings-x"),
      "2:1: 'settings-x' cannot be a key: root keys that begin with 'settings-' are reserved"),
    Case(key("type = \"integer\"\nminumum = 1"), "4:11: there is no member 'minumum'; 'minimum' may be meant"),
    Case(
      key("type = \"integer\"\nminimum = \"low\""),
      "4:11: 'minimum' is the string \"low\", but must be an integer, as the type is 'integer'"),
    Case(
      key("type = \"boolean\"\nminimum = 1"),
      "4:11: 'minimum' is the integer 1, but must be a boolean, as the type is 'boolean'"),
    Case(
      key("type = \"float\"\nmaximum = nan"),
      "4:11: 'maximum' is the float nan, but must be a number, as the type is 'float'"),
    Case(key("type = \"integer\"\nminimum = 9\nmaximum = 1"), "5:11: 'maximum' is below 'minimum'"),
    Case(key("type = \"integer\"\nminimum = 9\nbelow = 9"), "5:9: 'below' is not above 'minimum'"),
    Case(
      key("type = \"duration\"\nminimum = \"1 apple\""),
      "4:11: 'minimum' is the string \"1 apple\", but must be a duration, like \"90s\" or \"1h 30m\", as the type is "
        + "'duration'"),
    Case(
      key("type = \"integer\"\nmaximum = 72\ndefault = 100"),
      "5:11: 'default' is the integer 100, but must be an integer up to 72"),
    Case(
      key("type = \"integer\"\ndefault = \"12\""), "4:11: 'default' is the string \"12\", but must be an integer"),
    Case(
      key("type = \"array\"\nelements = { type = \"url\" }\ndefault = [\"http://x\", \"no url\"]"),
      "5:11: '[1]' in 'default' is the string \"no url\", but must be a URL as a string"),
    Case(
      key("type = \"string\"\nchoices = [\"a\", 1]"), "4:11: the choice 1 is not a string"),
    Case(
      key("type = \"string\"\nchoices = []"),
      "4:11: 'choices' is an empty array, but must be an array with one value at least"),
    Case(
      key("type = \"string\"\nchoices = \"a\""),
      "4:11: 'choices' is the string \"a\", but must be an array of values"),
    Case(
      key("type = \"string\"\nminimum-count = -1"),
      "4:17: 'minimum-count' is the integer -1, but must be an integer from 0 to 2147483647"),
    Case(
      key("type = \"string\"\nminimum-count = 3\nmaximum-count = 2"), "5:17: 'maximum-count' is below 'minimum-count'"),
    Case(
      key("type = \"string\"\npattern = 7"),
      "4:11: 'pattern' is the integer 7, but must be a regular expression as a string, or several in an array"),
    Case(
      key("type = \"string\"\nelements = { type = \"any\" }"),
      "4:12: only the types 'array' and 'table' have 'elements'"),
    Case(
      key("type = \"string\"\nids = \"integer\""), "4:7: only the types 'table' and 'records' have 'ids'"),
    Case(key("type = \"integer\"\npattern = \"x\""), "4:11: the type 'integer' has no 'pattern'"),
    Case(key("type = \"string\"\nunique = true"), "4:10: the type 'string' has no 'unique'"),
    Case(
      key("type = \"array\"\nelements = { type = \"table\" }\nordered = true"),
      "5:11: 'ordered' needs elements that one can be above another"),
    Case(
      key("type = \"string\"\npattern = \"(?=a)a\""),
      "4:11: '(?=a)a' cannot be used as a pattern: groups '(?=' are not for patterns, only '(…)' and '(?:…)'"),
    Case(
      key("type = \"array\"\nfields = {}"), "4:10: only the types 'table' and 'records' have 'fields'"),
    Case(
      key("type = \"table\"\nfields = { a = 1 }"), "4:16: 'a' is the integer 1, but must be a table with a 'type'"),
    Case(
      key("type = \"table\"\nfields = { a = { type = \"strng\" } }"),
      "4:25: there is no type 'strng'; 'string' may be meant"),
    Case(
      key("type = \"string\"\nsecret = \"yes\""), "4:10: 'secret' is the string \"yes\", but must be true or false"),
    Case(
      key("type = \"string\"\nformerly = \"b\""),
      "4:12: 'formerly' is the string \"b\", but must be an array of keys"),
    Case(
      key("type = \"string\"\nformerly = [\"k.x\"]"), "4:12: the former name 'k.x' is at, above or below 'k' itself"),
    Case(
      "app = \"a\"\n[keys.a]\ntype = \"table\"\n[keys.\"a.b\"]\ntype = \"string\"",
      "4:1: the key 'a.b' is within the value of the key 'a'"),
    Case(
      "app = \"a\"\n[keys.\"a.b.c\"]\ntype = \"table\"\n[keys.a]\ntype = \"string\"",
      "4:1: the key 'a' is a table, for the key 'a.b.c' is in it"),
    Case(
      "app = \"a\"\n[keys.a]\ntype = \"table\"\n[keys.b]\ntype = \"string\"\nformerly = [\"a\"]",
      "4:1: the former name 'a' of 'b' is a name of 'a' already"),
    Case(
      "app = \"a\"\n[keys.\"a\"]\ntype = \"any\"\n[keys.\"'a'\"]\ntype = \"any\"",
      "4:1: the key 'a' is a name of 'a' already"),
    Case(
      "app = \"a\"\n[groups]\ne = \"x\"", "3:5: 'e' is the string \"x\", but must be a table with a 'description'"),
    Case("app = \"a\"\nmigrations = 1", "2:14: 'migrations' must be an array of tables"),
    Case("app = \"a\"\nmigrations = [1]", "2:14: a migration must be a table"),
    Case(
      "app = \"a\"\n[[migrations]]\nname = \"x\"",
      "2:1: a migration needs an integer up to 2147483647 as its 'version'"),
    Case("app = \"a\"\n[[migrations]]\nversion = 2", "2:1: migration 2 needs a 'name'"),
    Case(
      "app = \"a\"\n[[migrations]]\nversion = 1\nname = \"x\"",
      "3:11: the 'version' of a migration must be above the one before, but 1 is not above 1; the first must be 2 "
        + "or more"),
    Case(
      "app = \"a\"\n[[migrations]]\nversion = 2\nname = \"x\"\n[[migrations]]\nversion = 3\nname = \"y\"\n"
        + "steps = [{ renmae = \"a\" }]",
      "8:9: migration 3 'y': the step { renmae = \"a\" } is not one of rename, move, copy, remove, set-default, "
        + "map-values, convert, decode-json, encode-json, merge, split, wrap, unwrap, for-each, when, "
        + "import"),
    Case(
      "app = \"a\"\n[[migrations]]\nversion = 2\nname = \"x\"\nstpes = []",
      "5:9: migration 2 'x': there is no member 'stpes'"),
  ]

  @Test(arguments: cases) func `a schema that is wrong is refused with the place`(_ c: Case) throws {
    let path = home.path + "/s.toml"
    try home.write(c.text, to: path)
    do {
      _ = try SettingsSchema.read(path)
      Issue.record("it was read")
    } catch let error as SettingsError {
      #expect(error.code == .invalidValue)
      #expect(error.file == path)
      let parts = c.expected.split(separator: ": ", maxSplits: 1)
      #expect(error.message == "Cannot use the schema '\(path):\(parts[0])': \(parts[1]).")
      let place = error.position.map { "\($0.line):\($0.column)" }
      #expect(place == String(parts[0]))
    }
  }

  private func steps(_ steps: String, form: Int = 1) throws -> [MigrationStep] {
    let path = home.path + "/s.toml"
    try home.write(
      "app = \"a\"\nschema-version = \(form)\n[[migrations]]\nversion = 2\nname = \"x\"\nsteps = [\(steps)]\n", to: path
    )
    return try #require(try SettingsSchema.read(path)).migrations.migrations[0].steps
  }

  @Test(arguments: [
    ("{ rename = \"a\", to = \"c\", remove = \"b\" }", "the step 'rename' has no member 'remove' here"),
    ("{ decode-json = \"a\", keep-others = true }", "it has decode-json, deep, keeping-others"),
    ("{ wrap = \"a\", as = \"b\", in = \"c\" }", "the step 'wrap' has no member 'in' here"),
    ("{ when = { exists = \"a\" }, steps = [], else = [] }", "the step 'when' has no member 'else' here"),
    ("{ when = { exists = \"a\", equals = \"b\", value = 3 }, steps = [] }", "the step 'when' needs one condition"),
    ("{ when = { not = { exists = \"a\", x = 1 } }, steps = [] }", "the step 'when' needs one condition"),
    ("{ for-each = \"a\", steps = [{ remove = \"a\", x = 1 }] }", "the step 'remove' has no member 'x' here"),
    ("{ import = \"/x\", format = \"json\", map = [] }", "the step 'import' has no member 'map' here"),
    ("{ code = true, remove = \"a\" }", "the step 'code' has no member 'remove' here"),
  ])
  func `a step with a member that it does not know is refused, except in a later form`(_ step: String, _ reason: String)
    throws
  {
    let error = #expect(throws: SettingsError.self) { try steps(step) }
    #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
    #expect(error?.position?.line == 6)
    #expect(try steps(step, form: 99).count == 1)
  }

  @Test func `the reason for a step with an empty key ends with one full stop`() throws {
    let error = #expect(throws: SettingsError.self) { try steps("{ rename = \"\", to = \"b\" }") }
    #expect(error?.message.hasSuffix("as in 'a.b'.") == true, "\(String(describing: error))")
  }

  @Test func `a rename of a schema can replace a value`() throws {
    var document = try TOMLDocument(parsing: "a = 1\nb = 2\n")
    let step = try #require(steps("{ rename = \"a\", to = \"b\", replacing = true }").first)
    try step.run(on: &document)
    #expect(document.text == "b = 1\n")
    #expect(StepForms.form(of: step) == ["rename": "a", "to": "b", "replacing": true])
  }

  @Test func `a pattern that is no regular expression is refused, where patterns are looked at`() throws {
    let path = home.path + "/s.toml"
    try home.write("app = \"a\"\n[keys.k]\ntype = \"string\"\npattern = \"[a-\"\n", to: path)
    do {
      _ = try SettingsSchema.read(path)
      Issue.record("it was read")
    } catch let error as SettingsError {
      #expect(error.message.hasPrefix("Cannot use the schema '\(path):4:11': '[a-' is not a regular expression: "))
    }
    #expect(try SettingsSchema.read(path, checksPatterns: false)?.keys.count == 1)
  }

  @Test func `a schema of a later form is read as far as it goes`() throws {
    let path = home.path + "/s.toml"
    try home.write(
      "app = \"a\"\nschema-version = 2\nnews = 1\n[keys.k]\ntype = \"colour\"\nhue = 3\n[keys.n]\ntype = \"integer\"\n",
      to: path)
    let schema = try #require(try SettingsSchema.read(path))
    #expect(schema.keys.map(\.type) == [.any, SchemaType(.integer)])
  }

  @Test func `what is no schema at all is refused, and nothing is made`() throws {
    let path = home.path + "/s.toml"
    #expect(try SettingsSchema.read(path) == nil)
    try Data((0...255).map { UInt8($0) }).write(to: URL(fileURLWithPath: path))
    expectCode(.unparsable) { try SettingsSchema.read(path) }
    try home.write("app = \"a\"\n[keys.k\n", to: path)
    expectCode(.unparsable) { try SettingsSchema.read(path) }
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    expectCode(.io) { try SettingsSchema.read(path) }
    try FileManager.default.removeItem(atPath: path)
    #expect(mkfifo(path, 0o600) == 0)
    expectCode(.io) { try SettingsSchema.read(path) }
    try FileManager.default.removeItem(atPath: path)
    // Sparse: it has that size and takes no room.
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(truncate(path, 17 << 20) == 0)
    expectCode(.io) { try SettingsSchema.read(path) }
  }

  @Test func `types that are nested without end are refused`() throws {
    let path = home.path + "/s.toml"
    let depth = 40
    let type =
      String(repeating: "{ type = \"array\", elements = ", count: depth) + "{ type = \"any\" }"
      + String(repeating: " }", count: depth)
    try home.write("app = \"a\"\n[keys.k]\ntype = \"array\"\nelements = \(type)\n", to: path)
    expectCode(.invalidValue) { try SettingsSchema.read(path) }
  }

  @Test func `a schema is found in the first place that has one, and has to be the app's`() throws {
    let user = home.path + "/data/app-settings/org.example.test.toml"
    let system = home.path + "/usr/share/app-settings/org.example.test.toml"
    func find() throws -> SettingsSchema? {
      try SettingsSchema.find(app: "org.example.test", environment: home.environment)
    }
    #expect(try find() == nil)
    try home.write("app = \"org.example.test\"\n[keys.system]\ntype = \"any\"\n", to: system)
    #expect(try find()?.file == system)
    try home.write("app = \"org.example.test\"\n", to: user)
    #expect(try find()?.file == user)
    try home.write("app = \"org.example.other\"\n", to: user)
    expectCode(.invalidValue) { try find() }
    expectCode(.invalidLocation) { try SettingsSchema.find(app: "../x", environment: home.environment) }
  }

  private func expectCode<Result>(
    _ code: SettingsError.Code, _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Result
  ) {
    do {
      _ = try body()
      Issue.record("it was read", sourceLocation: location)
    } catch {
      #expect((error as? SettingsError)?.code == code, "\(error)", sourceLocation: location)
    }
  }
}
