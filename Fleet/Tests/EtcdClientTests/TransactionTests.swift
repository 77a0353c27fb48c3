import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension ClusterTests.InTurn {
  struct TransactionTests {
    @Test(arguments: [false, true])
    func `each kind of comparison holds or not`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        let created = try await client.put("txn/a", "m")
        let changed = try await client.put("txn/a", "m")
        let cases: [(EtcdCompare.Relation, Int64, Bool)] = [
          (.equal, changed, true), (.equal, created, false), (.less, changed + 1, true), (.less, changed, false),
        ]
        for (relation, revision, holds) in cases {
          let compare = EtcdCompare.modRevision("txn/a", relation, revision)
          let answer = try await client.transaction(
            EtcdTransaction(if: [compare], then: [.range(EtcdRange(.key("txn/a")))]))
          #expect(answer.succeeded == holds, "\(relation) \(revision)")
          #expect(answer.ranges.count == (holds ? 1 : 0))
        }
      }
    }

    @Test(arguments: [false, true])
    func `a missing key has the revision 0, and a range without keys passes`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        let absent = EtcdTransaction(if: [.modRevision("txn/new", .equal, 0)], then: [.put("txn/new", "1")])
        let first = try await client.transaction(absent)
        #expect(first.succeeded)
        let second = try await client.transaction(absent)
        #expect(!second.succeeded)
        let none = EtcdCompare(.prefix("txn/none"), .less, 1)
        let third = try await client.transaction(EtcdTransaction(if: [none], then: []))
        #expect(third.succeeded)
      }
    }

    @Test(arguments: [false, true])
    func `all steps are done, and what is read is answered in order`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        try await client.put("txn-all/a", "old")
        try await client.put("txn-all/b", "b")
        let answer = try await client.transaction(
          EtcdTransaction(then: [
            .put("txn-all/a", "new"), .delete(.key("txn-all/b")), .range(EtcdRange(.prefix("txn-all/"))),
            .delete(.key("txn-all/none")), .put("txn-all/c", "c"), .range(EtcdRange(.key("txn-all/c"))),
          ]))
        #expect(answer.ranges.map { $0.keyValues.map(\.text) } == [["new"], ["c"]])
        #expect(answer.ranges[0].keyValues.first?.modRevision == answer.header.revision)
        #expect(answer.ranges.map(\.header) == [answer.header, answer.header])
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
        #expect(answer.ranges.first?.keyValues.first?.text == "theirs")
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
        seen = answer.ranges.first?.keyValues.first
      }
    }
  }
}
