import CrashStates
import Glibc

/// Records commands, enumerates what a power failure may leave of them, and checks each state.
extension Suite {
  func crashStates() {
    guard options.runs("crash-states") else { return }
    if let reason = CrashRecorder.unavailable(in: base) { return say("crash-states: left out, since \(reason)") }
    let place = base + "/crash-states"
    Files.makeDirectory(place)
    // In memory if possible: what counts is which calls are made, not what this machine's disk makes of them.
    let isMounted = Namespace.mount(["-t", "tmpfs", "-o", "size=256m", "none", place])
    defer { if isMounted { Namespace.unmount(place) } }
    if types.contains(where: { $0.id == AppSettingsSystem.id }) { ownCrashStates(place) }
    peerCrashStates(place)
  }

  private static let note =
    "Every state that a disk may hold after a power failure at any moment of the command, by the least that POSIX "
    + "promises (weak) and by what ext4 does. Lost: an acknowledged change is not there, or neither the old nor the "
    + "new file exists. Torn: the file holds neither the old nor the new text. "

  private func ownCrashStates(_ place: String) {
    guard OwnScenarios.cli != nil else {
      say("crash-states: left out: settings-cli is not beside this program; build it with '--product settings-cli'")
      didFail = true
      return
    }
    guard controlFails(place) else {
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
      add(scenario, to: &table, isOwn: true, first: scenario.title, in: place)
      if scenario.isInterrupted, options.crashScenarios == .all || (options.crashScenarios == .most && scenario.isShort)
      {
        addInterrupted(scenario, to: &table, in: place)
      }
    }
    finish(table)
  }

  /// Whether the experiment finds fault with a set all of whose syncs are left out: a check that cannot fail shows
  /// nothing.
  private func controlFails(_ place: String) -> Bool {
    do {
      let probe = CrashProbe(OwnScenarios.control, in: place)
      let recording = try probe.record()
      return try CrashEnumerator.Promise.allCases.allSatisfy { promise in
        try probe.judge(recording, beside: recording, promise, limit: 1, &random).faults[.lost] ?? 0 > 0
      }
    } catch {
      say("crash-states: the control failed: \(error)")
      return false
    }
  }

  private func peerCrashStates(_ place: String) {
    let faults = CrashFault.allCases.filter { $0 != .backupMissing }
    var table = Table(
      "Crash states of other systems",
      Self.note + "The last two columns are of the states in 'tried'.",
      ["system", "model", "events", "states", "tried"] + faults.map(\.rawValue))
    for type in types where type.id != AppSettingsSystem.id && type.unavailable == nil {
      for scenario in PeerScenarios.scenarios(of: type) {
        add(scenario, to: &table, isOwn: false, first: "\(type.title): \(scenario.title)", in: place)
      }
    }
    if options.systems.isEmpty || options.systems.contains("sed") {
      add(PeerScenarios.sed, to: &table, isOwn: false, first: "sed -i: \(PeerScenarios.sed.title)", in: place)
    }
    finish(table)
  }

  // MARK: One scenario

  private func add(
    _ scenario: CrashScenario, to table: inout Table, isOwn: Bool, first: String, in place: String
  ) {
    say("crash-states: \(first)")
    do {
      let probe = CrashProbe(scenario, in: place)
      let recording = try probe.record()
      for promise in CrashEnumerator.Promise.allCases {
        let limit = isOwn ? options.crashStates : options.peerKills
        let tally = try probe.judge(recording, beside: recording, promise, limit: limit, &random)
        add(tally, first, promise, to: &table, isOwn: isOwn)
      }
    } catch {
      say("crash-states: \(first): left out: \(error)")
      if isOwn { didFail = true }
    }
  }

  /// Runs the command again after a first run that was killed before one of its calls, or whose sync failed.
  private func addInterrupted(_ scenario: CrashScenario, to table: inout Table, in place: String) {
    let title = scenario.title + ", again after a kill or an error"
    say("crash-states: \(title)")
    do {
      var tallies: [CrashEnumerator.Promise: CrashChecker.Tally] = [:]
      let probe = CrashProbe(scenario, in: place)
      let undisturbed = try probe.record()
      let limit = max(5, options.crashStates / undisturbed.injections.count)
      for injection in undisturbed.injections {
        let recording = try probe.record(interruptedBy: injection)
        for promise in CrashEnumerator.Promise.allCases {
          var tally = try probe.judge(recording, beside: undisturbed, promise, limit: limit, &random)
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
