import Foundation
import TestSupport

/// A program in a terminal of its own, made by script(1): typed into and read like one.
final class TerminalSession: @unchecked Sendable {  // all state is under `condition`
  static let isPossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let condition = NSCondition()
  private var text: [UInt8] = []
  private var unread: [UInt8] = []
  private var isAtEnd = false

  /// Starts a line of shell in a terminal.
  init(_ line: String, environment: [String: String], directory: String) throws {
    // Without the signals that the tests' own parent process ignores, such as a shell's for a background job.
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["--default-signal", "/usr/bin/script", "-qefc", line, "/dev/null"]
    process.environment = environment.merging(Spawn.ownVariables.merging(["TERM": "xterm", "SHELL": "/bin/sh"]) { $1 })
    {
      given, _ in given
    }
    process.currentDirectoryURL = URL(fileURLWithPath: directory)
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let handle = output.fileHandleForReading
    Thread.detachNewThread { [self] in
      while true {
        let data = handle.availableData
        condition.lock()
        text += data
        unread += data
        isAtEnd = data.isEmpty
        condition.broadcast()
        condition.unlock()
        if data.isEmpty { return }
      }
    }
  }

  deinit { if process.isRunning { process.terminate() } }

  /// Types keys.
  func type(_ keys: String) { try? input.fileHandleForWriting.write(contentsOf: Data(keys.utf8)) }

  /// Waits until a text is on the screen, after what was waited for before.
  ///
  /// - Returns: What came up to its end; `nil` if the program ended, or a test waits no longer, without it.
  @discardableResult
  func wait(for wanted: String) -> String? {
    condition.lock()
    defer { condition.unlock() }
    let deadline = Date().addingTimeInterval(Aside.patience)
    while true {
      if let range = unread.firstRange(of: Array(wanted.utf8)) {
        let seen = String(decoding: unread[..<range.upperBound], as: UTF8.self)
        unread.removeSubrange(..<range.upperBound)
        return seen
      }
      if isAtEnd || !condition.wait(until: deadline) { return nil }
    }
  }

  /// Waits for the end.
  ///
  /// - Returns: Everything that it said, with the terminal's line ends as one character, and the exit status.
  func end() -> (text: String, status: Int32) {
    process.waitUntilExit()
    condition.lock()
    defer { condition.unlock() }
    while !isAtEnd { condition.wait() }
    let shown = String(decoding: text, as: UTF8.self)
    return (shown.replacingOccurrences(of: "\r\n", with: "\n"), process.terminationStatus)
  }
}
