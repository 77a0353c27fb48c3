import EtcdClient
import EtcdTesting
import Synchronization
import Testing

extension ClusterTests.InTurn {
  /// Everything at once, over TLS: what no other test thought of.
  struct FaultTests {
    /// Counts in a key until it is stopped, and remembers what the cluster acknowledged. A write whose answer was lost
    /// may be carried out much later, so that each is a transaction.
    private final class Writer: Sendable {
      let key: String
      /// Rings whenever something was acknowledged, or seen by a watch.
      private let bell: AsyncStream<Void>.Continuation
      /// Protects what was acknowledged and seen.
      private let state = Mutex((acknowledged: 0, isStopped: false, watched: 0, failures: [String]()))

      init(_ key: String, _ bell: AsyncStream<Void>.Continuation) { (self.key, self.bell) = (key, bell) }

      var acknowledged: Int { state.withLock { $0.acknowledged } }
      var failures: String { state.withLock { $0.failures.suffix(5).joined(separator: "\n") } }
      var watched: Int { state.withLock { $0.watched } }
      private var isStopped: Bool { state.withLock { $0.isStopped } }

      func stop() { state.withLock { $0.isStopped = true } }

      func run(_ client: EtcdClient) async throws {
        var seen: (number: Int, revision: Int64)?
        while !isStopped, !Task.isCancelled {
          try await within(.milliseconds(1500)) { try await step(&seen, client) }
        }
      }

      /// Makes one call.
      private func step(_ seen: inout (number: Int, revision: Int64)?, _ client: EtcdClient) async throws {
        do throws(EtcdError) {
          if let last = seen {
            let transaction = EtcdTransaction(
              if: [.modRevision(key, .equal, last.revision)], then: [.put(key, "\(last.number + 1)")])
            seen = nil
            let answer = try await client.transaction(transaction)
            if answer.succeeded {
              seen = (last.number + 1, answer.header.revision)
              state.withLock { $0.acknowledged = last.number + 1 }
              bell.yield()
            }
          } else {
            let item = try await client.range(EtcdRange(.key(key))).keyValues.first
            seen = (item.flatMap { Int($0.text) } ?? 0, item?.modRevision ?? 0)
          }
        } catch {
          if error.code == .cancelled { return }
          try #require(error.isRetryable, "\(error)")
          state.withLock { $0.failures.append("\(error)") }
        }
      }

      func watch(_ client: EtcdClient) async throws {
        var next: Int64 = 1
        while !isStopped {
          do throws(EtcdError) {
            for try await message in try await client.watch(.key(key), from: next) {
              guard case .events(let events, let revision) = message, let last = events.last else { continue }
              next = revision + 1
              state.withLock { $0.watched = Int(last.keyValue.text) ?? -1 }
              bell.yield()
            }
          } catch {
            if error.code == .cancelled { return }
            try #require(error.isRetryable, "\(error)")
          }
        }
      }
    }

    @Test func `faults during a load lose no acknowledged write`() async throws {
      try await withCluster(members: 3) { options in
        options.usesTLS = true
        options.rootPassword = "secret"
        options.deadline = .seconds(1)
      } _: { cluster in
        var proxies: [TCPProxy] = []
        for member in cluster.members { proxies.append(try await TCPProxy.start(to: member.port)) }
        let configuration = cluster.configuration(endpoints: proxies.map { "https://127.0.0.1:\($0.port)" })
        let (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let writers = (0..<8).map { Writer("fault/\($0)", bell) }
        try await cluster.withClient(configuration) { client in
          try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in writers {
              group.addTask { try await writer.run(client) }
              group.addTask { try await writer.watch(client) }
            }
            for round in 0..<2 {
              for proxy in proxies { await proxy.cut() }
              try await progress(writers, rings)
              let leader = try await cluster.leader()
              leader.pause()
              try await progress(writers, rings)
              leader.resume()
              if round == 0 { leader.kill() } else { leader.terminate() }
              try await progress(writers, rings)
              try await cluster.restart(leader)
              try await proxies[round].set(.blackHole)
              try await progress(writers, rings)
              try await proxies[round].set(.forward)
              try await proxies[round].set(.delay(.milliseconds(5)))
            }
            try await wait(writers, rings) { $0.watched > 0 }
            for writer in writers { writer.stop() }
            group.cancelAll()
            try await group.waitForAll()
          }
        }
        try await cluster.withClient { client in
          for writer in writers {
            let stored = try await insisting { () throws(EtcdError) in
              try await client.range(EtcdRange(.key(writer.key)))
            }
            let value = stored.keyValues.first.flatMap { Int($0.text) } ?? -1
            // The last write may have been carried out without an answer.
            #expect((writer.acknowledged...writer.acknowledged + 1).contains(value), "\(writer.key)")
          }
        }
        for proxy in proxies { await proxy.stop() }
      }
    }

    /// Waits until each writer has stored something more.
    private func progress(
      _ writers: [Writer], _ rings: AsyncStream<Void>, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let before = Dictionary(uniqueKeysWithValues: writers.map { ($0.key, $0.acknowledged) })
      try await wait(writers, rings, sourceLocation: sourceLocation) { $0.acknowledged != before[$0.key] }
    }

    /// Waits until something holds for each writer.
    private func wait(
      _ writers: [Writer], _ rings: AsyncStream<Void>, sourceLocation: SourceLocation = #_sourceLocation,
      until condition: @escaping @Sendable (Writer) -> Bool
    ) async throws {
      let isDone = await withTaskGroup(of: Bool.self) { group in
        group.addTask {
          for await _ in rings where writers.allSatisfy(condition) { return true }
          return false
        }
        group.addTask {
          try? await Task.sleep(for: .seconds(60))
          return false
        }
        defer { group.cancelAll() }
        return await group.next() ?? false
      }
      let stuck = writers.filter { !condition($0) }
      try #require(
        isDone, "stuck: \(stuck.map { "\($0.key) at \($0.acknowledged):\n\($0.failures)" })",
        sourceLocation: sourceLocation)
    }
  }
}
