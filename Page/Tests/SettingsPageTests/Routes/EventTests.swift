import AppSettings
import SettingsTools
import Testing

@testable import SettingsPage

private let app = "/api/apps/\(TestHome.app)"

@Test func `a stream tells of changes by anyone, with their authors`() async throws {
  let server = try await TestServer()
  let (one, two) = (try await server.events(of: TestHome.app), try await server.events(of: TestHome.app))
  try await server.home.command("set", TestHome.app, "size", "15")
  for client in [one, two] {
    let event = try #require(await client.event())
    #expect(event.name == "change")
    #expect(event.data["changes"]?.elements?.first?["new"]?.integer == 15)
    #expect(event.data["entry"]?["by"] == "settings-cli")
  }
  // A comment alone, as an editor writes it.
  try server.home.write("# yours\nsize = 15\ntheme = \"dark\"\n", to: server.home.settings)
  let event = try #require(await one.event())
  #expect(event.name == "change" && event.data["text"]?.flag == true)
  #expect(event.data["digest"] == (try await server.json("GET", app)["digest"]))
  try await server.end()
  // The server's end is the streams' end.
  while await two.event() != nil {}
}

@Test func `a trial is taken back when its time is up`() async throws {
  let server = try await TestServer()
  let client = try await server.events(of: TestHome.app)
  let body = #"{"edits": [{"set": "size", "value": 20}], "tryFor": 1}"#
  let answer = try await server.json("POST", "\(app)/edits", body: body)
  let id = try #require(answer["trial"]?.text)
  var states: [String] = []
  while states.last != "undone", let event = await client.event() {
    if event.name == "trial" {
      #expect(event.data["id"]?.text == id && event.data["keys"]?.elements == ["size"])
      states.append(event.data["state"]?.text ?? "")
    }
  }
  #expect(states == ["started", "undone"])
  #expect(server.home.read(server.home.settings)?.contains("size = 14") == true)
  #expect(server.home.names(in: "state/app-settings/page").isEmpty)
  #expect(try await server.json("POST", "\(app)/trials/\(id)/keep", body: "{}", status: 404)["error"] != nil)
  try await server.end()
}

@Test func `a trial is kept, or taken back at once`() async throws {
  let server = try await TestServer()
  let body = #"{"edits": [{"set": "size", "value": 20}], "tryFor": 300}"#
  let first = try #require(try await server.json("POST", "\(app)/edits", body: body)["trial"]?.text)
  #expect(server.home.names(in: "state/app-settings/page").count == 1)
  #expect(try await server.json("POST", "\(app)/edits", body: body, status: 409)["error"] != nil)
  #expect(try await server.json("DELETE", "\(app)/trials/\(first)")["error"] == nil)
  #expect(server.home.read(server.home.settings)?.contains("size = 14") == true)
  let second = try #require(try await server.json("POST", "\(app)/edits", body: body)["trial"]?.text)
  #expect(
    try await server.json("POST", "/api/apps/org.example.none/trials/\(second)/keep", status: 404)["error"] != nil)
  #expect(try await server.json("POST", "\(app)/trials/\(second)/keep", body: "{}")["error"] == nil)
  try await server.end()
  #expect(server.home.read(server.home.settings)?.contains("size = 20") == true)
  #expect(server.home.names(in: "state/app-settings/page").isEmpty)
}

@Test func `a page that opens during a trial hears of it`() async throws {
  let server = try await TestServer()
  let body = #"{"edits": [{"set": "size", "value": 20}], "tryFor": 300}"#
  let id = try #require(try await server.json("POST", "\(app)/edits", body: body)["trial"]?.text)
  let client = try await server.events(of: TestHome.app)
  let event = try #require(await client.event())
  #expect(event.name == "trial" && event.data["id"]?.text == id && event.data["state"]?.text == "started")
  #expect(event.data["seconds"]?.integer.map { (200...300).contains($0) } == true)
  #expect(try await server.json("POST", "\(app)/trials/\(id)/keep", body: "{}")["error"] == nil)
  let later = try await server.events(of: TestHome.app)
  try await server.home.command("set", TestHome.app, "size", "21")
  #expect(await later.event()?.name == "change")
  try await server.end()
}

@Test func `a trial that runs is taken back at the server's end`() async throws {
  let server = try await TestServer()
  let body = #"{"edits": [{"set": "size", "value": 20}], "tryFor": 300}"#
  #expect(try await server.json("POST", "\(app)/edits", body: body)["trial"]?.text != nil)
  try await server.end()
  #expect(server.home.read(server.home.settings) == "# mine\ntheme = \"dark\" # as at night\nsize = 14\n")
}

@Test func `the trial of a server that was killed is taken back at the next start`() async throws {
  let home = try TestHome()
  let commands = try Commands(TestHome.command, environment: home.environment, .patient)
  let (place, newest, _) = try #require(try await commands.beginning(Trial.Place(target: TestHome.app, options: [])))
  var trial = Trial(id: "x", place: place, keys: ["size"], after: newest, pid: nil)
  let directory = try TrialFile.directory(environment: home.environment)
  let result = try await commands.run(
    ["batch", "--", TestHome.app], input: Array(#"{"set": "size", "value": 20}"#.utf8))
  trial.pid = result.pid
  var file: TrialFile? = try TrialFile.make(trial.facts, in: directory)
  // The file stays the same.
  try await home.command("profile", TestHome.app, "new", "work")
  try await home.command("profile", TestHome.app, "use", "work")
  // Its owner lives.
  #expect(file != nil && TrialFile.isAny(in: directory))
  #expect(try await commands.run(["try"]).status == 0 && home.read(home.settings)?.contains("size = 20") == true)
  file = nil
  let server = try await TestServer(home: home)
  try await server.end()
  #expect(home.read(home.settings)?.contains("size = 14") == true)
  #expect(home.names(in: "state/app-settings/page").isEmpty)
  await commands.end()
}

@Test
func `a trial of a server that was killed, which cannot be taken back at the next start, is said to the first page`()
  async throws
{
  let home = try TestHome()
  let commands = try Commands(TestHome.command, environment: home.environment, .patient)
  let (place, newest, _) = try #require(try await commands.beginning(Trial.Place(target: TestHome.app, options: [])))
  let edit = Array(#"{"set": "size", "value": 20}"#.utf8)
  let pid = try await commands.run(["batch", "--", TestHome.app], input: edit).pid
  let trial = Trial(id: "x", place: place, keys: ["size"], after: newest, pid: pid)
  // Its owner is gone at once.
  _ = try TrialFile.make(trial.facts, in: TrialFile.directory(environment: home.environment))
  try home.write("size == 20\n", to: home.settings)
  let server = try await TestServer(home: home)
  let client = try await server.events(of: TestHome.app)
  let event = try #require(await client.event())
  #expect(event.name == "trial" && event.data["state"]?.text == "failed")
  #expect(event.data["message"]?.text?.hasPrefix("A trial of 'size' in") == true, "\(event)")
  try await server.end()
  #expect(home.names(in: "state/app-settings/page").count == 1)
  await commands.end()
}

@Test func `a secret is not tried`() async throws {
  let server = try await TestServer()
  let body = #"{"edits": [{"set": "token", "value": "hunter2"}], "tryFor": 15}"#
  #expect(try await server.json("POST", "\(app)/edits", body: body, status: 422)["error"] != nil)
  #expect(server.home.read(server.home.settings)?.contains("hunter2") == false)
  try await server.end()
}

@Test func `a server ends after its last stream, and when it is asked to`() async throws {
  var limits = Limits.patient
  limits.grace = .milliseconds(50)
  let server = try await TestServer(limits: limits)
  try await server.events(of: TestHome.app).close()
  try await server.ended()

  let other = try await TestServer()
  #expect(try await other.json("POST", "/api/end", body: "{}") == .object([]))
  try await other.ended()
}

@Test func `a server that nobody uses ends`() async throws {
  var limits = Limits.patient
  limits.idle = .milliseconds(50)
  try await TestServer(limits: limits).ended()
}
