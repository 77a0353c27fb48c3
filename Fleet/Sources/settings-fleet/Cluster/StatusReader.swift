import EtcdClient
import SettingsFleet
import SettingsFleetEtcd

/// Reads who has applied what.
struct StatusReader {
  let cluster: Cluster
  /// `nil` for all.
  let app: String?
  var expected: [String] = []
  /// How many leases are asked for at a time.
  private static let atOnce = 32

  /// All apps and machines, the answers that say so, and a revision up to which nothing is missing in them.
  func overview() async throws -> (FleetOverview, acks: [FleetItem], revision: Int64) {
    let answers = try await answers()
    let snapshot = try await cluster.snapshot(of: nil)
    let overview = FleetOverview.make(
      snapshot: snapshot, acks: answers.acks, leases: answers.leases, expected: expected)
    return (overview, answers.acks, answers.revision)
  }

  /// The status of the app, and a revision up to which nothing is missing in it.
  func read() async throws -> (FleetStatus, revision: Int64) {
    guard let app else { preconditionFailure("Without an app there is an overview.") }
    let mirrors = try await mirrors()
    let answers = try await answers(adding: mirrors)
    let snapshot = try await cluster.snapshot(of: app)
    let status = FleetStatus.make(
      app: app, snapshot: snapshot, acks: answers.acks, mirrors: mirrors, leases: answers.leases,
      expected: expected)
    return (status, answers.revision)
  }

  /// The machines that are there. A user of an older role may not see them.
  func mirrors() async throws -> [FleetItem] {
    let prefix = FleetNames.acksPrefix(ofApp: FleetNames.ownApp)
    do {
      return try await cluster.client.rangeAll(EtcdRange(.prefix(prefix))).keyValues.map(FleetItem.init)
    } catch {
      guard error.code == .permissionDenied else { throw error }
      return []
    }
  }

  private var acksPrefix: String { app.map(FleetNames.acksPrefix(ofApp:)) ?? FleetNames.acksPrefix }

  /// The answers of all machines, and how long their leases, and those of other answers, still live.
  func answers(adding others: [FleetItem] = []) async throws -> (
    acks: [FleetItem], leases: [LeaseID: LeaseState], revision: Int64
  ) {
    let answer = try await cluster.client.rangeAll(EtcdRange(.prefix(acksPrefix)))
    let acks = answer.keyValues.map(FleetItem.init)
    return (acks, try await leases(Array(Set((acks + others).compactMap(\.lease)))), answer.header.revision)
  }

  private func leases(_ ids: [LeaseID]) async throws -> [LeaseID: LeaseState] {
    let client = cluster.client
    return try await withThrowingTaskGroup(of: (LeaseID, LeaseState).self) { group in
      var states: [LeaseID: LeaseState] = [:]
      var rest = ids[...]
      func next() {
        guard let id = rest.popFirst() else { return }
        group.addTask {
          let state = try await client.timeToLive(id.rawValue)
          return (id, LeaseState(granted: state?.granted ?? 0, remaining: state?.remaining ?? 0))
        }
      }
      for _ in 0..<Self.atOnce { next() }
      while let (id, state) = try await group.next() {
        states[id] = state
        next()
      }
      return states
    }
  }

  /// Waits until a document or an answer changes after a revision, or the time is over.
  func change(after revision: Int64, within time: Duration) async throws {
    let client = cluster.client
    await withTaskGroup(of: Void.self) { group in
      let documents = app.map(FleetNames.prefix(ofApp:)) ?? FleetNames.prefix
      let answers = [acksPrefix, FleetNames.acksPrefix(ofApp: FleetNames.ownApp)]
      for prefix in [documents] + (app == nil || app == FleetNames.ownApp ? [acksPrefix] : answers) {
        group.addTask {
          do {
            for try await message in try await client.watch(.prefix(prefix), from: revision + 1) {
              if case .created = message { continue }
              return
            }
          } catch {
            // The time decides, then.
            try? await Task.sleep(for: time)
          }
        }
      }
      group.addTask { try? await Task.sleep(for: time) }
      await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
  }
}
