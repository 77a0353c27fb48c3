import ArgumentParser
import Glibc
import SettingsFleet
import SettingsTools
import Synchronization

/// A verb: what it does, and how its failure becomes an exit status.
protocol FleetVerb: AsyncParsableCommand {
  func answer(in context: Context) async throws
  /// Whether it runs on all machines at the same time.
  static var isOneOfMany: Bool { get }
}

/// A verb that passes its words on to `settings-cli`.
protocol PassingVerb: FleetVerb {
  var words: [String] { get }
}

extension PassingVerb {
  /// The verb, which is that of `settings-cli`.
  static var word: String { configuration.commandName ?? "" }
}

extension FleetVerb {
  static var isOneOfMany: Bool { false }

  func run() async throws {
    if let passing = self as? any PassingVerb, ["--help", "-h"].contains(passing.words.first) {
      throw CleanExit.helpRequest(self)
    }
    try await Failure.reporting {
      try await Context.with(isOneOfMany: Self.isOneOfMany) { try await answer(in: $0) }
    }
  }
}

extension Failure {
  /// Runs something. If it fails, prints why, and throws the exit status.
  static func reporting(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch {
      guard let failure = Failure(any: error) else { throw error }
      if let message = failure.message { Output.error(message) }
      throw ExitCode(failure.status)
    }
  }
}

/// Lines for people and programs.
enum Output {
  // Protects the number of the error for which an answer could not be written; 0 without one.
  private static let failure = Mutex<CInt>(0)

  static func line(_ text: String) { bytes(Array((text + "\n").utf8)) }

  /// What cannot be written is said at the end: it cuts off no change that is under way.
  static func bytes(_ bytes: [UInt8]) {
    failure.withLock { failure in
      guard failure == 0 else { return }
      do throws(File.Failed) {
        try File.write(bytes, to: STDOUT_FILENO, "standard output")
      } catch {
        failure = error.number ?? EIO
      }
    }
  }

  /// Whether nothing more can be answered.
  static var isBroken: Bool { failure.withLock { $0 != 0 } }

  /// Why an answer could not be written. A reader that is gone, as 'head' is after its last line, wants no more.
  static var problem: String? {
    let number = failure.withLock { $0 }
    return number == 0 || number == EPIPE
      ? nil : "Cannot write the answer: \(String(cString: strerror(number))). The command itself has succeeded."
  }

  /// What a run of `settings-cli` said.
  static func show(_ answer: SettingsCommand.Answer) {
    bytes(answer.output)
    raw(answer.messages)
  }

  static func error(_ text: String) { raw("settings-fleet: \(text)\n") }

  /// Messages that have a program's name before them already. Where nobody takes them, as on a full disk, work goes on.
  static func raw(_ text: String) { try? File.write(Array(text.utf8), to: STDERR_FILENO, "standard error") }
}
