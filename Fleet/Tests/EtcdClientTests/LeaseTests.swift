import EtcdClient
import EtcdTesting
import Testing

extension ClusterTests.InTurn {
  struct LeaseTests {
    @Test(arguments: [false, true])
    func `a lease holds keys until it is revoked`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        let start = ContinuousClock.now
        let lease = try await client.grantLease(seconds: 30)
        try await client.put("lease/a", "1", lease: lease)
        #expect(try await client.range(EtcdRange(.key("lease/a"))).keyValues.first?.lease == lease)
        let status = try #require(try await client.timeToLive(lease))
        #expect(status.granted == 30)
        let passed = Int((ContinuousClock.now - start) / .seconds(1))
        #expect((28 - passed...30).contains(status.remaining))
        #expect(try await client.keepAlive(lease) == 30)
        try await client.revokeLease(lease)
        #expect(try await client.text("lease/a") == nil)
        #expect(try await client.timeToLive(lease) == nil)
        #expect(try await client.keepAlive(lease) == 0)
        let error = await failure { try await client.revokeLease(lease) }
        #expect(error?.code == .leaseNotFound)
        let put = await failure { try await client.put("lease/a", "2", lease: lease) }
        #expect(put?.code == .leaseNotFound)
        #expect(put?.mayHaveHappened == false)
      }
    }

    @Test(arguments: [false, true])
    func `an expired lease deletes its keys, and a watch reports it`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        let (lease, revision) = try await store("lease/short", by: client)
        let watch = try await client.watch(.key("lease/short"), from: revision + 1)
        let batches = try await within(.seconds(8)) { try await watch.batches(1) }
        #expect(batches.first?.map(\.kind) == [.delete])
        #expect(batches.first?.first?.keyValue.key == Array("lease/short".utf8))
        #expect(try await client.text("lease/short") == nil)
        #expect(try await client.keepAlive(lease) == 0)
      }
    }

    /// Stores a value under a lease of a second, which may be over before the value is there.
    private func store(_ key: String, by client: EtcdClient) async throws -> (lease: Int64, revision: Int64) {
      while true {
        let lease = try await client.grantLease(seconds: 1)
        do throws(EtcdError) {
          return (lease, try await client.put(key, "1", lease: lease))
        } catch {
          try #require(error.code == .leaseNotFound, "\(error)")
        }
      }
    }
  }
}
