@testable import AppSettings
import Foundation
import Synchronization
import Testing
import TestSupport

struct SettingsRecordKeyTests {
  let home = ScratchHome()

  // MARK: Reading

  @Test func `records are read by id, all in the order of the file`() throws {
    try home.write("[servers.work]\nregion = \"us\"\nport = 80\n\n[servers.home]\nregion = \"eu\"\n")
    let settings = try home.store()
    #expect(settings[.servers]["work"] == Server(id: "work", region: "us", port: 80))
    #expect(settings[\.servers]["home"] == Server(id: "home"))
    #expect(settings.servers["none"] == nil)
    #expect(settings[.servers].ids == ["work", "home"])
    #expect(settings[.servers].all.map(\.port) == [80, nil])
    #expect(settings[.servers].count == 2)
    #expect(!settings[.servers].all.isEmpty)
    #expect(settings[.servers]["home"] != nil && settings[.servers]["none"] == nil)
    #expect(settings.snapshot[.servers] == settings[.servers].all)
    #expect(settings.isSet(.servers) && !settings.isDefault(.servers))
    #expect(settings.currentProblems.isEmpty)
  }

  @Test func `without a file there are no records, and reading makes none`() throws {
    let settings = try home.store()
    #expect(settings[.servers].all == [])
    #expect(settings[.servers].all.isEmpty)
    #expect(settings[.servers]["work"] == nil)
    #expect(try settings[.servers].value(for: "work") == nil)
    #expect(settings[.servers].origin(of: "work").isDefault)
    #expect(settings.isDefault(.servers))
    #expect(home.names(in: home.path).isEmpty)
  }

  @Test func `a record in any form of table is read`() throws {
    let settings = SettingsStore(
      inMemory: """
        [servers]
        inline = { region = "b", port = 1 }
        sub.region = "c"
        [servers."with header"]
        region = "d"
        """, logger: .silent)
    #expect(settings[.servers].all.map(\.region) == ["b", "c", "d"])
    #expect(settings[.servers].ids == ["inline", "sub", "with header"])
  }

  @Test func `ids of every kind are the keys of their tables`() throws {
    let settings = try home.store()
    let id = try #require(UUID(uuidString: "0B0D3A52-9C6C-4C33-8E4B-6F2C2A3B1C11"))
    try settings[.slots].put(Slot(id: -3, label: "left"))
    try settings[.devices].put(Device(id: id, name: "lamp"))
    try settings[.releases].put(Release(ReleaseNumber(1, 2), "first"))
    try settings[.hosts].put(Host(host: "a.example"))
    try settings[.notes].put(Note(id: id, text: "t"))
    try settings[.sides].put(Side(id: .left, width: 1))
    #expect(
      home.text() == """
        [slots.-3]
        label = "left"

        [devices.0B0D3A52-9C6C-4C33-8E4B-6F2C2A3B1C11]
        name = "lamp"

        [history.releases."1.2"]
        notes = "first"

        [hosts."a.example"]
        host = "a.example"
        port = 22

        [notes.0B0D3A52-9C6C-4C33-8E4B-6F2C2A3B1C11]
        text = "t"

        [sides.left]
        width = 1

        """)
    let other = try home.store()
    #expect(other[.slots][-3] == Slot(id: -3, label: "left"))
    #expect(other[.devices][id] == Device(id: id, name: "lamp"))
    #expect(other[.releases][ReleaseNumber(1, 2)] == Release(ReleaseNumber(1, 2), "first"))
    #expect(other[.hosts]["a.example"] == Host(host: "a.example"))
    #expect(other[.sides][.left] == Side(id: .left, width: 1) && other[.sides][.right] == nil)
    #expect(other[.notes].all == [Note(id: id, text: "t")])
    #expect(other.currentProblems.isEmpty)
  }

  @Test func `a field that a new release added comes from the record given with the key`() {
    let settings = SettingsStore(inMemory: "[hosts.a]\nhost = \"a\"\n", logger: .silent)
    #expect(settings[.hosts]["a"] == Host(host: "a", port: 22))
    // Without one, the record cannot be made.
    let slots = SettingsStore(inMemory: "[slots.1]\n", logger: .silent)
    #expect(slots[.slots][1] == nil)
  }

  @Test func `reading again decodes nothing, and a change of one decodes that one`() throws {
    let key = SettingsRecordKey<Counted>("counted")
    let text = (0..<100).map { "[counted.r\($0)]\nvalue = \($0)\n" }.joined()
    let settings = SettingsStore(inMemory: text, logger: .silent)
    func decodings(_ body: () -> Void) -> Int {
      let before = Counted.decodings.load(ordering: .relaxed)
      body()
      return Counted.decodings.load(ordering: .relaxed) - before
    }
    let all = { settings[key].all }
    let one = { settings[key]["r7"] }
    #expect(decodings { _ = one() } == 1)
    #expect(decodings { _ = one() } == 0)
    #expect(decodings { _ = all() } == 99)
    #expect(decodings { _ = all() } == 0)
    #expect(all().count == 100 && all()[7] == one())
    // Each is flushed first: the write itself decodes what it replaces.
    settings[.counter] = 5
    try settings.flush()
    #expect(decodings { _ = all() } == 0)
    settings[key]["r7"] = Counted(id: "r7", value: 8)
    try settings.flush()
    #expect(decodings { _ = one() } == 1)
    #expect(decodings { _ = all() } == 0)
    #expect(one()?.value == 8 && all()[7].value == 8)
    #expect(decodings { _ = (one(), all()) } == 0)
  }

  @Test func `one key with two stores reads each`() {
    let first = SettingsStore(inMemory: "[servers.a]\nregion = \"x\"\n", logger: .silent)
    let second = SettingsStore(inMemory: "[servers.a]\nregion = \"y\"\n[servers.b]\nregion = \"z\"\n", logger: .silent)
    for _ in 0..<3 {
      #expect(first[.servers]["a"]?.region == "x")
      #expect(second[.servers]["a"]?.region == "y")
      #expect(first[.servers].count == 1)
      #expect(second[.servers].count == 2)
      #expect(first[.servers]["b"] == nil)
    }
  }

  @Test func `ids that come and go leave nothing behind`() {
    let settings = SettingsStore(inMemory: "", logger: .silent)
    for number in 0..<5000 {
      settings[.slots][number] = Slot(id: number, label: "\(number)")
      #expect(settings[.slots][number]?.label == "\(number)")
      settings[.slots][number] = nil
      #expect(settings[.slots][number] == nil)
    }
    #expect(settings[.slots].all.isEmpty)
  }

  // MARK: Writing

  @Test func `the subscript writes, changes in place and removes`() throws {
    let settings = try home.store()
    settings[.servers]["work"] = Server(id: "work", region: "us")
    #expect(settings[.servers]["work"]?.region == "us")
    settings[.servers]["work"]?.port = 8080
    settings[.servers]["home"] = Server(id: "home")
    try settings.flush()
    #expect(
      home.text() == "[servers.work]\nregion = \"us\"\nport = 8080\n\n[servers.home]\nregion = \"eu\"\n")
    settings[.servers]["work"]?.port = nil
    settings[.servers]["home"] = nil
    settings[.servers]["none"] = nil
    #expect(settings[.servers].ids == ["work"])
    try settings.flush()
    #expect(home.text() == "[servers.work]\nregion = \"us\"\n")
    #expect(settings.currentProblems.isEmpty)
  }

  @Test func `put and remove are durable and say whether the file changed`() async throws {
    let settings = try home.store()
    #expect(try put(settings, Server(id: "a")))
    #expect(home.text() == "[servers.a]\nregion = \"eu\"\n")
    #expect(try !put(settings, Server(id: "a")))
    #expect(try await settings[.servers].put(Server(id: "b")))
    #expect(try await !settings[.servers].put(Server(id: "b")))
    #expect(home.text() == "[servers.a]\nregion = \"eu\"\n\n[servers.b]\nregion = \"eu\"\n")
    #expect(try await settings[.servers].remove("a"))
    #expect(try await !settings[.servers].remove("a"))
    #expect(home.text() == "[servers.b]\nregion = \"eu\"\n")
    #expect(try await settings[.servers].rename("b", to: "c"))
    #expect(try await !settings[.servers].rename("b", to: "c"))
    #expect(home.text() == "[servers.c]\nregion = \"eu\"\n")
    try remove(settings, "c")
    #expect(settings[.servers].all.isEmpty)
  }

  private func put(_ settings: SettingsStore, _ server: Server) throws -> Bool { try settings[.servers].put(server) }
  private func remove(_ settings: SettingsStore, _ id: String) throws { try settings[.servers].remove(id) }

  @Test func `records of an update are written together, and read as they were set`() throws {
    try home.write("[servers.a]\nregion = \"x\"\n")
    let settings = try home.store()
    let count = try settings.update { transaction in
      transaction[.servers]["a"]?.region = "y"
      try transaction[.servers].put(Server(id: "b"))
      try transaction[.servers].put(Server(id: "c"))
      #expect(try transaction[.servers].remove("c"))
      #expect(try !transaction[.servers].remove("d"))
      #expect(try transaction[.servers].rename("b", to: "e"))
      #expect(transaction[.servers].all.map(\.id) == ["a", "e"])
      #expect(transaction[.servers].all.map(\.region) == ["y", "eu"])
      transaction[.counter] = 1
      #expect(settings[.servers].ids == ["a"])
      return transaction[.servers].all.count
    }
    #expect(count == 2)
    #expect(settings[.servers].ids == ["a", "e"])
    #expect(settings[.counter] == 1)
    #expect(try #require(home.text()).contains("[servers.a]\nregion = \"y\"\n\n[servers.e]\nregion = \"eu\"\n"))
  }

  @Test func `an update that fails writes no record`() throws {
    try home.write("[servers.a]\nregion = \"x\"\n")
    let settings = try home.store()
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try settings.update { transaction in
        transaction[.servers]["a"] = nil
        throw Stop()
      }
    }
    #expect(throws: SettingsError.self) {
      try settings.update { $0[.servers]["a"] = Server(id: "b") }
    }
    // One that was caught is not there, and fails nothing else.
    try settings.update { transaction in
      try? transaction[.servers].put(Server(id: "b"))
      #expect(throws: SettingsError.self) { try transaction[.servers].rename("a", to: "b") }
      transaction[.counter] = 1
    }
    #expect(settings[.counter] == 1)
    #expect(settings[.servers].ids == ["a", "b"])
  }

  @Test func `what other processes did to other records and fields stays`() throws {
    try home.write("[servers.a]\nregion = \"x\"\n")
    let (mine, theirs) = (try home.store(), try home.store())
    #expect(mine[.servers].count == 1 && theirs[.servers].count == 1)
    try theirs[.servers].put(Server(id: "b", region: "z"))
    try home.write(try #require(home.text()).replacingOccurrences(of: "\"x\"\n", with: "\"x\"\nowner = \"they\"\n"))
    try mine[.servers].put(Server(id: "a", region: "y"))
    try mine[.servers].put(Server(id: "c"))
    #expect(mine[.servers].ids == ["a", "b", "c"])
    #expect(try #require(home.text()).hasPrefix("[servers.a]\nregion = \"y\"\nowner = \"they\"\n"))
  }

  @Test func `a store without its file open keeps its records in memory`() throws {
    let settings = SettingsStore(inMemory: "", logger: .silent)
    try settings[.servers].put(Server(id: "a"))
    #expect(settings[.servers].all == [Server(id: "a")])
    settings.reset(.servers)
    #expect(settings[.servers].all.isEmpty)
    settings[.servers]["a"] = Server(id: "a")
    settings[.servers].reset("a")
    #expect(settings[.servers].all.isEmpty)
  }

  @Test func `two declarations of one name are a problem`() {
    let settings = SettingsStore(inMemory: "", logger: .silent)
    _ = settings[SettingsRecordKey<Server>("twice")].all
    _ = settings[SettingsRecordKey<Slot>("twice")].all
    #expect(settings.currentProblems.map(\.code) == [.invalidKey])
  }

  @Test func `a key of records has a summary, and may be in a group`() {
    #expect(SettingsKeys.servers.summary == "Where to connect to.")
    let grouped = SettingsRecordKey<Server>("servers", .group(SettingsGroup("net")))
    #expect(grouped.path == ["net", "servers"])
  }
}
