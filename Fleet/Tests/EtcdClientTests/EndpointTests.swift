import EtcdClient
import EtcdTesting
import Testing

extension ClusterTests.InTurn {
  struct EndpointTests {
    @Test func `a dead first endpoint is skipped, then tried last`() async throws {
      try await withShared { _, cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        try await proxy.set(.refuse)
        let endpoints = ["http://127.0.0.1:\(proxy.port)"] + cluster.endpoints
        try await cluster.withClient(cluster.configuration(endpoints: endpoints)) { client in
          try await within(.seconds(1)) { try await client.put("end/a", "1") }
          #expect(try await client.watch(.key("end/a")).endpoint == cluster.endpoints[0])
          try await proxy.set(.forward)
          #expect(try await client.text("end/a") == "1")
          #expect(proxy.connections == 0)
        }
      }
    }

    @Test func `a member that is not there is said in plain words`() async throws {
      try await withShared { _, cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        try await proxy.set(.refuse)
        // The member may come back until the deadline.
        let configuration = cluster.configuration(
          endpoints: ["http://127.0.0.1:\(proxy.port)"], deadline: .milliseconds(1500))
        try await cluster.withClient(configuration) { client in
          let error = await failure { try await client.put("end/a", "1") }
          #expect(error?.message == "The connection failed: Connection refused")
          #expect(error?.code == .unavailable && error?.mayHaveHappened == false)
        }
      }
    }

    @Test func `a black hole at the first endpoint costs less than the deadline`() async throws {
      try await withShared { _, cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        try await proxy.set(.blackHole)
        let endpoints = ["http://127.0.0.1:\(proxy.port)"] + cluster.endpoints
        // Half of it is for the black hole, and what is left has to be enough on a busy machine.
        let configuration = cluster.configuration(endpoints: endpoints, deadline: .seconds(4))
        try await cluster.withClient(configuration) { client in
          let start = ContinuousClock.now
          _ = try await client.range(EtcdRange(.key("end/b")))
          #expect(.now - start >= .seconds(2))
          try await within(.milliseconds(300)) { try await client.put("end/b", "1") }
          let watch = try await within(.milliseconds(300)) { try await client.watch(.key("end/b")) }
          #expect(watch.endpoint == cluster.endpoints[0])
          // It is not asked again.
          #expect(proxy.connections == 1)
        }
        await proxy.stop()
      }
    }

    @Test func `a client that is shut down does not wait for a connection that does not come about`() async throws {
      try await withShared { _, cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        try await proxy.set(.blackHole)
        let client = try EtcdClient(
          cluster.configuration(
            endpoints: ["http://127.0.0.1:\(proxy.port)"] + cluster.endpoints, deadline: .seconds(4)))
        _ = try await client.range(EtcdRange(.key("end/b")))
        await within(.milliseconds(300)) { await client.shutdown() }
        await proxy.stop()
      }
    }

    @Test(arguments: [false, true])
    func `a write into a black hole says that it may have happened`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        let endpoints = ["\(usesTLS ? "https" : "http")://127.0.0.1:\(proxy.port)"] + cluster.endpoints
        let configuration = cluster.configuration(endpoints: endpoints, deadline: .seconds(2))
        try await cluster.withClient(configuration) { proxied in
          try await proxied.put("end/c", "1")
          try await proxy.set(.blackHole)
          let error = await within(.milliseconds(2200)) { await failure { try await proxied.put("end/c", "2") } }
          #expect(error?.code == .deadlineExceeded)
          #expect(error?.mayHaveHappened == true)
          #expect(try await client.text("end/c") == "1")
          // The next call asks another endpoint, and a read is never in doubt.
          #expect(try await proxied.text("end/c") == "1")
        }
        await proxy.stop()
      }
    }

    @Test func `a transaction that may be repeated does not wait in a black hole`() async throws {
      try await withShared { client, cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        let endpoints = ["http://127.0.0.1:\(proxy.port)"] + cluster.endpoints
        let configuration = cluster.configuration(endpoints: endpoints, deadline: .seconds(8))
        try await cluster.withClient(configuration) { proxied in
          let first = try await proxied.put("end/r", "1")
          try await proxy.set(.blackHole)
          let next = EtcdTransaction(if: [.modRevision("end/r", .equal, first)], then: [.put("end/r", "2")])
          let stored = try await proxied.transaction(next, isRepeatable: true)
          #expect(stored.succeeded)
          #expect(try await client.text("end/r") == "2")
          // What was sent at first comes after all, and finds another revision.
          try await proxy.set(.forward)
          #expect(try await proxied.text("end/r") == "2")
          #expect(try await client.range(EtcdRange(.key("end/r"))).keyValues.first?.version == 2)
        }
        await proxy.stop()
      }
    }

    @Test func `a write that no endpoint took did not happen`() async throws {
      try await withShared { _, cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        try await proxy.set(.refuse)
        let configuration = cluster.configuration(
          endpoints: ["http://127.0.0.1:\(proxy.port)"], deadline: .milliseconds(1500))
        try await cluster.withClient(configuration) { client in
          let error = await within(.milliseconds(1700)) { await failure { try await client.put("end/d", "1") } }
          #expect(error?.code == .unavailable)
          #expect(error?.mayHaveHappened == false)
          #expect(error?.endpoint == configuration.endpoints[0])
        }
      }
    }

    @Test(arguments: [false, true])
    func `every call into a black hole ends in time`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { _, cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        let endpoint = "\(usesTLS ? "https" : "http")://127.0.0.1:\(proxy.port)"
        var configuration = cluster.configuration(endpoints: [endpoint], deadline: .seconds(1))
        let anonymous = try EtcdClient(configuration)
        configuration.credentials = EtcdCredentials(user: "u", password: "p")
        let named = try EtcdClient(configuration)
        try await proxy.set(.blackHole)
        await withTaskGroup(of: Void.self) { group in
          for client in [anonymous, named] {
            for (name, call) in calls(client, endpoint) {
              group.addTask {
                let error = await within(.milliseconds(1200)) { await failure { try await call() } }
                #expect(error?.isRetryable == true, "\(name): \(error.map { "\($0)" } ?? "")")
              }
            }
          }
        }
        for client in [anonymous, named] { await client.shutdown() }
        await proxy.stop()
      }
    }

    private func calls(_ client: EtcdClient, _ endpoint: String) -> [(String, @Sendable () async throws -> Void)] {
      [
        ("range", { _ = try await client.range(EtcdRange(.key("x"))) }),
        ("rangeAll", { _ = try await client.rangeAll(EtcdRange(.key("x"))) }),
        ("transaction", { try await client.transaction(EtcdTransaction(then: [.put("x", "1")])) }),
        ("put", { try await client.put("x", "1") }),
        ("delete", { try await client.delete(.key("x")) }),
        ("compact", { try await client.compact(revision: 1) }),
        ("watch", { _ = try await client.watch(.key("x")) }),
        ("grantLease", { _ = try await client.grantLease(seconds: 5) }),
        ("keepAlive", { _ = try await client.keepAlive(5) }),
        ("revokeLease", { try await client.revokeLease(5) }),
        ("timeToLive", { _ = try await client.timeToLive(5) }),
        ("status", { _ = try await client.status(at: endpoint) }),
        ("alarms", { _ = try await client.alarms() }),
        ("users", { _ = try await client.users() }),
        ("addUser", { try await client.addUser("x", password: "x") }),
      ]
    }

    @Test func `the next write after the leader's death succeeds within two seconds`() async throws {
      try await withCluster(members: 3) { cluster in
        let configuration = cluster.configuration(endpoints: cluster.endpoints, deadline: .seconds(1))
        try await cluster.withClient(configuration) { client in
          try await insisting { () throws(EtcdError) in try await client.put("k", "0") }
          try await cluster.leader().kill()
          try await within(.seconds(2)) {
            var isDone = false
            while !isDone {
              do throws(EtcdError) {
                try await client.put("k", "1")
                isDone = true
              } catch {
                try #require(error.isRetryable)
              }
            }
          }
          let stored = try await insisting { () throws(EtcdError) in try await client.range(EtcdRange(.key("k"))) }
          #expect(stored.keyValues.first?.text == "1")
        }
      }
    }

    @Test func `reads go on while a member is paused`() async throws {
      try await withCluster(members: 3) { cluster in
        let follower = try await cluster.followers()[0]
        let endpoints = [follower.endpoint] + cluster.endpoints.filter { $0 != follower.endpoint }
        // A third of it is for the paused member.
        let configuration = cluster.configuration(endpoints: endpoints, deadline: .seconds(6))
        try await cluster.withClient(configuration) { client in
          try await insisting { () throws(EtcdError) in try await client.put("k", "1") }
          follower.pause()
          #expect(try await client.text("k") == "1")
          try await within(.milliseconds(500)) { try await client.put("k", "2") }
          follower.resume()
          try await cluster.waitUntilHealthy(follower)
        }
      }
    }

    @Test func `a slow network delays calls, and refuses none`() async throws {
      try await withShared { _, cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        try await proxy.set(.delay(.milliseconds(100)))
        let configuration = cluster.configuration(endpoints: ["http://127.0.0.1:\(proxy.port)"])
        try await cluster.withClient(configuration) { client in
          let start = ContinuousClock.now
          try await client.put("end/slow", "1")
          #expect(.now - start >= .milliseconds(200))
          #expect(try await client.text("end/slow") == "1")
        }
        await proxy.stop()
        #expect(proxy.openConnections == 0)
      }
    }

    @Test func `a client returns to its first endpoint when that answers again`() async throws {
      try await withShared { _, cluster in
        var proxies: [TCPProxy] = []
        for _ in 0..<2 { proxies.append(try await TCPProxy.start(to: cluster.members[0].port)) }
        let configuration = cluster.configuration(endpoints: proxies.map { "http://127.0.0.1:\($0.port)" })
        try await cluster.withClient(configuration) { client in
          try await client.put("home", "1")
          #expect(!client.isAway)
          try await proxies[0].set(.refuse)
          #expect(try await client.text("home") == "1")
          let watch = try await client.watch(.key("home"))
          #expect(client.isAway)
          #expect(await !client.returnToFirst(reading: "home"))
          try await proxies[0].set(.forward)
          #expect(await client.returnToFirst(reading: "home"))
          #expect(!client.isAway && proxies[1].openConnections == 1)
          try await client.put("home", "3")
          // What was open there goes on, and then the connection is closed.
          #expect(try await watch.batches(1).count == 1)
          watch.cancel()
          while proxies[1].openConnections > 0 { await Task.yield() }
          #expect(proxies[0].openConnections == 1)
        }
        for proxy in proxies { await proxy.stop() }
      }
    }

    @Test func `a client without valid endpoints is refused`() async throws {
      for endpoints in [[], ["127.0.0.1:2379"]] {
        let error = await failure { _ = try EtcdClient(EtcdConfiguration(endpoints: endpoints)) }
        #expect(error?.code == .invalidArgument)
      }
      let client = try EtcdClient(EtcdConfiguration(endpoints: ["http://127.0.0.1:1"]))
      await client.shutdown()
      let closed = await failure { _ = try await client.range(EtcdRange(.key("x"))) }
      #expect(closed?.code == .closed)
    }

    @Test func `a cancelled task ends its call at once`() async throws {
      try await withShared { _, cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        try await proxy.set(.blackHole)
        let configuration = cluster.configuration(
          endpoints: ["http://127.0.0.1:\(proxy.port)"], deadline: .milliseconds(1500))
        try await cluster.withClient(configuration) { client in
          for call in [{ _ = try await client.range(EtcdRange(.key("x"))) }, { _ = try await client.watch(.key("x")) }]
            as [@Sendable () async throws -> Void]
          {
            let error = await within(.milliseconds(500)) {
              let task = Task { await failure { try await call() } }
              task.cancel()
              return await task.value
            }
            #expect(error?.code == .cancelled)
          }
        }
        await proxy.stop()
      }
    }
  }
}
