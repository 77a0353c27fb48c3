import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension CommandTests.Writers {
  struct BatchTests {
    private static let schema = """
      [keys.port]
      type = "integer"
      maximum = 65535
      [keys.theme]
      type = "string"

      """

    @Test func `documents are stored in one transaction`() async throws {
      try await Fleet.with { fleet in
        try fleet.schema(Self.schema)
        let ada = try fleet.person()
        let answer = try await ada.run(
          ["batch", fleet.app],
          input: """
            {"set": "port", "value": 80}
            {"app": "\(fleet.app)", "group": "lab"}

            {"set": "theme", "value": "dark"}
            {"app": "\(fleet.app)"}
            {"set": "port", "value": 81}
            {"get": "port"}

            """)
        #expect(
          answer.output == """
            {"line":1,"ok":true,"key":"port","changed":true}
            {"line":4,"ok":true,"key":"theme","changed":true}
            {"line":6,"ok":true,"key":"port","changed":true}
            {"line":7,"ok":true,"key":"port","value":81}

            """)
        #expect(answer.status == 0 && answer.error.isEmpty, "\(answer)")
        let items = try await items(of: fleet)
        #expect(items.count == 4 && Set(items.map(\.modRevision)).count == 1)
        let texts = Set(items.map { String(decoding: $0.value, as: UTF8.self) })
        #expect(texts.isSuperset(of: ["port = 81\n", "theme = \"dark\"\n"]), "\(texts)")
        let log = try await ada.run("log", fleet.app, "--group", "lab")
        #expect(log.output.contains("batch"), "\(log)")
      }
    }

    @Test func `a value that is nested as deep as can be is answered`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let deep = String(repeating: "[", count: 126) + String(repeating: "]", count: 126)
        let answer = try await ada.run(
          ["batch", fleet.app, "--create"],
          input: """
            {"set": ["a", "b", "c"], "value": \(deep)}
            {"get": "a"}
            {"get": ["a", "b", "c"]}

            """)
        #expect(answer.status == 0, "\(answer)")
        #expect(answer.output.contains(#"{"line":2,"ok":true,"key":"a","value":{"b":{"c":\#(deep)}}}"#), "\(answer)")
        #expect(answer.output.contains(#"{"line":3,"ok":true,"key":"a.b.c","value":\#(deep)}"#), "\(answer)")
      }
    }

    @Test func `if one line is refused, no document changes`() async throws {
      try await Fleet.with { fleet in
        try fleet.schema(Self.schema)
        let ada = try fleet.person()
        let answer = try await ada.run(
          ["batch"],
          input: """
            {"app": "\(fleet.app)"}
            {"set": "theme", "value": "light"}
            {"app": "\(fleet.app)", "host": "a1"}
            {"set": "port", "value": 1}
            {"set": "port", "value": 70000}
            """)
        #expect(answer.status == 4, "\(answer)")
        let lines = answer.output.split(separator: "\n")
        let unwritten = #""ok":false,"key":"theme","message":"Not written, because line 5 is refused."}"#
        #expect(lines.count == 3 && lines.first == #"{"line":2,"# + unwritten, "\(answer)")
        #expect(lines.last?.hasPrefix(#"{"line":5,"ok":false,"key":"port","status":4"#) == true, "\(answer)")
        #expect(try await items(of: fleet).isEmpty)
      }
    }

    @Test func `a batch with no document, or an invalid one, writes nothing`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let cases = [
          (#"{"set": "a", "value": 1}"#, "Line 1: no document is chosen."),
          (#"{"app": "APP", "group": "../x"}"#, "Line 1: Invalid value '../x'"),
          (#"{"app": "APP", "group": "x", "host": "y"}"#, "Line 1: Use one of"),
          (#"{"app": "APP", "grup": "x"}"#, "Line 1: 'grup' is unknown beside 'app': 'group' and 'host' are possible."),
          (#"{"app": "APP", "set": "a", "value": 1}"#, "Line 1: 'set' is unknown beside 'app'"),
          (#"{"app": "APP", "group": null}"#, "Line 1: 'group' has to be a string."),
          (#"{"app": 5}"#, "Line 1: 'app' has to be a string."),
          (#"{"app": "APP", "group": "x", "group": "y"}"#, "Line 1: Cannot read what chooses a document: "),
        ]
        for (line, message) in cases {
          // What comes before must not take the edit that follows, either.
          let line = line.replacingOccurrences(of: "APP", with: fleet.app)
          let answer = try await ada.run(["batch"], input: line + "\n{\"set\": \"a\", \"value\": 1}\n")
          #expect(answer.status == 2 && answer.error.contains(message), "\(line): \(answer)")
        }
        #expect(try await items(of: fleet).isEmpty)
      }
    }

    @Test func `a batch sets keys that the schema does not list only with --create`() async throws {
      try await Fleet.with { fleet in
        try fleet.schema(Self.schema)
        let ada = try fleet.person()
        let line = #"{"set": "unlisted", "value": 1}"# + "\n"
        let refused = try await ada.run(["batch", fleet.app], input: line)
        #expect(refused.status != 0 && refused.output.contains("unlisted"), "\(refused)")
        #expect(try await items(of: fleet).isEmpty)
        let answer = try await ada.run(["batch", fleet.app, "--create"], input: line)
        #expect(answer.status == 0, "\(answer)")
        #expect(try await ada.run("get", fleet.app, "unlisted").output == "1\n")
      }
    }

    @Test func `lines may begin and end as Windows has them`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let input = "\u{FEFF}{\"app\": \"\(fleet.app)\"}\r\n\r\n{\"set\": \"a\", \"value\": 1}\r\n"
        let answer = try await ada.run(["batch"], input: input)
        #expect(answer.output == #"{"line":3,"ok":true,"key":"a","changed":true}"# + "\n", "\(answer)")
        #expect(try await ada.run("get", fleet.app, "a").output == "1\n")
      }
    }

    @Test func `a group's edit sees what the batch makes of the document for all`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let (all, lab) = (#"{"app": "\#(fleet.app)"}"#, #"{"app": "\#(fleet.app)", "group": "lab"}"#)
        let answer = try await ada.run(
          ["batch", "--create"],
          input: """
            \(lab)
            {"append": "list", "value": "y"}
            \(all)
            {"append": "list", "value": "x"}

            """)
        #expect(answer.status == 0, "\(answer)")
        let list = try await ada.run("get", fleet.app, "list", "--group", "lab", "--json")
        #expect(list.output.contains(#""value":["x","y"]"#), "\(list)")
      }
    }

    @Test func `every document that is refused is named, and too much at once has its own words`() async throws {
      try await Fleet.with { fleet in
        try fleet.schema(Self.schema)
        let ada = try fleet.person()
        let large = String(repeating: "x", count: 700_000)
        let input = ["a", "b", "c"].map { host in
          "{\"app\": \"\(fleet.app)\", \"host\": \"\(host)\"}\n{\"set\": \"theme\", \"value\": \"\(large)\"}\n"
        }
        let tooMuch = try await ada.run(["batch"], input: input.joined())
        #expect(
          tooMuch.status == 4 && tooMuch.error.contains("at once") && tooMuch.error.contains("1400000"),
          "\(tooMuch.error)")
        let secret = "[keys.token]\ntype = \"string\"\nsecret = true\n"
        try fleet.schema(Self.schema + secret)
        let exposed = ["a", "b"].map { host in
          "{\"app\": \"\(fleet.app)\", \"host\": \"\(host)\"}\n{\"set\": \"token\", \"value\": \"hunter2\"}\n"
        }
        let refused = try await ada.run(["batch"], input: exposed.joined())
        #expect(refused.status == 4 && !refused.error.contains("hunter2"))
        for host in ["a", "b"] { #expect(refused.error.contains("host/\(host)"), "\(refused.error)") }
        #expect(try await items(of: fleet).isEmpty)
      }
    }

    @Test func `input that is not as long as its program says is refused`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let input = "{\"app\": \"\(fleet.app)\"}\n{\"set\": \"a\", \"value\": 1}\n"
        let cut = try await ada.run(
          ["batch"], input: input, adding: ["SETTINGS_CLI_INPUT_BYTES": "\(input.utf8.count + 1)"])
        #expect(cut.status == 7 && cut.error.contains("ended after \(input.utf8.count) bytes"), "\(cut)")
        #expect(try await items(of: fleet).isEmpty)
        let whole = try await ada.run(
          ["batch"], input: input, adding: ["SETTINGS_CLI_INPUT_BYTES": "\(input.utf8.count)"])
        #expect(whole.status == 0, "\(whole)")
      }
    }

    @Test func `batches of the same documents at the same time lose nothing`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
          for number in 0..<4 {
            group.addTask {
              let edit = "{\"set\": \"k\(number)\", \"value\": \(number)}\n"
              let (all, lab) = ("{\"app\": \"\(fleet.app)\"}\n", "{\"app\": \"\(fleet.app)\", \"group\": \"lab\"}\n")
              // In both orders, as two people would.
              let input = number % 2 == 0 ? all + edit + lab + edit : lab + edit + all + edit
              return try await ada.run(["batch"], input: input).status
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [0, 0, 0, 0])
        for words in [[], ["--group", "lab"]] {
          let list = try await ada.run(["export", fleet.app, "--json"] + words)
          #expect((0..<4).allSatisfy { list.output.contains("\"k\($0)\"") }, "\(list)")
        }
      }
    }

    @Test func `more documents than a transaction holds are refused in words`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let lines = (0..<65).map {
          "{\"app\": \"\(fleet.app)\", \"host\": \"h\($0)\"}\n{\"set\": \"a\", \"value\": 1}\n"
        }
        let answer = try await ada.run(["batch"], input: lines.joined())
        #expect(answer.status == 4 && answer.error.contains("takes 128 in a transaction. Nothing was written."))
        #expect(try await items(of: fleet).isEmpty)
      }
    }

    private func items(of fleet: Fleet) async throws -> [EtcdKeyValue] {
      try await fleet.cluster.withClient { client in
        try await client.rangeAll(EtcdRange(.prefix("/app-settings/1/\(fleet.app)/"))).keyValues
      }
    }
  }
}
