import EtcdClient
import EtcdTesting
import Testing

extension ClusterTests.InTurn {
  struct WriteLoadTests {
    @Test func `a load counts what it stored`() async throws {
      try await withShared { client, _ in
        let before = try await client.range(EtcdRange(.key("load"))).header.revision
        let load = await WriteLoad.measure(writers: 4, for: .milliseconds(200), with: client, value: [1])
        let after = try await client.range(EtcdRange(.key("load"))).header.revision
        #expect(load.writes == Int(after - before))
        #expect(load.failures == 0)
        #expect(load.latency(at: 0.5) <= load.latency(at: 0.99))
        #expect(try await client.range(EtcdRange(.prefix("load/"), countOnly: true)).count == 4)
      }
    }
  }
}
