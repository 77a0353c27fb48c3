import ArgumentParser
import Glibc
import SettingsFleet
import SettingsTools

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
  static func line(_ text: String) { bytes(Array((text + "\n").utf8)) }

  static func bytes(_ bytes: [UInt8]) { write(bytes, STDOUT_FILENO) }

  /// What a run of `settings-cli` said.
  static func show(_ answer: SettingsCommand.Answer) {
    bytes(answer.output)
    raw(answer.messages)
  }

  static func error(_ text: String) { raw("settings-fleet: \(text)\n") }

  /// Messages that have a program's name before them already.
  static func raw(_ text: String) { write(Array(text.utf8), STDERR_FILENO) }

  private static func write(_ bytes: [UInt8], _ descriptor: CInt) {
    // The reader may be gone.
    do { try File.write(bytes, to: descriptor, "standard output") } catch { exit(7) }
  }
}
