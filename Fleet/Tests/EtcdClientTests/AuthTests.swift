import EtcdClient
import EtcdTesting
import Synchronization
import Testing

extension ClusterTests.InTurn {
  struct AuthTests {
    private func withAuth(
      _ arguments: [String] = [], usesTLS: Bool = false, _ body: (EtcdCluster, EtcdClient) async throws -> Void
    ) async throws {
      try await withCluster { options in
        options.usesTLS = usesTLS
        options.rootPassword = "secret"
        options.arguments = arguments
      } _: { cluster in
        try await cluster.withClient { root in
          try await root.addUser("app", password: "word")
          try await root.addRole("app")
          try await root.grantPermission(EtcdPermission(.readWrite, .prefix("/app/")), to: "app")
          try await root.grantRole("app", to: "app")
          try await body(cluster, root)
        }
      }
    }

    private func configuration(_ cluster: EtcdCluster, _ user: String?, _ password: String = "") -> EtcdConfiguration {
      var configuration = cluster.configuration
      configuration.credentials = user.map { EtcdCredentials(user: $0, password: password) }
      return configuration
    }

    @Test(arguments: [false, true])
    func `a role allows its prefix and nothing else`(usesTLS: Bool) async throws {
      try await withAuth(usesTLS: usesTLS) { cluster, root in
        try await root.put("/other/x", "1")
        try await cluster.withClient(configuration(cluster, "app", "word")) { client in
          try await client.put("/app/x", "1")
          #expect(try await client.text("/app/x") == "1")
          let watch = try await client.watch(.prefix("/app/"), from: 1)
          #expect(try await watch.batches(1).count == 1)
          let calls: [() async throws -> Void] = [
            { _ = try await client.range(EtcdRange(.key("/other/x"))) },
            { _ = try await client.range(EtcdRange(.prefix("/"))) },
            { try await client.put("/other/x", "2") },
            { try await client.transaction(EtcdTransaction(then: [.put("/app/x", "2"), .put("/other/x", "2")])) },
            { try await client.delete(.key("/other/x")) },
            { _ = try await client.watch(.prefix("/other/")) },
            { try await client.addUser("eve", password: "x") },
          ]
          for (index, call) in calls.enumerated() {
            let error = await failure { try await call() }
            #expect(error?.code == .permissionDenied, "\(index): \(error.map { "\($0)" } ?? "")")
            #expect(error?.mayHaveHappened == false)
          }
        }
        #expect(try await root.text("/other/x") == "1")
        #expect(try await root.text("/app/x") == "1")
      }
    }

    @Test(arguments: [false, true])
    func `no user and a wrong password are refused`(usesTLS: Bool) async throws {
      try await withAuth(usesTLS: usesTLS) { cluster, _ in
        for configuration in [
          configuration(cluster, nil), configuration(cluster, "app", "wrong"), configuration(cluster, "nobody", "x"),
        ] {
          try await cluster.withClient(configuration) { client in
            for call in [
              { _ = try await client.range(EtcdRange(.key("/app/x"))) }, { try await client.put("/app/x", "1") },
              { _ = try await client.watch(.key("/app/x")) },
            ] as [() async throws -> Void] {
              let error = await failure { try await call() }
              #expect(error?.code == .notAuthenticated)
              #expect(error?.mayHaveHappened == false)
            }
          }
        }
      }
    }

    @Test(arguments: [false, true])
    func `a token that the cluster forgot is fetched again`(usesTLS: Bool) async throws {
      try await withAuth(["--auth-token-ttl", "1"], usesTLS: usesTLS) { cluster, root in
        try await cluster.withClient(configuration(cluster, "app", "word")) { client in
          try await client.put("/app/x", "1")
          // A restarted member knows no token any more.
          try await cluster.restart(cluster.members[0])
          try await client.put("/app/x", "2")
          try await cluster.restart(cluster.members[0])
          _ = try await client.watch(.key("/app/x"))
          // A changed role makes tokens old, a changed password removes them.
          try await root.grantPermission(EtcdPermission(.read, .key("/more")), to: "app")
          try await client.put("/app/x", "3")
          #expect(try await client.range(EtcdRange(.key("/more"))).count == 0)
          try await root.changePassword(of: "app", to: "new")
          let error = await failure { try await client.put("/app/x", "4") }
          #expect(error?.code == .notAuthenticated)
          try await root.changePassword(of: "app", to: "word")
          try await client.put("/app/x", "5")
          #expect(try await client.text("/app/x") == "5")
        }
      }
    }

    @Test func `a token of a cluster that a backup has replaced is fetched again`() async throws {
      try await withAuth { cluster, root in
        try await root.put("/app/x", "1")
        let backup = cluster.directory + "/backup"
        try await cluster.snapshot(to: backup)
        for _ in 0..<40 { try await root.put("/app/x", "2") }
        var configuration = configuration(cluster, "app", "word")
        configuration.deadline = .seconds(2)
        try await cluster.withClient(configuration) { client in
          #expect(try await client.text("/app/x") == "2")
          try await cluster.restore(from: backup)
          // The restored member waits until its log is as long as the token says.
          var text: String?
          for _ in 0..<10 where text == nil { text = try? await client.text("/app/x") }
          #expect(text == "1")
        }
      }
    }

    @Test func `new credentials are read when the old ones are refused`() async throws {
      try await withAuth { cluster, root in
        let renewed = Mutex(EtcdCredentials(user: "app", password: "word"))
        var configuration = configuration(cluster, "app", "word")
        configuration.renewedCredentials = { renewed.withLock { $0 } }
        try await cluster.withClient(configuration) { client in
          try await client.put("/app/x", "1")
          try await root.changePassword(of: "app", to: "new")
          await expectFailure(.notAuthenticated) { try await client.put("/app/x", "2") }
          renewed.withLock { $0.password = "new" }
          try await client.put("/app/x", "2")
          // Two users at a time: nothing is refused while the first one goes.
          try await root.addUser("second", password: "other")
          try await root.grantRole("app", to: "second")
          renewed.withLock { $0 = EtcdCredentials(user: "second", password: "other") }
          try await client.put("/app/x", "3")
          try await root.deleteUser("app")
          try await client.put("/app/x", "4")
          #expect(try await client.text("/app/x") == "4")
        }
      }
    }

    @Test func `a certificate with a name is a user, unless one is given`() async throws {
      try await withAuth(usesTLS: true) { cluster, root in
        try await root.put("/other/x", "1")
        let certificates = try #require(cluster.certificates)
        var named = configuration(cluster, nil)
        named.tls = try await certificates.certificate(of: "app")
        #expect(named.tls?.commonName == "app" && certificates.tls.commonName == nil)
        try await cluster.withClient(named) { client in
          try await client.put("/app/x", "1")
          let watch = try await client.watch(.prefix("/app/"), from: 1)
          #expect(try await watch.batches(1).count == 1)
          await expectFailure(.notAuthenticated) { try await client.put("/other/x", "2") }
          // There is no login that a restarted member could forget.
          try await cluster.restart(cluster.members[0])
          try await client.put("/app/x", "2")
        }
        named.tls = try await certificates.certificate(of: "root")
        named.credentials = EtcdCredentials(user: "app", password: "word")
        try await cluster.withClient(named) { client in
          await expectFailure(.permissionDenied) { _ = try await client.range(EtcdRange(.key("/other/x"))) }
        }
        named.tls = try await certificates.certificate(of: "nobody")
        named.credentials = nil
        try await cluster.withClient(named) { client in
          await expectFailure(.notAuthenticated) { try await client.put("/app/x", "3") }
        }
      }
    }

    @Test func `authentication that is switched off and on is followed`() async throws {
      try await withAuth { cluster, root in
        try await cluster.withClient(configuration(cluster, "app", "word")) { client in
          try await client.put("/app/x", "1")
          try await root.disableAuthentication()
          try await client.put("/other/x", "2")
          #expect(
            try await cluster.withClient(configuration(cluster, nil)) { try await $0.isAuthenticationEnabled() }
              == false)
          try await root.enableAuthentication()
          #expect(try await cluster.withClient(configuration(cluster, nil)) { try await $0.isAuthenticationEnabled() })
          #expect(try await client.isAuthenticationEnabled())
          let error = await failure { try await client.put("/other/x", "3") }
          #expect(error?.code == .permissionDenied)
        }
      }
    }

    @Test func `users and their roles are listed, changed and deleted`() async throws {
      try await withAuth { _, root in
        #expect(try await root.users() == ["app", "root"])
        #expect(try await root.roles(of: "app") == ["app"])
        await expectFailure(.alreadyExists) { try await root.addUser("app", password: "x") }
        await expectFailure(.alreadyExists) { try await root.addRole("app") }
        await expectFailure(.notFound) { try await root.grantRole("none", to: "app") }
        await expectFailure(.notFound) { try await root.deleteUser("none") }
        try await root.revokeRole("app", from: "app")
        #expect(try await root.roles(of: "app") == [])
        try await root.deleteUser("app")
        #expect(try await root.users() == ["root"])
      }
    }
  }
}
