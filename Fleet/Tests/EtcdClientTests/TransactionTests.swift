import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension ClusterTests {
  struct TransactionTests {
    @Test(arguments: [false, true])
    func `each kind of comparison holds or not`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        let lease = try await client.grantLease(seconds: 60).id
        let created = try await client.put("txn/a", "m", lease: lease)
        let changed = try await client.put("txn/a", "m", lease: lease)
        let m = Array("m".utf8)
        let cases: [(EtcdCompare.Relation, EtcdCompare.Target, Bool)] = [
          (.equal, .value(m), true), (.notEqual, .value(m), false), (.greater, .value([]), true),
          (.less, .value(Array("n".utf8)), true),
          (.equal, .version(2), true), (.greater, .version(2), false), (.less, .version(3), true),
          (.equal, .createRevision(created), true), (.notEqual, .createRevision(created), false),
          (.equal, .modRevision(changed), true), (.equal, .modRevision(created), false),
          (.greater, .modRevision(created), true),
          (.equal, .lease(lease), true), (.equal, .lease(0), false),
        ]
        for (relation, target, holds) in cases {
          let compare = EtcdCompare(.key("txn/a"), relation, target)
          let answer = try await client.transaction(
            EtcdTransaction(if: [compare], then: [.range(EtcdRange(.key("txn/a")))]))
          #expect(answer.succeeded == holds, "\(relation) \(target)")
          #expect(answer.results.count == (holds ? 1 : 0))
        }
        try await client.revokeLease(lease)
      }
    }

    @Test(arguments: [false, true])
    func `a missing key has numbers of zero and no value`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        let cases: [(EtcdCompare.Target, Bool)] = [
          (.version(0), true), (.createRevision(0), true), (.modRevision(0), true), (.value([]), false),
        ]
        for (target, holds) in cases {
          let answer = try await client.transaction(
            EtcdTransaction(if: [EtcdCompare(.key("txn/none"), .equal, target)], then: []))
          #expect(answer.succeeded == holds, "\(target)")
        }
        let absent = EtcdTransaction(if: [.isAbsent("txn/new")], then: [.put("txn/new", "1")])
        #expect(try await client.transaction(absent).succeeded)
        #expect(try await client.transaction(absent).succeeded == false)
      }
    }

    @Test(arguments: [false, true])
    func `all steps are done and answered in order`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        try await client.put("txn-all/a", "old")
        try await client.put("txn-all/b", "b")
        let answer = try await client.transaction(
          EtcdTransaction(then: [
            .put(key: Array("txn-all/a".utf8), value: Array("new".utf8), lease: 0, returnsPrevious: true),
            .delete(.key("txn-all/b"), returnsPrevious: true), .range(EtcdRange(.prefix("txn-all/"))),
            .delete(.key("txn-all/none")), .put("txn-all/c", "c"),
          ]))
        try #require(answer.results.count == 5)
        guard case .put(let previous?) = answer.results[0], case .delete(1, let deleted) = answer.results[1],
          case .range(let range) = answer.results[2]
        else {
          Issue.record("\(answer.results)")
          return
        }
        #expect(previous.text == "old")
        #expect(deleted.map(\.text) == ["b"])
        #expect(range.keyValues.map(\.text) == ["new"])
        #expect(range.keyValues.first?.modRevision == answer.header.revision)
        #expect(answer.results[3] == .delete(count: 0, previous: []))
        #expect(answer.results[4] == .put(previous: nil))
        let keys = try await client.range(EtcdRange(.prefix("txn-all/"))).keyValues
        #expect(keys.map(\.modRevision) == [answer.header.revision, answer.header.revision])
      }
    }

    @Test(arguments: [false, true])
    func `a lost race does the other branch and changes nothing else`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        let seen = try await client.put("txn/race", "mine")
        try await client.put("txn/race", "theirs")
        let answer = try await client.transaction(
          EtcdTransaction(
            if: [.modRevision("txn/race", .equal, seen)], then: [.put("txn/race", "lost")],
            else: [.range(EtcdRange(.key("txn/race")))]))
        #expect(answer.succeeded == false)
        guard case .range(let now)? = answer.results.first else {
          Issue.record("\(answer.results)")
          return
        }
        #expect(now.keyValues.first?.text == "theirs")
      }
    }

    @Test(arguments: [false, true])
    func `a transaction that is not valid changes nothing`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        let twice = await failure {
          try await client.transaction(EtcdTransaction(then: [.put("txn/twice", "1"), .put("txn/twice", "2")]))
        }
        #expect(twice?.code == .invalidArgument)
        let lease = await failure {
          try await client.transaction(EtcdTransaction(then: [.put("txn/twice", "1"), .put("txn/l", "2", lease: 77)]))
        }
        #expect(lease?.code == .leaseNotFound)
        #expect(lease?.mayHaveHappened == false)
        let stored = try await client.range(EtcdRange(.prefix("txn/twice")))
        #expect(stored.count == 0)
      }
    }

    /// With `SETTINGS_FLEET=full`, five times as often.
    @Test func `64 tasks that increment by compare and swap lose nothing`() async throws {
      let steps = ProcessInfo.processInfo.environment["SETTINGS_FLEET"] == "full" ? 50 : 10
      try await withShared(usesTLS: true) { client, _ in
        // Four tasks for each counter: with one counter, nearly all tries lose the race.
        let counters = (10..<26).map { "txn/counter/\($0)" }
        for counter in counters { try await client.put(counter, "0") }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for task in 0..<64 {
            group.addTask {
              for _ in 0..<steps { try await increment(counters[task % 16], client) }
            }
          }
          try await group.waitForAll()
        }
        let values = try await client.range(EtcdRange(.prefix("txn/counter/"))).keyValues.map(\.text)
        #expect(values == Array(repeating: "\(4 * steps)", count: 16))
      }
    }

    private func increment(_ key: String, _ client: EtcdClient) async throws {
      var seen: EtcdKeyValue?
      while true {
        let next = seen.flatMap { Int($0.text) }.map { $0 + 1 }
        let transaction = EtcdTransaction(
          if: [.modRevision(key, .equal, seen?.modRevision ?? -1)], then: [.put(key, "\(next ?? -1)")],
          else: [.range(EtcdRange(.key(key)))])
        let answer = try await client.transaction(transaction)
        if answer.succeeded { return }
        if case .range(let range)? = answer.results.first { seen = range.keyValues.first }
      }
    }
  }
}
