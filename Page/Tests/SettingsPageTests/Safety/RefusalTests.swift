import Glibc
import Testing

@testable import SettingsPage

private let app = "/api/apps/\(TestHome.app)"
private let edit = #"{"edits": [{"set": "size", "value": 20}]}"#

@Test func `a request without the token, or with a near miss, learns and changes nothing`() async throws {
  let server = try await TestServer()
  let text = server.home.read(server.home.settings)
  let other = try await TestServer()
  let flipped = (server.token.first == "A" ? "B" : "A") + server.token.dropFirst()
  // The last is the token of a server that has ended.
  try await other.end()
  for value in [
    nil, "", "Bearer", "Bearer ", server.token, "Basic \(server.token)", "Bearer \(flipped)",
    "Bearer \(server.token.dropLast())", "Bearer \(server.token)=", "Bearer \(other.token)",
  ] as [String?] {
    for (method, path, body) in [("GET", "/api/apps", nil), ("GET", "/api/none", nil), ("POST", "\(app)/edits", edit)] {
      let answer = try await server.ask(method, path, body: body, headers: ["Authorization": value])
      #expect(answer.status == 401)
      #expect(answer["WWW-Authenticate"] == "Bearer")
      #expect(!answer.text.contains(server.token))
    }
  }
  let client = try server.connect()
  await client.send(server.text("GET", "/api/apps", headers: ["Authorization ": "x"]))
  #expect(await client.answer()?.status == 400)
  #expect(server.home.read(server.home.settings) == text)
  try await server.end()
}

@Test func `another page's request is refused, also with the token`() async throws {
  let server = try await TestServer()
  let port = server.port
  for origin in [
    "http://evil.example", "null", "https://127.0.0.1:\(port)", "http://127.0.0.1:\(port + 1)",
    "http://localhost:\(port)",
    "http://127.0.0.1:\(port).evil.example", "file://",
  ] {
    #expect(try await server.ask("GET", "/api/apps", headers: ["Origin": origin]).status == 403, "\(origin)")
    #expect(try await server.ask("GET", "/", headers: ["Origin": origin]).status == 403, "\(origin)")
  }
  #expect(try await server.ask("GET", "/api/apps", headers: ["Origin": "http://127.0.0.1:\(port)"]).status == 200)
  for site in ["cross-site", "same-site"] {
    #expect(try await server.ask("GET", "/api/apps", headers: ["Sec-Fetch-Site": site]).status == 403)
  }
  // A preflight gets no permission.
  let preflight = try await server.ask(
    "OPTIONS", "\(app)/edits", headers: ["Origin": "http://evil.example", "Access-Control-Request-Method": "POST"])
  #expect(preflight.status == 403)
  #expect(!preflight.headers.contains { $0.name.lowercased().hasPrefix("access-control") })
  try await server.end()
}

@Test func `a name that leads here is refused as a host`() async throws {
  let server = try await TestServer()
  let port = server.port
  for host in [
    "evil.example:\(port)", "127.0.0.1", "127.0.0.1:\(port + 1)", "127.0.0.1:\(port)0",
    "localhost.evil.example:\(port)",
    "127.0.0.1.evil.example:\(port)", "[::1].evil.example:\(port)", "", "0.0.0.0:\(port)",
  ] {
    let answer = try await server.ask("GET", "/", headers: ["Host": host])
    #expect(answer.status == 403 || answer.status == 400, "\(host)")
  }
  for host in ["127.0.0.1:\(port)", "localhost:\(port)", "LOCALHOST:\(port)", "[::1]:\(port)"] {
    #expect(try await server.ask("GET", "/", headers: ["Host": host]).status == 200, "\(host)")
  }
  let client = try server.connect()
  await client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nHost: evil.example\r\n\r\n")
  #expect(await client.answer()?.status == 403)
  let none = try server.connect()
  await none.send("GET / HTTP/1.0\r\n\r\n")
  #expect(await none.answer()?.status == 403)
  try await server.end()
}

@Test func `a form of another site is refused`() async throws {
  let server = try await TestServer()
  let text = server.home.read(server.home.settings)
  for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", nil] as [String?] {
    let answer = try await server.ask("POST", "\(app)/edits", body: edit, headers: ["Content-Type": type])
    #expect(answer.status == 415)
  }
  #expect(server.home.read(server.home.settings) == text)
  try await server.end()
}

@Test func `every answer says what a browser may do with it`() async throws {
  let server = try await TestServer()
  for (path, token) in [
    ("/", true), ("/page.js", true), ("/api/apps", true), ("/api/apps", false), ("/api/none", true),
  ] {
    let answer = try await server.ask(
      "GET", path, headers: token ? [:] : ["Authorization": nil])
    #expect(answer["Content-Security-Policy"]?.hasPrefix("default-src 'none'; script-src 'self';") == true)
    #expect(answer["Content-Security-Policy"]?.contains("unsafe") == false)
    #expect(answer["X-Content-Type-Options"] == "nosniff")
    #expect(answer["Referrer-Policy"] == "no-referrer")
    #expect(answer["Cross-Origin-Opener-Policy"] == "same-origin")
    #expect(answer["Cross-Origin-Resource-Policy"] == "same-origin")
    #expect(answer["Set-Cookie"] == nil)
    #expect(answer["Cache-Control"] == (path == "/page.js" ? "no-cache" : "no-store"))
  }
  try await server.end()
}

@Test func `a body of 10 MB is refused, announced or not`() async throws {
  let server = try await TestServer()
  let large = String(repeating: " ", count: 10 << 20)
  #expect(try await server.ask("POST", "\(app)/edits", body: large).status == 413)
  let client = try server.connect()
  await client.send(
    server.text("POST", "\(app)/edits", headers: ["Content-Type": "application/json", "Transfer-Encoding": "chunked"]))
  let chunk = "10000\r\n\(String(repeating: " ", count: 1 << 16))\r\n"
  for _ in 0..<160 { await client.send(chunk) }
  await client.send("0\r\n\r\n")
  #expect(await client.answer()?.status == 413)
  #expect(try await server.ask("GET", "/api/apps").status == 200)
  try await server.end()
}

@Test func `a body without an end is cut off`() async throws {
  var limits = Limits.patient
  limits.discardedBody = 1 << 20
  let server = try await TestServer(limits: limits)
  let client = try server.connect()
  await client.send(server.text("POST", "\(app)/edits", headers: ["Transfer-Encoding": "chunked"]))
  let chunk = "10000\r\n\(String(repeating: " ", count: 1 << 16))\r\n"
  var count = 0
  while count < 1000, await client.send(chunk) { count += 1 }
  #expect(count < 1000)
  try await server.end()
}

@Test func `slow requests lose their connection`() async throws {
  var limits = Limits.patient
  limits.wait = .milliseconds(200)
  let server = try await TestServer(limits: limits)
  for beginning in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nX: ", server.text("GET", "/")]
  {
    let client = try server.connect()
    await client.send(beginning)
    #expect(await client.isClosed(), "\(beginning)")
  }
  let body = try server.connect()
  await body.send(
    server.text("POST", "\(app)/edits", headers: ["Content-Type": "application/json", "Content-Length": "10"]) + "{")
  #expect(await body.isClosed())
  try await server.end()
}

@Test func `half a request does not put off the end`() async throws {
  var limits = Limits.patient
  limits.farewell = .milliseconds(50)
  let server = try await TestServer(limits: limits)
  let client = try server.connect()
  await client.send(
    server.text("POST", "\(app)/edits", headers: ["Content-Type": "application/json", "Content-Length": "10"]) + "{")
  // Answered on another connection: by then the server has read the half.
  #expect(try await server.ask("GET", "/api/apps").status == 200)
  try await server.end()
  #expect(await client.isClosed())
}

@Test func `1,000 connections leave the server to those who were there first`() async throws {
  // The first is not closed while the others are made, however long that takes.
  let server = try await TestServer(limits: .patient)
  let first = try server.connect()
  await first.send(server.text("GET", "/api/apps"))
  #expect(await first.answer()?.status == 200)
  var refused = 0
  // The tests' own files are limited, too: the first 100 stay open, the others are closed at once.
  var open: [TestClient] = []
  for number in 0..<1000 {
    guard let client = TestClient(port: server.port) else { continue }
    if number < 100 { open.append(client) } else { await client.close() }
    // Connections with the token make no room.
    if number < Limits().connections {
      await client.send(server.text("GET", "/api/apps"))
      _ = await client.answer()
    }
    if number == 99 {
      if let answer = await client.answer() {
        #expect(answer.status == 503)
        refused += 1
      }
    }
  }
  #expect(refused == 1)
  await first.send(server.text("GET", "/api/apps"))
  #expect(await first.answer()?.status == 200)
  for client in open { await client.close() }
  // Those that are closed make room, once the server has noticed.
  var status: Int?
  let end = ContinuousClock.now + .seconds(60)
  while status != 200, .now < end { status = try? await server.ask("GET", "/api/apps").status }
  #expect(status == 200)
  try await server.end()
}

@Test func `connections that say nothing keep nobody out`() async throws {
  let server = try await TestServer(limits: .patient)
  let person = try server.connect()
  await person.send(server.text("GET", "/api/apps"))
  #expect(await person.answer()?.status == 200)
  var silent: [TestClient] = []
  for number in 0..<100 {
    let client = try server.connect()
    // Some ask for what everybody may have.
    if number % 3 == 0 {
      await client.send(server.text("GET", "/", headers: ["Authorization": nil]))
      _ = await client.answer()
    }
    silent.append(client)
  }
  #expect(try await server.ask("GET", "/api/apps").status == 200)
  await person.send(server.text("GET", "/api/apps"))
  #expect(await person.answer()?.status == 200)
  #expect(await silent[0].isClosed())
  for client in silent { await client.close() }
  try await server.end()
}

@Test func `connections that arrive while the server ends do not disturb its end`() async throws {
  for _ in 0..<20 {
    let server = try await TestServer()
    let ending = Task { try await server.end() }
    var clients: [TestClient] = []
    for _ in 0..<50 { if let client = TestClient(port: server.port) { clients.append(client) } }
    try await ending.value
  }
}

@Test func `HEAD has the head of GET and no body, and the next request its own answer`() async throws {
  let server = try await TestServer()
  for (path, token, status) in [
    ("/api/apps", server.token, 200), ("/", "x", 200), ("\(app)/edits", server.token, 405), ("/api/apps", "x", 401),
  ] {
    let client = try server.connect()
    let headers = ["Authorization": "Bearer \(token)"]
    for method in ["HEAD", "GET"] { await client.send(server.text(method, path, headers: headers)) }
    let head = try #require(await client.head())
    let answer = try #require(await client.answer())
    #expect(head.status == status && answer.status == status)
    #expect(head["Content-Length"] == answer["Content-Length"] && !answer.body.isEmpty)
    #expect(answer["Allow"] == (status == 405 ? "POST" : nil))
  }
  #expect(try await server.ask("POST", "/api/apps").headers.contains { $0.name == "Allow" && $0.value == "GET, HEAD" })
  let client = try server.connect()
  await client.send(server.text("HEAD", "/api/events?app=\(TestHome.app)"))
  let head = try #require(await client.head())
  #expect(head.status == 200 && head["Content-Type"] == "text/event-stream" && head["Connection"] == "close")
  try await server.end()
}

@Test func `HEAD of the events watches nothing, and is no tab with which the server ends`() async throws {
  var limits = Limits.patient
  (limits.watches, limits.grace) = (0, .zero)
  let server = try await TestServer(limits: limits)
  let events = "/api/events?app=\(TestHome.app)"
  #expect(try await server.ask("GET", events).status == 503)
  for _ in 0..<20 {
    let client = try server.connect()
    await client.send(server.text("HEAD", events))
    #expect(await client.head()?.status == 200)
  }
  #expect(try await server.ask("GET", "/api/apps").status == 200)
  try await server.end()
}

@Test func `what is not HTTP is refused`() async throws {
  let server = try await TestServer()
  for text in ["\r\n\r\n\r\nx\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}", "GET \u{0} HTTP/1.1\r\n\r\n"] {
    let client = try server.connect()
    await client.send(text + "\r\n\r\n")
    if let answer = await client.answer() { #expect(answer.status >= 400) }
  }
  let head = try server.connect()
  await head.send(server.text("GET", "/", headers: ["X": String(repeating: "x", count: 100_000)]))
  if let answer = await head.answer() { #expect(answer.status >= 400) }
  #expect(try await server.ask("GET", "/api/apps").status == 200)
  try await server.end()
}
