import EtcdClient
import EtcdTesting
import Foundation
import Testing

/// All tests of the command: they share a cluster, and each uses apps of its own. The suites in it run side by side,
/// because most of the time a test waits: for a cluster, for a disk, for a machine. Within each, tests run one after
/// another: the calls have deadlines, which many processes at once would miss. Rollouts wait for signs of life of
/// machines, and need next to nothing meanwhile: they run beside each other, too.
@Suite(
  .timeLimit(.minutes(10)),
  .enabled(if: EtcdCluster.missing == nil, "a cluster needs etcd, etcdctl, openssl and setpriv"),
  .enabled(if: Fleet.cli != nil, "SETTINGS_CLI has to name settings-cli, or it has to be beside the tests or in PATH"))
enum CommandTests {
  static let shared = Task { try await EtcdCluster.start(options: patient) }

  /// What is not about time does not fail on a busy machine.
  static var patient: EtcdCluster.Options {
    var options = EtcdCluster.Options()
    options.deadline = .seconds(30)
    options.keepInMemory()
    return options
  }

  /// What people store.
  @Suite(.serialized) enum Writers {}
  /// What machines make of it.
  @Suite(.serialized) enum Mirrors {}
  /// What may be stored by whom, and from where.
  @Suite(.serialized) enum Owners {}
}

/// A scratch directory with people and machines, and their fleet.
final class Fleet: Sendable {
  let cluster: EtcdCluster
  /// An app that no other test has.
  let app: String
  let root: String
  private static let counter = Counter()

  static let cli: String? = {
    let environment = ProcessInfo.processInfo.environment
    if let named = environment["SETTINGS_CLI"] { return named }
    let beside = URL(fileURLWithPath: program).deletingLastPathComponent().appendingPathComponent("settings-cli").path
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    let directories = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/settings-cli" }
    return directories.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// The program under test, which is beside the tests.
  static let program: String = {
    let tests = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    return tests.appendingPathComponent("settings-fleet").path
  }()

  init(_ cluster: EtcdCluster) throws {
    self.cluster = cluster
    app = "org.example.app\(Self.counter.next())"
    root = FileManager.default.temporaryDirectory.path + "/settings-fleet-tests-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: root + "/share/app-settings", withIntermediateDirectories: true)
  }

  static func with(_ cluster: EtcdCluster? = nil, _ body: (Fleet) async throws -> Void) async throws {
    let fleet: Fleet
    if let cluster { fleet = try Fleet(cluster) } else { fleet = try Fleet(await CommandTests.shared.value) }
    defer { try? FileManager.default.removeItem(atPath: fleet.root) }
    try await body(fleet)
  }

  /// A fleet with a person, and a machine that runs.
  static func withMachine(
    _ cluster: EtcdCluster? = nil, groups: [String] = [], _ body: (Fleet, Party, MachineParty) async throws -> Void
  ) async throws {
    try await with(cluster) { fleet in
      let (ada, machine) = (try fleet.person(), try fleet.machine("m1", groups: groups))
      try machine.start()
      try await body(fleet, ada, machine)
    }
  }

  /// The same, with a cluster of its own.
  static func withOwnCluster(
    _ body: (EtcdCluster, Fleet, Party, MachineParty) async throws -> Void
  ) async throws {
    let cluster = try await EtcdCluster.start(options: CommandTests.patient)
    defer { cluster.stop() }
    try await withMachine(cluster) { try await body(cluster, $0, $1, $2) }
  }

  /// The schema that writers have, and machines unless they have their own.
  func schema(_ text: String, in directory: String? = nil) throws {
    let directory = (directory ?? root + "/share") + "/app-settings"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try write("schema-version = 1\napp = \"\(app)\"\n" + text, to: "\(directory)/\(app).toml")
  }

  /// How many machines the writer of the document for all has counted.
  func machinesOfLastChange(as user: EtcdCredentials? = nil) async throws -> Int? {
    var configuration = cluster.configuration
    configuration.credentials = user
    let client = try EtcdClient(configuration)
    let found = try await client.range(EtcdRange(.key("/app-settings/1/\(app)/all/v1/change")))
    await client.shutdown()
    let note = try JSONSerialization.jsonObject(with: Data(found.keyValues.first?.value ?? [])) as? [String: Any]
    return note?["machines"] as? Int
  }

  func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  /// A person: her settings of `settings-fleet`, and her environment.
  func person(_ name: String = "ada", _ settings: String = "") throws -> Party {
    let home = "\(root)/\(name)"
    try FileManager.default.createDirectory(atPath: home + "/settings-fleet", withIntermediateDirectories: true)
    try write(connection() + settings, to: home + "/settings-fleet/settings.toml")
    return Party(
      fleet: self,
      environment: [
        "XDG_CONFIG_HOME": home, "XDG_CONFIG_DIRS": home + "/none", "XDG_STATE_HOME": home + "/state",
        "XDG_DATA_HOME": home + "/data", "XDG_DATA_DIRS": root + "/share",
      ])
  }

  /// A machine, without a mirror yet.
  func machine(
    _ name: String, groups: [String] = [], _ settings: String = "", share: String? = nil, endpoints: String? = nil
  ) throws -> MachineParty {
    let home = "\(root)/\(name)"
    try FileManager.default.createDirectory(atPath: home + "/etc/settings-fleet", withIntermediateDirectories: true)
    let facts = """
      machine = "\(app)-\(name)"
      host = "\(name)"
      apps = ["\(app)"]
      groups = [\(groups.map { "\"\($0)\"" }.joined(separator: ", "))]

      """
    try write(connection(endpoints) + facts + settings, to: home + "/etc/settings-fleet/settings.toml")
    let party = Party(
      fleet: self,
      environment: [
        "XDG_CONFIG_HOME": home + "/none", "XDG_CONFIG_DIRS": home + "/etc", "XDG_STATE_HOME": home + "/state",
        "XDG_DATA_HOME": home + "/none", "XDG_DATA_DIRS": share ?? root + "/share",
        "APP_SETTINGS_FLEET_DIR": home + "/fleet",
        "CREDENTIALS_DIRECTORY": home + "/credentials",
      ])
    return MachineParty(party: party, directory: "\(home)/fleet/\(app)/settings.d")
  }

  /// Lets a machine mirror other apps than its test's.
  func allow(apps: [String], on machine: String) throws {
    try setApps("apps = [\(apps.map { "\"\($0)\"" }.joined(separator: ", "))]\n", on: machine)
  }

  func allowEveryApp(on machine: String) throws { try setApps("", on: machine) }

  private func setApps(_ line: String, on machine: String) throws {
    let file = "\(root)/\(machine)/etc/settings-fleet/settings.toml"
    let settings = try String(contentsOfFile: file, encoding: .utf8)
    try write(settings.replacingOccurrences(of: "apps = [\"\(app)\"]\n", with: line), to: file)
  }

  private func connection(_ endpoints: String? = nil) -> String {
    let members = cluster.endpoints.map { "\"\($0)\"" }.joined(separator: ", ")
    return "endpoints = \(endpoints ?? "[\(members)]")\nplaintext = true\n"
  }

  private final class Counter: Sendable {
    nonisolated(unsafe) private var last = 0  // Protected by the lock.
    private let lock = NSLock()
    func next() -> Int {
      lock.withLock {
        last += 1; return last
      }
    }
  }
}

/// Somebody who runs the command.
struct Party: Sendable {
  struct Answer: Sendable, CustomStringConvertible {
    var status: Int32
    var output: String
    var error: String
    var description: String { "\(status)\n\(output)\n\(error)" }
  }

  let fleet: Fleet
  let environment: [String: String]

  @discardableResult
  func run(_ words: [String], input: String = "", adding variables: [String: String] = [:]) async throws -> Answer {
    let process = process(words, adding: variables)
    let (output, error, stdin) = (Pipe(), Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = error
    process.standardInput = stdin
    try process.run()
    try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try stdin.fileHandleForWriting.close()
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        nonisolated(unsafe) var message = Data()  // Read by another thread, which is joined by the semaphore.
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          message = error.fileHandleForReading.readDataToEndOfFile()
          done.signal()
        }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        done.wait()
        process.waitUntilExit()
        continuation.resume(
          returning: Answer(
            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
            error: String(decoding: message, as: UTF8.self)))
      }
    }
  }

  @discardableResult
  func run(_ words: String...) async throws -> Answer { try await run(words) }

  /// Waits until so many machines have applied what is stored. `status --wait` does not wait for a machine that has never
  /// answered, because nobody knows of it.
  func waitUntilApplied(by machines: Int) async throws -> Bool {
    try await eventually { try await run("status", fleet.app).output.contains("\(machines) applied") }
  }

  func process(_ words: [String], adding variables: [String: String] = [:]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Fleet.program)
    process.arguments = words
    // A text that an editor leaves is kept where the command runs.
    process.currentDirectoryURL = URL(fileURLWithPath: fleet.root)
    var all = ProcessInfo.processInfo.environment.merging(environment) { $1 }.merging(variables) { $1 }
    all["SETTINGS_CLI"] = variables["SETTINGS_CLI"] ?? environment["SETTINGS_CLI"] ?? Fleet.cli
    all["HOME"] = fleet.root
    // What a killed command leaves goes with the fleet.
    all["TMPDIR"] = fleet.root
    process.environment = all
    return process
  }
}

/// A machine, with or without its mirror.
final class MachineParty: @unchecked Sendable {  // One test uses it, one thing at a time.
  let party: Party
  let directory: String
  private var mirror: Process?
  private let log: String

  init(party: Party, directory: String) {
    (self.party, self.directory) = (party, directory)
    log = directory.replacingOccurrences(of: "/", with: "-")
  }

  /// - Parameter script: What a shell does first, in a user namespace of its own, where a process may set limits.
  func start(words: [String] = [], adding variables: [String: String] = [:], after script: String? = nil) throws {
    let process = party.process(["mirror"] + words, adding: variables)
    if let script {
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments =
        ["unshare", "-Ur", "sh", "-c", script + " && exec \"$0\" \"$@\"", Fleet.program, "mirror"] + words
    }
    let path = logPath
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    process.standardError = FileHandle(forWritingAtPath: path)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    mirror = process
  }

  private var logPath: String { "\(party.fleet.root)/\(log.suffix(60)).log" }
  /// What the mirror has said since it was started.
  var said: String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }

  var isRunning: Bool { mirror?.isRunning ?? false }

  /// The most memory that the mirror had resident, in KB.
  var peakMemory: Int? {
    let status = try? String(contentsOfFile: "/proc/\(mirror?.processIdentifier ?? 0)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first }.flatMap { Int($0) }
  }

  /// The names of the mirror's threads.
  var threads: [String] {
    let directory = "/proc/\(mirror?.processIdentifier ?? 0)/task"
    let ids = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return ids.compactMap { try? String(contentsOfFile: "\(directory)/\($0)/comm", encoding: .utf8) }
  }

  /// Lets the mirror do nothing until ``resume()``.
  func pause() { if let mirror { Foundation.kill(mirror.processIdentifier, SIGSTOP) } }
  func resume() { if let mirror { Foundation.kill(mirror.processIdentifier, SIGCONT) } }

  func stop() {
    resume()
    mirror?.terminate()
    mirror?.waitUntilExit()
    mirror = nil
  }

  func kill() {
    if let mirror { Foundation.kill(mirror.processIdentifier, SIGKILL) }
    mirror?.waitUntilExit()
    mirror = nil
  }

  deinit { stop() }

  /// The text of a mirrored file; `nil` if there is none.
  func text(_ name: String = "10-all") -> String? {
    try? String(contentsOfFile: "\(directory)/\(name).toml", encoding: .utf8)
  }

  /// Waits until a file has a text of which something holds.
  func wait(_ condition: (String?) -> Bool) async throws -> Bool { try await eventually { condition(self.text()) } }

  /// Where the app's secrets are.
  var secrets: String { party.environment["APP_SETTINGS_FLEET_DIR"]! + "-secrets/\(party.fleet.app)" }

  /// The plain value of a secret; `nil` if there is none.
  func secret(_ key: String = "db.password") -> String? {
    try? String(contentsOfFile: "\(secrets)/\(key)", encoding: .utf8)
  }

  /// Waits until a secret has a value.
  func wait(forSecret value: String, _ key: String = "db.password") async throws -> Bool {
    try await eventually { self.secret(key) == value }
  }

  /// Waits until a file has a text.
  func wait(for expected: String?, in name: String = "10-all", within limit: Duration = .seconds(60)) async throws
    -> Bool
  {
    try await eventually(within: limit) { self.text(name) == expected }
  }
}

/// Waits until something holds. There is no event for a file of another process that is not there yet.
func eventually(within limit: Duration = .seconds(60), _ condition: () async throws -> Bool) async throws -> Bool {
  let end = ContinuousClock.now + limit
  while ContinuousClock.now < end {
    if try await condition() { return true }
    try await Task.sleep(for: .milliseconds(20))
  }
  return try await condition()
}
