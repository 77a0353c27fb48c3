import AppSettings
import Glibc
import SettingsTools
import Testing

@testable import SettingsPage

private let app = "/api/apps/\(TestHome.app)"
private let trial = #"{"edits": [{"set": "size", "value": 20}], "tryFor": 300}"#

extension TestHome {
  /// The journal of the settings' history.
  fileprivate var journal: String { "\(path)/state/app-settings/files\(path)/\(settings).history/journal" }

  /// Puts a link to itself in the journal's place: nobody can read it, root neither.
  fileprivate func breakJournal() throws {
    try #require(rename(journal, journal + ".old") == 0)
    try #require(symlink("journal", journal) == 0)
  }

  fileprivate func mendJournal() throws { try #require(rename(journal + ".old", journal) == 0) }
}

@Test func `nothing is tried while the history cannot be read`() async throws {
  let server = try await TestServer()
  try await server.home.command("set", TestHome.app, "size", "15")
  try server.home.breakJournal()
  let text = server.home.read(server.home.settings)
  let answer = try await server.json("POST", "\(app)/edits", body: trial, status: 500)
  #expect(answer["error"]?["message"]?.text?.contains("Cannot read the history") == true)
  #expect(server.home.read(server.home.settings) == text)
  #expect(server.home.names(in: "state/app-settings/page").isEmpty)
  try server.home.mendJournal()
  #expect(try await server.json("POST", "\(app)/edits", body: trial)["trial"]?.text != nil)
  try await server.end()
  #expect(server.home.read(server.home.settings) == text)
}

@Test func `a trial that cannot be taken back says so, to the person and to all pages`() async throws {
  let server = try await TestServer()
  let client = try await server.events(of: TestHome.app)
  let id = try #require(try await server.json("POST", "\(app)/edits", body: trial)["trial"]?.text)
  try server.home.breakJournal()
  let answer = try await server.json("DELETE", "\(app)/trials/\(id)", status: 500)
  #expect(answer["error"]?["message"]?.text?.contains("The history cannot be read") == true)
  var last: JSONTree?
  while last?["state"] != "failed", let event = await client.event() { if event.name == "trial" { last = event.data } }
  #expect(last?["message"]?.text?.contains("settings-cli undo \(TestHome.app)") == true)
  #expect(server.home.names(in: "state/app-settings/page").isEmpty)
  // It is over: the advice helps, and the next one may begin.
  try server.home.mendJournal()
  try await server.home.command("undo", TestHome.app)
  #expect(server.home.read(server.home.settings)?.contains("size = 14") == true)
  #expect(try await server.json("POST", "\(app)/edits", body: trial)["trial"]?.text != nil)
  try await server.end()
}

@Test(arguments: [nil, "work"], [true, false])
func `a trial is taken back in its file, whatever profile is active by then`(profile: String?, endsServer: Bool)
  async throws
{
  let server = try await TestServer()
  func use(_ profile: String?) async throws {
    let body = "{\"use\": \(profile.map { "\"\($0)\"" } ?? "null")}"
    _ = try await server.json("POST", "\(app)/profile", body: body)
  }
  for name in ["work", "home"] { try await server.home.command("profile", TestHome.app, "new", name) }
  let file = profile.map { "config/\(TestHome.app)/profiles/\($0).toml" } ?? server.home.settings
  let text = try #require(server.home.read(file))
  try await use(profile)
  let id = try #require(try await server.json("POST", "\(app)/edits", body: trial)["trial"]?.text)
  #expect(server.home.read(file)?.contains("size = 20") == true)
  try await use("home")
  if !endsServer { _ = try await server.json("DELETE", "\(app)/trials/\(id)") }
  try await server.end()
  #expect(server.home.read(file) == text)
}

@Test func `a trial whose change is in no history any more is not said to be taken back`() async throws {
  let server = try await TestServer()
  let id = try #require(try await server.json("POST", "\(app)/edits", body: trial)["trial"]?.text)
  try #require(rename("\(server.home.path)/state/app-settings/files", "\(server.home.path)/files") == 0)
  let answer = try await server.json("DELETE", "\(app)/trials/\(id)", status: 500)
  #expect(answer["error"]?["message"]?.text?.contains("has the change no more. So it stays.") == true)
  try await server.end()
}

@Test func `a change that the history did not take is no trial`() async throws {
  let server = try await TestServer()
  try await server.home.command("set", TestHome.app, "size", "15")
  unlink(server.home.journal)
  mkdir(server.home.journal, 0o700)
  let answer = try await server.json("POST", "\(app)/edits", body: trial, status: 500)
  #expect(answer["error"]?["message"]?.text?.contains("could not be recorded") == true)
  #expect(server.home.names(in: "state/app-settings/page").isEmpty)
  try await server.end()
}

/// A trial whose command for one verb waits at a gate.
private struct GatedTrial {
  let home: TestHome
  let commands: Commands
  let trials: Trials
  let answer: Task<Reply, any Error>
  private let writer: CInt

  /// Begins it, and returns when the command waits.
  init(waitingFor verb: String) async throws {
    home = try TestHome()
    let gate = "\(home.path)/gate"
    try #require(mkfifo(gate, 0o600) == 0)
    try home.write(
      "#!/bin/sh\n[ \"$1\" != \(verb) ] || read -r word < '\(gate)'\nexec '\(TestHome.command)' \"$@\"\n",
      to: "command")
    chmod("\(home.path)/command", 0o700)
    let limits = Limits.patient
    commands = try Commands("\(home.path)/command", environment: home.environment, limits)
    let hub = WatchHub(commands, limits)
    trials = Trials(commands, hub)
    let interface = Interface(
      commands: commands, trials: trials, hub: hub, life: Life(limits), servedPath: nil,
      session: (AddressCode(), Token()))
    let call = Call(
      captures: ["app": TestHome.app], query: [:], body: try JSONTree(parsing: Array(trial.utf8)), connection: nil)
    answer = Task { try await interface.edits(call) }
    // Open once the command reads.
    writer = try await blocking { Glibc.open(gate, O_WRONLY | O_CLOEXEC) }
  }

  func open() {
    _ = write(writer, "go\n", 3)
    close(writer)
  }
}

@Test func `a trial whose change cannot be made any more is not left behind`() async throws {
  // The last command before the change waits until the server's threads have ended.
  let gated = try await GatedTrial(waitingFor: "log")
  let text = gated.home.read(gated.home.settings)
  let end = Task { await gated.commands.end() }
  while (try? await gated.commands.run(["--version"])) != nil {}
  gated.open()
  await #expect(throws: CommandError.cancelled) { try await gated.answer.value }
  await end.value
  #expect(gated.home.names(in: "state/app-settings/page").isEmpty)
  // Returns only if no trial is left.
  await gated.trials.shutDown()
  #expect(gated.home.read(gated.home.settings) == text)
}

@Test(.timeLimit(.minutes(1)))
func `a trial whose change is made while the server ends is taken back at once`() async throws {
  let gated = try await GatedTrial(waitingFor: "batch")
  let text = gated.home.read(gated.home.settings)
  let end = Task { await gated.trials.shutDown() }
  let other = Trial.Place(target: "org.example.other", options: [])
  while let begun = try? await gated.trials.begin(other, keys: []) { gated.trials.forget(begun.id) }
  gated.open()
  _ = try await gated.answer.value
  await end.value
  #expect(gated.home.read(gated.home.settings) == text)
  #expect(gated.home.names(in: "state/app-settings/page").isEmpty)
  await gated.commands.end()
}

@Test func `edits that change nothing in the end begin no trial`() async throws {
  let server = try await TestServer()
  let text = server.home.read(server.home.settings)
  for back in [#"{"set": "size", "value": 14}"#, #"{"unset": "width"}"#] {
    let first = back.contains("width") ? "width" : "size"
    let body = "{\"edits\": [{\"set\": \"\(first)\", \"value\": 20}, \(back)], \"tryFor\": 300}"
    let answer = try await server.json("POST", "\(app)/edits", body: body)
    #expect(answer["trial"] == nil && answer["digest"]?.text?.isEmpty == false)
  }
  #expect(server.home.read(server.home.settings) == text)
  #expect(try await server.json("POST", "\(app)/edits", body: trial)["trial"]?.text != nil)
  try await server.end()
}

@Test(arguments: ["person", "server", "other"])
func `a trial that made the file takes it away again, with what was made for it`(end: String) async throws {
  let server = try await TestServer()
  let other = "config/org.example.other/settings.toml"
  let path = "/api/apps/org.example.other"
  let schema = "app = \"org.example.other\"\n[keys]\nsize = { type = \"integer\" }\nwidth = { type = \"integer\" }\n"
  try server.home.write(schema, to: "data/app-settings/org.example.other.toml")
  let id = try #require(try await server.json("POST", "\(path)/edits", body: trial)["trial"]?.text)
  #expect(server.home.read(other) == "size = 20\n")
  // What somebody else has set meanwhile stays.
  if end == "other" { try await server.home.command("set", "org.example.other", "width=3") }
  if end != "server" { _ = try await server.json("DELETE", "\(path)/trials/\(id)") }
  if end == "person" { #expect(server.home.names(in: "state/app-settings/page").isEmpty) }
  try await server.end()
  #expect(server.home.read(other) == (end == "other" ? "width = 3\n" : nil))
  #expect(server.home.names(in: "config").contains("org.example.other") == (end == "other"))
}

@Test func `nothing is tried where another process tries something`() async throws {
  let server = try await TestServer()
  let directory = try TrialFile.directory(environment: server.home.environment)
  let facts = TrialFacts(target: TestHome.app, options: ["--layer=user"], keys: ["size"], after: 0, process: 77)
  let other = try TrialFile.make(facts, in: directory)
  let answer = try await server.json("POST", "\(app)/edits", body: trial, status: 409)
  #expect(answer["error"]?["message"]?.text?.hasPrefix("Process 77 is trying 'size' in") == true)
  #expect(server.home.read(server.home.settings)?.contains("size = 14") == true)
  other.remove()
  let id = try #require(try await server.json("POST", "\(app)/edits", body: trial)["trial"]?.text)
  _ = try await server.json("DELETE", "\(app)/trials/\(id)")
  try await server.end()
}
