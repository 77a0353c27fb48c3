import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension CommandTests {
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

    @Test func `a batch that says no document, or a wrong one, writes nothing`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let none = try await ada.run(["batch"], input: #"{"set": "a", "value": 1}"#)
        #expect(none.status == 2 && none.error.contains("Line 1: no document is chosen."), "\(none)")
        let wrong = try await ada.run(["batch"], input: "{\"app\": \"\(fleet.app)\", \"group\": \"../x\"}")
        #expect(wrong.status == 2 && wrong.error.contains("Line 1: Invalid value '../x'"), "\(wrong)")
        let both = try await ada.run(["batch"], input: "{\"app\": \"\(fleet.app)\", \"group\": \"x\", \"host\": \"y\"}")
        #expect(both.status == 2 && both.error.contains("Use one of"), "\(both)")
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
