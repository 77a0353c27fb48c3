import CrashStates

/// Records a scenario, and checks the states that it may leave.
///
/// All of it happens at one path: backups may be found by the path of the file that they belong to.
final class CrashProbe {
  private let scenario: CrashScenario
  private let path: String
  /// What the next set made of a state, and what went wrong: identical states are tried once.
  private var outcomes: [DiskTree: (problem: String?, after: DiskTree)] = [:]

  init(_ scenario: CrashScenario, in place: String) {
    self.scenario = scenario
    path = place + "/home"
  }

  /// Records the commands of the scenario.
  ///
  /// - Parameter injection: What strace injects into a first run of the command, which may fail; then it runs again.
  func record(interruptedBy injection: String? = nil) throws -> CrashRecording {
    let home = Home(path: path)
    defer { home.remove() }
    try scenario.prepare(home)
    var steps = try scenario.steps(home)
    if let injection {
      var interrupted = steps[0]
      interrupted.injection = injection
      interrupted.acknowledgement = .none
      var again = steps[0]
      // The first run may have done it already: then there is nothing to undo or to unset.
      again.mayFail = true
      steps = [interrupted, again]
    }
    return try CrashRecorder.record(steps, in: home)
  }

  /// Checks all states of a recording.
  ///
  /// - Parameters:
  ///   - undisturbed: A recording without an interruption.
  ///   - limit: In how many states the next set is tried.
  func judge(
    _ recording: CrashRecording, beside undisturbed: CrashRecording, _ promise: CrashEnumerator.Promise, limit: Int,
    _ random: inout SplitMix
  ) throws -> CrashChecker.Tally {
    let checker = CrashChecker(recording: recording, scenario: scenario, undisturbed: undisturbed)
    let result = CrashEnumerator(recording.model, promise: promise).states(marks: checker.marks, random: &random)
    var tally = CrashChecker.Tally()
    tally.events = recording.model.events.count
    tally.states = result.states.count
    tally.isExhaustive = result.isExhaustive
    var whole: [DiskTree] = []
    for (state, passed) in result.states {
      for fault in checker.faults(of: state, passed: passed) {
        tally.add(fault, "after \(passed) acknowledgements there is\n\(state.listing)")
      }
      // A torn file is already counted, and the next set may refuse it.
      if checker.isWhole(state) { whole.append(state) }
    }
    whole.sort { $0.listing < $1.listing }
    let tried = whole.count > limit ? Array(whole.shuffled(using: &random).prefix(limit)) : whole
    tally.tried = tried.count
    for state in tried { try trySet(in: state, checker, &tally) }
    return tally
  }

  private func trySet(in state: DiskTree, _ checker: CrashChecker, _ tally: inout CrashChecker.Tally) throws {
    let (problem, after) = try outcomes[state] ?? nextSet(in: state)
    outcomes[state] = (problem, after)
    if let problem { return tally.add(.nextSetFails, "\(problem), with\n\(state.listing)") }
    if case .own(let next) = scenario.next {
      if !checker.isKept(from: state, in: after, next) {
        return tally.add(.nextSetFails, "the next set did not keep other values, with\n\(state.listing)")
      }
      if checker.isBackupMissing(in: after, of: state, next) {
        tally.add(.backupMissing, "after the next set there is\n\(after.listing)")
      }
    }
    let strays = checker.strays(in: after)
    if !strays.isEmpty { tally.add(.leftOver, "\(strays.joined(separator: ", ")), with\n\(state.listing)") }
  }

  /// Lets a new process set a value in a state.
  private func nextSet(in state: DiskTree) throws -> (problem: String?, after: DiskTree) {
    let home = Home(path: path)
    defer { home.remove() }
    try state.write(to: home.path)
    var problem: String?
    switch scenario.next {
    case .other(let set):
      if !set(home) { problem = "the next set fails" }
    case .own(let next):
      let command = [Worker.executable, "worker", "crash", "next", home.path, next.rawValue]
      let end = Child.run(command + (scenario.keepsFormer ? ["backup"] : []), environment: home.environment)
      if end.code != 0 { problem = end.text.isEmpty ? "the next process ended with \(end.code)" : end.text }
    }
    return (problem, try DiskTree(readingFrom: home.path))
  }
}
