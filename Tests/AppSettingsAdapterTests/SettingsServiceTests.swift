#if ServiceLifecycle
  import AppSettings
  import AppSettingsObserve
  import AppSettingsServiceLifecycle
  import Foundation
  import Logging
  import ServiceLifecycle
  import ServiceLifecycleTestKit
  import Synchronization
  import TestSupport
  import Testing

  extension SettingsKeys {
    static let port = SettingsKey("server.port", default: 8080, .in(1...65_535))
  }

  @Suite(.timeLimit(.minutes(10))) struct SettingsServiceTests {
    let home = ScratchHome()

    @Test func `the service follows the files and ends with graceful shutdown`() async throws {
      let settings = try home.store()
      try await testGracefulShutdown { trigger in
        async let run: Void = SettingsService(settings).run()
        #expect(settings[.port] == 8080)
        while settings[.port] != 81 {
          // Until it follows; one write is enough then. A stream would tell when, and follow by itself.
          try home.write("server.port = 81\n")
          await Task.yield()
        }
        trigger.triggerGracefulShutdown()
        try await run
      }
    }

    @Test func `each element is worked on, the newest at the end, and shutdown waits for the work`() async throws {
      try home.write("server.port = 80\n")
      let settings = try home.store()
      let (ports, seen) = AsyncStream.makeStream(of: Int.self)
      let ends = Atomic(0)
      let isShuttingDown = Gate()
      let service = SettingsService(settings, each: settings.updates(.port)) { port in
        seen.yield(port)
        if port == 82 { await isShuttingDown.wait() }
        #expect(!Task.isCancelled)
        ends.add(1, ordering: .relaxed)
      }
      var iterator = ports.makeAsyncIterator()
      let group = ServiceGroup(services: [service], logger: Logger(label: "test"))
      async let run: Void = group.run()
      #expect(await iterator.next() == 80)
      try home.write("server.port = 81\n")
      #expect(await iterator.next() == 81)
      settings[.port] = 82
      #expect(await iterator.next() == 82)
      await group.triggerGracefulShutdown()
      isShuttingDown.open()
      try await run
      #expect(ends.load(ordering: .relaxed) == 3)
      #expect(home.text() == "server.port = 82\n")
    }

    @Test func `cancelling ends the service, too`() async throws {
      let settings = try home.store()
      for service in [SettingsService(settings), SettingsService(settings, each: settings.updates(.port)) { _ in }] {
        let task = Task { try await service.run() }
        await Task.yield()
        task.cancel()
        try await task.value
      }
    }

    @Test func `a service that starts while its group shuts down works on nothing`() async throws {
      let settings = SettingsStore(inMemory: "")
      let service = SettingsService(settings, each: settings.updates(.port)) { port in
        Issue.record("worked on \(port)")
      }
      try await testGracefulShutdown { trigger in
        trigger.triggerGracefulShutdown()
        try await service.run()
      }
    }

    @Test func `what the function throws ends the service`() async throws {
      struct InUse: Error {}
      let settings = SettingsStore(inMemory: "")
      let service = SettingsService(settings, each: settings.updates(.port)) { _ in throw InUse() }
      await #expect(throws: InUse.self) { try await service.run() }
    }

    @Test func `a write that failed is thrown at the end`() async throws {
      try home.write("server.port = 80\n")
      let settings = try home.store()
      try await testGracefulShutdown { trigger in
        try home.write("server.port = = 80\n")
        settings[.port] = 81
        trigger.triggerGracefulShutdown()
        await #expect(throws: SettingsError.self) { try await SettingsService(settings).run() }
      }
    }

    @Test func `a stream ends with graceful shutdown by the library's own means, too`() async {
      let settings = SettingsStore(inMemory: "")
      await testGracefulShutdown { trigger in
        for await port in settings.updates(.port).cancelOnGracefulShutdown() {
          #expect(port == 8080)
          trigger.triggerGracefulShutdown()
        }
      }
    }
  }
#endif
