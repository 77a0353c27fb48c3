import EtcdClient
import EtcdTesting
import Foundation
import FoundationNetworking
import Testing

extension ClusterTests.InTurn {
  struct WatchTests {
    @Test func `a watch reports puts and deletions of its keys in order`() async throws {
      try await withShared { client, _ in
        let watch = try await client.watch(.prefix("watch-a/"))
        let first = try await client.put("watch-a/x", "1")
        try await client.put("watch-b/x", "other")
        try await client.put("watch-a/x", "2")
        try await client.delete(.key("watch-a/x"))
        let events = try await watch.batches(3).flatMap { $0 }
        #expect(events.map(\.kind) == [.put, .put, .delete])
        #expect(events.map(\.keyValue.text) == ["1", "2", ""])
        #expect(events.map(\.keyValue.modRevision) == [first, first + 2, first + 3])
        #expect(events.map(\.keyValue.version) == [1, 2, 0])
      }
    }

    @Test func `a watch from an old revision begins there, and one from the end resumes`() async throws {
      try await withShared { client, _ in
        let first = try await client.put("watch-old/x", "1")
        try await client.put("watch-old/x", "2")
        let third = try await client.put("watch-old/x", "3")
        let all = try await client.watch(.key("watch-old/x"), from: first)
        var iterator = all.makeAsyncIterator()
        guard case .created(let revision)? = try await iterator.next() else {
          Issue.record("The watch does not begin with 'created'.")
          return
        }
        #expect(revision >= third)
        let seen = try await all.batches(1).flatMap { $0 }
        #expect(seen.map(\.keyValue.text) == ["1", "2", "3"])
        let resumed = try await client.watch(.key("watch-old/x"), from: third + 1)
        try await client.put("watch-old/x", "4")
        #expect(try await resumed.batches(1).flatMap { $0 }.map(\.keyValue.text) == ["4"])
      }
    }

    @Test func `changes of one transaction come together`() async throws {
      try await withShared { client, _ in
        try await client.put("watch-txn/b", "b")
        let watch = try await client.watch(.prefix("watch-txn/"))
        let answer = try await client.transaction(
          EtcdTransaction(then: [
            .put("watch-txn/a", "1"), .delete(.key("watch-txn/b")), .put("watch-txn/c", "3"),
          ]))
        let batch = try #require(try await watch.batches(1).first)
        #expect(batch.map(\.keyValue.modRevision) == Array(repeating: answer.header.revision, count: 3))
        #expect(batch.map(\.kind) == [.put, .delete, .put])
      }
    }

    @Test func `a watch from a compacted revision says so and ends`() async throws {
      try await withShared { client, _ in
        let old = try await client.put("watch-gone/x", "1")
        let new = try await client.put("watch-gone/x", "2")
        try await client.compact(revision: new, waits: true)
        let watch = try await client.watch(.key("watch-gone/x"), from: old)
        var messages: [EtcdWatchMessage] = []
        for try await message in watch { messages.append(message) }
        #expect(messages.last == .compacted(revision: new))
        #expect(messages.count == 2)
      }
    }

    @Test func `a cancelled watch ends without an error`() async throws {
      try await withShared { client, _ in
        let watch = try await client.watch(.key("watch-cancel"))
        watch.cancel()
        for try await message in watch { #expect(message != .cancelled(reason: "")) }
      }
    }

    @Test func `a cut stream ends with an error, and a new watch goes on`() async throws {
      try await withShared { client, cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        try await cluster.withClient(cluster.configuration(endpoints: ["http://127.0.0.1:\(proxy.port)"])) { proxied in
          let watch = try await proxied.watch(.key("watch-cut"))
          let revision = try await client.put("watch-cut", "1")
          #expect(try await watch.batches(1).count == 1)
          await proxy.cut()
          let error = await failure { _ = try await watch.batches(1) }
          #expect(error?.code == .unavailable)
          try await client.put("watch-cut", "2")
          let next = try await proxied.watch(.key("watch-cut"), from: revision + 1)
          #expect(try await next.batches(1).flatMap { $0 }.map(\.keyValue.text) == ["2"])
        }
        await proxy.stop()
      }
    }

    @Test func `a watch ends when its member is killed, and goes on at another one`() async throws {
      try await withCluster(members: 3) { cluster in
        // A write that a follower has sent to a dead leader is not answered for seconds.
        let configuration = cluster.configuration(endpoints: cluster.endpoints, deadline: .seconds(1))
        try await cluster.withClient(configuration) { client in
          let watch = try await insisting { () throws(EtcdError) in try await client.watch(.key("k")) }
          let revision = try await insisting { () throws(EtcdError) in try await client.put("k", "1") }
          #expect(try await watch.batches(1).count == 1)
          let member = try #require(cluster.members.first { $0.endpoint == watch.endpoint })
          member.kill()
          let error = await failure { _ = try await watch.batches(1) }
          #expect(error?.code == .unavailable)
          // An election may begin again and again on a busy machine.
          try await insisting { () throws(EtcdError) in try await client.put("k", "2") }
          let next = try await insisting { () throws(EtcdError) in
            try await client.watch(.key("k"), from: revision + 1)
          }
          #expect(next.endpoint != watch.endpoint)
          #expect(try await next.batches(1).first?.first?.keyValue.text == "2")
        }
      }
    }

    @Test func `a member without a leader ends its watches and refuses writes`() async throws {
      try await withCluster(members: 3) { cluster in
        // A leader may come back until the deadline.
        let configuration = cluster.configuration(endpoints: [cluster.endpoints[0]], deadline: .seconds(2))
        try await cluster.withClient(configuration) { client in
          let watch = try await client.watch(.key("k"))
          cluster.members[1].kill()
          cluster.members[2].kill()
          let error = await within(.seconds(5)) { await failure { _ = try await watch.batches(1) } }
          #expect(error?.code == .unavailable)
          var put = await failure { try await client.put("k", "1") }
          // On a busy machine, an attempt may be under way at the deadline, and nobody knows whether it happens.
          while put?.code == .deadlineExceeded { put = await failure { try await client.put("k", "1") } }
          #expect(put?.code == .unavailable)
          #expect(put?.message.contains("no leader") == true, "\(put.map { "\($0)" } ?? "")")
          #expect(put?.mayHaveHappened == false)
          #expect(try await client.range(EtcdRange(.key("k"), isSerializable: true)).count == 0)
          #expect(try await client.status(at: watch.endpoint).leader == 0)
        }
      }
    }

    @Test func `several spans are watched over one stream`() async throws {
      try await withShared { client, _ in
        let watch = try await client.watch([.prefix("spans/a/"), .key("spans/c"), .prefix("spans/e/")])
        for key in ["spans/a/1", "spans/b", "spans/c", "spans/d/1", "spans/e/1"] { try await client.put(key, "1") }
        let keys = try await watch.batches(3).flatMap { $0.map { String(decoding: $0.keyValue.key, as: UTF8.self) } }
        #expect(keys.sorted() == ["spans/a/1", "spans/c", "spans/e/1"])
        watch.requestProgress()
      }
    }

    @Test func `what is not read waits at the member`() async throws {
      try await withCluster { cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        let through = cluster.configuration(endpoints: ["http://127.0.0.1:\(proxy.port)"])
        try await cluster.withClient { client in
          try await cluster.withClient(through) { slow in
            let watch = try await slow.watch(.prefix("much/"))
            let value = String(repeating: "x", count: 500_000)
            for number in 0..<60 { try await client.put("much/\(number)", value) }
            _ = try await slow.text("other")
            #expect(proxy.bytesToClients < 20_000_000, "\(proxy.bytesToClients)")
            #expect(try await watch.batches(60).count == 60)
            #expect(proxy.bytesToClients > 30_000_000, "\(proxy.bytesToClients)")
          }
        }
        await proxy.stop()
      }
    }

    @Test func `a connection without an answer is closed, although something acknowledges every byte`() async throws {
      try await withShared { near, cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        var configuration = cluster.configuration(endpoints: ["http://127.0.0.1:\(proxy.port)"])
        // It is the time for the answer, too.
        configuration.pingInterval = .seconds(1)
        try await cluster.withClient(configuration) { client in
          let watch = try await client.watch(.key("ping"))
          // As long as the member answers, nothing happens.
          let before = proxy.bytesToClients
          while proxy.bytesToClients < before + 3 * 17 { try await Task.sleep(for: .milliseconds(5)) }
          try await near.put("ping", "1")
          var iterator = watch.makeAsyncIterator()
          #expect(try await iterator.next().map { if case .created = $0 { true } else { false } } == true)
          #expect(try await iterator.next().map { if case .events = $0 { true } else { false } } == true)
          try await proxy.set(.blackHole)
          let error = await failure { _ = try await iterator.next() }
          #expect(error?.code == .unavailable, "\(error as Any)")
        }
        await proxy.stop()
      }
    }

    @Test func `a thousand watches that were dropped leave nothing at the member`() async throws {
      try await withCluster { cluster in
        try await cluster.withClient { client in
          for _ in 0..<10 {
            try await withThrowingTaskGroup(of: Void.self) { group in
              for index in 0..<100 {
                group.addTask { _ = try await client.watch(.key("watch-leak/\(index)"), from: 1 + 1_000_000) }
              }
              try await group.waitForAll()
            }
          }
          let kept = try await client.watch(.key("watch-leak"))
          // Nothing reports when the member has noticed.
          let end = ContinuousClock.now + .seconds(60)
          while try openWatches(of: cluster.members[0]) != 1, .now < end {
            try await Task.sleep(for: .milliseconds(20))
          }
          #expect(try openWatches(of: cluster.members[0]) == 1)
          kept.cancel()
        }
      }
    }

    /// How many streams of watches a member without TLS has open.
    private func openWatches(of member: EtcdMember) throws -> Int? {
      let metrics = try String(contentsOf: #require(URL(string: member.endpoint + "/metrics")), encoding: .utf8)
      let line = metrics.split(separator: "\n").first { $0.hasPrefix("etcd_debugging_mvcc_watch_stream_total ") }
      return line?.split(separator: " ").last.flatMap { Int($0) }
    }
  }
}
