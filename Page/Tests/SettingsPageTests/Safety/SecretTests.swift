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
    let text = String(decoding: event.data.bytes, as: UTF8.self)
    #expect(!text.contains("hunter2"), "\(text)")
    if text.contains("30") { break }
  }
  try await server.end()
}
