import AppSettings
import Testing

@testable import SettingsPage

private let app = "/api/apps/\(TestHome.app)"

@Test func `edits change the bytes of their values and no others`() async throws {
  let server = try await TestServer()
  let answer = try await server.json(
    "POST", "\(app)/edits",
    body:
      #"{"edits": [{"set": "theme", "value": "light"}, {"append": ["recent"], "value": "a\nb"}, {"unset": "size"}]}"#)
  #expect(answer["results"]?.elements?.map { $0["ok"]?.flag } == [true, true, true])
  #expect(server.home.read(server.home.settings) == "# mine\ntheme = \"light\" # as at night\nrecent = [\"a\\nb\"]\n")
  let entry = try #require(answer["entry"]?.integer)
  #expect(try await server.json("GET", "\(app)/history?limit=1").elements?.first?["number"]?.integer == entry)
  #expect(try await server.ask("GET", app)["ETag"] == "\"\(try #require(answer["digest"]?.text))\"")
  try await server.end()
}

@Test func `a client that waits for 100-continue gets it, but not for a body that is too long`() async throws {
  let server = try await TestServer()
  let body = #"{"edits": [{"set": "size", "value": 20}]}"#
  let text = server.text("POST", "\(app)/edits", body: body, headers: ["Expect": "100-continue"])
  let client = try server.connect()
  await client.send(String(text.dropLast(body.count)))
  #expect(try #require(await client.head()).status == 100)
  await client.send(body)
  #expect(try #require(await client.answer()).status == 200)
  #expect(server.home.read(server.home.settings)?.contains("size = 20\n") == true)
  let long = try server.connect()
  await long.send(
    server.text("POST", "\(app)/edits", headers: ["Expect": "100-continue", "Content-Length": "9999999"]))
  #expect(try #require(await long.head()).status == 413)
  try await server.end()
}

@Test func `what the command refuses is refused in its words, and nothing is written`() async throws {
  let server = try await TestServer()
  let text = server.home.read(server.home.settings)
  let answer = try await server.json(
    "POST", "\(app)/edits", body: #"{"edits": [{"set": "theme", "value": "light"}, {"set": "size", "value": 2}]}"#,
    status: 422)
  #expect(answer["error"]?["status"]?.integer == 4)
  #expect(answer["error"]?["key"] == "size")
  #expect(answer["error"]?["message"]?.text?.contains("an integer from 6") == true)
  #expect(answer["error"]?["results"]?.elements?.count == 2)
  let unknown = try await server.json(
    "POST", "\(app)/edits", body: #"{"edits": [{"set": "thema", "value": "light"}]}"#, status: 404)
  #expect(unknown["error"]?["status"]?.integer == 3)
  #expect(server.home.read(server.home.settings) == text)
  try await server.end()
}

@Test(arguments: [
  "[]", "{}", #"{"edits": []}"#, #"{"edits": [1]}"#, #"{"edits": [{"get": "token"}]}"#, #"{"edits": [{"set": 1}]}"#,
  #"{"edits": [{"set": "size", "value": 9, "get": "token"}]}"#, #"{"edits": [{"set": "size", "value": 9}], "x": 1}"#,
  #"{"edits": [{"set": "size", "value": 9}], "ifUnchanged": "--create"}"#,
  #"{"edits": [{"set": "size", "value": 9}], "layer": "--system"}"#,
  #"{"edits": [{"set": "size", "value": 9}], "layer": "profile:../../x"}"#,
  #"{"edits": [{"set": "size", "value": 9}], "layer": "system:../x"}"#,
  #"{"edits": [{"set": "size", "value": 9}], "dryRun": 1}"#, #"{"edits": [{"set": "size", "value": 9}], "tryFor": 0}"#,
  #"{"edits": [{"set": "size", "value": 9}], "tryFor": "15"}"#,
]) func `edits that make no sense are refused`(_ body: String) async throws {
  let server = try await TestServer()
  let text = server.home.read(server.home.settings)
  #expect(try await server.json("POST", "\(app)/edits", body: body, status: 400)["error"] != nil)
  #expect(server.home.read(server.home.settings) == text)
  try await server.end()
}

@Test func `a change is made only to the text that the page shows`() async throws {
  let server = try await TestServer()
  let digest = try #require(try await server.json("GET", app)["digest"]?.text)
  try await server.home.command("set", TestHome.app, "size", "15")
  let body = #"{"edits": [{"set": "theme", "value": "light"}], "ifUnchanged": "\#(digest)"}"#
  #expect(try await server.json("POST", "\(app)/edits", body: body, status: 412)["error"]?["status"]?.integer == 9)
  let text = #"{"text": "size = 9\n", "ifUnchanged": "\#(digest)"}"#
  #expect(try await server.json("PUT", "\(app)/text", body: text, status: 412)["error"]?["status"]?.integer == 9)
  for (path, what) in [("rename", #""from": "size", "to": "width""#), ("undo", #""key": "size""#)] {
    let body = #"{\#(what), "ifUnchanged": "\#(digest)"}"#
    #expect(try await server.json("POST", "\(app)/\(path)", body: body, status: 412)["error"]?["status"]?.integer == 9)
  }
  try await server.end()
}

@Test func `another file with the same text is not written for the one that the page shows`() async throws {
  let server = try await TestServer()
  let shown = try await server.json("GET", app)
  let (file, digest) = (try #require(shown["file"]?.text), try #require(shown["digest"]?.text))
  for verb in ["new", "use"] { try await server.home.command("profile", TestHome.app, verb, "work") }
  let text = try #require(server.home.read(server.home.settings))
  let profile = server.home.settings.replacing("settings.toml", with: "profiles/work.toml")
  try server.home.write(text, to: profile)
  let condition = #""ifUnchanged": "\#(file):\#(digest)""#
  for (path, what) in [
    ("edits", #""edits": [{"set": "size", "value": 9}]"#), ("rename", #""from": "size", "to": "width""#),
    ("edits", #""edits": [{"set": "size", "value": 9}], "tryFor": 15"#),
  ] {
    let answer = try await server.json("POST", "\(app)/\(path)", body: "{\(what), \(condition)}", status: 412)
    #expect(answer["error"]?["message"]?.text?.contains("profiles/work.toml' now, and not") == true)
  }
  _ = try await server.json("PUT", "\(app)/text", body: #"{"text": "size = 9\n", \#(condition)}"#, status: 412)
  #expect(server.home.read(profile) == text && server.home.read(server.home.settings) == text)
  let body = #"{"edits": [{"set": "width", "value": 9}], "layer": "user", \#(condition)}"#
  _ = try await server.json("POST", "\(app)/edits", body: body)
  #expect(server.home.read(profile) == text && server.home.read(server.home.settings) != text)
  try await server.end()
}

@Test func `a dry run shows the difference and writes nothing`() async throws {
  let server = try await TestServer()
  let text = server.home.read(server.home.settings)
  let answer = try await server.json(
    "POST", "\(app)/edits", body: #"{"edits": [{"set": "size", "value": 15}], "dryRun": true}"#)
  #expect(answer["diff"]?.text?.contains("+size = 15") == true)
  #expect(server.home.read(server.home.settings) == text)
  try await server.end()
}

@Test func `a whole text is stored, or its mistakes are named`() async throws {
  let server = try await TestServer()
  #expect(try await server.json("PUT", "\(app)/text", body: #"{"text": "size = 9 # small\n"}"#)["digest"] != nil)
  #expect(server.home.read(server.home.settings) == "size = 9 # small\n")
  let refused = try await server.json("PUT", "\(app)/text", body: #"{"text": "size = 3\n"}"#, status: 422)
  #expect(refused["error"]?["findings"]?.elements?.first?["line"]?.integer == 1)
  let broken = try await server.json("PUT", "\(app)/text", body: #"{"text": "size = = 3\n"}"#, status: 422)
  #expect(broken["error"]?["status"]?.integer == 6)
  #expect(server.home.read(server.home.settings) == "size = 9 # small\n")
  try await server.end()
}

@Test func `a key is renamed, and the change undone`() async throws {
  let server = try await TestServer()
  let body = #"{"from": "size", "to": "width"}"#
  let renamed = try await server.json("POST", "\(app)/rename", body: body)
  #expect(server.home.read(server.home.settings)?.contains("width = 14") == true)
  let entry = try #require(renamed["entry"]?.integer)
  let preview = try await server.json("POST", "\(app)/undo", body: #"{"entry": \#(entry), "dryRun": true}"#)
  #expect(preview["diff"]?.text?.contains("+size = 14") == true)
  #expect(
    try await server.json("POST", "\(app)/undo", body: #"{"entry": \#(entry)}"#)["undone"]?["number"]?.integer == entry)
  #expect(server.home.read(server.home.settings)?.contains("size = 14") == true)
  for size in ["20", "30"] { try await server.home.command("set", TestHome.app, "size", size) }
  for size in ["20", "14"] {
    #expect(try await server.json("POST", "\(app)/undo", body: #"{"key": "size"}"#)["digest"] != nil)
    #expect(server.home.read(server.home.settings)?.contains("size = \(size)") == true)
  }
  for size in ["20", "30"] {
    #expect(try await server.json("POST", "\(app)/redo", body: #"{"key": "size", "dryRun": true}"#)["diff"] != nil)
    #expect(try await server.json("POST", "\(app)/redo", body: #"{"key": "size"}"#)["digest"] != nil)
    #expect(server.home.read(server.home.settings)?.contains("size = \(size)") == true)
  }
  #expect(try await server.json("POST", "\(app)/redo", body: "{}", status: 404)["error"] != nil)
  #expect(try await server.json("POST", "\(app)/redo", body: #"{"entry": 1}"#, status: 400)["error"] != nil)
  #expect(try await server.json("POST", "\(app)/undo", body: #"{"key": "--help"}"#, status: 400)["error"] != nil)
  try await server.end()
}

@Test func `a broken file is replaced by its newest text that parses`() async throws {
  let server = try await TestServer()
  try server.home.write("size = = 1\n", to: server.home.settings)
  #expect(try await server.json("GET", app)["problem"] != .null)
  // Without a history and a backup, there is nothing to restore.
  #expect(try await server.ask("POST", "\(app)/recover", body: "{}").status == 404)
  try server.home.write("size = 15\n", to: server.home.settings)
  _ = try await server.json("PUT", "\(app)/text", body: #"{"text": "size = 16\n"}"#)
  try await server.home.command("set", TestHome.app, "size", "17")
  try server.home.write("size = = 1\n", to: server.home.settings)
  _ = try await server.json("POST", "\(app)/recover", body: "{}")
  #expect(server.home.read(server.home.settings) == "size = 17\n")
  try await server.end()
}

@Test func `a change that could not be taken back is not tried`() async throws {
  let server = try await TestServer()
  let text = "settings-history = false\nsize = 15\n"
  try server.home.write(text, to: server.home.settings)
  let body = #"{"edits": [{"set": "size", "value": 20}], "tryFor": 15}"#
  let answer = try await server.json("POST", "\(app)/edits", body: body, status: 422)
  #expect(answer["error"]?["message"]?.text?.contains("keeps no history") == true)
  #expect(server.home.read(server.home.settings) == text)
  try await server.end()
}

@Test func `a table with a secret in it is not tried`() async throws {
  let home = try TestHome()
  try home.write(
    """
    app = "org.example.sync"
    [keys."sync.token"]
    type = "string"
    secret = true
    [keys."sync.size"]
    type = "integer"
    """, to: "data/app-settings/org.example.sync.toml")
  let text = "[sync]\ntoken = \"a\"\nsize = 1\n"
  try home.write(text, to: "config/org.example.sync/settings.toml")
  let server = try await TestServer(home: home)
  let body = #"{"edits": [{"set": "sync", "value": {"token": "b", "size": 2}}], "tryFor": 15}"#
  _ = try await server.json("POST", "/api/apps/org.example.sync/edits", body: body, status: 422)
  #expect(home.read("config/org.example.sync/settings.toml") == text)
  try await server.end()
}

@Test func `a value that the history would not keep is not tried, and stays`() async throws {
  let home = try TestHome()
  try home.write(
    "app = \"org.example.extra\"\n[keys.theme]\ntype = \"string\"\n", to: "data/app-settings/org.example.extra.toml")
  let (file, text) = ("config/org.example.extra/settings.toml", "theme = \"a\"\nextra = 5\n[more]\nlist = [1]\n")
  try home.write(text, to: file)
  let server = try await TestServer(home: home)
  for edit in [
    #""set": "extra", "value": 6"#, #""unset": "extra""#, #""set": "other", "value": 1"#, #""unset": "more""#,
    #""append": "more.list", "value": 2"#,
  ] {
    let body = #"{"edits": [{"set": "theme", "value": "b"}, {\#(edit)}], "tryFor": 15, "create": true}"#
    let refused = try await server.json("POST", "/api/apps/org.example.extra/edits", body: body, status: 422)
    let message = refused["error"]?["message"]?.text ?? ""
    #expect(message.contains("no program has declared") && message.contains("Nothing was written"), "\(refused)")
    #expect(home.read(file) == text, "\(edit)")
  }
  let body = #"{"edits": [{"set": "theme", "value": "b"}], "tryFor": 15}"#
  let trial = try await server.json("POST", "/api/apps/org.example.extra/edits", body: body)["trial"]?.text ?? ""
  _ = try await server.json("DELETE", "/api/apps/org.example.extra/trials/\(trial)")
  #expect(home.read(file) == text)
  try await server.end()
}

@Test func `migrations of the schema are shown and run`() async throws {
  let home = try TestHome()
  try home.write(
    """
    app = "org.example.old"
    [keys.hue]
    type = "string"
    [[migrations]]
    version = 2
    name = "name the colour"
    steps = [{ rename = "colour", to = "hue" }]
    """, to: "data/app-settings/org.example.old.toml")
  try home.write("colour = \"red\"\n", to: "config/org.example.old/settings.toml")
  let server = try await TestServer(home: home)
  let path = "/api/apps/org.example.old/migrate"
  #expect(try await server.json("POST", path, body: #"{"dryRun": true}"#)["diff"]?.text?.contains("+hue") == true)
  #expect(try await server.json("POST", path, body: "{}")["message"]?.text?.contains("name the colour") == true)
  #expect(home.read("config/org.example.old/settings.toml")?.contains("hue = \"red\"") == true)
  try await server.end()
}

@Test func `a profile is chosen, and none`() async throws {
  let server = try await TestServer()
  try await server.home.command("profile", TestHome.app, "new", "work")
  #expect(try await server.json("POST", "\(app)/profile", body: #"{"use": "work"}"#)["error"] == nil)
  #expect(try await server.json("GET", app)["profile"] == "work")
  #expect(try await server.json("POST", "\(app)/profile", body: #"{"use": null}"#)["error"] == nil)
  #expect(try await server.json("GET", app)["profile"] == .null)
  #expect(try await server.json("POST", "\(app)/profile", body: #"{"use": "../x"}"#, status: 400)["error"] != nil)
  #expect(try await server.json("POST", "\(app)/profile", body: #"{"use": "none-such"}"#, status: 404)["error"] != nil)
  try await server.end()
}
