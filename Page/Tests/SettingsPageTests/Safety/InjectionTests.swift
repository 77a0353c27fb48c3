import AppSettings
import Testing

@testable import SettingsPage

@Test(arguments: [
  "--help", "-x", "--version", "..", ".", ".hidden", "", "a/b", "../x", "/etc/passwd", "./settings.toml", "a\u{0}b",
  "a\nb",
  String(repeating: "a", count: 300),
]) func `what is not an app's id reaches no command`(_ name: String) async throws {
  let server = try await TestServer()
  for path in ["", "/history", "/drop-in", "/keys/theme"] {
    let answer = try await server.ask("GET", "/api/apps/\(PercentEncoding.encode(name))\(path)")
    #expect(answer.status == 400, "\(answer.text)")
  }
  #expect(try await server.ask("GET", "/api/events?app=\(PercentEncoding.encode(name))").status == 400)
  try await server.end()
}

@Test(arguments: ["--help", "-x", "", "a\u{0}b", "a\nb", String(repeating: "a", count: 5000)])
func `what is not a key reaches no command`(_ key: String) async throws {
  let server = try await TestServer()
  let answer = try await server.ask("GET", "/api/apps/\(TestHome.app)/keys/\(PercentEncoding.encode(key))")
  #expect(answer.status == 400, "\(answer.text)")
  try await server.end()
}

@Test func `a path that is not encoded, or goes upwards, leads nowhere`() async throws {
  let server = try await TestServer()
  for path in [
    "/../etc/passwd", "/page.css/../../x", "/%2e%2e/x", "//etc/passwd", "/api/apps/../../x", "/api/apps/a/", "/api",
    "/api/apps/\(TestHome.app)/history/1/text/x", "/index.html", "/PAGE.css",
  ] {
    #expect(try await server.ask("GET", path).status == 404, "\(path)")
  }
  for path in [
    "/api/apps/%zz", "/api/apps/%ff", "/api/apps/%", "/api/apps?x=1", "/api/find?q=%zz", "/api/find?q=a&q=b",
  ] {
    #expect(try await server.ask("GET", path).status == 400, "\(path)")
  }
  #expect(try await server.ask("DELETE", "/api/apps").status == 405)
  #expect(try await server.ask("POST", "/").status == 405)
  try await server.end()
}

@Test func `no value, key or name is read by a shell`() async throws {
  let server = try await TestServer()
  let body = #"{"edits": [{"set": "note", "value": "$(touch x); `touch y` 'z' \"--help\""}], "create": true}"#
  #expect(try await server.json("POST", "/api/apps/\(TestHome.app)/edits", body: body)["error"] == nil)
  let key = try await server.json("GET", "/api/apps/\(TestHome.app)/keys/note")
  #expect(key["value"]?.text == #"$(touch x); `touch y` 'z' "--help""#)
  let document = #"{"target": "\#(TestHome.app)", "keys": [{"key": "note", "value": "$(x)'y'"}]}"#
  let command = CommandLines(of: try JSONTree(parsing: Array(document.utf8))).all.first?.command
  #expect(command == "settings-cli set \(TestHome.app) 'note=$(x)'\\''y'\\''' --type string\n")
  try await server.end()
}
