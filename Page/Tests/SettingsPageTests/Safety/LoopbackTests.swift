import Glibc
import Testing

@testable import SettingsPage

private let hasIPv6: Bool = {
  let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in6()
  address.sin6_family = sa_family_t(AF_INET6)
  inet_pton(AF_INET6, "::1", &address.sin6_addr)
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
    }
  }
}()

@Test(.enabled(if: hasIPv6, "this machine has no ::1"))
func `a machine without IPv4 has the page on its other address, with the same checks`() async throws {
  var server = try await TestServer(hasIPv4: false)
  // Nothing listens elsewhere. Another test's server may have the same number at the other address, by chance.
  for _ in 0..<3 where TestClient(port: server.port) != nil {
    try await server.end()
    server = try await TestServer(hasIPv4: false)
  }
  let port = server.port
  #expect(server.url.hasPrefix("http://[::1]:\(port)/#code="))
  #expect(TestClient(port: port) == nil)
  for host in ["[::1]:\(port)", "localhost:\(port)"] {
    #expect(try await server.ask("GET", "/", headers: ["Host": host]).status == 200)
    let headers = ["Host": host, "Origin": "http://\(host)"]
    #expect(try await server.ask("GET", "/api/apps", headers: headers).status == 200)
    let other = ["Host": host, "Origin": "http://[::1]:\(port + 1)"]
    #expect(try await server.ask("GET", "/api/apps", headers: other).status == 403)
    let anonymous: [String: String?] = ["Host": host, "Authorization": nil]
    #expect(try await server.ask("GET", "/api/apps", headers: anonymous).status == 401)
  }
  for host in [
    "[::1]", "[::1]:\(port + 1)", "::1:\(port)", "[::1]:\(port).evil.example", "[::]:\(port)", "[::2]:\(port)",
    "evil.example:\(port)", "localhost",
  ] {
    let answer = try await server.ask("GET", "/", headers: ["Host": host])
    #expect(answer.status == 403 || answer.status == 400, "\(host)")
  }
  try await server.end()
}
