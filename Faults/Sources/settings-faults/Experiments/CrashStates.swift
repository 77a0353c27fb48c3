import CrashStates
import Glibc

/// Records commands, enumerates what a power failure may leave of them, and checks each state.
extension Suite {
  func crashStates() {
    guard options.runs("crash-states") else { return }
    if let reason = CrashRecorder.unavailable(in: base) { return say("crash-states: left out, since \(reason)") }
    let checks = base + "/crash-checks"
    Files.makeDirectory(checks)
    // In memory if possible: thousands of homes, whose own durability does not matter.
    let isMounted = Namespace.mount(["-t", "tmpfs", "-o", "size=256m", "none", checks])
    defer { if isMounted { Namespace.unmount(checks) } }
    if types.contains(where: { $0.id == AppSettingsSystem.id }) { ownCrashStates(checks) }
    peerCrashStates(checks)
  }

  private static let note =
    "Every state that a disk may hold after a power failure at any moment of the command, by the least that POSIX "
    + "promises (weak) and by what ext4 does. Lost: an acknowledged change is not there, or neither the old nor the "
    + "new file exists. Torn: the file holds neither the old nor the new text. "

  private func ownCrashStates(_ checks: String) {
    guard OwnScenarios.cli != nil else {
      say("crash-states: left out: settings-cli is not beside this program; build it with '--product settings-cli'")
      didFail = true
      return
    }
    guard controlFails(checks) else {
      say("crash-states: the control failed: a set whose syncs were left out should have lost states, and has none")
      didFail = true
      return
    }
    var table = Table(
      "Crash states of AppSettings",
      Self.note + "Backup missing: the file has a new text, and the former one is in no backup. The last two columns "
        + "count among the states in 'tried': the next set by a new process fails, or strays remain after the next set "
        + "and the next backup. 'Again': a first run is killed before one of its calls, or one of its syncs fails with "
        + "EIO; then the command runs again, to its end. The row sums over all such calls.",
      ["scenario", "model", "events", "states", "tried"] + CrashFault.allCases.map(\.rawValue))
    for scenario in OwnScenarios.all where options.crashScenarios != .few || scenario.isShort {
      add(scenario, to: &table, isOwn: true, first: scenario.title, checks)
      if scenario.isInterrupted, options.crashScenarios == .all || (options.crashScenarios == .most && scenario.isShort)
      {
        addInterrupted(scenario, to: &table, checks)
      }
    }
    finish(table)
  }

  /// Whether the experiment finds fault with a set all of whose syncs are left out: a check that cannot fail shows
  /// nothing.
  private func controlFails(_ checks: String) -> Bool {
    do {
      let scenario = OwnScenarios.control
      let recording = try record(scenario) { try scenario.steps($0) }
      let checker = CrashChecker(recording: recording, scenario: scenario, undisturbed: recording)
      return try CrashEnumerator.Promise.allCases.allSatisfy { promise in
        try judge(checker, promise, limit: 1, checks).faults[.lost] ?? 0 > 0
      }
    } catch {
      say("crash-states: the control failed: \(error)")
      return false
    }
  }

  private func peerCrashStates(_ checks: String) {
    let faults = CrashFault.allCases.filter { $0 != .backupMissing }
    var table = Table(
      "Crash states of other systems",
      Self.note + "The last two columns are of the states in 'tried'.",
      ["system", "model", "events", "states", "tried"] + faults.map(\.rawValue))
    for type in types where type.id != AppSettingsSystem.id && type.unavailable == nil {
      for scenario in PeerScenarios.scenarios(of: type) {
        add(scenario, to: &table, isOwn: false, first: "\(type.title): \(scenario.title)", checks)
      }
    }
    if options.systems.isEmpty || options.systems.contains("sed") {
      add(PeerScenarios.sed, to: &table, isOwn: false, first: "sed -i: \(PeerScenarios.sed.title)", checks)
    }
    finish(table)
  }

  // MARK: One scenario

  private func add(
    _ scenario: CrashScenario, to table: inout Table, isOwn: Bool, first: String, _ checks: String
  ) {
    say("crash-states: \(first)")
    do {
      let recording = try record(scenario) { try scenario.steps($0) }
      for promise in CrashEnumerator.Promise.allCases {
        let checker = CrashChecker(recording: recording, scenario: scenario, undisturbed: recording)
        let limit = isOwn ? options.crashStates : options.peerKills
        let tally = try judge(checker, promise, limit: limit, checks)
        add(tally, first, promise, to: &table, isOwn: isOwn)
      }
    } catch {
      say("crash-states: \(first): left out: \(error)")
      if isOwn { didFail = true }
    }
  }

  /// Runs the command again after a first run that was killed before one of its calls, or whose sync failed.
  private func addInterrupted(_ scenario: CrashScenario, to table: inout Table, _ checks: String) {
    let title = scenario.title + ", again after a kill or an error"
    say("crash-states: \(title)")
    do {
      var tallies: [CrashEnumerator.Promise: CrashChecker.Tally] = [:]
      let undisturbed = try record(scenario) { try scenario.steps($0) }
      let limit = max(5, options.crashStates / undisturbed.injections.count)
      for injection in undisturbed.injections {
        let recording = try record(scenario) { home in
          let step = try scenario.steps(home)[0]
          var interrupted = step
          interrupted.injection = injection
          interrupted.acknowledgement = .none
          return [interrupted, step]
        }
        for promise in CrashEnumerator.Promise.allCases {
          let checker = CrashChecker(recording: recording, scenario: scenario, undisturbed: undisturbed)
          var tally = try judge(checker, promise, limit: limit, checks)
          tally.examples = tally.examples.mapValues { "\(injection): \($0)" }
          tallies[promise, default: .init()].add(tally)
        }
      }
      for promise in CrashEnumerator.Promise.allCases {
        add(tallies[promise] ?? .init(), title, promise, to: &table, isOwn: true)
      }
    } catch {
      say("crash-states: \(title): left out: \(error)")
      didFail = true
    }
  }

  private func record(
    _ scenario: CrashScenario, _ steps: (Home) throws -> [CrashScenario.Step]
  ) throws -> CrashRecording {
    let home = Home(path: base + "/crash-states")
    defer { home.remove() }
    try scenario.prepare(home)
    return try CrashRecorder.record(try steps(home), in: home)
  }

  private func add(
    _ tally: CrashChecker.Tally, _ first: String, _ promise: CrashEnumerator.Promise, to table: inout Table, isOwn: Bool
  ) {
    let faults = CrashFault.allCases.filter { isOwn || $0 != .backupMissing }
    table.add(
      [
        first, promise.rawValue, tally.events.grouped, tally.states.grouped + (tally.isExhaustive ? "" : " drawn"),
        tally.tried.grouped,
      ] + faults.map { (tally.faults[$0] ?? 0).grouped })
    for fault in faults {
      guard let example = tally.examples[fault] else { continue }
      say("  \(first) (\(promise.rawValue)): \(fault.rawValue): \(example)")
      guard isOwn, !AcceptedCrashStates.contains(first, fault, promise) else { continue }
      ours[fault.figure, default: 0] += tally.faults[fault] ?? 0
    }
    if isOwn { ours[.states, default: 0] += tally.states }
  }

  // MARK: States

  private func judge(
    _ checker: CrashChecker, _ promise: CrashEnumerator.Promise, limit: Int, _ checks: String
  ) throws -> CrashChecker.Tally {
    let recording = checker.recording
    let enumerator = CrashEnumerator(recording.model, promise: promise)
    let result = enumerator.states(marks: checker.marks, random: &random)
    var tally = CrashChecker.Tally()
    tally.events = recording.model.events.count
    tally.states = result.states.count
    tally.isExhaustive = result.isExhaustive
    var sound: [DiskTree] = []
    for (state, passed) in result.states {
      let faults = checker.faults(of: state, passed: passed)
      for fault in faults { tally.add(fault, "after \(passed) acknowledgements there is\n\(state.listing)") }
      // A torn file is already counted, and the next set may refuse it.
      if checker.isWhole(state) { sound.append(state) }
    }
    sound.sort { $0.listing < $1.listing }
    let tried = Array(sound.count > limit ? sound.shuffled(using: &random).prefix(limit) : sound[...])
    tally.tried = tried.count
    try trySets(in: tried, checker, checks, &tally)
    return tally
  }

  /// Lets a new process set a value in each state.
  private func trySets(
    in states: [DiskTree], _ checker: CrashChecker, _ checks: String, _ tally: inout CrashChecker.Tally
  ) throws {
    let scenario = checker.scenario
    // In parts, which fit into the memory file system.
    for start in stride(from: 0, to: states.count, by: 200) {
      let part = Array(states[start..<min(start + 200, states.count)])
      for (number, state) in part.enumerated() { try state.write(to: Home(path: "\(checks)/\(number)").path) }
      defer { for name in Files.names(checks) { Files.remove(checks + "/" + name) } }
      let answers = nextSets(in: part.count, scenario, checks)
      for (number, state) in part.enumerated() {
        let after = try DiskTree(readingFrom: "\(checks)/\(number)")
        var answer = answers[number]
        if case .own(let next) = scenario.next, answer == "ok", !checker.isKept(from: state, in: after, next) {
          answer = "the next set did not keep what was there"
        }
        if answer != "ok" {
          tally.add(.nextSetFails, "\(answer), with\n\(state.listing)")
          continue
        }
        if case .own(let next) = scenario.next, checker.isBackupMissing(in: after, of: state, next) {
          tally.add(.backupMissing, "after the next set there is\n\(after.listing)")
        }
        let strays = checker.strays(in: after)
        if !strays.isEmpty { tally.add(.leftOver, "\(strays.joined(separator: ", ")), with\n\(state.listing)") }
      }
    }
  }

  /// An answer for each of so many homes: `ok`, or what went wrong.
  private func nextSets(in count: Int, _ scenario: CrashScenario, _ checks: String) -> [String] {
    switch scenario.next {
    case .other(let set):
      return (0..<count).map { set(Home(path: "\(checks)/\($0)")) ? "ok" : "the next set fails" }
    case .own(let next):
      var answers: [String] = []
      while answers.count < count {
        let range = [String(answers.count), String(count)]
        let command =
          [Worker.executable, "worker", "crash", "check", checks] + range + [next.rawValue]
          + (scenario.keepsFormer ? ["backup"] : [])
        let home = Home(path: "\(checks)/\(answers.count)")
        let end = Child.run(command, environment: home.environment, limit: 600_000)
        answers += end.text.split(separator: "\n").map(String.init)
        // A process that died gave no answer for its last home.
        if answers.count < count { answers.append("the next program ended with \(end.code)") }
      }
      return answers
    }
  }
}

extension CrashFault {
  /// What the suite counts it as.
  fileprivate var figure: Suite.Figure {
    switch self {
    case .lost, .backupMissing: .lost
    case .torn: .torn
    case .nextSetFails: .stuck
    case .leftOver: .left
    }
  }
}
