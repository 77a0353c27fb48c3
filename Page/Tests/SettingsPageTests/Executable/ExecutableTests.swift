import AppSettings
import Glibc
import Testing

@testable import SettingsPage

/// The program, run as a person runs it.
private struct Program {
  let child: ChildProcess

  init(_ words: [String], _ home: TestHome, allowRoot: Bool = true) throws {
    var environment = home.environment
    environment["SETTINGS_CLI"] = TestHome.command
    let root = allowRoot && geteuid() == 0 ? ["--allow-root"] : []
    let program = try #require(TestHome.beside("settings-page"))
    child = try ChildProcess.start([program, "--no-open"] + root + words, environment: environment)
    close(child.input)
  }

  /// The port of the address that it prints, and the token that its code is exchanged for.
  func address() async throws -> (port: Int, token: String) {
    let line = try await blocking { [output = child.output] in
      var line: [UInt8] = []
      var byte: UInt8 = 0
      while byte != UInt8(ascii: "\n"), read(output, &byte, 1) == 1 { line.append(byte) }
      return String(decoding: line, as: UTF8.self)
    }
    let parts = line.split(whereSeparator: { "/#&=\n".contains($0) })
    let host = try #require(parts.dropFirst().first)
    let port = try #require(host.split(separator: ":").last.flatMap { Int($0) })
    let code = try #require(parts.dropFirst(3).first)
    let client = try #require(TestClient(port: port))
    await client.send(request("POST", "/api/session", (port, ""), #"{"code": "\#(code)"}"#))
    let answer = try JSONTree(parsing: try #require(await client.answer()).body)
    return (port, try #require(answer["token"]?.text))
  }

  /// Waits for its end, and returns its exit status with what else it said on standard output and standard error.
  func end() async throws -> (status: Int, output: String, messages: String) {
    try await blocking { [child] in
      // Neither text is longer than a pipe takes.
      let texts = [child.output, child.errors].map { descriptor in
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1 { text.append(byte) }
        close(descriptor)
        return String(decoding: text, as: UTF8.self)
      }
      return (Int(child.end() ?? -1), texts[0], texts[1])
    }
  }
}

private func request(
  _ method: String, _ path: String, _ address: (port: Int, token: String), _ body: String
) -> String {
  """
  \(method) \(path) HTTP/1.1\r
  Host: 127.0.0.1:\(address.port)\r
  Authorization: Bearer \(address.token)\r
  Content-Type: application/json\r
  Content-Length: \(body.utf8.count)\r
  \r
  \(body)
  """
}

private let trial = #"{"edits": [{"set": "size", "value": 20}], "tryFor": 300}"#

@Test func `root is refused`() async throws {
  guard geteuid() == 0 else { return }
  let home = try TestHome()
  let (status, _, messages) = try await Program([], home, allowRoot: false).end()
  #expect(status == 2)
  #expect(messages.hasPrefix("settings-page: A page of root's") && messages.hasSuffix(" use '--allow-root'.\n"))
}

@Test(arguments: [SIGTERM, SIGINT, SIGHUP])
func `a signal ends the program, and its trial is taken back before`(_ signal: CInt) async throws {
  let home = try TestHome()
  let program = try Program([TestHome.app], home)
  let address = try await program.address()
  let client = try #require(TestClient(port: address.port))
  await client.send(request("POST", "/api/apps/\(TestHome.app)/edits", address, trial))
  #expect(await client.answer()?.status == 200)
  #expect(home.read(home.settings)?.contains("size = 20") == true)
  kill(program.child.pid, signal)
  #expect(try await program.end().status == 0)
  #expect(home.read(home.settings)?.contains("size = 14") == true)
}

@Test func `a program that is killed leaves a trial to the next one`() async throws {
  let home = try TestHome()
  let program = try Program([], home)
  let address = try await program.address()
  let client = try #require(TestClient(port: address.port))
  await client.send(request("POST", "/api/apps/\(TestHome.app)/edits", address, trial))
  #expect(await client.answer()?.status == 200)
  kill(program.child.pid, SIGKILL)
  #expect(try await program.end().status == 128 + Int(SIGKILL))
  #expect(home.read(home.settings)?.contains("size = 20") == true)
  let next = try Program([], home)
  _ = try await next.address()
  kill(next.child.pid, SIGTERM)
  #expect(try await next.end().status == 0)
  #expect(home.read(home.settings)?.contains("size = 14") == true)
}

@Test func `what cannot be served is said in one sentence`() async throws {
  let home = try TestHome()
  let server = try await TestServer(home: home)
  let taken = try await Program(["--port", String(server.port)], home).end()
  #expect(taken.status == 7 && taken.messages.contains("port \(server.port)"), "\(taken.messages)")
  let missing = try await Program(["--cli", "/none/settings-cli"], home).end()
  #expect(missing.status == 7 && missing.messages.contains("/none/settings-cli"), "\(missing.messages)")
  let open = try await Program(["--socket", "/tmp/page.sock"], home).end()
  let advice = "Others may use the directory '/tmp', and a socket needs one that is yours alone. With "
  let words = "'--socket /tmp/settings-page/page.sock', it is made.\n"
  #expect(open.status == 7 && open.messages.hasSuffix(advice + words), "\(open.messages)")
  for words in [["--port", "70000"], ["--port", "-1"], ["--port", "1", "--socket", "/x/y"]] {
    #expect(try await Program(words, home).end().status == 2)
  }
  try await server.end()
}

@Test func `the program says nothing of requests, values and tokens`() async throws {
  let home = try TestHome()
  let program = try Program([], home)
  let address = try await program.address()
  for (path, token) in [("/api/apps/\(TestHome.app)/edits", address.token), ("/api/x?secret", "wrong")] {
    let client = try #require(TestClient(port: address.port))
    await client.send(
      request("POST", path, (address.port, token), #"{"edits": [{"set": "token", "value": "hunter2"}]}"#))
    #expect(await client.answer() != nil)
  }
  let client = try #require(TestClient(port: address.port))
  await client.send(request("POST", "/api/end", address, "{}"))
  #expect(await client.answer()?.status == 200)
  let (status, _, messages) = try await program.end()
  #expect(status == 0)
  #expect(messages.isEmpty, "\(messages)")
}

@Test func `what says which version this is agrees`() async throws {
  let home = try TestHome()
  let (status, output, _) = try await Program(["--version"], home, allowRoot: false).end()
  #expect(status == 0)
  let words = output.split(whereSeparator: \.isWhitespace)
  let version = try #require(words.last)
  #expect(words.first == "settings-page")
  #expect(try source("settings-page.1").replacing("\\-", with: "-").contains("\"settings-page \(version)\""))
  #expect(try source("openapi.yaml").contains("\n  version: \(version)\n"))
  #expect(try source("../CHANGELOG.md").contains("\n## \(version) - "))
}

/// The text of a file of the package.
private func source(_ name: String) throws -> String {
  let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
  let file = try #require(fopen("/\(folder)/\(name)", "re"))
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 1 << 20)
  let count = fread(&bytes, 1, bytes.count, file)
  return String(decoding: bytes[..<count], as: UTF8.self)
}

@Test func `the manual page has every option`() async throws {
  let home = try TestHome()
  let (status, help, _) = try await Program(["--help"], home, allowRoot: false).end()
  #expect(status == 0)
  let manual = try source("settings-page.1").replacing("\\-", with: "-")
  let options = help.matches(of: /--[a-z-]+/).map { String($0.output) }
  #expect(options.count > 5)
  for option in Set(options) { #expect(manual.contains(option), "\(option)") }
}
