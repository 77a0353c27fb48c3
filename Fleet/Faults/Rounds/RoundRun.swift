import EtcdClient
import EtcdTesting
import Foundation
import SettingsFleet
import Synchronization

/// Runs a round: writers write while faults are injected, everything is healed, and the result is checked.
actor RoundRun {
  let arena: Arena
  let round: Round
  var random: SplitMix
  /// What takes back a fault, and before which fault that is done.
  var repairs: [(due: Int, repair: @Sendable () async throws -> Void)] = []
  /// The faults that only count if a process was killed.
  var pendingKills: [Machine: Bool] = [:]
  private let isStopped = Flag()

  init(_ round: Round, in arena: Arena) {
    (self.arena, self.round) = (arena, round)
    random = round.random
  }

  var figures: Figures { arena.figures }
  var bell: Bell { arena.bell }

  /// - Throws: What keeps the round from going on; the fleet is of no use any more then.
  func run() async throws {
    let began = ContinuousClock.now
    let backup = round.restoresBackup ? try await Backup.make(of: arena, number: round.number) : nil
    let writers = startWriters()
    let command = round.command.map { verb in Task { [arena] in await arena.commander.run(verb) } }
    for (index, fault) in round.faults.enumerated() where fault.kind != .restoredBackup {
      try await repair(before: index)
      let before = figures.now.acknowledged
      if try await inject(fault, index) { figures.count(fault.kind) }
      await bell.wait(.milliseconds(150)) { [figures] in figures.now.acknowledged >= before + fault.writes }
    }
    if !round.writesAfterHeal { await stop(writers, command) }
    let start = ContinuousClock.now
    try await heal()
    let healed = ContinuousClock.now
    figures.note {
      $0.timeOfFaults += start - began
      $0.timeOfHeals += healed - start
    }
    // What is written after the heal cannot be on the machines before.
    var last = healed
    if round.writesAfterHeal {
      try await waitForWrites()
      await stop(writers, command)
      try await arena.commander.finishRollout(restarting: arena.machines[1])
      last = .now
    }
    let check = Check(arena)
    try await check.waitUntilRight(after: last, limit: round.limit)
    check.checkStates()
    if let backup {
      figures.count(.restoredBackup)
      try await backup.restore(asNewCluster: round.restoresAsNewCluster)
      check.checkStates()
    }
    try await arena.firewall.clearForgotten()
    try await compactIfLarge()
    figures.note { $0.rounds += 1 }
  }

  // MARK: Writers

  private func startWriters() -> [Task<Void, Never>] {
    isStopped.isSet = false
    let counters = arena.counters.map { counter in
      Task { [isStopped, bell] in
        while !isStopped.isSet {
          _ = await counter.write()
          // Mirrors work at the same time; without this pause they would get no processor time on a small machine.
          await bell.wait(.milliseconds(60)) { isStopped.isSet }
        }
      }
    }
    let soles = arena.soles.enumerated().map { index, sole in
      var random = SplitMix(state: round.random.state &+ UInt64(index))
      return Task { [isStopped, bell] in
        while !isStopped.isSet {
          _ = await sole.write(using: &random)
          await bell.wait(.milliseconds(80)) { isStopped.isSet }
        }
      }
    }
    return counters + soles
  }

  private func stop(_ writers: [Task<Void, Never>], _ command: Task<Void, Never>?) async {
    isStopped.isSet = true
    bell.ring()
    arena.commander.killCoordinator()
    for writer in writers { await writer.value }
    await command?.value
  }

  /// Waits until each counter has been stored once more.
  private func waitForWrites() async throws {
    let before = arena.counters.map(\.now.acknowledged)
    let arena = arena
    let isWritten = await bell.wait(.seconds(20)) {
      zip(arena.counters, before).allSatisfy { $0.now.acknowledged > $1 }
    }
    guard !isWritten else { return }
    let states = zip(arena.counters, before).map { counter, before in
      let now = counter.now
      let step = now.step.map { "in \($0.what) for \(ContinuousClock.now - $0.since)" } ?? "between calls"
      return "\(counter.counter): \(now.acknowledged - before) stored, \(step), last \(now.failure)"
    }
    var sizes: [String] = []
    for member in arena.cluster.members {
      guard let status = try? await arena.client.status(at: member.endpoint) else { continue }
      sizes.append("\(member.name): \(status.databaseSize) bytes, \(status.databaseSizeInUse) in use")
    }
    throw Failure(
      "writers store nothing any more, although all is healed\n" + (states + sizes).joined(separator: "\n"))
  }

  // MARK: Repairs

  func afterwards(_ fault: Fault, _ index: Int, _ repair: @escaping @Sendable () async throws -> Void) {
    repairs.append((index + fault.length, repair))
  }

  private func repair(before index: Int) async throws {
    let due = repairs.filter { $0.due <= index }
    repairs.removeAll { $0.due <= index }
    for repair in due { try await repair.repair() }
    try noticeKills()
  }

  /// Counts the processes that were killed at a system call, and starts the mirrors again, as systemd does.
  func noticeKills() throws {
    for (machine, _) in pendingKills where machine.didFire {
      machine.disarm()
      try machine.start()
      pendingKills[machine] = nil
      figures.count(.mirrorKilledAtCall)
    }
  }

  /// Ends everything that goes wrong, and returns when the cluster answers and all mirrors run.
  private func heal() async throws {
    let rest = repairs
    repairs = []
    for member in arena.cluster.members { member.resume() }
    for repair in rest { try await repair.repair() }
    try await arena.firewall.clear()
    for proxy in arena.desk { try await proxy.set(.forward) }
    for machine in arena.machines {
      await machine.setNetwork(.forward)
      machine.emptyDisk()
      machine.resume()
      try machine.setClock(days: nil)
      if pendingKills.removeValue(forKey: machine) != nil {
        if machine.disarm() { figures.count(.mirrorKilledAtCall) }
      }
    }
    for member in arena.cluster.members where !member.isRunning { try member.launch() }
    for machine in arena.machines { try machine.start() }
    for member in arena.cluster.members { try await arena.cluster.waitUntilHealthy(member) }
  }
}

/// A flag that tasks poll.
final class Flag: Sendable {
  private let value = Mutex(false)
  var isSet: Bool {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

extension Machine: Hashable {
  static func == (a: Machine, b: Machine) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
