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
  /// - Returns: Its exit status; 127, as in a shell, if there is no command; 124, as of timeout(1), if it took too long.
  func status(for app: String) async -> Int {
    guard let program = words.first else { return 127 }
    let arguments = Arguments(Array(words.dropFirst()) + [app])
    return await withTaskGroup(of: Int.self) { group in
      group.addTask {
        do {
          var options = PlatformOptions()
          options.processGroupID = 0
          options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(2))]
          let result = try await Subprocess.run(
            program.contains("/") ? .path(FilePath(program)) : .name(program), arguments: arguments,
            platformOptions: options, output: .discarded, error: .discarded)
          return Int(result.terminationStatus.code)
        } catch {
          return 127
        }
      }
      group.addTask {
        try? await Task.sleep(for: Self.mostTime)
        return 124
      }
      let status = await group.next() ?? 127
      group.cancelAll()
      return status
    }
  }
}
