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
  #expect(address.url.hasPrefix("http://localhost/#code="))
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

@Test(arguments: ["file", "folder", "link"]) func `what is not a socket is neither used nor removed`(kind: String)
  async throws
{
  let home = try TestHome()
  let path = "\(home.path)/page/\(kind)"
  mkdir("\(home.path)/page", 0o700)
  switch kind {
  case "file": try home.write("precious\n", to: "page/file")
  case "folder": mkdir(path, 0o700)
  default: symlink("nowhere", path)
  }
  let server = PageServer(
    PageConfiguration(endpoint: .socket(path: path), command: TestHome.command, environment: home.environment))
  let error = await #expect(throws: PageError.self) { try await server.run { _ in } }
  #expect(
    error?.description == "'\(path)' exists and is not a socket. Choose another path. The file is unchanged.")
  var status = stat()
  #expect(lstat(path, &status) == 0)
  if kind == "file" { #expect(home.read("page/file") == "precious\n") }
}

@Test func `a socket that another program has made meanwhile stays`() async throws {
  let home = try TestHome()
  let path = "\(home.path)/page/socket"
  let server = PageServer(
    PageConfiguration(endpoint: .socket(path: path), command: TestHome.command, environment: home.environment))
  let (addresses, continuation) = AsyncStream.makeStream(of: PageAddress.self)
  let running = Task {
    defer { continuation.finish() }
    try await server.run { continuation.yield($0) }
  }
  var iterator = addresses.makeAsyncIterator()
  _ = try #require(await iterator.next())
  unlink(path)
  try home.write("theirs\n", to: "page/socket")
  server.end()
  try await running.value
  #expect(home.read("page/socket") == "theirs\n")
}

@Test func `a socket that a killed server has left is used again`() async throws {
  let home = try TestHome()
  let path = "\(home.path)/page/socket"
  mkdir("\(home.path)/page", 0o700)
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
  let bound = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  close(descriptor)
  #expect(bound == 0)
  let server = PageServer(
    PageConfiguration(endpoint: .socket(path: path), command: TestHome.command, environment: home.environment))
  try await server.run { _ in server.end() }
  var status = stat()
  #expect(lstat(path, &status) != 0)
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
