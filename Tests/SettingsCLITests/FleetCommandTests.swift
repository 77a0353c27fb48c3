import Foundation
import TestSupport
import Testing

/// `fleet` becomes the program for all machines.
struct FleetCommandTests {
  let test: SchemaHome
  init() throws { test = try SchemaHome() }

  private func run(path: String, _ arguments: [String]) throws -> ChildProcess.Result {
    var environment = test.home.environment
    environment["PATH"] = path
    return try ChildProcess.run(ChildProcess.product("settings-cli"), ["fleet"] + arguments, environment: environment)
  }

  @Test func `all words are passed on as they are, options and help too`() throws {
    let program = test.home.path + "/bin/settings-fleet"
    try test.home.write("#!/bin/sh\nfor word; do echo \"[$word]\"; done\nexit 12\n", to: program)
    chmod(program, 0o755)
    for words in [
      ["set", "org.example.a", "--group", "web", "a=b c", "--", "--x"], ["--help"], ["set", "--help"], [],
    ] {
      let result = try run(path: "\(test.home.path)/bin:/usr/bin:/bin", words)
      #expect(result.status == 12 && result.error == "", "\(result)")
      #expect(result.output == words.map { "[\($0)]\n" }.joined(), "\(result)")
    }
  }

  @Test func `where the program is missing, a sentence says how to get it`() throws {
    let result = try run(path: "relative::/usr/bin:/bin", ["status", "org.example.a"])
    #expect(result.status == 3)
    #expect(
      result.error
        == "settings-cli: The fleet's command is not installed: there is no program 'settings-fleet' beside this one or "
        + "in PATH. Install the Debian package 'settings-fleet', or run 'Scripts/install --fleet' in the sources.\n")
  }
}
