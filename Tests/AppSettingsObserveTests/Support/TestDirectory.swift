import Foundation
import TestSupport

/// A directory of one test's own, and what is done in it.
struct TestDirectory: Sendable {
  private let home: ScratchHome
  var path: String { home.path }

  /// - Parameter place: Where to make it; the system's temporary directory by default.
  init(in place: String = NSTemporaryDirectory()) { home = ScratchHome(under: place) }

  subscript(_ name: String) -> String { path + "/" + name }

  func write(_ text: String, to name: String) throws {
    try home.write(text, to: self[name], isSettled: false)
  }

  /// Replaces a file as careful programs do: a temporary file, then a rename.
  func replace(_ name: String, by text: String) throws {
    try write(text, to: name + ".new")
    rename(self[name + ".new"], self[name])
  }

  func makeDirectory(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: self[name], withIntermediateDirectories: true)
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: self[name], withDestinationPath: target)
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: self[name])
  }

  /// Runs a shell script in the directory and waits for its end.
  @discardableResult
  func run(_ script: String, with environment: [String: String] = [:]) async throws -> Int32 {
    try await ChildProcess.status(
      of: "/bin/sh", ["-e", "-c", script],
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, directory: path)
  }
}

/// Whether a program is installed.
func isInstalled(_ program: String) -> Bool {
  (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
}
