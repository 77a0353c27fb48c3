import AppSettings
import Glibc
import Testing

@testable import SettingsPage

private let app = "/api/apps/\(TestHome.app)"

@Test func `the files of the page are sent without a token`() async throws {
  let server = try await TestServer()
  #expect(Assets.paths.contains("/") && Assets.paths.contains("/page.css") && Assets.paths.contains("/page.js"))
  for path in Assets.paths {
    let answer = try await server.ask("GET", path, headers: ["Authorization": nil])
    #expect(answer.status == 200)
    #expect(!answer.body.isEmpty)
    #expect(!answer.text.contains(server.token))
  }
  try await server.end()
}

@Test func `the page names each script before another one does`() async throws {
  let server = try await TestServer()
  let page = try await server.ask("GET", "/").text
  for path in Assets.paths where path.hasSuffix(".js") {
    #expect(page.contains("<link rel=\"modulepreload\" fetchpriority=\"high\" href=\"\(path)\">\n"), "\(path)")
  }
  #expect(!page.contains("*.js"))
  try await server.end()
}

@Test func `apps are listed, and searched`() async throws {
  let server = try await TestServer()
  #expect(try await server.json("GET", "/api/apps").elements?.first?["app"]?.text == TestHome.app)
  let found = try await server.json("GET", "/api/find?q=colours+window")
  #expect(found.elements?.compactMap { $0["key"]?.text } == ["theme"])
  #expect(try await server.json("GET", "/api/find?q=-zzzz") == .array([]))
  #expect(try await server.json("GET", "/api/find", status: 400)["error"]?["message"]?.text != nil)
  try await server.end()
}

@Test func `a document comes with the digest of its file`() async throws {
  let server = try await TestServer()
  let answer = try await server.ask("GET", app)
  let document = try JSONTree(parsing: answer.body)
  #expect(answer.status == 200)
  #expect(document["text"]?.text?.hasPrefix("# mine") == true)
  #expect(answer["ETag"] == "\"\(try #require(document["digest"]?.text))\"")
  #expect(answer["Cache-Control"] == "no-store")
  #expect(try await server.json("GET", "\(app)?layer=user")["target"]?.text == TestHome.app)
  let missing = try await server.json("GET", "/api/apps/org.example.none", status: 404)
  #expect(missing["error"]?["status"]?.integer == 3)
  try await server.end()
}

@Test func `a key is described, also one that needs quotes`() async throws {
  let server = try await TestServer()
  let key = try await server.json("GET", "\(app)/keys/theme")
  #expect(key["value"] == "dark" && key["description"] == "The colours of the window.")
  try await server.home.command("set", TestHome.app, #""-odd key".x"#, "1", "--create")
  #expect(try await server.json("GET", "\(app)/keys/%22-odd%20key%22.x")["value"]?.integer == 1)
  let unknown = try await server.json("GET", "\(app)/keys/thema", status: 404)
  #expect(unknown["error"]?["message"]?.text?.contains("theme") == true)
  try await server.end()
}

@Test func `the history has what was changed, and former texts`() async throws {
  let server = try await TestServer()
  let before = try await server.json("GET", "\(app)/history")
  #expect(before.elements != nil)
  try await server.home.command("set", TestHome.app, "size", "15")
  try await server.home.command("set", TestHome.app, "size", "16")
  let entries = try #require(try await server.json("GET", "\(app)/history?key=size&limit=2").elements)
  #expect(entries.count == 2)
  let number = try #require(entries[1]["number"]?.integer)
  #expect(try await server.json("GET", "\(app)/history/\(number)/text")["text"]?.text?.contains("size = 15") == true)
  #expect(try await server.json("GET", "\(app)/history/999/text", status: 404)["error"] != nil)
  #expect(try await server.json("GET", "\(app)/history/--help/text", status: 400)["error"] != nil)
  #expect(try await server.json("GET", "\(app)/history?limit=-1", status: 400)["error"] != nil)
  try await server.end()
}

@Test func `the person's values are given as a drop-in and as commands`() async throws {
  let server = try await TestServer()
  try await server.home.command("set", TestHome.app, "token=hunter2")
  try await server.home.command("set", TestHome.app, "note=it's 1", "--create")
  let answer = try await server.json("GET", "\(app)/drop-in")
  #expect(answer["text"]?.text == "settings-version = 1\ntheme = \"dark\"\nsize = 14\nnote = \"it's 1\"\n")
  let commands = try #require(answer["commands"]?.text)
  #expect(
    commands == """
      settings-cli set \(TestHome.app) theme=dark --type string
      settings-cli set \(TestHome.app) size=14
      settings-cli set \(TestHome.app) 'note=it'\\''s 1' --create --type string

      """)
  let keys = try #require(answer["keys"]?.elements)
  #expect(keys.compactMap { $0["key"]?.text } == ["theme", "size", "note"])
  #expect(keys[1]["line"]?.text == "size = 14\n")
  #expect(keys.compactMap { $0["command"]?.text }.joined() == commands)
  try await server.end()
}

@Test func `a drop-in and commands of a profile have its own values alone`() async throws {
  let server = try await TestServer()
  try await server.home.command("profile", TestHome.app, "new", "work")
  try await server.home.command("profile", TestHome.app, "use", "work")
  try await server.home.command("set", TestHome.app, "size=20")
  let answer = try await server.json("GET", "\(app)/drop-in")
  #expect(answer["text"]?.text == "settings-version = 1\nsize = 20\n")
  #expect(answer["commands"]?.text == "settings-cli set \(TestHome.app) size=20\n")
  // The app uses what is below it as well.
  #expect(answer["keys"]?.elements?.compactMap { $0["line"]?.text } == ["theme = \"dark\"\n", "size = 20\n"])
  try await server.end()
}

@Test func `commands for keys and values that begin with a hyphen set them elsewhere`() async throws {
  let server = try await TestServer()
  let text = "-x = 1\n-y = \"-\"\nz = \"-\"\n"
  try server.home.write(text, to: server.home.settings)
  let commands = try #require(try await server.json("GET", "\(app)/drop-in")["commands"]?.text)
  #expect(
    commands == """
      settings-cli set \(TestHome.app) --create -- -x=1
      settings-cli set \(TestHome.app) --create --type string -- -y=-
      settings-cli set \(TestHome.app) --create --type string -- z=-

      """)
  try await server.end()
  try server.home.write("", to: server.home.settings)
  let elsewhere = commands.replacing("settings-cli set", with: "'\(TestHome.command)' set")
  #expect(try await server.home.run(["/bin/sh", "-ec", elsewhere]).status == 0)
  #expect(server.home.read(server.home.settings) == text)
}

@Test func `a drop-in of a file that changes meanwhile is refused`() async throws {
  let home = try TestHome()
  // The values, and the text of the drop-in, are two readings: after them the file is another one.
  try home.write(
    """
    #!/bin/sh
    case "$*" in 'get --digest '*) echo 0; exit ;; esac
    exec '\(TestHome.command)' "$@"

    """, to: "command")
  chmod("\(home.path)/command", 0o700)
  let server = try await TestServer(home: home, command: "\(home.path)/command")
  let answer = try await server.json("GET", "\(app)/drop-in", status: 409)
  #expect(answer["error"]?["status"] == .null)
  #expect(answer["error"]?["message"]?.text?.contains("changed while it was being read") == true)
  try await server.end()
}

@Test func `a path is served only if the server was started with it`() async throws {
  let home = try TestHome()
  try home.write("lamp = true\n", to: "room.toml")
  let path = "\(home.path)/room.toml"
  let server = try await TestServer(home: home, target: path)
  let document = try await server.json("GET", "/api/apps/\(PercentEncoding.encode(path))")
  #expect(document["text"] == "lamp = true\n")
  let other = PercentEncoding.encode("\(home.path)/\(home.settings)")
  #expect(try await server.json("GET", "/api/apps/\(other)", status: 400)["error"] != nil)
  try await server.end()
}
