import EtcdClient
import EtcdTesting
import Testing

/// All tests that need a cluster.
@Suite(
  .timeLimit(.minutes(10)),
  .enabled(if: EtcdCluster.missing == nil, "a cluster needs etcd, etcdctl, openssl and setpriv"))
enum ClusterTests {
  /// One after another, because many measure time.
  @Suite(.serialized) enum InTurn {}

  /// Plain clusters of one member, for tests that leave them as they are. Each uses keys of its own.
  fileprivate static let shared = Task { try await EtcdCluster.start(options: patient) }
  fileprivate static let sharedWithTLS = Task {
    var options = patient
    options.usesTLS = true
    return try await EtcdCluster.start(options: options)
  }

  /// What is not about time does not fail on a busy machine. What is about time sets a deadline itself.
  fileprivate static var patient: EtcdCluster.Options {
    var options = EtcdCluster.Options()
    options.deadline = .seconds(30)
    options.keepInMemory()
    return options
  }
}

func withShared(usesTLS: Bool = false, _ body: (EtcdClient, EtcdCluster) async throws -> Void) async throws {
  let cluster = try await (usesTLS ? ClusterTests.sharedWithTLS : ClusterTests.shared).value
  try await cluster.withClient { try await body($0, cluster) }
}

/// Starts a cluster for one test.
func withCluster(
  members: Int = 1, _ change: (inout EtcdCluster.Options) -> Void = { _ in },
  _ body: (EtcdCluster) async throws -> Void
) async throws {
  var options = ClusterTests.patient
  change(&options)
  let cluster = try await EtcdCluster.start(members: members, options: options)
  defer { cluster.stop() }
  try await body(cluster)
}

extension EtcdCluster {
  /// What a client needs whose calls end in time, at other addresses.
  func configuration(endpoints: [String], deadline: Duration) -> EtcdConfiguration {
    var configuration = configuration(endpoints: endpoints)
    configuration.deadline = deadline
    return configuration
  }
}

/// Requires that something takes no longer than it may. What other programs cost does not count: while they had the
/// processors, this process and the members waited.
@discardableResult
func within<Value>(
  _ limit: Duration, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Value
) async rethrows -> Value {
  let (start, wait) = (ContinuousClock.now, ProcessorWait.now)
  defer {
    let time = ContinuousClock.now - start
    // Threads that have ended take their waits with them.
    if time > limit {
      let waited = max(.zero, ProcessorWait.now - wait)
      #expect(
        time - waited <= limit, "\(time), of which up to \(waited) without a processor",
        sourceLocation: sourceLocation)
    }
  }
  return try await body()
}

/// Repeats something that may be carried out more than once until the cluster answers it. A cluster of several members
/// elects a leader whenever its members had no processor for some tenths of a second.
@discardableResult
func insisting<Value>(_ body: () async throws(EtcdError) -> Value) async throws -> Value {
  let end = ContinuousClock.now + .seconds(60)
  while true {
    do throws(EtcdError) {
      return try await body()
    } catch {
      guard error.isRetryable, .now < end else { throw error }
    }
  }
}

/// The code of the error that something throws; fails if there is none.
func failure(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> EtcdError? {
  do {
    try await body()
    Issue.record("Nothing was thrown.", sourceLocation: sourceLocation)
    return nil
  } catch {
    guard let error = error as? EtcdError else {
      Issue.record(error, sourceLocation: sourceLocation)
      return nil
    }
    return error
  }
}

func expectFailure(
  _ code: EtcdError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
  let error = await failure(sourceLocation: sourceLocation, body)
  #expect(error?.code == code, sourceLocation: sourceLocation)
}

extension EtcdWatch {
  /// The events that come, until there are so many messages with events.
  func batches(_ count: Int) async throws -> [[EtcdEvent]] {
    var batches: [[EtcdEvent]] = []
    for try await message in self {
      if case .events(let events, _) = message { batches.append(events) }
      if batches.count == count { break }
    }
    return batches
  }
}

extension EtcdKeyValue {
  var text: String { String(decoding: value, as: UTF8.self) }
}

extension EtcdClient {
  func text(_ key: String) async throws -> String? { try await range(EtcdRange(.key(key))).keyValues.first?.text }
}
