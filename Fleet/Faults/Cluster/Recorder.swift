import EtcdClient
import SettingsFleet
import Synchronization

/// Remembers every text that was ever in the cluster, by watching it without a gap.
///
/// Nothing may be compacted that it has not seen.
final class Recorder: Sendable {
  private struct State {
    var revision: Int64 = 0
    /// The revision at which each text was stored last, since the last restored backup.
    var texts: [FleetDocument: [TextDigest: Int64]] = [:]
    /// All that there ever were.
    var all: [FleetDocument: Set<TextDigest>] = [:]
    /// Those that a rollout has tried.
    var trials: [FleetDocument: Set<TextDigest>] = [:]
    var task: Task<Void, Never>?
  }

  private let client: EtcdClient
  private let bell: Bell
  /// Protects what was seen.
  private let state = Mutex(State())

  init(_ client: EtcdClient, bell: Bell) { (self.client, self.bell) = (client, bell) }

  /// The last revision of a document that it has seen.
  var revision: Int64 { state.withLock { $0.revision } }

  /// The revision at which a text was stored; `nil` if it never was.
  func revision(of text: TextDigest, in document: FleetDocument) -> Int64? {
    state.withLock { $0.texts[document]?[text] }
  }

  /// Whether a text was ever stored, if only in a history that a restored backup has ended.
  func hasSeen(_ text: TextDigest, in document: FleetDocument) -> Bool {
    state.withLock { $0.all[document]?.contains(text) ?? false }
  }

  /// Whether a rollout has tried a text, so that a machine may have it before it is the document's, or for a while.
  func isTrial(_ text: TextDigest, of document: FleetDocument) -> Bool {
    state.withLock { $0.trials[document]?.contains(text) ?? false }
  }

  /// Starts over with what is in the cluster.
  func begin() async throws(EtcdError) {
    stop()
    let answer = try await client.rangeAll(EtcdRange(.prefix(FleetNames.prefix)))
    state.withLock { state in
      state.revision = answer.header.revision
      state.texts = [:]
      for item in answer.keyValues { Self.note(item, in: &state) }
    }
    follow()
  }

  /// Waits until everything up to a revision was seen. A stream that says nothing is replaced.
  func reach(_ revision: Int64) async -> Bool {
    for _ in 0..<5 {
      if await bell.wait(.seconds(1), for: { self.revision >= revision }) { return true }
      stop()
      follow()
    }
    return false
  }

  func stop() {
    state.withLock { state in
      state.task?.cancel()
      state.task = nil
    }
  }

  private func follow() {
    let task = Task { [client, bell] in
      while !Task.isCancelled {
        let next = self.revision + 1
        do throws(EtcdError) {
          for try await message in try await client.watch(.prefix(FleetNames.prefix), from: next) {
            switch message {
            case .events(let events, let revision):
              self.state.withLock { state in
                for event in events where event.kind == .put { Self.note(event.keyValue, in: &state) }
                state.revision = max(state.revision, revision)
              }
              bell.ring()
            // Only what was seen, or changed no document, is compacted.
            case .compacted(let revision): self.state.withLock { $0.revision = max($0.revision, revision - 1) }
            case .created, .progress, .cancelled: break
            }
          }
        } catch {
          await bell.wait(.milliseconds(50)) { Task.isCancelled }
        }
      }
    }
    state.withLock { $0.task = task }
  }

  private static func note(_ item: EtcdKeyValue, in state: inout State) {
    switch FleetKey(item.key) {
    case .part(.text, let document, _)?:
      let digest = TextDigest(of: item.value)
      state.texts[document, default: [:]][digest] = item.modRevision
      state.all[document, default: []].insert(digest)
    case .rollout(let app)?:
      guard let rollout = Rollout(item.value), let document = FleetDocument(app: app, scope: rollout.scope) else {
        return
      }
      state.trials[document, default: []].insert(rollout.digest)
    default: break
    }
  }
}
