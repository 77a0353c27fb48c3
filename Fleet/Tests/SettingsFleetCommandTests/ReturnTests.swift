import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension CommandTests {
  struct ReturnTests {
    @Test func `a mirror returns within a minute to a member that came back`() async throws {
      let cluster = try await EtcdCluster.start(members: 3, options: CommandTests.patient)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { fleet in
        var proxies: [TCPProxy] = []
        for member in cluster.members { proxies.append(try await TCPProxy.start(to: member.port)) }
        let endpoints = proxies.map { "\"http://127.0.0.1:\($0.port)\"" }.joined(separator: ", ")
        let machine = try fleet.machine("m1", endpoints: "[\(endpoints)]")
        let ada = try fleet.person()
        try await ada.run("set", fleet.app, "a=1")
        try machine.start()
        #expect(try await machine.wait(for: "a = 1\n"), "\(machine.said)")
        let home = try #require(proxies.first { $0.openConnections > 0 })
        try await home.set(.refuse)
        try await ada.run("set", fleet.app, "a=2")
        #expect(try await machine.wait(for: "a = 2\n"), "\(machine.said)")
        #expect(machine.said.contains("Follows the cluster again."), "\(machine.said)")
        try await home.set(.forward)
        let start = ContinuousClock.now
        let others = proxies.filter { $0 !== home }
        let isBack = try await eventually {
          home.openConnections == 1 && others.allSatisfy { $0.openConnections == 0 }
        }
        #expect(isBack && .now - start < .seconds(60), "\(proxies.map(\.openConnections)), \(machine.said)")
        try await ada.run("set", fleet.app, "a=3")
        #expect(try await machine.wait(for: "a = 3\n"), "\(machine.said)")
        for proxy in proxies { await proxy.stop() }
      }
    }
  }
}
