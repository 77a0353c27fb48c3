import AppSettings
import Testing

@testable import SettingsPage

private let app = "/api/apps/\(TestHome.app)"
private let secret = "hunter2-correct-horse"

@Test func `a secret is in no answer and in no event`() async throws {
  let server = try await TestServer()
  let client = try await server.events(of: TestHome.app)
  var answers: [TestAnswer] = []
  func ask(_ method: String, _ path: String, _ body: String? = nil) async throws {
    answers.append(try await server.ask(method, path, body: body))
  }
  try await ask("POST", "\(app)/edits", #"{"edits": [{"set": "token", "value": "\#(secret)"}]}"#)
  #expect(server.home.read(server.home.settings)?.contains(secret) == true)
  try await ask("POST", "\(app)/edits", #"{"edits": [{"set": "size", "value": 20}], "dryRun": true}"#)
  try await ask("POST", "\(app)/edits", #"{"edits": [{"set": "token", "value": ["\#(secret)"]}]}"#)
  try await ask("POST", "\(app)/edits", #"{"edits": [{"set": "token", "toml": "'\#(secret)"}]}"#)
  try await ask("POST", "\(app)/edits", #"{"edits": [{"set": "token", "value": "\#(secret)2"}], "dryRun": true}"#)
  try await ask("POST", "\(app)/rename", #"{"from": "token", "to": "theme"}"#)
  try await ask("PUT", "\(app)/text", #"{"text": "token = \"\#(secret)3\"\nsize = 2\n"}"#)
  try await ask("PUT", "\(app)/text", #"{"text": "token = '\#(secret)3\n"}"#)
  for path in ["", "/keys/token", "/history", "/history?key=token", "/drop-in", "/history/1/text", "?layer=user"] {
    try await ask("GET", app + path)
  }
  try await ask("GET", "/api/find?q=hunter2")
  try await ask("GET", "/api/find?q=token")
  try await ask("POST", "\(app)/undo", #"{"key": "token", "dryRun": true}"#)
  try await ask("POST", "\(app)/edits", #"{"edits": [{"set": "size", "value": 30}]}"#)
  for answer in answers { #expect(!answer.text.contains("hunter2-"), "\(answer.text)") }
  // The events up to the last change.
  while let event = await client.event() {
    let text = event.data.json
    #expect(!text.contains("hunter2"), "\(text)")
    if text.contains("30") { break }
  }
  try await server.end()
}

@Test func `without a schema that can be used nothing is shown, since a secret could be`() async throws {
  let home = try TestHome()
  try home.write("# mine\ntoken = \"\(secret)\"\n", to: home.settings)
  let server = try await TestServer(home: home)
  let client = try await server.events(of: TestHome.app)
  try home.write("app = [\n", to: "data/app-settings/\(TestHome.app).toml")
  for path in ["", "/keys/token", "/history", "/drop-in"] {
    let answer = try await server.ask("GET", app + path)
    #expect(answer.status == 422 || path == "/history", "\(path): \(answer.text)")
    #expect(!answer.text.contains("hunter2"), "\(path): \(answer.text)")
  }
  let found = try await server.ask("GET", "/api/find?q=hunter2")
  #expect(!found.text.contains("\"value\":\"hunter2"), "\(found.text)")
  // The schema's event may come first, in one line with the change or apart.
  try home.write("# mine\ntoken = \"\(secret)2\"\n", to: home.settings)
  while let event = await client.event() {
    let text = event.data.json
    #expect(!text.contains("hunter2"), "\(text)")
    if text.contains("\"key\":\"token\"") { break }
  }
  try await server.end()
}
