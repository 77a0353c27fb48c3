import EtcdClient
import EtcdTesting
import SettingsFleet
import Synchronization

extension RoundRun {
  /// Makes something go wrong.
  ///
  /// - Returns: Whether it did. Where that shows later only, it is counted later.
  func inject(_ fault: Fault, _ index: Int) async throws -> Bool {
    let machine = arena.machines[fault.choice % arena.machines.count]
    let member = arena.cluster.members[fault.choice % arena.cluster.members.count]
    switch fault.kind {
    case .leaderKilled: return try await killMember(arena.leader() ?? member, fault, index)
    case .memberKilled: return try await killMember(member, fault, index)
    case .clusterKilled:
      for member in arena.cluster.members { member.kill() }
      for member in arena.cluster.members { try member.launch() }
      return true
    case .memberPaused:
      guard member.isRunning else { return false }
      member.pause()
      afterwards(fault, index) { member.resume() }
      return true
    case .memberCutOff:
      try await arena.firewall.cutOff(member)
      afterwards(fault, index) { [arena] in try await arena.firewall.clear() }
      return true
    case .packetLoss:
      try await arena.firewall.lose(percent: 1 + fault.amount % 20, at: member)
      afterwards(fault, index) { [arena] in try await arena.firewall.clear() }
      return true
    case .compaction:
      try await takeAway(machine, fault, index)
      return await compact()
    case .deletion:
      try await takeAway(machine, fault, index)
      guard let sole = arena.soles.first(where: { machine.documents.contains($0.document) }),
        let revision = await carryOut(.remove, by: sole), await recorderReaches(revision)
      else { return false }
      return await compact()
    case .noSpace: return try await fillCluster()
    case .memberReplaced:
      try await restoreMembers()
      try await arena.cluster.replace(member)
      // It has carried out the log from its beginning, and was full once more if the cluster was.
      try await makeRoom()
      return true
    case .restoredBackup: return false
    case .mirrorKilled:
      guard machine.isRunning else { return try restart(machine) }
      machine.kill()
      if fault.amount.isMultiple(of: 2) {
        try machine.start()
      } else {
        afterwards(fault, index) { try machine.start() }
      }
      return true
    case .mirrorKilledAtCall:
      guard let point = arena.points.withLock({ $0.point(fault.amount) }) else { return false }
      _ = try restart(machine)
      try machine.arm(point)
      pendingKills[machine] = true
      afterwards(fault, index) { [weak self] in
        try await self?.noticeKills()
        try machine.start()
      }
      return false
    case .mirrorPaused:
      guard machine.isRunning else { return try restart(machine) }
      machine.pause()
      afterwards(fault, index) { machine.resume() }
      return true
    case .partition:
      await machine.setNetwork(.blackHole)
      afterwards(fault, index) { await machine.setNetwork(.forward) }
      return true
    case .silence:
      // The proxies of the other kinds keep what they hold back. Here the kernels have to send it again, or to give up.
      try await arena.firewall.silence(machine)
      // The heal takes it back.
      await bell.wait(.milliseconds(fault.amount % 8000)) { false }
      return true
    case .refusal:
      await machine.setNetwork(.refuse)
      afterwards(fault, index) { await machine.setNetwork(.forward) }
      return true
    case .connectionsCut:
      if fault.amount.isMultiple(of: 3) {
        for proxy in arena.desk { await proxy.cut() }
      } else {
        await machine.cutConnections()
      }
      return true
    case .connectionsForgotten:
      let proxies = fault.amount.isMultiple(of: 3) ? arena.desk : machine.proxies
      for proxy in proxies { try await arena.firewall.forgetConnections(to: proxy) }
      // The heal does not bring them back.
      return true
    case .delay:
      let proxies = fault.amount.isMultiple(of: 3) ? arena.desk : machine.proxies
      for proxy in proxies { try await proxy.set(.delay(.milliseconds(1 + fault.amount % 100))) }
      afterwards(fault, index) { for proxy in proxies { try await proxy.set(.forward) } }
      return true
    case .slowLine:
      let rate = 20_000 + fault.amount % 100_000
      await machine.setNetwork(.line(delay: .milliseconds(fault.amount % 50), bytesPerSecond: rate))
      afterwards(fault, index) { await machine.setNetwork(.forward) }
      return true
    case .certificate:
      guard try machine.setCertificate(expired: true) else { return false }
      await machine.cutConnections()
      afterwards(fault, index) { _ = try machine.setCertificate(expired: false) }
      return true
    case .diskFull:
      machine.fillDisk(leaving: fault.amount % 4)
      afterwards(fault, index) { machine.emptyDisk() }
      return true
    case .clockJump:
      let days = [-7300, -400, -1, 1, 400, 7300][fault.amount % 6]
      try machine.setClock(days: days)
      afterwards(fault, index) { try machine.setClock(days: nil) }
      return true
    case .unparsable, .invalid, .tooNew, .binary:
      return await carryOut(.bad(fault.kind), by: arena.soles[fault.choice % arena.soles.count]) != nil
    case .unsigned: return await carryOut(.bad(fault.kind), by: arena.signedSole) != nil
    }
  }

  /// - Returns: Always `false`: a restart is not a fault.
  private func restart(_ machine: Machine) throws -> Bool {
    machine.resume()
    try machine.start()
    return false
  }

  private func killMember(_ member: EtcdMember, _ fault: Fault, _ index: Int) async throws -> Bool {
    guard member.isRunning else { return false }
    member.kill()
    if fault.amount % 3 > 0 {
      try member.launch()
    } else {
      afterwards(fault, index) { if !member.isRunning { try member.launch() } }
    }
    return true
  }

  /// Has a machine miss what follows.
  private func takeAway(_ machine: Machine, _ fault: Fault, _ index: Int) async throws {
    switch fault.amount % 3 {
    case 0:
      machine.kill()
      afterwards(fault, index) { try machine.start() }
    case 1:
      machine.pause()
      afterwards(fault, index) { machine.resume() }
    default:
      await machine.setNetwork(.blackHole)
      // The connections do not come back: the mirror has to open a new watch.
      afterwards(fault, index) {
        await machine.cutConnections()
        await machine.setNetwork(.forward)
      }
    }
  }

  private func carryOut(_ step: SoleWriter.Step, by sole: SoleWriter) async -> Int64? {
    let count = sole.wish(step)
    await bell.wait(.milliseconds(600)) { sole.granted(after: count) != nil }
    sole.forgetWish()
    return sole.granted(after: count)
  }

  private func recorderReaches(_ revision: Int64) async -> Bool {
    await bell.wait(.milliseconds(600)) { [recorder = arena.recorder] in recorder.revision >= revision }
  }

  /// Keeps the database far from its quota, as etcd's automatic compaction does in a cluster at work.
  func compactIfLarge() async throws {
    let status = try await arena.client.status(at: arena.cluster.members[0].endpoint)
    if status.databaseSize > Int64(Arena.quotaBytes / 3) { _ = await compact() }
  }

  /// Forgets all history that the suite has seen.
  private func compact() async -> Bool {
    do throws(EtcdError) {
      let answer = try await arena.client.range(EtcdRange(.prefix(FleetNames.prefix), keysOnly: true))
      let newest = answer.keyValues.map(\.modRevision).max() ?? 0
      let seen = await recorderReaches(newest) ? answer.header.revision : arena.recorder.revision
      try await arena.client.compact(revision: seen)
      return true
    } catch {
      // It may have been carried out all the same, and is not counted.
      return error.code == .compacted
    }
  }

  /// Makes the cluster whole, as an operator does before he works on it.
  private func restoreMembers() async throws {
    for member in arena.cluster.members {
      member.resume()
      if !member.isRunning { try member.launch() }
    }
    try await arena.firewall.clear()
    for member in arena.cluster.members { try await arena.cluster.waitUntilHealthy(member) }
  }

  /// Fills the database up to its quota, lets the writers meet that, and does what an operator does then.
  private func fillCluster() async throws -> Bool {
    let part = [UInt8](repeating: 0x61, count: 1_400_000)
    var isFull = false
    filling: for number in 0..<60 {
      do throws(EtcdError) {
        try await arena.client.put("filler/\(number)", part)
      } catch {
        isFull = error.code == .noSpace
        if isFull || !error.isRetryable { break filling }
      }
    }
    // Time for the writers to meet it. Nothing depends on whether they do.
    await bell.wait(.milliseconds(300)) { false }
    // First, as etcd's manual says: defragmenting during other faults is out of scope.
    try await restoreMembers()
    try await makeRoom()
    return isFull
  }

  /// Does what an operator does about a full database: removes what filled it, compacts, defragments, and disarms.
  private func makeRoom() async throws {
    let end = ContinuousClock.now + .seconds(20)
    while true {
      do throws(EtcdError) {
        try await arena.client.delete(.prefix("filler/"))
        guard await compact() else { throw EtcdError(.unavailable, "not compacted") }
        for member in arena.cluster.members { try await arena.client.defragment(at: member.endpoint) }
        try await arena.client.disarmAlarms()
        // As docs/fleet.md says: a member that dies before its next write would carry out what it has refused.
        try await arena.client.put("filled", "1")
        // Each member stores ten times a second how far it has come.
        await bell.wait(.milliseconds(300)) { false }
        return
      } catch {
        guard error.isRetryable, .now < end else { throw error }
      }
    }
  }
}

extension Arena {
  /// The member that leads; `nil` if none says so at once.
  func leader() async -> EtcdMember? {
    for member in cluster.members where member.isRunning {
      guard let status = try? await client.status(at: member.endpoint), status.leader != 0 else { continue }
      // Each member knows who leads, and its own number.
      if status.leader == status.header.member { return member }
    }
    return nil
  }
}
