import BenchmarkHarness
import EtcdClient
import EtcdTesting
import Foundation
import SettingsFleet

/// A person and a machine with their settings, and the installed programs that they run.
struct Party: Sendable {
  let root: String
  let app = "org.example.editor"
  private let program: String
  private let cli: String
  private let settings: String

  init(run: Run, program: String, cli: String?) throws {
    self.program = URL(fileURLWithPath: program).path
    let beside = URL(fileURLWithPath: program).deletingLastPathComponent().appendingPathComponent("settings-cli").path
    let found =
      cli ?? (FileManager.default.isExecutableFile(atPath: beside) ? beside : nil) ?? Child.find("settings-cli")
    guard let found else { throw Run.Failure(description: "there is no settings-cli: name it with --cli") }
    self.cli = URL(fileURLWithPath: found).path
    root = FileManager.default.temporaryDirectory.path + "/fleet-benchmarks-\(UUID().uuidString)"
    let tls = run.cluster.certificates?.tls
    let endpoints = run.cluster.endpoints.map { "\"\($0)\"" }.joined(separator: ", ")
    settings = """
      endpoints = [\(endpoints)]
      tls.authority = "\(tls?.authorityFile ?? "")"
      tls.certificate = "\(tls?.certificateFile ?? "")"
      tls.key = "\(tls?.keyFile ?? "")"

      """
    try FileManager.default.createDirectory(atPath: root + "/etc/settings-fleet", withIntermediateDirectories: true)
    try write(settings + "machine = \"machine\"\nhost = \"host\"\n", to: "/etc/settings-fleet/settings.toml")
    try FileManager.default.createDirectory(atPath: root + "/home/settings-fleet", withIntermediateDirectories: true)
    try write(settings, to: "/home/settings-fleet/settings.toml")
  }

  func remove() { try? FileManager.default.removeItem(atPath: root) }

  /// Where the mirror writes.
  var directory: String { directory(of: app) }

  func directory(of app: String) -> String { "\(root)/fleet/\(app)/settings.d" }

  /// A mirror that ends with this process, or when it is released.
  func mirror() throws -> ChildProcess {
    try start(environment(config: root + "/none", system: root + "/etc"), ["mirror"])
  }

  /// The command as a person runs it.
  func command(_ words: String...) -> Child {
    Child([program] + words, environment(config: root + "/home", system: root + "/none"))
  }

  /// Starts the command beside others.
  func start(_ words: String...) throws -> ChildProcess {
    try start(environment(config: root + "/home", system: root + "/none"), words)
  }

  private func start(_ variables: [String], _ words: [String]) throws -> ChildProcess {
    do {
      return try ChildProcess("/usr/bin/env", ["-i"] + variables + [program] + words, output: root + "/log")
    } catch {
      throw Run.Failure(description: "\(error)")
    }
  }

  private func environment(config: String, system: String) -> [String] {
    [
      "PATH=/usr/bin:/bin", "HOME=\(root)", "SETTINGS_CLI=\(cli)", "XDG_CONFIG_HOME=\(config)",
      "XDG_CONFIG_DIRS=\(system)", "XDG_STATE_HOME=\(root)/state", "XDG_DATA_HOME=\(root)/none",
      "XDG_DATA_DIRS=\(root)/share", "APP_SETTINGS_FLEET_DIR=\(root)/fleet",
    ]
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: root + path), options: .atomic)
  }
}
