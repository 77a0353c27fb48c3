import EtcdClient
import SettingsFleet
import SettingsFleetEtcd
import Synchronization

/// Counts in a key of a document in which others write, too: read, edit, store if nobody was faster.
final class CounterWriter: Sendable {
  struct State: Sendable {
    /// The last number that the cluster acknowledged, and the last one that was sent.
    var acknowledged = 0
    var sent = 0
    /// What it does, since when, and why it failed last: for a report that it stores nothing.
    var step: (what: String, since: ContinuousClock.Instant)?
    var failure = "no failure"
  }

  let counter: String
  let document: FleetDocument
  private let client: EtcdClient
  private let key: SigningKey
  private let figures: Figures
  /// Protects the numbers.
  private let state = Mutex(State())

  init(_ counter: String, in document: FleetDocument, client: EtcdClient, key: SigningKey, figures: Figures) {
    (self.counter, self.document, self.client, self.key, self.figures) = (counter, document, client, key, figures)
  }

  var now: State { state.withLock { $0 } }
  var prefix: String { document.keyPrefix }

  /// Notes what a restored backup has.
  func restore(_ acknowledged: Int) { state.withLock { $0.acknowledged = acknowledged } }

  /// The next number, for somebody who writes in place of this writer.
  func take() -> Int {
    state.withLock { state in
      state.sent = max(state.sent, state.acknowledged) + 1
      return state.sent
    }
  }

  func acknowledge(_ number: Int) {
    state.withLock { $0.acknowledged = max($0.acknowledged, number) }
    figures.note { $0.acknowledged += 1 }
  }

  /// Checks what is in the cluster.
  func check(_ text: [UInt8]?) {
    let found = text.map { Texts.number(of: counter, in: $0) } ?? 0
    let now = now
    if found < now.acknowledged {
      figures.count(.lost, "\(counter) is \(found) in the cluster, and \(now.acknowledged) was acknowledged")
      restore(found)
    } else if found > now.sent {
      figures.count(.wrong, "\(counter) is \(found) in the cluster, and \(now.sent) was the last one sent")
    }
  }

  /// Tries to store the next number.
  ///
  /// - Returns: Whether it was acknowledged.
  func write() async -> Bool {
    defer { begin(nil) }
    do {
      begin("a range")
      let answer = try await figures.call("a range") { () async throws(EtcdError) in
        try await client.range(EtcdRange(.prefix(prefix)))
      }
      let snapshot = FleetSnapshot(
        cluster: ClusterID(rawValue: answer.header.cluster), revision: answer.header.revision, app: document.app,
        items: answer.keyValues.map(FleetItem.init))
      let writer = DocumentWriter(document, in: snapshot, appVersion: 1)
      let text = try writer.current()?.text
      check(text)
      let number = take()
      let transaction = EtcdTransaction(
        try writer.write(
          Texts.set(counter, to: number, in: text ?? []), version: 1,
          signing: DocumentWriter.Signing(key: key, millisecondsSince1970: Texts.millisecondsSince1970)))
      begin("a transaction")
      do throws(EtcdError) {
        let isStored = try await figures.call("a transaction") { () async throws(EtcdError) in
          try await client.transaction(transaction)
        }.succeeded
        if isStored { acknowledge(number) } else { fail("somebody else was first") }
        return isStored
      } catch {
        if error.mayHaveHappened { figures.note { $0.unknown += 1 } }
        throw error
      }
    } catch {
      fail("\(error)")
      return false
    }
  }

  private func begin(_ step: String?) { state.withLock { $0.step = step.map { ($0, .now) } } }

  private func fail(_ reason: String) { state.withLock { $0.failure = reason } }
}
