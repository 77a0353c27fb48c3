import AppSettings
import SettingsTools
import Subprocess
import SystemPackage

/// The command `settings-cli`, which knows the schema, the rules and the messages.
///
/// The verbs that a person uses on a document go through it, in directories that only this process uses. So a document is
/// edited exactly as a file is, by the same code.
struct SettingsCommand: Sendable {
  /// What a run has answered.
  struct Answer: Sendable {
    var status: Int32
    var output: [UInt8]
    /// Its messages, with its name before each.
    var messages: String

    /// All is well, and nothing is said.
    static let silent = Answer(status: 0, output: [], messages: "")
  }

  /// The directories that a run sees in place of the machine's.
  struct Directories: Sendable {
    /// Where the administrators' files are: the only layer that is not empty.
    var system: String
    var state: String
    /// An empty directory.
    var home: String

    /// Those in which nothing can be.
    static let none = Directories(system: "/dev/null", state: "/dev/null", home: "/dev/null")

    /// An environment in which no other layer of the machine or person is left.
    func variables(over environment: [String: String]) -> [String: String] {
      var variables = environment
      for name in variables.keys where name.hasPrefix("APP_SETTINGS_") { variables[name] = nil }
      variables["XDG_CONFIG_DIRS"] = system
      variables["XDG_CONFIG_HOME"] = home
      variables["XDG_STATE_HOME"] = state
      variables["APP_SETTINGS_FLEET_DIR"] = home + "/fleet"
      variables["CREDENTIALS_DIRECTORY"] = nil
      return variables
    }
  }

  private let program: String
  private let environment: [String: String]
  /// How long a run may take: longer than any check or write of a document does, and short enough that a mirror does not
  /// hang on a broken disk for ever.
  private let patience: Duration
  /// How long a run that has to end may go on with what it writes.
  private let grace: Duration
  private static let mostOutput = 64 << 20

  /// - Parameter environment: That of this process; `SETTINGS_CLI` names another program.
  init(
    environment: [String: String], patience: Duration = .seconds(60), grace: Duration = .seconds(10)
  ) throws {
    guard
      // Subprocess takes a path as text.
      let program = InstalledProgram.path(
        of: environment["SETTINGS_CLI"] ?? "settings-cli", searching: environment["PATH"],
        where: { !PathText.hasBytes($0) })
    else {
      throw Failure(
        .unknown,
        "'settings-cli' is not installed: there is no such program beside this one or in PATH. Install the Debian package "
          + "'settings-cli', or run 'Scripts/install' in the sources.")
    }
    self.program = program
    self.environment = environment
    (self.patience, self.grace) = (patience, grace)
  }

  /// Runs it and gives what it says. If the task is cancelled, the run is asked to end, and its end is awaited.
  ///
  /// - Parameter input: Its standard input, which it has as a whole even if this process dies. An empty one is no file,
  ///   so that reading it by its path, in place of ours, is an error.
  func run(_ words: [String], in directories: Directories, input: [UInt8] = []) async throws -> Answer {
    try await withThrowingTaskGroup(of: Answer?.self) { group in
      group.addTask { try await execute(words, variables(directories), input) }
      group.addTask {
        try? await Task.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      while let answer = try await group.next() {
        if let answer { return answer }
        guard Task.isCancelled else {
          throw Failure(.io, "'\(program) \(words[0])' did not end within \(patience), and was stopped.")
        }
      }
      throw CancellationError()
    }
  }

  private func execute(
    _ words: [String], _ variables: Environment, _ input: [UInt8]
  ) async throws -> Answer {
    var options = PlatformOptions()
    // What it writes is written whole: Ctrl-C at our terminal does not reach it, and cancellation lets it end.
    options.processGroupID = 0
    options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: grace)]
    // Not a pipe: where its writer died would be the end of the text, and Subprocess traps if its reader dies first.
    let file = try input.isEmpty ? File.nothing() : File.inMemory(input)
    do {
      let result = try await Subprocess.run(
        .path(FilePath(program)), arguments: Arguments(words), environment: variables,
        platformOptions: options,
        input: .fileDescriptor(FileDescriptor(rawValue: file), closeAfterSpawningProcess: true),
        output: .bytes(limit: Self.mostOutput), error: .bytes(limit: 1 << 20))
      return Answer(
        status: result.terminationStatus.code, output: result.standardOutput,
        messages: String(decoding: result.standardError, as: UTF8.self))
    } catch let error as SubprocessError {
      throw Failure(.io, "Cannot run '\(program)': \(error)")
    }
  }

  /// Runs it at this process's terminal, for a verb that asks or opens an editor.
  func runAtTerminal(_ words: [String], in directories: Directories) async throws -> Int32 {
    do {
      let result = try await Subprocess.run(
        .path(FilePath(program)), arguments: Arguments(words),
        environment: variables(directories), input: .currentStandardInput, output: .currentStandardOutput,
        error: .currentStandardError)
      return result.terminationStatus.code
    } catch let error as SubprocessError {
      throw Failure(.io, "Cannot run '\(program)': \(error)")
    }
  }

  /// The environment of a run, byte for byte.
  private func variables(_ directories: Directories) -> Environment {
    var variables = directories.variables(over: environment)
    // That is about our own input.
    variables["SETTINGS_CLI_INPUT_BYTES"] = nil
    return .custom(variables.map { name, value in PathText.bytes("\(name)=\(value)") + [0] })
  }
}

extension TerminationStatus {
  /// The exit status, as a shell has it.
  var code: Int32 {
    switch self {
    case .exited(let code): code
    case .signaled(let signal): 128 + signal
    }
  }
}
