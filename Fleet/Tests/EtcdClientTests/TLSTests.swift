@testable import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension ClusterTests.InTurn {
  struct TLSTests {
    @Test func `calls and watches of a client share one connection`() async throws {
      try await withCluster { options in
        options.usesTLS = true
        options.rootPassword = "secret"
      } _: { cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        // After three calls that time out, the client opens a new connection: see Endpoint.note(hasAnswered:_:).
        let configuration = cluster.configuration(endpoints: ["https://127.0.0.1:\(proxy.port)"])
        try await cluster.withClient(configuration) { client in
          let watch = try await client.watch(.prefix("k"))
          let second = try await client.watch(.prefix("k"))
          let lease = try await client.grantLease(seconds: 30)
          try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<50 { group.addTask { try await client.put("k\(index)", "1", lease: lease) } }
            try await group.waitForAll()
          }
          #expect(try await client.keepAlive(lease) == 30)
          var seen = 0
          for try await message in watch {
            if case .events(let events, _) = message { seen += events.count }
            if seen == 50 { break }
          }
          #expect(try await second.batches(1).count == 1)
          #expect(proxy.connections == 1)
        }
        await proxy.stop()
      }
    }

    @Test(arguments: [false, true])
    func `a watch answers a request for progress, and a paused member does not`(usesTLS: Bool) async throws {
      try await withCluster { options in
        options.usesTLS = usesTLS
      } _: { cluster in
        let configuration = cluster.configuration(endpoints: cluster.endpoints, deadline: .seconds(2))
        try await cluster.withClient(configuration) { client in
          let watch = try await client.watch(.key("k"))
          var iterator = watch.makeAsyncIterator()
          _ = try await iterator.next()
          watch.requestProgress()
          #expect(try await iterator.next() == .progress(revision: 1))
          let revision = try await client.put("other", "1")
          watch.requestProgress()
          #expect(try await iterator.next() == .progress(revision: revision))
          cluster.members[0].pause()
          watch.requestProgress()
          let error = await within(.milliseconds(2200)) { await failure { _ = try await client.text("k") } }
          #expect(error?.isRetryable == true)
          cluster.members[0].resume()
          #expect(try await iterator.next() == .progress(revision: revision))
        }
      }
    }

    @Test func `a cut connection ends its watches, and the next call makes another`() async throws {
      try await withCluster { options in
        options.usesTLS = true
      } _: { cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        try await cluster.withClient(cluster.configuration(endpoints: ["https://127.0.0.1:\(proxy.port)"])) { client in
          let watch = try await client.watch(.key("k"))
          await proxy.cut()
          let error = await failure { _ = try await watch.batches(1) }
          #expect(error?.code == .unavailable)
          try await client.put("k", "1")
          #expect(proxy.connections == 2)
          // A watch that nobody reads does not stop the calls beside it.
          let unread = try await client.watch(.key("k"))
          let value = Array(repeating: UInt8(7), count: 200_000)
          for _ in 0..<20 { try await client.put("k", value) }
          #expect(try await client.range(EtcdRange(.key("k"))).keyValues.first?.value == value)
          unread.cancel()
        }
        await proxy.stop()
      }
    }

    @Test func `a connection that nobody answers is replaced`() async throws {
      try await withCluster { options in
        options.usesTLS = true
      } _: { cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        let configuration = cluster.configuration(
          endpoints: ["https://127.0.0.1:\(proxy.port)"], deadline: .milliseconds(1500))
        try await cluster.withClient(configuration) { client in
          try await client.put("k", "1")
          let watch = try await client.watch(.key("k"))
          proxy.forget()
          for _ in 0..<3 { await expectFailure(.deadlineExceeded) { _ = try await client.text("k") } }
          #expect(try await client.text("k") == "1")
          await within(.seconds(1)) { await expectFailure(.unavailable) { _ = try await watch.batches(1) } }
          #expect(proxy.connections == 2)
        }
        await proxy.stop()
      }
    }

    // TLS says goodbye, and waits for the other side to do so.
    @Test func `shutting down does not wait for a member that is gone`() async throws {
      try await withShared(usesTLS: true) { _, cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        let client = try EtcdClient(cluster.configuration(endpoints: ["https://127.0.0.1:\(proxy.port)"]))
        try await client.put("gone", "1")
        let watch = try await client.watch(.key("gone"))
        try await proxy.set(.blackHole)
        await within(.seconds(1)) { await client.shutdown() }
        await expectFailure(.closed) { _ = try await watch.batches(1) }
        await proxy.stop()
      }
    }

    @Test func `a watch tells everything about changes, of whatever size`() async throws {
      try await withCluster { options in
        options.usesTLS = true
      } _: { cluster in
        try await cluster.withClient { client in
          let lease = try await client.grantLease(seconds: 60)
          let large = [UInt8]((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
          let first = try await client.put("k/large", large, lease: lease)
          let old = try await client.watch(.prefix("k/"), from: first)
          let watch = try await client.watch(.prefix("k/"))
          try await client.transaction(
            EtcdTransaction(then: [.put("k/empty", [UInt8]()), .put("k/large", "1"), .put("other", "x")]))
          try await client.delete(.prefix("k/"))
          let expected = [
            EtcdEvent(
              kind: .put,
              keyValue: EtcdKeyValue(
                key: Array("k/empty".utf8), value: [], createRevision: first + 1, modRevision: first + 1, version: 1,
                lease: 0)),
            EtcdEvent(
              kind: .put,
              keyValue: EtcdKeyValue(
                key: Array("k/large".utf8), value: [0x31], createRevision: first, modRevision: first + 1, version: 2,
                lease: 0)),
          ]
          let batches = try await watch.batches(2)
          #expect(batches[0] == expected)
          #expect(batches[1].map(\.kind) == [.delete, .delete])
          #expect(batches[1].map(\.keyValue.modRevision) == [first + 2, first + 2])
          // A watch that begins in the past may get several revisions at once.
          var events: [EtcdEvent] = []
          for try await message in old {
            if case .events(let part, _) = message { events += part }
            if events.count == 5 { break }
          }
          #expect(events[0].keyValue.value == large && events[0].keyValue.lease == lease)
          #expect(Array(events[1...]) == batches.flatMap { $0 })
        }
      }
    }

    // Over HTTP/2, an answer can end before its request does.
    @Test func `a member that ends its streams ends the watches and nothing else`() async throws {
      try await withCluster(members: 3) { options in
        options.usesTLS = true
      } _: { cluster in
        let configuration = cluster.configuration(endpoints: [cluster.endpoints[0]])
        try await cluster.withClient(configuration) { client in
          let revision = try await insisting { () throws(EtcdError) in try await client.put("k", "1") }
          try await insisting { () throws(EtcdError) in try await client.put("k", "2") }
          let (watch, other) = (try await client.watch(.key("k")), try await client.watch(.key("k")))
          cluster.members[0].terminate()
          for watch in [watch, other] {
            let error = await failure { _ = try await watch.batches(1) }
            #expect(error?.code == .unavailable)
          }
          try await cluster.restart(cluster.members[0])
          try await client.compact(revision: revision + 1, waits: true)
          let late = try await client.watch(.key("k"), from: revision)
          var last: EtcdWatchMessage?
          for try await message in late { last = message }
          #expect(last == .compacted(revision: revision + 1))
          let orphan = try await client.watch(.key("k"))
          cluster.members[1].kill()
          cluster.members[2].kill()
          let error = await failure { _ = try await orphan.batches(1) }
          #expect(error?.code == .unavailable)
          try await cluster.restart(cluster.members[1])
          #expect(try await client.text("k") == "2")
        }
      }
    }

    @Test(arguments: [false, true])
    func `a load succeeds`(usesTLS: Bool) async throws {
      try await withCluster { options in
        options.usesTLS = usesTLS
      } _: { cluster in
        try await cluster.withClient { client in
          let load = await WriteLoad.measure(writers: 64, for: .seconds(1), with: client, value: [1])
          #expect(load.failures == 0, "\(load.firstFailure as Any)")
          #expect(load.writes >= 64)
        }
      }
    }

    @Test func `a renewed certificate is used by the next connection`() async throws {
      try await withCluster { options in
        options.usesTLS = true
      } _: { cluster in
        let directory = cluster.directory + "/renewed"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let strangers = try await TestCertificates(in: directory).tls
        let own = try #require(cluster.certificates).tls
        var configuration = cluster.configuration
        // It stands for one that has expired.
        configuration.tls = strangers
        configuration.tls?.authorityFile = own.authorityFile
        try await cluster.withClient(configuration) { client in
          await expectFailure(.certificate) { try await client.put("k", "1") }
          func replace(_ file: String?, with other: String?) throws {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: try #require(other)))
            try bytes.write(to: URL(fileURLWithPath: try #require(file)), options: .atomic)
          }
          try replace(strangers.certificateFile, with: own.certificateFile)
          // The certificate and the key do not belong together yet.
          await expectFailure(.certificate) { try await client.put("k", "1") }
          try replace(strangers.keyFile, with: own.keyFile)
          try await client.put("k", "1")
        }
      }
    }

    @Test(.enabled(if: Tool.path(of: "faketime") != nil, "faketime is not installed"))
    func `a member's certificate that has expired is named`() async throws {
      try await withCluster { options in
        options.usesTLS = true
      } _: { cluster in
        let certificates = try #require(cluster.certificates)
        let expired = try await certificates.expired()
        // As an operator who forgot it: the member reads its files for each connection.
        for (file, other) in [("member.crt", expired.certificateFile), ("member.key", expired.keyFile)] {
          let bytes = try Data(contentsOf: URL(fileURLWithPath: try #require(other)))
          try bytes.write(to: URL(fileURLWithPath: "\(cluster.directory)/\(file)"), options: .atomic)
        }
        cluster.members[0].kill()
        try cluster.members[0].launch()
        try await cluster.withClient { client in
          let error = await failure { try await client.put("k", "1") }
          let isNamed = error?.message.contains("The member's certificate expired on ") == true
          #expect(error?.code == .certificate && isNamed, "\(error.map { "\($0)" } ?? "")")
        }
      }
    }

    @Test func `another authority and a missing client certificate are refused`() async throws {
      try await withCluster { options in
        options.usesTLS = true
      } _: { cluster in
        let other = cluster.directory + "/other"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        let strangers = try await TestCertificates(in: other).tls
        let own = try #require(cluster.certificates).tls
        let cases = [
          (
            EtcdTLS(authorityFile: strangers.authorityFile, certificateFile: own.certificateFile, keyFile: own.keyFile),
            "None of the trusted authorities has signed the member's certificate: those in '\(strangers.authorityFile ?? "")'."
          ), (EtcdTLS(authorityFile: own.authorityFile), "does not accept the client's certificate"),
          (
            EtcdTLS(
              authorityFile: own.authorityFile, certificateFile: strangers.certificateFile, keyFile: strangers.keyFile),
            "does not accept the client's certificate"
          ),
        ]
        for (tls, words) in cases {
          var configuration = cluster.configuration
          configuration.tls = tls
          try await cluster.withClient(configuration) { client in
            let error = await failure { try await client.put("k", "1") }
            #expect(error?.code == .certificate, "\(tls): \(error.map { "\($0)" } ?? "")")
            #expect(error?.mayHaveHappened == false)
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
          }
        }
        // Its certificate names 127.0.0.1 and localhost.
        var elsewhere = cluster.configuration
        let proxy = try await TCPProxy.start(to: cluster.members[0].port, host: "127.0.0.2")
        elsewhere.endpoints = ["https://127.0.0.2:\(proxy.port)"]
        try await cluster.withClient(elsewhere) { client in
          let error = await failure { try await client.put("k", "1") }
          #expect(error?.message.contains("certificate is not for '127.0.0.2'") == true, "\(error?.message ?? "")")
        }
        await proxy.stop()
        let pipe = cluster.directory + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for (change, words) in [
          ({ $0.keyFile = pipe }, "'\(pipe)' cannot be read: it is not a regular file"),
          ({ $0.certificateFile = pipe }, "'\(pipe)' cannot be read: it is not a regular file"),
          ({ $0.authorityFile = "/dev" }, "'/dev' cannot be read: it is not a regular file"),
          ({ $0.keyFile = "/nonexistent" }, "'/nonexistent' cannot be read: No such file or directory"),
          ({ $0.certificateFile = "/nonexistent" }, "'/nonexistent' cannot be read: No such file or directory"),
          ({ $0.authorityFile = "/nonexistent" }, "'/nonexistent' cannot be read: No such file or directory"),
          ({ $0.authorityFile = own.keyFile }, "'\(own.keyFile ?? "")' does not have certificates in PEM form."),
          ({ $0.keyFile = own.certificateFile }, "'\(own.certificateFile ?? "")' does not have a key in PEM form."),
          ({ $0.keyFile = strangers.keyFile }, "do not belong together"),
        ] as [((inout EtcdTLS) -> Void, String)] {
          var tls = own
          change(&tls)
          var configuration = cluster.configuration
          configuration.tls = tls
          let error = await failure { _ = try EtcdClient(configuration) }
          #expect(error?.code == .certificate && error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
      }
    }
  }
}
