import EtcdClient
import EtcdTesting
import Testing

extension ClusterTests.InTurn {
  struct MaintenanceTests {
    @Test func `a member says what it is`() async throws {
      try await withShared { client, cluster in
        let revision = try await client.put("status", "1")
        let status = try await client.status(at: cluster.endpoints[0])
        #expect(status.version.hasPrefix("3."))
        #expect(status.leader == status.header.member)
        #expect(status.header.revision == revision)
        #expect(status.databaseSize >= status.databaseSizeInUse)
        #expect(status.databaseSizeInUse > 0)
        await expectFailure(.invalidArgument) { _ = try await client.status(at: "http://elsewhere:1") }
      }
    }

    @Test func `a backup brings back what was there, as the same or as another cluster`() async throws {
      try await withCluster(members: 3) { cluster in
        try await cluster.withClient { client in
          let old = try await insisting { () throws(EtcdError) in try await client.put("k", "old") }
          let identity = try await client.range(EtcdRange(.key("k"))).header.cluster
          let file = cluster.directory + "/backup"
          try await cluster.snapshot(to: file)
          try await insisting { () throws(EtcdError) in try await client.put("k", "new") }
          try await cluster.restore(from: file)
          let answer = try await client.range(EtcdRange(.key("k")))
          #expect(answer.keyValues.first?.text == "old")
          #expect(answer.keyValues.first?.modRevision == old)
          #expect(answer.header.cluster == identity)
          let second = cluster.directory + "/second"
          try await cluster.snapshot(to: second)
          try await cluster.restore(from: second, asNewCluster: true)
          #expect(try await client.range(EtcdRange(.key("k"))).header.cluster != identity)
        }
      }
    }

    @Test func `a full database refuses writes until it is cleaned`() async throws {
      try await withCluster { options in
        options.quotaBytes = 4 << 20
      } _: { cluster in
        try await cluster.withClient { client in
          let value = Array(repeating: UInt8(1), count: 500_000)
          var full: EtcdError?
          for _ in 0..<40 where full == nil {
            do throws(EtcdError) { try await client.put("k", value) } catch { full = error }
          }
          #expect(full?.code == .noSpace)
          #expect(full?.mayHaveHappened == true)
          #expect(try await client.alarms().map(\.kind) == ["NOSPACE"])
          let revision = try await client.range(EtcdRange(.key("k"))).header.revision
          try await client.compact(revision: revision, waits: true)
          try await client.defragment(at: cluster.endpoints[0])
          try await client.disarmAlarms()
          try await client.put("k", "1")
        }
      }
    }

    @Test func `a write that a full database refuses may have been carried out all the same`() async throws {
      try await withCluster { options in
        options.quotaBytes = 8 << 20
      } _: { cluster in
        try await cluster.withClient { client in
          let value = Array(repeating: UInt8(1), count: 100_000)
          let refused = await withTaskGroup(of: (key: String, error: EtcdError)?.self) { group in
            for writer in 0..<32 {
              group.addTask {
                for number in 0..<100 {
                  let key = "k/\(writer)/\(number)"
                  do throws(EtcdError) { try await client.put(key, value) } catch { return (key, error) }
                }
                return nil
              }
            }
            return await group.reduce(into: []) { result, found in result += [found].compactMap(\.self) }
          }
          #expect(!refused.isEmpty)
          for (key, error) in refused where !error.mayHaveHappened {
            let count = try await client.range(EtcdRange(.key(key), countOnly: true)).count
            #expect(count == 0, "\(key): \(error)")
          }
        }
      }
    }
  }
}
