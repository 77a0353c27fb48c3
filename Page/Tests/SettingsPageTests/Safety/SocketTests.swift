import Glibc
import Testing

@testable import SettingsPage

@Test func `a socket is the person's alone, and goes with the server`() async throws {
  let home = try TestHome()
  let path = "\(home.path)/page/socket"
  let configuration = PageConfiguration(
    endpoint: .socket(path: path), command: TestHome.command, environment: home.environment)
  let server = PageServer(configuration)
  let (addresses, continuation) = AsyncStream.makeStream(of: PageAddress.self)
  let running = Task {
    defer { continuation.finish() }
    try await server.run { continuation.yield($0) }
  }
  var iterator = addresses.makeAsyncIterator()
  let address = try #require(await iterator.next())
  #expect(address.url.hasPrefix("http://localhost/#token="))
  var status = stat()
  #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
  #expect(stat("\(home.path)/page", &status) == 0 && status.st_mode & 0o777 == 0o700)
  let client = try #require(TestClient(socket: path))
  await client.send(
    "GET /api/apps HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(configuration.token.text)\r\n\r\n")
  #expect(await client.answer()?.status == 200)
  let other = try #require(TestClient(socket: path))
  await other.send("GET /api/apps HTTP/1.1\r\nHost: localhost\r\n\r\n")
  #expect(await other.answer()?.status == 401)
  let second = PageServer(configuration)
  await #expect(throws: PageError.self) { try await second.run { _ in } }
  server.end()
  try await running.value
  #expect(stat(path, &status) != 0)
}

@Test func `a socket in a directory that others may use is refused`() async throws {
  let home = try TestHome()
  mkdir("\(home.path)/open", 0o700)
  chmod("\(home.path)/open", 0o755)
  let server = PageServer(
    PageConfiguration(
      endpoint: .socket(path: "\(home.path)/open/socket"), command: TestHome.command, environment: home.environment))
  await #expect(throws: PageError.self) { try await server.run { _ in } }
}
