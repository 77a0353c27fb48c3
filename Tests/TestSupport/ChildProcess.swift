import Foundation
import Glibc

/// A real process and what it said.
package struct ChildProcess: Sendable {
  /// How a process ended.
  package struct Result: Sendable, Equatable {
    package var status: Int32
    package var output: String
    package var error: String
    /// Whether a signal ended it; `status` is the signal then.
    package var wasKilled = false

    package init(status: Int32, output: String, error: String, wasKilled: Bool = false) {
      self.status = status
      self.output = output
      self.error = error
      self.wasKilled = wasKilled
    }
  }

  /// The directory of the executables that were built with the tests.
  package static let builtProducts: String = {
    let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    // swift test loads the tests as a library into a helper; the helper's arguments name the bundle.
    for argument in CommandLine.arguments + [executable] where argument.contains(".build") {
      let directory = URL(fileURLWithPath: argument).deletingLastPathComponent().path
      if FileManager.default.isExecutableFile(atPath: directory + "/settings-cli") { return directory }
    }
    return (executable as NSString).deletingLastPathComponent
  }()

  /// A directory with `settings-cli` and without the programs that it becomes, which it finds beside itself: a test says
  /// where these are.
  package static let commandDirectory: String = {
    let directory = builtProducts + "/command"
    let link = directory + "/settings-cli"
    mkdir(directory, 0o755)
    // Made again by each run: the command may have been built since. Another run may be using it.
    let name = "\(link)-\(getpid())"
    guard Glibc.link(builtProducts + "/settings-cli", name) == 0, rename(name, link) == 0 else {
      fatalError("Cannot link '\(link)': \(String(cString: strerror(errno)))")
    }
    // Where both are one file already, rename(2) does nothing.
    unlink(name)
    return directory
  }()

  /// The path of an executable that was built with the tests.
  package static func product(_ name: String) -> String {
    (name == "settings-cli" ? commandDirectory : builtProducts) + "/" + name
  }

  /// Copies an executable that was built with the tests.
  ///
  /// Another process writes the copy. What this one starts meanwhile would hold the open file for a moment, and one that
  /// is open for writing cannot be executed (`ETXTBSY`, execve(2)).
  package static func copyProduct(_ name: String, to path: String) throws {
    let result = try run("/bin/cp", [product(name), path], environment: [:])
    guard result.status == 0 else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path]) }
  }

  /// Runs a command to its end.
  @discardableResult
  package static func run(
    _ path: String, _ arguments: [String], environment: [String: String], input: String? = nil,
    directory: String? = nil
  ) throws -> Result {
    let output = Pipe()
    let error = Pipe()
    let pipe = input.map { _ in Pipe() }
    let process = try Spawn(
      path, arguments, environment: environment, directory: directory, input: pipe?.fileHandleForReading,
      output: output.fileHandleForWriting, error: error.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    try error.fileHandleForWriting.close()
    if let input, let pipe {
      try pipe.fileHandleForReading.close()
      // What it does not read is not needed.
      try? pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try pipe.fileHandleForWriting.close()
    }
    // Both are read at once: a process that fills one while we wait for the other would never end.
    let errorReader = Reader(error.fileHandleForReading)
    let outputData = output.fileHandleForReading.readDataToEndOfFile()
    let errorData = errorReader.wait()
    let end = process.wait()
    return Result(
      status: end.status, output: String(decoding: outputData, as: UTF8.self),
      error: String(decoding: errorData, as: UTF8.self), wasKilled: end.wasKilled)
  }

  /// Runs a command to its end, without holding up the thread. What it says is said by this process.
  ///
  /// - Returns: Its exit status, or the signal that ended it.
  package static func status(
    of path: String, _ arguments: [String], environment: [String: String], directory: String? = nil
  ) async throws -> Int32 {
    let process = try Spawn(path, arguments, environment: environment, directory: directory)
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: process.wait().status) }
    }
  }

  /// Runs a line of shell.
  @discardableResult
  package static func shell(_ line: String, environment: [String: String], directory: String? = nil) throws -> Result {
    try run("/bin/sh", ["-c", line], environment: environment, directory: directory)
  }

  private final class Reader: @unchecked Sendable {  // `data` is written before `done` is signalled and read after
    private var data = Data()
    private let done = DispatchSemaphore(value: 0)

    init(_ handle: FileHandle) {
      Thread.detachNewThread { [self] in
        data = handle.readDataToEndOfFile()
        done.signal()
      }
    }

    func wait() -> Data {
      done.wait()
      return data
    }
  }
}

/// A process that runs while the test goes on. It is killed when the last reference goes.
package final class RunningProcess: Sendable {
  private let process: Spawn
  // Read by nobody, and open for as long as the process may write to it.
  private let error: Pipe
  private let lines: LineQueue

  package init(
    _ path: String, _ arguments: [String], environment: [String: String], directory: String? = nil
  ) throws {
    let output = Pipe()
    error = Pipe()
    process = try Spawn(
      path, arguments, environment: environment, directory: directory, output: output.fileHandleForWriting,
      error: error.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    try error.fileHandleForWriting.close()
    lines = LineQueue(output.fileHandleForReading)
  }

  package var id: Int32 { process.id }

  /// Waits for the next line of its output; `nil` at the end of it, or if none has come for as long as a test waits.
  ///
  /// A test cannot be interrupted while its thread waits: without the limit, one line too few would hold up all others.
  package func nextLine() -> String? {
    if let line = lines.next(before: Date(timeIntervalSinceNow: Aside.patience)) { return line }
    signal(SIGKILL)
    return nil
  }

  package func signal(_ number: Int32) { process.signal(number) }

  /// Waits for its end.
  ///
  /// - Returns: The exit status, or the signal that ended it.
  @discardableResult
  package func wait() -> Int32 { process.wait().status }

  /// Whether a signal ended it, as ``wait()`` has found.
  package var wasKilled: Bool { process.wait().wasKilled }

  private final class LineQueue: @unchecked Sendable {  // all state is under `condition`
    private let condition = NSCondition()
    private var lines: [String] = []
    private var isAtEnd = false

    init(_ handle: FileHandle) {
      Thread.detachNewThread { [self] in
        var rest: [UInt8] = []
        while true {
          let data = handle.availableData
          condition.lock()
          rest += data
          while let newline = rest.firstIndex(of: 10) {
            lines.append(String(decoding: rest[..<newline], as: UTF8.self))
            rest.removeSubrange(...newline)
          }
          if data.isEmpty {
            if !rest.isEmpty { lines.append(String(decoding: rest, as: UTF8.self)) }
            isAtEnd = true
          }
          condition.broadcast()
          condition.unlock()
          if data.isEmpty { return }
        }
      }
    }

    func next(before limit: Date) -> String? {
      condition.lock()
      defer { condition.unlock() }
      while lines.isEmpty && !isAtEnd && condition.wait(until: limit) {}
      return lines.isEmpty ? nil : lines.removeFirst()
    }
  }
}
