import SettingsFleet
import Subprocess
import SystemPackage

/// The machine's own command that says whether an app is well after a document has been applied.
///
/// It comes from the machine's settings and never from the cluster: who can write documents cannot make a machine run
/// anything.
struct HealthCheck: Sendable {
  /// The command and its arguments; empty for none.
  let words: [String]
  /// How long it may take.
  static let mostTime = Duration.seconds(300)

  /// Runs the command with the app's id at its end.
  ///
  /// It ends, with all that it has started, when the task is cancelled or its time is over.
  ///
  /// - Returns: Its exit status; 124, as of timeout(1), if it took too long, and 127, as in a shell, with the reason if there
  ///   is no command that can be run.
  func status(for app: String) async -> (Int, FleetProblem?) {
    guard let program = words.first else {
      return (127, FleetProblem(.noCheck, "It has no check command. Set 'check' of 'settings-fleet' there."))
    }
    let arguments = Arguments(Array(words.dropFirst()) + [app])
    return await withTaskGroup(of: (Int, FleetProblem?).self) { group in
      group.addTask {
        do {
          var options = PlatformOptions()
          options.processGroupID = 0
          options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(2))]
          let result = try await Subprocess.run(
            program.contains("/") ? .path(FilePath(program)) : .name(program), arguments: arguments,
            platformOptions: options, output: .discarded, error: .discarded)
          return (Int(result.terminationStatus.code), nil)
        } catch {
          let isMissing = (error as? SubprocessError)?.code == .executableNotFound
          let why = isMissing ? "was not found" : "cannot be run: \(error)"
          return (127, FleetProblem(.noCheck, "The program '\(program)' of its setting 'check' \(why)."))
        }
      }
      group.addTask {
        try? await Task.sleep(for: Self.mostTime)
        return (124, nil)
      }
      let status = await group.next() ?? (127, nil)
      group.cancelAll()
      return status
    }
  }
}
