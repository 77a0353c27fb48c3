import EtcdClient
import EtcdTesting
import Testing

extension ClusterTests {
  /// Lines with a long way, as from another continent or over a satellite. They wait most of the time, beside each other
  /// and beside all other tests.
  struct SlowLineTests {
    /// A client that waits as long as 'settings-fleet' does by default, behind proxies that delay all bytes by half of a
    /// round trip.
    private func with(
      roundTrip: Duration, bytesPerSecond: Int? = nil, endpoints count: Int, usesTLS: Bool = true,
      _ body: (EtcdClient, _ setUp: EtcdClient) async throws -> Void
    ) async throws {
      try await withShared(usesTLS: usesTLS) { near, cluster in
        var proxies: [TCPProxy] = []
        for number in 0..<count {
          proxies.append(try await TCPProxy.start(to: cluster.members[number % cluster.members.count].port))
        }
        for proxy in proxies { try await proxy.set(.line(delay: roundTrip / 2, bytesPerSecond: bytesPerSecond)) }
        let endpoints = proxies.map { "\(usesTLS ? "https" : "http")://127.0.0.1:\($0.port)" }
        let configuration = cluster.configuration(endpoints: endpoints, deadline: .seconds(5))
        try await cluster.withClient(configuration) { try await body($0, near) }
        for proxy in proxies { await proxy.stop() }
      }
    }

    @Test(arguments: [1, 3])
    func `four kilobytes come over a line of 400 ms, and a value is stored`(endpoints: Int) async throws {
      try await with(roundTrip: .milliseconds(400), endpoints: endpoints) { client, near in
        let value = String(repeating: "x", count: 4096)
        try await near.put("slow/a", value)
        #expect(try await client.text("slow/a") == value)
        try await client.put("slow/b", value)
        #expect(try await near.text("slow/b") == value)
      }
    }

    @Test(arguments: [1, 3])
    func `a megabyte comes over a line of 100 ms, and is stored`(endpoints: Int) async throws {
      try await with(roundTrip: .milliseconds(100), endpoints: endpoints) { client, near in
        let value = String(repeating: "x", count: 1 << 20)
        try await near.put("slow/c", value)
        #expect(try await client.text("slow/c") == value)
        try await client.put("slow/d", value)
        #expect(try await near.text("slow/d") == value)
      }
    }

    // It takes longer than a call waits while nothing comes.
    @Test(arguments: [1, 3])
    func `a megabyte comes over a line of 1 Mbit a second, and is stored`(endpoints: Int) async throws {
      try await with(roundTrip: .milliseconds(20), bytesPerSecond: 125_000, endpoints: endpoints) { client, near in
        let value = String(repeating: "x", count: 1 << 20)
        try await near.put("slow/h\(endpoints)", value)
        async let stored = client.put("slow/i\(endpoints)", value)
        #expect(try await client.text("slow/h\(endpoints)") == value)
        _ = try await stored
        #expect(try await near.text("slow/i\(endpoints)") == value)
      }
    }

    @Test func `a read has as much more time as the write before it is on its way`() async throws {
      try await withShared(usesTLS: true) { near, cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        try await proxy.set(.line(delay: .milliseconds(10), bytesPerSecond: 125_000))
        let configuration = cluster.configuration(endpoints: ["https://127.0.0.1:\(proxy.port)"], deadline: .seconds(5))
        try await near.put("slow/j", "1")
        try await cluster.withClient(configuration) { client in
          async let stored = client.put("slow/k", String(repeating: "x", count: 1 << 20))
          // The member takes all of it at once, and so does what is between.
          while proxy.bytesToMembers < 1 << 20 { try await Task.sleep(for: .milliseconds(5)) }
          #expect(try await client.text("slow/j") == "1")
          _ = try await stored
        }
        await proxy.stop()
      }
    }

    // With HTTP/2's own window of 64 KiB it would be 16 round trips.
    @Test func `a megabyte takes a few round trips`() async throws {
      try await with(roundTrip: .seconds(1), endpoints: 1) { client, near in
        try await near.put("slow/e", String(repeating: "x", count: 1 << 20))
        _ = try await client.text("slow/f")
        let time = try await ContinuousClock().measure { _ = try await client.text("slow/e") }
        #expect(time < .seconds(8), "\(time)")
      }
    }

    // The connection takes longer than one of three members' share of the time.
    @Test(arguments: [1, 3])
    func `an attempt to connect goes on when its call gives up`(endpoints: Int) async throws {
      try await with(roundTrip: .milliseconds(1200), endpoints: endpoints) { client, near in
        try await near.put("slow/g", "1")
        var text: String?
        for _ in 0..<4 where text == nil { text = try? await client.text("slow/g") }
        #expect(text == "1")
      }
    }
  }
}
