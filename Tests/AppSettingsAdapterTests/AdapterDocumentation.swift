#if Configuration
  import AppSettings
  import AppSettingsConfiguration
  import Configuration
  import Synchronization
  import Testing

  // The passage on swift-configuration of docs/observation.md.

  extension SettingsKeys {
    fileprivate static let serverPort = SettingsKey("server.port", default: 8080)
    fileprivate static let token = SettingsKey<String?>("server.token", .secret)
  }

  private final class Server: Sendable {
    let port = Atomic(0)
    func move(to port: Int) { self.port.store(port, ordering: .relaxed) }
  }

  struct AdapterDocumentation {
    @Test func `a reader of the provider`() async throws {
      let settings = SettingsStore(inMemory: "server.port = 81\n")
      let task = Task {
        let config = ConfigReader(provider: SettingsConfigProvider(settings, keys: [.token, .serverPort]))
        let port = config.int(forKey: "server.port", default: 8080)
        try await config.watchInt(forKey: "server.port", default: 8080) { ports in
          for await port in ports { print("moving to port \(port)") }
        }
        return port
      }
      let server = Server()
      let follower = Task {
        let config = ConfigReader(provider: SettingsConfigProvider(settings, keys: [.token, .serverPort]))
        try await config.watchInt(forKey: "server.port", default: 8080) { ports in
          for await port in ports { server.move(to: port) }
        }
      }
      while server.port.load(ordering: .relaxed) != 81 { await Task.yield() }
      settings[.serverPort] = 82
      while server.port.load(ordering: .relaxed) != 82 { await Task.yield() }
      task.cancel()
      follower.cancel()
      #expect(try await task.value == 81)
      try await follower.value
    }
  }
#endif
#if ServiceLifecycle && Configuration
  import AppSettingsObserve
  import AppSettingsServiceLifecycle

  // The passage on swift-service-lifecycle.

  func makeService(_ settings: SettingsStore) {
    let service = SettingsService(settings, each: settings.updates(.serverPort)) { port in
      print("moving to port \(port)")
    }
    _ = service
  }
#endif
