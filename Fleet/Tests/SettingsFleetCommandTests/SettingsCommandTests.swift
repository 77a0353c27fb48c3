import AppSettings
import Foundation
import SettingsTools
import Testing

@testable import settings_fleet

struct SettingsCommandTests {
  private let directories = SettingsCommand.Directories(system: "/none", state: "/none", home: "/none")

  /// Runs something with a shell script in the place of `settings-cli`.
  private func with<Value>(
    _ script: String, environment: [String: String] = [:], patience: Duration = .seconds(60),
    _ body: (SettingsCommand) async throws -> Value
  ) async throws -> Value {
    let path = FileManager.default.temporaryDirectory.path + "/settings-command-\(UUID().uuidString)"
    try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o700)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let variables = ["SETTINGS_CLI": path, "PATH": "/usr/bin:/bin"].merging(environment) { $1 }
    return try await body(
      try SettingsCommand(environment: variables, patience: patience, grace: .milliseconds(100)))
  }

  /// As a process is that waits for a disk which does not answer, or that somebody has stopped.
  @Test(
    .timeLimit(.minutes(10)),
    arguments: ["exec sleep 1000", "trap '' TERM; while :; do sleep 0.01; done", "kill -STOP $$"])
  func `a command that does not end is ended`(_ script: String) async throws {
    try await with(script, patience: .milliseconds(100)) { command in
      let failure = await #expect(throws: Failure.self) { try await command.run(["check"], in: directories) }
      #expect(failure?.message?.contains("did not end within 0.1 seconds") == true, "\(failure as Any)")
    }
  }

  /// More than a pipe holds: a pipe would break, or end where the writer was killed.
  @Test func `a command that dies before it has read its input is only a failure`() async throws {
    let input = [UInt8](repeating: 7, count: 1 << 20)
    let answer = try await with("exit 3") { try await $0.run(["batch"], in: directories, input: input) }
    #expect(answer.status == 3)
  }

  @Test func `a command gets all of its input, and not what was said of ours`() async throws {
    let input = [UInt8](repeating: UInt8(ascii: "x"), count: 300_000)
    let answer = try await with(
      "printf %s \"$SETTINGS_CLI_INPUT_BYTES\"; wc -c", environment: ["SETTINGS_CLI_INPUT_BYTES": "12"]
    ) { try await $0.run(["set"], in: directories, input: input) }
    #expect(String(decoding: answer.output, as: UTF8.self) == "300000\n")
  }

  @Test func `a command gets variables byte for byte`() async throws {
    let odd = PathText.text(Array("a\u{FC}".utf8) + [0xE9])
    let answer = try await with("printf %s \"$ODD\"", environment: ["ODD": odd]) {
      try await $0.run(["set"], in: directories)
    }
    #expect(answer.output == Array("a\u{FC}".utf8) + [0xE9])
  }

  @Test func `a program in a directory whose name is not UTF-8 is not taken, and the next one is`() throws {
    let home = FileManager.default.temporaryDirectory.path + "/settings-command-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: home) }
    // Foundation makes no such names.
    let names = [PathText.text(Array("\(home)/jos".utf8) + [0xE9]), home + "/next"]
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    for name in names {
      #expect(name.withPath { mkdir($0, 0o700) } == 0)
      let file = "\(name)/tool".withPath { open($0, O_WRONLY | O_CREAT, 0o700) }
      #expect(file >= 0 && close(file) == 0)
    }
    let path = names.joined(separator: ":")
    #expect(InstalledProgram.path(of: "tool", searching: path) == names[0] + "/tool")
    #expect(InstalledProgram.path(of: "tool", searching: path) { !PathText.hasBytes($0) } == names[1] + "/tool")
  }

  @Test(.timeLimit(.minutes(10))) func `a cancelled run waits for the end of its command`() async throws {
    let marker = FileManager.default.temporaryDirectory.path + "/settings-command-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: marker) }
    // It says that it runs, and ends with a status of its own when it is asked to.
    try await with("trap 'exit 5' TERM; : >'\(marker)'; while :; do sleep 0.01; done") { command in
      let run = Task { try await command.run(["set"], in: directories) }
      let isRunning = try await eventually { FileManager.default.fileExists(atPath: marker) }
      run.cancel()
      let status = try await run.value.status
      #expect(isRunning && status == 5)
    }
  }
}
