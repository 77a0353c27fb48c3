import AppSettings
import AppSettingsObserve
import Foundation
import Testing

// Passages of docs/records.md.

struct Server: Codable, Identifiable, Sendable, Equatable {
  var id: String
  var host = "localhost"
  var port = 22
  var note: String?
}

extension SettingsKeys {
  static let servers = SettingsRecordKey<Server>("servers", over: Server(id: ""), "Servers to connect to.")
}

private enum Required {
  static let servers = SettingsRecordKey<Server>("servers")
}

struct Device: Codable, Identifiable, Sendable {
  var id: UUID
  var name: String
}

/// What opens the app's own settings: compiled, and not run.
private func documentedCalls() throws {
  let settings = try SettingsStore(app: "org.example.client")
  _ = settings
}

struct Records {
  @Test func `reading and writing`() throws {
    let settings = SettingsStore(
      inMemory: """
        [servers.work]
        host = "work.example"
        port = 2222
        """)

    let work = settings[.servers]["work"]  // Server?, nil if there is no such record
    for server in settings[.servers].all { print(server.id, server.host) }
    print(settings[.servers].ids, settings[.servers].count)

    settings[.servers]["home"] = Server(id: "home", host: "192.168.1.7")
    settings[.servers]["work"]?.port = 22
    settings[.servers]["home"] = nil

    #expect(work?.port == 2222)
    #expect(settings[.servers].all == [Server(id: "work", host: "work.example")])
  }

  @Test func `durable writes`() async throws {
    let settings = SettingsStore(inMemory: "")
    let server = Server(id: "work", host: "work.example")

    try await settings[.servers].put(server)
    try await settings[.servers].rename("work", to: "office")
    try await settings[.servers].remove("office")

    #expect(settings[.servers].all.isEmpty)
  }

  @Test func `durable writes in code that is not async`() throws {
    let settings = SettingsStore(inMemory: "")
    let server = Server(id: "work", host: "work.example")

    try settings[.servers].put(server)
    try settings.update { $0[.servers]["work"]?.port = 2222 }

    #expect(settings[.servers]["work"]?.port == 2222)
  }

  @Test func `several at once`() async throws {
    let settings = SettingsStore(inMemory: "[servers.home]\nhost = \"a\"\nport = 22\n")

    try await settings.update { transaction in
      transaction[.servers]["home"]?.port += 1
      try transaction[.servers].put(Server(id: "work", host: "work.example"))
      try transaction[.servers].rename("home", to: "private")
    }

    #expect(settings[.servers].ids == ["private", "work"])
    #expect(settings[.servers]["private"]?.port == 23)
  }

  @Test func `missing fields`() throws {
    // As 'settings-cli set APP servers.a.host a.example' leaves it.
    let settings = SettingsStore(inMemory: "[servers.a]\nhost = \"a.example\"\n")
    #expect(settings[.servers].all == [Server(id: "a", host: "a.example", port: 22)])
    #expect(settings[Required.servers]["a"] == nil)
  }

  @Test func `what cannot be used`() throws {
    let settings = SettingsStore(inMemory: "[servers.a]\nhost = 5\n")

    do {
      let server = try settings[.servers].value(for: "a")
      print(server?.host ?? "no such server")
    } catch {
      print(error.message)
    }

    #expect(settings[.servers].all.isEmpty)
  }

  @Test func `observation`() async throws {
    let settings = SettingsStore(inMemory: "")
    let changes = Task {
      for await change in settings.changes(.servers) {
        for server in change.inserted { print("connect to", server.host) }
        for update in change.updated where update.old.host != update.new.host {
          print("connect to", update.new.host, "and no longer to", update.old.host)
        }
        for server in change.removed { print("disconnect from", server.host) }
      }
    }
    let all = Task {
      for await servers in settings.updates(.servers) { print(servers.map(\.id)) }
    }
    let one = Task {
      for await server in settings.updates(.servers, id: "work") { print(server?.host ?? "gone") }
    }
    for task in [changes, all, one] { task.cancel() }
    for task in [changes, all, one] { await task.value }
  }
}
