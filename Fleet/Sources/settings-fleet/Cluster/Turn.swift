import EtcdClient
import SettingsFleet

/// A writer's place in the queue of those who want to store the same documents.
///
/// Nothing is protected by it: a transaction holds only if nothing has changed. It saves work, because of writers that all
/// edit at once, one succeeds. The places are keys under leases of seconds, so that nobody waits for a writer that died.
struct Turn: Sendable {
  private let client: EtcdClient
  private let lease: Int64
  private let keeping: Task<Void, Never>

  private static let seconds = 5
  /// How long a writer waits at most before it goes on without its turn.
  private static let patience = Duration.seconds(60)

  /// Waits until everybody who queued before has stored the documents.
  ///
  /// - Returns: `nil` if there is no turn to be had, such as for a user of an older role: a writer can do without.
  static func take(for documents: some Sequence<FleetDocument>, in client: EtcdClient) async -> Turn? {
    guard let lease = try? await client.grantLease(seconds: seconds) else { return nil }
    let keeping = Task {
      while !Task.isCancelled, (try? await client.keepAlive(lease)) != 0 {
        try? await Task.sleep(for: .milliseconds(1500))
      }
    }
    let turn = Turn(client: client, lease: lease, keeping: keeping)
    let end = ContinuousClock.now + patience
    do {
      // In one order, so that two who want the same documents do not wait for each other.
      for document in Set(documents).sorted() { try await turn.queue(for: document, until: end) }
      return turn
    } catch {
      await turn.end()
      return nil
    }
  }

  /// Lets the next one go on.
  func end() async {
    keeping.cancel()
    try? await client.revokeLease(lease)
  }

  private func queue(for document: FleetDocument, until end: ContinuousClock.Instant) async throws {
    let prefix = "\(FleetNames.turnsPrefix(ofApp: document.app))\(document.scope)/"
    let place = try await client.put(prefix + String(lease, radix: 16), [], lease: lease)
    while ContinuousClock.now < end {
      let answer = try await client.rangeAll(EtcdRange(.prefix(prefix), keysOnly: true))
      guard answer.keyValues.contains(where: { $0.createRevision == place }) else {
        throw EtcdError(.leaseNotFound, "The lease has ended.")
      }
      guard
        let before = answer.keyValues.filter({ $0.createRevision < place }).max(by: {
          $0.createRevision < $1.createRevision
        })
      else { return }
      try await wait(forEndOf: before.key, since: answer.header.revision, until: end)
    }
  }

  /// Waits until a key is gone, or the time is over.
  private func wait(forEndOf key: [UInt8], since revision: Int64, until end: ContinuousClock.Instant) async throws {
    let watch = try await client.watch(.key(String(decoding: key, as: UTF8.self)), from: revision + 1)
    let timer = Task {
      try? await Task.sleep(until: end)
      watch.cancel()
    }
    defer { timer.cancel() }
    for try await message in watch {
      if case .events(let events, _) = message, events.contains(where: { $0.kind == .delete }) { return }
    }
  }
}
