import Foundation
import Testing
import TestSupport

/// `page` becomes the program that serves the page.
struct PageCommandTests {
  let test: SchemaHome
  init() throws { test = try SchemaHome() }

  /// The command with its program, as they are installed in some directories below the home.
  private func run(_ program: String?, path: String, _ arguments: String...) throws -> ChildProcess.Result {
    let command = test.home.path + "/usr/bin/settings-cli"
    try FileManager.default.createDirectory(atPath: test.home.path + "/usr/bin", withIntermediateDirectories: true)
    try ChildProcess.copyProduct("settings-cli", to: command)
    if let program {
      // It says what it is: its process, its arguments, and how it takes a signal.
      try test.home.write(
        "#!/bin/sh\necho \"$$\"\nfor word; do echo \"[$word]\"; done\ngrep SigIgn /proc/self/status\nexit 5\n",
        to: "\(test.home.path)/\(program)")
      chmod("\(test.home.path)/\(program)", 0o755)
    }
    var environment = test.home.environment
    environment["PATH"] = path
    return try ChildProcess.shell(
      "echo $$; exec '\(command)' page \(arguments.map { "'\($0)'" }.joined(separator: " "))", environment: environment,
      directory: test.home.path)
  }

  @Test(arguments: ["usr/bin/settings-page", "usr/libexec/settings-page", "other/settings-page"])
  func `the program beside the command, in libexec or in PATH takes the place of the command`(_ program: String) throws
  {
    let path = "relative:\(test.home.path)/other:/usr/bin:/bin"
    let result = try run(
      program, path: path, test.app, "--port", "8080", "--no-open", "--allow-root", "--color", "never")
    #expect(result.status == 5 && result.error == "", "\(result)")
    let lines = result.output.split(separator: "\n")
    try #require(lines.count == 11, "\(result)")
    // The shell, the command and the program are one process.
    #expect(lines[0] == lines[1])
    #expect(
      lines[2..<10]
        == [
          "[--cli]", "[\(test.home.path)/usr/bin/settings-cli]", "[--port]", "[8080]", "[--no-open]", "[--allow-root]",
          "[--]", "[\(test.app)]",
        ])
    let ignored = try #require(lines[10].split(separator: "\t").last.flatMap { UInt64($0, radix: 16) })
    #expect(ignored & (1 << (UInt64(SIGPIPE) - 1)) == 0)
  }

  @Test func `a socket is passed on, and a target is not needed`() throws {
    let result = try run("usr/bin/settings-page", path: "/usr/bin:/bin", "--socket", "./s o")
    #expect(result.output.contains("[--socket]\n[./s o]\n") && !result.output.contains("[--]"), "\(result)")
  }

  @Test func `where the program is missing, a sentence says how to get it`() throws {
    let result = try run(nil, path: "relative::/usr/bin:/bin", test.app)
    #expect(result.status == 3)
    #expect(
      result.error
        == "settings-cli: The settings page is not installed: there is no program 'settings-page' beside this one or in "
        + "PATH. Install the Debian package 'settings-page', or run 'Scripts/install --page' in the sources.\n")
  }

  @Test func `an unknown app, a wrong port and two places are said before anything starts`() throws {
    for (arguments, status, word) in [
      (["org.example.tset"], 3, "Did you mean"), (["x.toml"], 2, "./x.toml"), (["--port", "70000"], 2, "65535"),
      (["--port", "1", "--socket", "s"], 2, "not both"), (["--socket", ""], 2, "a path is needed"),
    ] as [([String], Int32, String)] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), ["page"] + arguments, environment: test.home.environment)
      #expect(result.status == status && result.error.contains(word), "\(result)")
    }
  }
}
