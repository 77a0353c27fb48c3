import EtcdClient
import EtcdTesting
import Foundation
import SettingsFleet
import SettingsFleetEtcd

/// What has to hold after a round is healed.
struct Check: Sendable {
  let arena: Arena

  init(_ arena: Arena) { self.arena = arena }

  private var figures: Figures { arena.figures }

  /// What is in the cluster now.
  func read() async throws -> (revision: Int64, items: [EtcdKeyValue]) {
    let end = ContinuousClock.now + .seconds(20)
    while true {
      do throws(EtcdError) {
        let answer = try await figures.call("a range") { () async throws(EtcdError) in
          try await arena.client.rangeAll(EtcdRange(.prefix(FleetNames.prefix)))
        }
        return (answer.header.revision, answer.keyValues)
      } catch {
        guard error.isRetryable, .now < end else { throw error }
      }
    }
  }

  /// The text of a document; `nil` without a document.
  static func text(of document: FleetDocument, _ items: [EtcdKeyValue]) -> [UInt8]? {
    let key = document.key(version: 1)
    return items.first { $0.key.elementsEqual(key.utf8) }?.value
  }

  /// Checks that the cluster has every write that was acknowledged.
  func checkWrites(_ items: [EtcdKeyValue]) {
    for counter in arena.allCounters { counter.check(Self.text(of: counter.document, items)) }
    for sole in arena.soles { sole.check(items) }
  }

  /// Waits until each machine has what it should have, and says so where that takes too long.
  ///
  /// - Parameter healed: When the round was healed.
  func waitUntilRight(after healed: ContinuousClock.Instant, limit: Duration = .seconds(5)) async throws {
    let (revision, items) = try await read()
    checkWrites(items)
    guard await arena.recorder.reach(items.map(\.modRevision).max() ?? 0) else {
      throw Failure("the suite's own watch does not reach revision \(revision)")
    }
    let isRight = await arena.bell.wait(limit - (.now - healed)) {
      for machine in arena.machines { machine.restartIfTracerKilledIt() }
      return wrong(items).isEmpty
    }
    if !isRight {
      let now = wrong(items)
      let logs = arena.machines.map { "\($0.name) (\($0.isRunning ? "runs" : "is down")): \($0.said)" }
      figures.count(
        .late, "\(now.joined(separator: "; "))\n\(logs.joined(separator: "\n"))")
      let isRightLater = await arena.bell.wait(.seconds(60)) { wrong(items).isEmpty }
      guard isRightLater else { throw Failure("a machine is still wrong after a minute") }
      Output.say("right after \(ContinuousClock.now - healed)")
    }
    let time = ContinuousClock.now - healed
    figures.note { $0.timesToRight.append(time) }
    try await checkReports(items, until: healed + limit)
  }

  /// What is wrong on the machines.
  func wrong(_ items: [EtcdKeyValue]) -> [String] {
    arena.machines.flatMap { machine in
      let files = machine.watch.now
      return machine.documents.compactMap { document -> String? in
        let file = document.scope.fileName
        let found = files[file]
        guard !isRight(found, document, on: machine, items) else { return nil }
        return "\(machine.name) has \(found.map(short) ?? "no text") in \(file)"
      }
    }
  }

  private func isRight(
    _ found: TextDigest?, _ document: FleetDocument, on machine: Machine, _ items: [EtcdKeyValue]
  ) -> Bool {
    func text(_ version: Int) -> TextDigest? {
      let key = document.key(version: version)
      return items.first { $0.key.elementsEqual(key.utf8) }.map { TextDigest(of: $0.value) }
    }
    if let readable = text(1), !arena.refused.contains(readable) { return found == readable }
    // Nobody signs that a document is gone.
    if text(1) == nil, text(9) == nil, !machine.requiresSignatures { return found == nil }
    // The last good one, whichever this machine saw.
    guard let found else { return true }
    return arena.recorder.hasSeen(found, in: document) && !arena.refused.contains(found)
  }

  /// Whether each machine that refuses a document says so.
  private func checkReports(_ items: [EtcdKeyValue], until end: ContinuousClock.Instant) async throws {
    let refused = items.compactMap { item -> (FleetDocument, EtcdKeyValue)? in
      guard case .part(.text, let document, 1)? = FleetKey(item.key), arena.refused.contains(TextDigest(of: item.value))
      else { return nil }
      return (document, item)
    }
    guard !refused.isEmpty else { return }
    while true {
      let answer = try await arena.client.range(EtcdRange(.prefix(FleetNames.acksPrefix(ofApp: Texts.app))))
      let acks = answer.keyValues.compactMap { Ack(FleetItem($0)) }
      let silent = refused.flatMap { document, item in
        arena.machines(with: document).filter { machine in
          !acks.contains { ack in
            ack.machine == machine.name
              && ack.documents.contains {
                $0.scope == document.scope && $0.state == .refused && $0.modRevision == item.modRevision
              }
          }
        }.map { "\($0.name) does not report that it refuses \(document)" }
      }
      if silent.isEmpty { return }
      guard ContinuousClock.now < end else {
        figures.count(.late, silent.joined(separator: "; ") + "; answers: \(acks)")
        return
      }
      await arena.bell.wait(.milliseconds(50)) { false }
    }
  }

  /// Checks every state that was seen of every file.
  func checkStates() {
    for machine in arena.machines {
      var last: [String: Int64] = [:]
      for sight in machine.watch.takeSights() {
        figures.note { $0.states += 1 }
        guard let digest = sight.digest else { continue }
        guard let document = machine.documents.first(where: { $0.scope.fileName == sight.file }) else {
          figures.count(.torn, "\(machine.name) has the file \(sight.file)")
          continue
        }
        if arena.refused.contains(digest) {
          figures.count(.refused, "\(machine.name) applied to \(sight.file): \(sight.beginning)")
        } else if let revision = arena.recorder.revision(of: digest, in: document) {
          if revision < last[sight.file] ?? 0 {
            figures.count(.wrong, "\(machine.name) went back in \(sight.file) to revision \(revision)\n\(machine.said)")
          }
          last[sight.file] = revision
        } else if !arena.recorder.isTrial(digest, of: document) {
          figures.count(
            .torn, "\(machine.name) had in \(sight.file) \(short(digest)): '\(sight.beginning)'\n\(machine.said)")
        }
      }
    }
  }

  private func short(_ digest: TextDigest) -> String { String(digest.hex.prefix(8)) }
}
