import Foundation
import Testing
import TestSupport

/// Whatever an app's schema file holds, each verb answers, or says where the schema is wrong; none traps or hangs.
@Suite(.timeLimit(.minutes(10))) struct HostileSchemaCommandTests {
  private static let deep = "a" + String(repeating: ".d", count: 1_020)

  private static func key(_ members: String, name: String = "k") -> String {
    "app = \"org.example.test\"\n[keys.\(name)]\n\(members)\n"
  }

  private static func migrations(_ text: String) -> String { "app = \"org.example.test\"\n\(text)\n" }

  /// A schema, and the place where it is wrong; `nil` for one that is used.
  static let schemas: [(name: String, text: String, place: String?)] = [
    ("nothing", "", "1:1"), ("no TOML", "app = \n", "1:7"), ("bytes", "\u{0}\u{1}", "1:1"),
    ("another app's", "app = \"org.example.other\"\n", "1:7"),
    ("a key of 10,000 parts", key("type = \"integer\"", name: "\"\(String(repeating: "a.", count: 9_999))a\""), "2:1"),
    ("a key of 1,021 parts", key("type = \"integer\"\ndefault = 1", name: "\"\(deep)\""), nil),
    ("a key with control characters", key("type = \"any\"", name: "\"\\\"\\\\u001b[31m\\\\u0000\\\"\""), nil),
    ("an empty key", key("type = \"any\"", name: "\"\""), "2:1"),
    ("a type of another kind", key("type = 1"), "3:8"),
    ("a type with control characters", key("type = \"\\u001b[31m\\u202e\""), "3:8"),
    ("a negative count", key("type = \"string\"\nminimum-count = -1"), "4:17"),
    ("the largest count", key("type = \"string\"\nmaximum-count = 9223372036854775807"), "4:17"),
    ("the whole range", key("type = \"integer\"\nminimum = -9223372036854775808\nmaximum = 9223372036854775807"), nil),
    ("an infinite range", key("type = \"float\"\nminimum = -inf\nmaximum = inf"), nil),
    ("a range that is empty", key("type = \"integer\"\nminimum = 5\nmaximum = -5"), "5:11"),
    (
      "a former name in a circle",
      key("type = \"any\"\nformerly = [\"x\"]") + "[keys.x]\ntype = \"any\"\nformerly = [\"k\"]\n", "5:1"
    ),
    ("a pattern without end", key("type = \"string\"\npattern = \"\(String(repeating: "(", count: 50_000))\""), "4:11"),
    ("a pattern that takes long", key("type = \"string\"\npattern = \"(x+x+)+y\""), nil),
    (
      "types within types",
      key(
        "type = \"array\"\nelements = \(String(repeating: "{ type = \"array\", elements = ", count: 40)){ type = \"any\" }"
          + String(repeating: " }", count: 40)), "4:911"
    ),
    ("a schema version that is negative", "app = \"org.example.test\"\nschema-version = -1\n", "2:18"),
    ("the largest schema version", "schema-version = 9223372036854775807\n" + key("type = \"none yet\""), nil),
    ("a negative version", migrations("[[migrations]]\nversion = -1\nname = \"x\""), "3:11"),
    ("the largest version", migrations("[[migrations]]\nversion = 9223372036854775807\nname = \"x\""), "3:11"),
    (
      "a version twice",
      migrations(
        "[[migrations]]\nversion = 2\nname = \"x\"\n[[migrations]]\nversion = 2\nname = \"y\""), "6:11"
    ),
    (
      "steps in a circle",
      migrations(
        "[[migrations]]\nversion = 2\nname = \"x\"\n"
          + "steps = [{ rename = \"k\", to = \"l\" }, { rename = \"l\", to = \"k\" }]"), nil
    ),
    (
      "a step of 10,000 parts",
      migrations(
        "[[migrations]]\nversion = 2\nname = \"x\"\n"
          + "steps = [{ rename = \"\(String(repeating: "a.", count: 9_999))a\", to = \"l\" }]"), "5:9"
    ),
    (
      "4,000 keys",
      "app = \"org.example.test\"\n"
        + (0..<4_000).map { "[keys.\"t\($0 % 50).k\($0)\"]\ntype = \"integer\"\ndefault = 1\n" }.joined(), nil
    ),
    (
      "a description of a megabyte",
      key(
        "type = \"any\"\ndescription = \"\(String(repeating: "x\\n", count: 500_000))\""), nil
    ),
  ]

  @Test(arguments: schemas.indices) func `every verb answers, or names the place in the schema`(index: Int) throws {
    let (name, text, place) = Self.schemas[index]
    let home = try SchemaHome()
    try home.home.write(text, to: home.schemaFile)
    let isPattern = name.hasPrefix("a pattern")
    for words in [
      ["schema", home.app], ["schema", home.app, "--json-schema"], ["schema", home.app, "--markdown"],
      ["schema", home.app, "--commented-defaults"], ["check", home.app], ["describe", home.app],
      ["describe", home.app, Self.deep],
      ["set", home.app, "k", "1"], ["set", home.app, Self.deep, "1"], ["migrate", home.app],
    ] {
      try home.write("k = \"\(String(repeating: "x", count: 60))\"\n")
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: home.home.environment, directory: home.home.path)
      let said = "\(name): \(words.prefix(3).map { $0.prefix(20) }): \(result.status) \(result.error.prefix(300))"
      #expect(!result.wasKilled && result.status < 64, "\(said)")
      // Whether a pattern is one is seen to where it is asked for.
      guard let place, !isPattern || ["schema", "check"].contains(words[0]) else {
        if words[0] == "schema" { #expect(result.status == 0 && result.error.isEmpty, "\(said)") }
        continue
      }
      let answer = words[0] == "check" ? result.output : result.error
      #expect(answer.contains("org.example.test.toml:\(place)"), "\(said)")
      if ["schema", "check", "set", "migrate"].contains(words[0]) { #expect(result.status != 0, "\(said)") }
    }
  }
}
