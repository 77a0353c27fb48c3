import SettingsFleet
import Testing

struct FleetKeyTests {
  static let long = String(repeating: "a", count: 253)
  static let longGroup = String(repeating: "a", count: 200)

  @Test(arguments: [
    "/app-settings/1/org.example.editor/all/v1",
    "/app-settings/1/editor/all/v9223372036854775807",
    "/app-settings/1/editor/group/web/v3",
    "/app-settings/1/\(longGroup)/group/\(longGroup)/v3",
    "/app-settings/1/editor/group/web/v3/signature",
    "/app-settings/1/editor/group/web/v3/successor",
    "/app-settings/1/editor/group/web/v3/change",
    "/app-settings/1/editor/all/v3/applied",
    "/app-settings/1/editor/host/a1.example.org/v3",
    "/app-settings/1/editor/host/\(long)/v1/signature",
    "/app-settings/1/all/all/v1",
    "/app-settings/1/rollout/rollout",
    "/app-settings/1/.accept",
    "/app-settings-acks/1/editor/0f3a",
  ])
  func `a key is read and written back as it is`(text: String) {
    #expect(FleetKey(Array(text.utf8))?.text == text)
  }

  @Test(arguments: [
    "", "/", "/app-settings/1/", "/app-settings/1/editor", "/app-settings/1/editor/", "/app-settings/1/editor/all",
    "/app-settings/1/editor/all/", "/app-settings/1/editor/all/v", "/app-settings/1/editor/all/v0",
    "/app-settings/1/editor/all/v01", "/app-settings/1/editor/all/v-1", "/app-settings/1/editor/all/v+1",
    "/app-settings/1/editor/all/v1/", "/app-settings/1/editor/all/v1/signature/",
    "/app-settings/1/editor/all/v1/text", "/app-settings/1/editor/all/v1//", "/app-settings/1/editor/all/v1 ",
    "/app-settings/1/editor/all/v9223372036854775808", "/app-settings/1/editor/all/v1e3",
    "/app-settings/1/editor/all/v99999999999999999999999999999999999999", "/app-settings/1/editor/all/V1",
    "/app-settings/1/../all/v1", "/app-settings/1/a..b/all/v1", "/app-settings/1/.hidden/all/v1",
    "/app-settings/1/-rf/all/v1", "/app-settings/1/_x/all/v1", "/app-settings/1/x.TOML/all/v1",
    "/app-settings/1//all/v1",
    "/app-settings/1/editor/group//v1", "/app-settings/1/editor/group/../v1", "/app-settings/1/editor/group/a/b/v1",
    "/app-settings/1/editor/host/-a/v1", "/app-settings/1/editor/host/.a/v1", "/app-settings/1/editor/host/a\u{0}/v1",
    "/app-settings/1/editor/host/\u{e4}/v1", "/app-settings/1/editor/host/\u{212a}/v1",
    "/app-settings/1/editor/host/\(long)a/v1", "/app-settings/1/editor/group/\(longGroup)a/v1",
    "/app-settings/1/\(longGroup)a/all/v1", "/app-settings/1/editor/rollout/v1", "/app-settings/1/editor/rollout/",
    "/app-settings/1/.accept/", "/app-settings/1/accept", "/app-settings/2/editor/all/v1",
    "/app-settings/01/editor/all/v1", "app-settings/1/editor/all/v1", "//app-settings/1/editor/all/v1",
    "/app-settings-acks/1/editor", "/app-settings-acks/1/editor/../x", "/app-settings-acks/1/editor/m/x",
    "/app-settings-acks/1/.accept", "/APP-settings/1/editor/all/v1",
  ])
  func `a key of another form is none`(text: String) {
    #expect(FleetKey(Array(text.utf8)) == nil)
  }

  @Test func `no key leads a file out of its directory`() {
    var random = Numbers(seed: Seeds.list(short: 1, full: 1)[0])
    let parts = [
      "editor", "..", ".", "", "all", "group", "host", "web", "v1", "a/b", "\u{0}", "x\n", "%2e%2e", "-", "~",
    ]
    for _ in 0..<5000 {
      let key = "/app-settings/1/" + (0..<random.number(1...5)).map { _ in random.pick(parts) }.joined(separator: "/")
      guard case .part(.text, let document, _)? = FleetKey(Array(key.utf8)) else { continue }
      let path = document.path.split(separator: "/", omittingEmptySubsequences: false)
      #expect(path.count == 3 && path[1] == "settings.d" && !path.contains("..") && !path.contains("."), "\(key)")
      #expect(DocumentScope(fileName: path[2], host: "web") != nil)
    }
  }

  @Test func `a range ends after its last key`() {
    #expect(FleetNames.end(ofPrefix: "/a/") == Array("/a0".utf8))
    #expect(String(decoding: FleetNames.end(ofPrefix: FleetNames.prefix), as: UTF8.self) == "/app-settings/10")
  }

  @Test(arguments: ["10-all.toml", "20-group-web.toml", "20-group-10-all.toml.toml", "30-host.toml"])
  func `a file's name is read and written back`(name: String) {
    #expect(DocumentScope(fileName: name, host: "a1")?.fileName == name)
  }

  @Test(arguments: [
    "", "10-all", "10-all.toml~", ".10-all.toml", "20-group-.toml", "20-group-a b.toml", "20-group-..toml",
    "20-group-\(long).toml", "30-host-a1.toml", "99-mine.toml",
  ])
  func `a file that no mirror makes has no scope`(name: String) {
    #expect(DocumentScope(fileName: name, host: "a1") == nil)
  }

  @Test func `a machine ignores what is not for it`() throws {
    let machine = Fixture.machine(host: "a1", groups: ["web"], apps: ["editor"])
    func concerns(_ key: String) throws -> Bool {
      machine.isConcerned(by: try #require(FleetKey(Array(key.utf8))))
    }
    #expect(try concerns("/app-settings/1/editor/all/v1"))
    #expect(try concerns("/app-settings/1/editor/group/web/v1/signature"))
    #expect(try concerns("/app-settings/1/editor/host/a1/v7"))
    #expect(try concerns("/app-settings/1/editor/rollout"))
    #expect(try concerns("/app-settings/1/.accept"))
    #expect(try !concerns("/app-settings/1/editor/group/db/v1"))
    #expect(try !concerns("/app-settings/1/editor/host/a2/v1"))
    #expect(try !concerns("/app-settings/1/player/all/v1"))
    #expect(try !concerns("/app-settings-acks/1/editor/m1"))
  }

  @Test func `a machine with an invalid name is refused`() {
    for name in ["", "..", "a/b", "-a", ".a", "a b", "a\u{0}", "\u{e4}"] {
      #expect(throws: FleetProblem.self) { try Machine(id: name, host: "a") }
      #expect(throws: FleetProblem.self) { try Machine(id: "a", host: name) }
      #expect(throws: FleetProblem.self) { try Machine(id: "a", host: "a", groups: [name]) }
      #expect(throws: FleetProblem.self) { try Machine(id: "a", host: "a", apps: [name]) }
    }
    #expect(throws: FleetProblem.self) { try Machine(id: "a", host: "a", groups: (0..<65).map { "g\($0)" }) }
  }
}
