import Glibc
import NIOPosix
import SettingsTools

/// Runs `settings-cli`, a few at a time.
final class Commands: Sendable {
  let program: String
  let environment: [String: String]
  private let limits: Limits
  private let threads: NIOThreadPool

  /// - Throws: ``PageError`` if there is no such program.
  init(_ name: String, environment: [String: String], _ limits: Limits) throws {
    guard let program = InstalledProgram.path(of: name, searching: environment["PATH"]) else {
      throw PageError("There is no '\(name)'. Name settings-cli with '--cli PATH', or put it into PATH.")
    }
    (self.program, self.limits) = (program, limits)
    // Without the app's schema nobody knows what is secret: then nothing is shown.
    self.environment = environment.merging(["SETTINGS_CLI_SCHEMA": "required"]) { $1 }
    threads = NIOThreadPool(numberOfThreads: 4)
    threads.start()
  }

  /// Ends the threads, after what they are doing.
  func end() async { try? await threads.shutdownGracefully() }

  /// Runs a command. A cancelled task ends it.
  ///
  /// - Parameters:
  ///   - words: The words after the command's name: see ``CommandWords``.
  ///   - whenStarted: Runs on another thread, before the command gets its input.
  /// - Throws: ``CommandError``.
  @concurrent
  func run(
    _ words: [String], input: [UInt8] = [], whenStarted: @escaping @Sendable (pid_t) -> Void = { _ in }
  ) async throws(CommandError) -> CommandResult {
    let run = CommandRun()
    // If this process is killed meanwhile, nothing is stored that was cut off.
    let environment = environment.merging(["SETTINGS_CLI_INPUT_BYTES": "\(input.count)"]) { $1 }
    let (arguments, limits) = ([program] + words, limits)
    do {
      return try await withTaskCancellationHandler {
        try await threads.runIfActive {
          try run.run(
            arguments, environment: environment, input: input, within: limits.command, upTo: limits.answer,
            whenStarted: whenStarted)
        }
      } onCancel: {
        run.cancel()
      }
    } catch {
      // The threads have no other error than that they have ended, with the server.
      throw error as? CommandError ?? .cancelled
    }
  }
}
