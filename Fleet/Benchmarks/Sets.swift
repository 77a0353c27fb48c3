import BenchmarkHarness
import EtcdClient
import EtcdTesting
import Foundation
import NIOCore
import SettingsFleet

/// How many values and documents a cluster stores in a second, beside bare puts in the same run.
struct Sets: Sendable {
  let run: Run

  private static let document = (1...20).map { "key-\($0) = \"value \($0)\"  # kept\n" }.joined()
  private var slice: Duration { run.isShort ? .milliseconds(100) : .seconds(2) }

  func measure() async throws {
    for writers in run.isShort ? [1, 8] : [1, 64] {
      var bare: [Double] = []
      var puts: [Double] = []
      var sets: [Double] = []
      for round in 0..<(run.isShort ? 1 : 5) {
        // In turn, so that a disk that drifts drifts for all.
        bare.append(try await barePuts(writers))
        puts.append(try await clientPuts(writers))
        sets.append(try await documentSets(writers, round))
      }
      let (bareRate, putRate) = (Harness.Figures(bare).median, Harness.Figures(puts).median)
      let setRate = Harness.Figures(sets).median
      let by = writers == 1 ? "one writer" : "\(writers) writers"
      Harness.report("bare puts, \(by)", bareRate, .perSecond)
      Harness.report("puts, \(by)", putRate, .perSecond, budget: writers == 1 ? run.budget(.atLeast(800)) : nil)
      Harness.report(
        "bare puts / puts, \(by)", bareRate / putRate, nanoseconds: [1e9 / bareRate, 1e9 / putRate])
      Harness.report(
        "documents read and stored at their revision, \(by)", setRate, .perSecond,
        budget: writers == 1 ? run.budget(.atLeast(800)) : nil)
    }
  }

  private func barePuts(_ writers: Int) async throws -> Double {
    let connections = try BareConnections(to: run.member, of: run.cluster, threads: min(writers, System.coreCount))
    let handlers = (0..<writers).map { BareWriter("bare/\($0)", value: Self.document) }
    var channels: [any Channel] = []
    for handler in handlers { channels.append(try await connections.open(handler)) }
    let before = handlers.reduce(0) { $0 + $1.count }
    let start = ContinuousClock.now
    try await Task.sleep(for: slice)
    for (handler, channel) in zip(handlers, channels) { try await handler.finish(channel) }
    let duration = ContinuousClock.now - start
    await connections.shutdown()
    return Double(handlers.reduce(0) { $0 + $1.count } - before) / (duration / .seconds(1))
  }

  private func clientPuts(_ writers: Int) async throws -> Double {
    try await run.cluster.withClient(run.patient) { client in
      let value = Array(Self.document.utf8)
      try await client.put("put/warm", value)
      let load = await WriteLoad.measure(writers: writers, for: slice, with: client, prefix: "put/", value: value)
      guard load.failures == 0 else { throw Run.Failure(description: "\(load.failures) puts failed") }
      return load.writesPerSecond
    }
  }

  /// Each writer has a document and a client of its own, as a process has.
  private func documentSets(_ writers: Int, _ round: Int) async throws -> Double {
    let clients = try (0..<writers).map { _ in try EtcdClient(run.patient) }
    for client in clients { _ = try await client.range(EtcdRange(.key("warm"))) }
    let (start, slice) = (ContinuousClock.now, slice)
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for (number, client) in clients.enumerated() {
        group.addTask {
          let document = FleetDocument(app: "org.example.app\(number)", scope: .all)!
          var count = 0
          while .now < start + slice {
            do {
              try await Self.change(document, to: "round = \(round)\ncount = \(count)\n" + Self.document, client)
              count += 1
            } catch let error as EtcdError where error.isRetryable {
              // It is not known what became of it: it is read and made again, and not counted.
              continue
            }
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    let duration = ContinuousClock.now - start
    for client in clients { await client.shutdown() }
    return Double(count) / (duration / .seconds(1))
  }

  /// Reads what the cluster has about the app, and stores a text if nobody else has meanwhile.
  private static func change(_ document: FleetDocument, to text: String, _ client: EtcdClient) async throws {
    let key = document.key(version: 1)
    let answer = try await client.rangeAll(EtcdRange(.prefix(FleetNames.prefix(ofApp: document.app))))
    let former = answer.keyValues.first { $0.key == Array(key.utf8) }
    let stored = try await client.transaction(
      EtcdTransaction(
        if: [.modRevision(key, .equal, former?.modRevision ?? 0)],
        then: [.put(key, text), .put(document.key(version: 1, .change), #"{"by":"ada@desk"}"#)]))
    guard stored.succeeded else { throw Run.Failure(description: "somebody else has stored \(document)") }
  }
}
