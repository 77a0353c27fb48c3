import EtcdClient
import EtcdTesting
import Foundation
import SettingsFleet

/// A backup of the cluster, and what was acknowledged when it was made.
struct Backup: Sendable {
  private let arena: Arena
  private let file: String
  private let counters: [Int]
  private let soles: [SoleWriter.Content]

  /// Makes a backup while nobody writes.
  static func make(of arena: Arena, number: Int) async throws -> Backup {
    let file = "\(arena.root)/backup-\(number)"
    let (_, items) = try await Check(arena).read()
    try await arena.cluster.snapshot(to: file)
    return Backup(
      arena: arena, file: file,
      counters: arena.allCounters.map {
        Texts.number(of: $0.counter, in: Check.text(of: $0.document, items) ?? [])
      },
      soles: arena.soles.map { $0.content(items) })
  }

  /// Replaces the cluster with the backup.
  ///
  /// Machines have to change nothing until an operator accepts that, and be right within five seconds then.
  func restore(asNewCluster: Bool) async throws {
    defer { try? FileManager.default.removeItem(atPath: file) }
    let figures = arena.figures
    let revision = try await settle()
    let before = arena.machines.map(\.watch.now)
    arena.recorder.stop()
    try await arena.cluster.restore(from: file, asNewCluster: asNewCluster)
    for (counter, number) in zip(arena.allCounters, counters) { counter.restore(number) }
    for (sole, content) in zip(arena.soles, soles) { sole.restore(content) }
    try await arena.recorder.begin()
    let restored = try await Check(arena).read()
    Check(arena).checkWrites(restored.items)

    // Each mirror reads the cluster after it was connected again, and says what is wrong with it.
    let expected = asNewCluster || restored.revision < revision
    let machines = arena.machines
    if expected {
      await arena.bell.wait(.seconds(10)) {
        machines.allSatisfy { machine in
          machine.said.split(separator: "\n").last?.contains("Nothing is changed on this machine") ?? false
        }
      }
      try await grow(beyond: revision)
    }
    for (machine, files) in zip(machines, before) where machine.watch.now != files {
      figures.count(.wrong, "\(machine.name) followed a restored backup that nobody accepted\n\(machine.said)")
    }
    try await accept()
    try await signAgain()
    try await Check(arena).waitUntilRight(after: .now)
  }

  /// Waits until nothing arrives any more that the writers had sent before the heal and given up, and until all of that
  /// was seen and checked: after the restore, nobody knows it.
  ///
  /// - Returns: The revision.
  private func settle() async throws -> Int64 {
    let check = Check(arena)
    var (last, revision) = (Int64(-1), Int64(0))
    for _ in 0..<20 {
      let found = try await check.read()
      revision = found.revision
      let newest = found.items.map(\.modRevision).max() ?? 0
      if newest == last { break }
      last = newest
      await arena.bell.wait(.milliseconds(500)) { false }
    }
    try await check.waitUntilRight(after: .now)
    check.checkStates()
    return revision
  }

  /// Stores so much that the cluster looks as new as what the machines have seen, and lets them read it: what they have
  /// noticed, they have to remember.
  private func grow(beyond revision: Int64) async throws {
    let key = FleetKey.rollout(app: Arena.shared.app).text
    // It concerns every machine, and cannot be read.
    while try await arena.client.put(key, "") <= revision + 20 {}
    _ = try await arena.client.delete(.key(key))
    await arena.bell.wait(.milliseconds(500)) { false }
  }

  /// Stores what the machine gets that requires signatures: to it, what is in the backup is old, whoever has signed it.
  private func signAgain() async throws {
    let sole = arena.signedSole
    var random = SplitMix(state: 0)
    let count = sole.wish(.write(bytes: 100))
    let end = ContinuousClock.now + .seconds(20)
    var isCounted = false
    while !isCounted || sole.granted(after: count) == nil {
      if !isCounted { isCounted = await arena.counters[0].write() }
      if sole.granted(after: count) == nil { _ = await sole.write(using: &random) }
      guard .now < end else { throw Failure("writers store nothing after the restore") }
    }
  }

  /// Does what 'settings-fleet accept' does.
  private func accept() async throws {
    let header = try await arena.client.range(EtcdRange(.key(FleetKey.accept.text))).header
    let id = UUID().uuidString
    let acceptance = Acceptance(
      id: id, cluster: ClusterID(rawValue: header.cluster), created: "2026-01-01T00:00:00Z")
    try await arena.client.put(FleetKey.accept.text, acceptance.json)
  }
}
