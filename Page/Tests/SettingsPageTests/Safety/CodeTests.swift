import AppSettings
import Testing

@testable import SettingsPage

@Test func `the code of the address is exchanged for the token once`() async throws {
  let server = try await TestServer()
  let code = server.code
  #expect(!server.url.contains(server.token))
  let anonymous: [String: String?] = ["Authorization": nil]
  func exchange(_ body: String, _ headers: [String: String?] = [:]) async throws -> TestAnswer {
    try await server.ask(
      "POST", "/api/session", body: body, headers: anonymous.merging(headers) { $1 })
  }
  // What is refused uses nothing up.
  #expect(try await exchange(#"{"code": "wrong"}"#).status == 401)
  #expect(try await exchange(#"{"code": "\#(code)"}"#, ["Origin": "http://evil.example"]).status == 403)
  #expect(try await exchange(#"{"code": "\#(code)"}"#, ["Sec-Fetch-Site": "cross-site"]).status == 403)
  #expect(try await exchange(#"{"code": "\#(code)"}"#, ["Content-Type": "text/plain"]).status == 415)
  #expect(try await exchange(#"{"code": "\#(code)", "more": 1}"#).status == 400)
  #expect(try await server.ask("GET", "/api/session", headers: anonymous).status == 405)
  let answer = try await exchange(#"{"code": "\#(code)"}"#)
  #expect(answer.status == 200)
  #expect(answer.text == #"{"token":"\#(server.token)"}"#)
  #expect(try await exchange(#"{"code": "\#(code)"}"#).status == 401)
  // It is not the token.
  #expect(try await server.ask("GET", "/api/apps", headers: ["Authorization": "Bearer \(code)"]).status == 401)
  try await server.end()
}
