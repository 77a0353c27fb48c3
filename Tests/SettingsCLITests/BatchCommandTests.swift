import Foundation
import Testing
import TestSupport

/// Many edits of standard input in one write.
struct BatchCommandTests {
  let home = ScratchHome()
  private let app = "org.example.test"
  private var file: String { home.path + "/f.toml" }

  /// - Parameter limit: The processor time after which it is killed, in seconds.
  private func batch(
    _ input: String, _ words: String..., target: String = "./f.toml", limit: Int? = nil
  ) throws -> ChildProcess.Result {
    let start = (limit.map { "ulimit -t \($0); " } ?? "") + "exec \"$@\""
    return try ChildProcess.run(
      "/bin/sh", ["-c", start, "sh", ChildProcess.product("settings-cli"), "batch", target] + words,
      environment: home.environment, input: input, directory: home.path)
  }

  private func writeSchema() throws {
    try home.write(
      """
      app = "\(app)"
      [keys.theme]
      type = "string"
      choices = ["light", "dark"]
      [keys."font.size"]
      type = "float"
      maximum = 72
      formerly = ["size"]
      [keys.since]
      type = "offset-date-time"
      [keys.recent]
      type = "array"
      elements = { type = "string" }
      [keys."sync.token"]
      type = "string"
      secret = true

      """, to: home.path + "/data/app-settings/\(app).toml")
  }

  @Test func `every kind of edit is made, in order, in one write, and answered`() throws {
    try home.write("# c\na = 1   # one\ngone = 1\nlist = [\"x\", \"y\"]\n", to: file)
    let result = try batch(
      """
      {"set":"a","value":2}
      {"set": ["t", "eu.west", "url"], "value": "é\\u0041"}

      {"unset":"gone"}
      {"unset":"gone"}
      {"append":"list","value":"z"}
      {"remove":"list","value":"x"}
      {"append":"new","value":{"k":[1,2.5,true]}}
      {"set":"day","toml":"2026-11-22"}
      {"get":"list"}
      {"get":"day"}
      {"set":"a","value":2}

      """)
    #expect(result.error.isEmpty && result.status == 0)
    #expect(
      result.output == """
        {"line":1,"ok":true,"key":"a","changed":true}
        {"line":2,"ok":true,"key":"t.\\"eu.west\\".url","changed":true}
        {"line":4,"ok":true,"key":"gone","changed":true}
        {"line":5,"ok":true,"key":"gone","changed":false}
        {"line":6,"ok":true,"key":"list","changed":true}
        {"line":7,"ok":true,"key":"list","changed":true}
        {"line":8,"ok":true,"key":"new","changed":true}
        {"line":9,"ok":true,"key":"day","changed":true}
        {"line":10,"ok":true,"key":"list","value":["y","z"]}
        {"line":11,"ok":true,"key":"day","value":"2026-11-22"}
        {"line":12,"ok":true,"key":"a","changed":false}

        """)
    let text = try #require(home.text(of: file))
    #expect(text.hasPrefix("# c\na = 2   # one\nlist = [\"y\", \"z\"]\n"), "\(text)")
    #expect(text.contains("day = 2026-11-22\n") && text.contains("url = \"éA\"\n") && !text.contains("gone"))
  }

  @Test func `if one line is refused, nothing is written, and each line says so`() throws {
    try home.write("a = 1\n", to: file)
    let result = try batch(
      """
      {"set":"a","value":2}
      {"set":"b","value":null}
      {"set":"c.d","value":[1,null]}
      {"append":"a","value":1}
      {"get":"a"}
      {"get":"b"}
      nonsense
      {"set":"b","vale":1}

      """)
    #expect(result.status == 4 && result.error.isEmpty)
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines[0] == #"{"line":1,"ok":false,"key":"a","message":"Not written, because line 2 is refused."}"#)
    #expect(lines[1].hasPrefix(#"{"line":2,"ok":false,"status":4,"message":"Cannot set 'b': TOML has no null"#))
    #expect(lines[2].contains(#""status":4,"message":"Cannot set 'c.d': TOML has no null, as in 'value[1]'"#))
    #expect(lines[3].contains(#""key":"a","status":4,"message":"Cannot change the elements of 'a': it has an integer"#))
    #expect(lines[4] == #"{"line":5,"ok":true,"key":"a","value":2}"#)
    #expect(lines[5] == #"{"line":6,"ok":false,"key":"b","status":1,"message":"'b' has no value."}"#)
    #expect(lines[6].hasPrefix(#"{"line":7,"ok":false,"status":2,"message":"The line is not an edit: "#))
    #expect(
      lines[7]
        == #"{"line":8,"ok":false,"status":2,"message":"The line is not an edit: it has an unknown member \"vale\"."}"#)
    #expect(home.text(of: file) == "a = 1\n")
  }

  @Test(arguments: ["9223372036854775808", "\"18446744073709551615\"", "[9223372036854775808]"])
  func `a number that only an unsigned integer has is refused where another type is needed`(_ value: String) throws {
    try writeSchema()
    let result = try batch(#"{"set":"font.size","value":\#(value)}"#, target: app, limit: 5)
    #expect(result.status == 4 && !result.wasKilled, "\(result)")
    #expect(result.output.contains(#""status":4,"message":"Cannot set 'font.size' to "#), "\(result)")
  }

  @Test func `with --keep-going the other edits are written`() throws {
    let result = try batch(
      "{\"set\":\"a\",\"value\":1}\n{\"set\":\"a.b\"}\n{\"set\":\"c\",\"value\":3}", "--keep-going")
    #expect(result.status == 2)
    #expect(home.text(of: file) == "a = 1\nc = 3\n")
    #expect(result.output.split(separator: "\n").map { $0.contains("\"ok\":true") } == [true, false, true])
  }

  @Test(arguments: [0, 1]) func `a key below a value that is no table is refused in the answer to its line`(
    _ before: Int
  ) throws {
    try home.write("a = 1\n", to: file)
    let result = try batch(
      String(repeating: "{\"set\":\"c\",\"value\":3}\n", count: before) + "{\"set\":\"a.b\",\"value\":1}")
    #expect(result.status == 3 && result.error == "", "\(result)")
    let answers = result.output.split(separator: "\n")
    #expect(answers.count == before + 1 && answers.last?.contains("\"key\":\"a.b\",\"status\":3,") == true, "\(result)")
    #expect(home.text(of: file) == "a = 1\n")
  }

  @Test func `a text that is not one TOML value is refused with the reason, and not shown`() throws {
    for (text, reason) in [("99999999999999999999", "does not fit in 64 bits"), ("[1, 77", "is never closed")] {
      let result = try batch("{\"set\":\"a\",\"toml\":\"\(text)\"}\n")
      #expect(result.status == 4 && result.output.contains(reason), "\(result.output)")
      #expect(!result.output.contains(text) && home.text(of: file) == nil)
    }
  }

  @Test func `a refused line takes nothing of the one before, and a value has its own notation`() throws {
    try home.write("scale = 1.5\n", to: file)
    let result = try batch(
      "{\"set\":\"scale\",\"toml\":\"1.20\"}\n{\"remove\":\"scale\",\"toml\":\"9\"}\n"
        + "{\"set\":\"q\",\"toml\":\"0x10\"}\n{\"set\":\"q\",\"value\":17}\n{\"set\":\"r\",\"toml\":\"0x10\"}",
      "--keep-going")
    #expect(result.status == 4)
    #expect(home.text(of: file) == "scale = 1.20\nq = 17\nr = 0x10\n")
  }

  @Test(arguments: [
    ("[1]", "it is not an object"), ("{}", "it needs exactly one of"),
    ("{\"set\":\"a\",\"get\":\"b\",\"value\":1}", "it needs exactly one of"),
    ("{\"set\":\"a\"}", "it needs \"value\" or \"toml\""), ("{\"set\":1,\"value\":1}", "a key is a string"),
    ("{\"set\":[],\"value\":1}", "a key is a string"), ("{\"set\":\"a\",\"value\":1,\"toml\":\"1\"}", "it has both"),
    ("{\"set\":\"a\",\"toml\":1}", "\"toml\" is a string"), ("{\"get\":\"a\",\"value\":1}", "an unknown member"),
    ("{\"set\":\"a..b\",\"value\":1}", "Invalid key"), ("{\"set\":\"settings-version\",\"value\":1}", "are reserved"),
    ("{\"set\":\"a\",\"value\":1", "the text is not JSON"), ("{\"set\":\"a\",\"value\":01}", "the text is not JSON"),
  ])
  func `a line that is not an edit is named, with what is wrong`(_ line: String, _ reason: String) throws {
    let result = try batch("{\"set\":\"x\",\"value\":1}\n\n" + line + "\n")
    #expect(result.status == 2)
    let answer = try #require(result.output.split(separator: "\n").last)
    let message = try #require(
      try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any])
    #expect(message["line"] as? Int == 3 && (message["message"] as? String)?.contains(reason) == true, "\(answer)")
    #expect(home.text(of: file) == nil)
  }

  @Test func `numbers are exact, and dates come from strings where the schema or the value says so`() throws {
    try home.write("f = 1.5\nwhen = 2026-01-01\n", to: file)
    let lines = """
      {"set":"i","value":9223372036854775807}
      {"set":"e","value":1e300}
      {"set":"f","value":3}
      {"set":"when","value":"2026-02-02"}
      {"set":"x","toml":"0x1F"}

      """
    #expect(try batch(lines).status == 0)
    let text = try #require(home.text(of: file))
    #expect(text.contains("x = 0x1F\n"))
    #expect(text.contains("i = 9223372036854775807\n") && text.contains("f = 3.0\n"))
    #expect(text.contains("when = 2026-02-02\n") && text.contains("e = 1e+300") || text.contains("1.0e300"), "\(text)")
    try writeSchema()
    let result = try batch(
      "{\"set\":\"since\",\"value\":\"2026-11-22T10:00:00Z\"}\n{\"set\":\"font.size\",\"value\":12}\n", target: app)
    #expect(result.status == 0)
    #expect(home.text()?.contains("since = 2026-11-22T10:00:00Z") == true, "\(home.text() ?? "")")
  }

  @Test func `the schema's rules and locks hold for each line, and no secret is in a message`() throws {
    try writeSchema()
    try home.write("size = 9.0\ntheme = \"dark\"\n")
    try home.write(
      "settings-locked = [\"recent\"]\n", to: home.path + "/etc/xdg/\(app)/settings.toml")
    let result = try batch(
      """
      {"set":"theme","value":"red"}
      {"set":"thme","value":"dark"}
      {"set":"recent","value":["a"]}
      {"set":"font.size","value":100}
      {"set":"sync.token","value":12345}
      {"unset":"thme"}
      {"set":"theme","value":"light"}

      """, target: app)
    let statuses = try result.output.split(separator: "\n").map {
      try (JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["status"] as? Int
    }
    #expect(statuses == [4, 3, 5, 4, 4, 3, nil], "\(result)")
    #expect(result.status == 4 && !result.output.contains("12345"))
    #expect(try batch("{\"set\":\"thme\",\"value\":\"x\"}\n", "--create", target: app).status == 0)
    // A former name moves with the first edit of the key, once.
    #expect(
      try batch("{\"set\":\"font.size\",\"value\":10}\n{\"set\":\"font.size\",\"value\":11}\n", target: app).status == 0
    )
    #expect(home.text()?.contains("size = 9.0") == false && home.text()?.contains("size = 11") == true)
  }

  @Test func `edits of one path, and of tables around it, have the effect of one after the other`() throws {
    try home.write("a = 1\nt = { x = 1 }\nv = { x = 1 }\n", to: file)
    let result = try batch(
      """
      {"set":"a","value":2}
      {"unset":"a"}
      {"set":"a","value":3}
      {"set":"t.y","value":1}
      {"set":"t","value":{"z":1}}
      {"set":"t.y","value":2}
      {"unset":"t.z"}
      {"get":"t"}
      {"set":"u","value":1}
      {"unset":"u"}
      {"set":"v","value":{"y":1}}
      {"set":"v.z","value":1}
      {"set":"v","value":{"w":1}}

      """)
    #expect(result.status == 0 && result.output.contains("\"value\":{\"y\":2}"), "\(result)")
    #expect(home.text(of: file) == "a = 3\nt = { y = 2 }\nv = { w = 1 }\n")
  }

  @Test func `a dry run shows one diff, and what is refused on standard error`() throws {
    try home.write("a = 1\n", to: file)
    let shown = try batch("{\"set\":\"a\",\"value\":2}\n{\"set\":\"b\",\"value\":3}\n", "--dry-run")
    #expect(shown.status == 0 && shown.output.hasSuffix("@@ -1 +1,2 @@\n-a = 1\n+a = 2\n+b = 3\n"), "\(shown)")
    let refused = try batch("{\"set\":\"a\",\"value\":2}\n{\"set\":\"b\"}\n", "--dry-run")
    #expect(refused.status == 2 && refused.output.isEmpty && refused.error.contains("Line 2: The line is not"))
    #expect(home.text(of: file) == "a = 1\n")
  }

  @Test func `an input of more than 16 MiB is refused, and an empty one changes nothing`() throws {
    let result = try batch("{\"set\":\"a\",\"value\":\"" + String(repeating: "x", count: 16 << 20) + "\"}\n")
    #expect(result.status == 2 && result.error.contains("more than 16 MiB"))
    #expect(try batch("\n \n") == ChildProcess.Result(status: 0, output: "", error: ""))
    #expect(home.text(of: file) == nil)
  }

  @Test func `ten thousand edits are one write, quickly`() throws {
    try home.write((0..<10_000).map { "k\($0) = \($0)   # c\n" }.joined(), to: file)
    let lines = (0..<10_000).map { index in
      switch index % 4 {
      case 0: "{\"set\":\"k\(index)\",\"value\":\(index + 1)}\n"
      case 1: "{\"unset\":\"k\(index)\"}\n"
      case 2: "{\"set\":\"t\(index % 40).n\(index)\",\"value\":\"x\"}\n"
      default: "{\"append\":\"list\",\"value\":\(index)}\n"
      }
    }
    // Debug builds take some ten times as long as others.
    let result = try batch(lines.joined(), limit: 60)
    #expect(result.status == 0 && result.output.split(separator: "\n").count == 10_000, "\(result.error)")
    let text = try #require(home.text(of: file))
    #expect(text.contains("k0 = 1   # c\n") && !text.contains("k1 = "))
  }

  @Test func `a field that the schema does not have is refused in every notation`() throws {
    let test = try SchemaHome()
    try test.done("set", test.app, "hosts", "{ a = { port = 1 } }")
    for line in [
      #"{"set":"hosts","value":{"a":{"prot":2}}}"#, #"{"set":"hosts","toml":"{ a = { prot = 2 } }"}"#,
      #"{"set":"sync","value":{"tokn":"x"}}"#,
    ] {
      try test.home.write(line + "\n", to: test.home.path + "/lines")
      let result = try ChildProcess.run(
        "/bin/sh", ["-c", "'\(ChildProcess.product("settings-cli"))' batch \(test.app) < lines"],
        environment: test.home.environment, directory: test.home.path)
      #expect(result.status == 3 && result.output.contains("Did you mean"), "\(result)")
    }
  }

  @Test func `edits of one key under two names follow each other, and one that cannot be made stops no other`() throws {
    let test = try SchemaHome()
    func batch(_ lines: String, _ words: String = "") throws -> ChildProcess.Result {
      try test.home.write(lines, to: test.home.path + "/lines")
      return try ChildProcess.run(
        "/bin/sh", ["-c", "'\(ChildProcess.product("settings-cli"))' batch \(words) < lines"],
        environment: test.home.environment, directory: test.home.path)
    }
    let lines = [("font_size", 20), ("editor.font-size", 30), ("font_size", 40)].map {
      #"{"set":"\#($0)","value":\#($1)}"#
    }
    #expect(try batch(lines.joined(separator: "\n"), test.app).status == 0)
    #expect(test.home.text() == "[editor]\nfont-size = 40\n")
    #expect(try test.run("set", test.app, "font_size=10", "editor.font-size=11").status == 0)
    try test.home.write("d = 1\n", to: test.home.path + "/x.toml")
    let kept = try batch(
      "{\"set\":\"a\",\"value\":1}\n{\"set\":\"d.e\",\"value\":2}\n{\"set\":\"c\",\"value\":3}\n",
      "./x.toml --keep-going")
    #expect(kept.status == 3 && kept.output.split(separator: "\n").count == 3, "\(kept)")
    #expect(test.home.text(of: test.home.path + "/x.toml") == "d = 1\na = 1\nc = 3\n")
  }

  @Test func `what removes nothing below a value does not let the next edit set a key there`() throws {
    try home.write("a = \"x\"\n", to: file)
    let set = #"{"set":"a.b","value":1}"#
    for lines in [[set], [#"{"unset":"a.b"}"#, set], [#"{"unset":"a.b"}"#, set, #"{"unset":"a.b"}"#]] {
      let result = try batch(lines.joined(separator: "\n"))
      #expect(result.status == 3 && result.error == "", "\(result)")
      #expect(result.output.contains("Cannot set 'a.b': 'a' is a string, and cannot have keys."), "\(result)")
    }
    #expect(home.text(of: file) == "a = \"x\"\n")
  }
}
