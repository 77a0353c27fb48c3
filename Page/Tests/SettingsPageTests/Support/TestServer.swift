import AppSettings
import Glibc
import SettingsTools
import Testing

@testable import SettingsPage

extension Limits {
  /// What is not about time does not fail on a busy machine. What is about time sets it itself.
  static var patient: Limits {
    var limits = Limits()
    limits.wait = .seconds(600)
    limits.command = .seconds(600)
    limits.grace = .seconds(600)
    return limits
  }
}

/// A server in this process, with a home of its own.
final class TestServer: Sendable {
  let home: TestHome
  let port: Int
  let token: String
  /// What a person opens.
  let url: String
  private let hasIPv4: Bool
  private let server: PageServer
  private let running: Task<Void, any Error>

  init(
    limits: Limits = .patient, home: TestHome? = nil, target: String? = nil, command: String = TestHome.command,
    hasIPv4: Bool = true
  ) async throws {
    let home = try home ?? TestHome()
    self.home = home
    self.hasIPv4 = hasIPv4
    var configuration = PageConfiguration(
      endpoint: .loopback(port: 0), command: command, environment: home.environment, target: target)
    configuration.limits = limits
    configuration.hasIPv4 = hasIPv4
    token = configuration.token.text
    let server = PageServer(configuration)
    self.server = server
    let (addresses, continuation) = AsyncStream.makeStream(of: PageAddress.self)
    running = Task {
      defer { continuation.finish() }
      try await server.run { continuation.yield($0) }
    }
    var iterator = addresses.makeAsyncIterator()
    let address = try #require(await iterator.next())
    url = address.url
    port = try #require(address.port)
  }

  /// The code of the address.
  var code: String { String(url.split(separator: "#code=").last?.prefix { $0 != "&" } ?? "") }

  /// Ends the server as a signal does, and returns when it has ended.
  func end() async throws {
    server.end()
    try await running.value
  }

  /// Returns when the server ends by itself.
  func ended() async throws { try await running.value }

  func connect() throws -> TestClient { try #require(TestClient(port: port, isIPv6: !hasIPv4)) }

  /// The text of a request.
  func text(
    _ method: String, _ path: String, body: String? = nil, headers: [String: String?] = [:]
  ) -> String {
    var all: [String: String?] = ["Host": "127.0.0.1:\(port)", "Authorization": "Bearer \(token)"]
    if let body {
      all["Content-Type"] = "application/json"
      all["Content-Length"] = String(body.utf8.count)
    }
    all.merge(headers) { $1 }
    let lines = all.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }.joined()
    return "\(method) \(path) HTTP/1.1\r\n\(lines)\r\n\(body ?? "")"
  }

  /// Sends a request on a connection of its own, and returns the answer.
  func ask(
    _ method: String, _ path: String, body: String? = nil, headers: [String: String?] = [:]
  ) async throws -> TestAnswer {
    let client = try connect()
    await client.send(text(method, path, body: body, headers: headers))
    return try #require(await client.answer())
  }

  /// The same, with an answer that has to be JSON.
  func json(_ method: String, _ path: String, body: String? = nil, status: Int = 200) async throws -> JSONTree {
    let answer = try await ask(method, path, body: body)
    #expect(answer.status == status, "\(answer.text)")
    return try JSONTree(parsing: answer.body)
  }

  /// The events of an app, from the state at the start.
  func events(of app: String) async throws -> TestClient {
    let client = try connect()
    await client.send(text("GET", "/api/events?app=\(app)"))
    #expect(try #require(await client.head()).status == 200)
    #expect(try #require(await client.event()).name == "state")
    return client
  }
}

/// A home for one test, with an app that has a schema. It is removed with the last that uses it.
final class TestHome: Sendable {
  let path: String
  static let app = "org.example.editor"

  /// The settings-cli to test with.
  static let command = ProcessEnvironment["SETTINGS_CLI"] ?? beside("settings-cli") ?? "settings-cli"

  /// The path of an executable that was built with the tests; `nil` if there is none.
  static func beside(_ name: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let program = String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
    // The runner of 'swift test' may be another program, which names the tests in its arguments.
    let tests = ([program] + CommandLine.arguments).first { $0.hasSuffix(".xctest") } ?? program
    let path = tests[..<(tests.lastIndex(of: "/") ?? tests.startIndex)] + "/\(name)"
    return access(String(path), X_OK) == 0 ? String(path) : nil
  }

  init() throws {
    var template = Array("\(ProcessEnvironment["TMPDIR"] ?? "/tmp")/settings-page-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw PageError("There is no temporary directory.") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try write(Self.schema, to: "data/app-settings/\(Self.app).toml")
    try write("# mine\ntheme = \"dark\" # as at night\nsize = 14\n", to: "config/\(Self.app)/settings.toml")
  }

  deinit { Self.remove(path) }

  var environment: [String: String] {
    [
      "HOME": path, "XDG_CONFIG_HOME": "\(path)/config", "XDG_STATE_HOME": "\(path)/state",
      "XDG_DATA_HOME": "\(path)/data", "XDG_DATA_DIRS": "\(path)/none", "XDG_CONFIG_DIRS": "\(path)/etc",
      "XDG_RUNTIME_DIR": path, "PATH": ProcessEnvironment["PATH"] ?? "/usr/bin:/bin",
    ]
  }

  var settings: String { "config/\(Self.app)/settings.toml" }

  private static let schema = """
    app = "\(app)"

    [keys.theme]
    type = "string"
    choices = ["light", "dark"]
    default = "light"
    description = "The colours of the window."

    [keys.size]
    type = "integer"
    minimum = 6
    default = 12

    [keys.width]
    type = "integer"

    [keys.recent]
    type = "array"
    elements = { type = "string" }

    [keys.token]
    type = "string"
    secret = true
    """

  func write(_ text: String, to name: String) throws {
    let file = "\(path)/\(name)"
    for index in file.indices.dropFirst() where file[index] == "/" { mkdir(String(file[..<index]), 0o700) }
    // In one step, as an editor saves: no reader sees half of it.
    let descriptor = open(file + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, rename(file + ".new", file) == 0 else {
      throw PageError("Cannot write '\(file)'.")
    }
  }

  func read(_ name: String) -> String? {
    guard let file = fopen("\(path)/\(name)", "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// The names of the files in a directory.
  func names(in name: String) -> [String] {
    guard let directory = opendir("\(path)/\(name)") else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Runs settings-cli in this home.
  @discardableResult
  func command(_ words: String...) async throws -> CommandResult {
    let program = try #require(InstalledProgram.path(of: Self.command, searching: environment["PATH"]))
    return try await run([program] + words)
  }

  /// Runs a program in this home, or with more variables.
  func run(_ words: [String], adding variables: [String: String] = [:]) async throws -> CommandResult {
    let environment = environment.merging(variables) { $1 }
    return try await blocking {
      try CommandRun().run(
        words, environment: environment, input: [], within: .seconds(60), upTo: 1 << 24, whenStarted: { _ in })
    }
  }

  private static func remove(_ path: String) {
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        guard name != "." && name != ".." else { continue }
        let isDirectory = entry.pointee.d_type == UInt8(DT_DIR)
        if isDirectory { remove("\(path)/\(name)") } else { unlink("\(path)/\(name)") }
      }
      closedir(directory)
    }
    rmdir(path)
  }
}

/// The environment of the tests.
enum ProcessEnvironment {
  static subscript(name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

extension JSONTree: ExpressibleByStringLiteral {
  /// A string.
  public init(stringLiteral text: String) { self = .string(text) }
}
