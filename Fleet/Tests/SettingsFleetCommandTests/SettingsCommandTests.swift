import Foundation
import Testing

@testable import settings_fleet

struct SettingsCommandTests {
  private let directories = SettingsCommand.Directories(system: "/none", state: "/none", home: "/none")

  /// As a process is that waits for a disk which does not answer, or that somebody has stopped.
  @Test(
    .timeLimit(.minutes(1)),
    arguments: ["exec sleep 1000", "trap '' TERM; while :; do sleep 0.01; done", "kill -STOP $$"])
  func `a command that does not end is ended`(_ script: String) async throws {
    let path = FileManager.default.temporaryDirectory.path + "/settings-command-\(UUID().uuidString)"
    try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o700)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let command = try SettingsCommand(
      environment: ["SETTINGS_CLI": path], patience: .milliseconds(100), grace: .milliseconds(100))
    let failure = await #expect(throws: Failure.self) { try await command.run(["check"], in: directories) }
    #expect(failure?.message?.contains("has not ended after 0.1 seconds") == true, "\(failure as Any)")
  }
}
