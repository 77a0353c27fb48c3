import AppSettings
import Foundation
import Observation
import Testing
import TestSupport

@testable import AppSettingsObserve

private struct Peer: Codable, Identifiable, Sendable, Equatable {
  var id: String
  var port = 1
}

/// A record that cannot be compared.
private struct Blob: Codable, Identifiable, Sendable {
  var id: Int
  var text: String
}

extension SettingsKeys {
  fileprivate static let peers = SettingsRecordKey<Peer>("peers")
  fileprivate static let blobs = SettingsRecordKey<Blob>("blobs")
}

@Suite(.timeLimit(.minutes(10))) struct RecordStreamTests {
  let home = ScratchHome()
  private typealias Change = SettingsRecordChange<Peer>

  @Test func `inserting, changing and removing are an element each`() async throws {
    try home.write("[peers.a]\nport = 1\n")
    let settings = try home.store()
    var iterator = settings.changes(.peers).makeAsyncIterator()
    settings[.peers]["b"] = Peer(id: "b")
    #expect(await iterator.next() == Change(inserted: [Peer(id: "b")], origin: .thisProcess))
    settings[.peers]["a"]?.port = 2
    #expect(
      await iterator.next()
        == Change(updated: [.init(old: Peer(id: "a"), new: Peer(id: "a", port: 2))], origin: .thisProcess))
    try await settings[.peers].remove("a")
    #expect(await iterator.next() == Change(removed: [Peer(id: "a", port: 2)], origin: .thisProcess))
    try await settings[.peers].rename("b", to: "c")
    #expect(
      await iterator.next() == Change(inserted: [Peer(id: "c")], removed: [Peer(id: "b")], origin: .thisProcess))
  }

  @Test func `what happens together is one element, in the order of the file`() async throws {
    try home.write((1...4).map { "[peers.p\($0)]\nport = \($0)\n" }.joined())
    let settings = try home.store()
    var iterator = settings.changes(.peers).makeAsyncIterator()
    try await settings.update { transaction in
      transaction[.peers]["p3"]?.port = 30
      transaction[.peers]["p1"]?.port = 10
      transaction[.peers]["p2"] = nil
      transaction[.peers]["x"] = Peer(id: "x")
      transaction[.peers]["p4"] = nil
      transaction[.peers]["y"] = Peer(id: "y")
      transaction[.number] = 5
    }
    let change = try #require(await iterator.next())
    #expect(change.inserted.map(\.id) == ["x", "y"])
    #expect(change.updated.map(\.id) == ["p1", "p3"])
    #expect(change.updated.map(\.new.port) == [10, 30])
    #expect(change.removed.map(\.id) == ["p2", "p4"])
    // Another program's save.
    try home.replace("[peers.y]\nport = 7\n[peers.z]\nport = 1\n")
    let outside = try #require(await iterator.next())
    #expect(outside.origin == .outside)
    #expect(outside.inserted.map(\.id) == ["z"])
    #expect(outside.updated.map(\.id) == ["y"])
    #expect(outside.removed.map(\.id) == ["p1", "p3", "x"])
  }

  @Test func `two tables that are swapped by hand are an element of the records in their new order`() async throws {
    try home.write("[peers.a]\nport = 1\n\n[peers.b]\nport = 2\n")
    let settings = try home.store()
    var iterator = settings.updates(.peers).makeAsyncIterator()
    #expect(await iterator.next()?.map(\.id) == ["a", "b"])
    try home.replace("[peers.b]\nport = 2\n\n[peers.a]\nport = 1\n")
    #expect(await iterator.next()?.map(\.id) == ["b", "a"])
    #expect(settings[.peers].ids == ["b", "a"])
    // Together with another key, and with a value.
    try home.replace("number = 4\n[peers.a]\nport = 1\n\n[peers.b]\nport = 2\n")
    #expect(await iterator.next()?.map(\.id) == ["a", "b"])
    try home.replace("number = 4\n[peers.b]\nport = 3\n\n[peers.a]\nport = 1\n")
    #expect(await iterator.next() == [Peer(id: "b", port: 3), Peer(id: "a")])
  }

  @Test func `an administrator's records in another order are an element, and tracked`() async throws {
    let system = home.path + "/etc/xdg/org.example.test/settings.toml"
    try home.write("[peers.a]\nport = 1\n[peers.b]\nport = 1\n", to: system)
    try home.write("[peers.b]\nport = 2\n")
    let settings = try home.store()
    let view = ObservableSettings(settings, isolation: nil)
    let isTold = Barrier()
    withObservationTracking {
      #expect(view[.peers].map(\.id) == ["a", "b"])
    } onChange: {
      isTold.open()
    }
    var iterator = settings.updates(.peers).makeAsyncIterator()
    #expect(await iterator.next()?.map(\.id) == ["a", "b"])
    try home.write("[peers.b]\nport = 1\n[peers.a]\nport = 1\n", to: system)
    #expect(await iterator.next() == [Peer(id: "b", port: 2), Peer(id: "a")])
    #expect(isTold.wait())
    #expect(view[.peers].map(\.id) == ["b", "a"])
  }

  @Test func `a slow reader gets what is different, and nothing for what was taken back`() async throws {
    let settings = try home.store()
    var iterator = settings.changes(.peers).makeAsyncIterator()
    for port in 1...20 { settings[.peers]["a"] = Peer(id: "a", port: port) }
    settings[.peers]["b"] = Peer(id: "b")
    settings[.peers]["b"] = nil
    #expect(await iterator.next() == Change(inserted: [Peer(id: "a", port: 20)], origin: .thisProcess))
    settings[.peers]["a"] = nil
    settings[.peers]["a"] = Peer(id: "a", port: 20)
    settings[.number] = 3
    settings[.peers]["c"] = Peer(id: "c")
    #expect(await iterator.next() == Change(inserted: [Peer(id: "c")], origin: .thisProcess))
  }

  @Test func `a record that breaks is gone, and comes back when it is mended`() async throws {
    try home.write("[peers.a]\nport = 1\n[peers.b]\nport = 2\n")
    let settings = try home.store()
    var iterator = settings.changes(.peers).makeAsyncIterator()
    try home.replace("[peers.a]\nport = \"?\"\n[peers.b]\nport = 2\n")
    #expect(await iterator.next() == Change(removed: [Peer(id: "a")], origin: .outside))
    #expect(settings.currentProblems.map(\.position?.line) == [2])
    try home.replace("[peers.a]\nport = 3\n[peers.b]\nport = 2\n")
    #expect(await iterator.next() == Change(inserted: [Peer(id: "a", port: 3)], origin: .outside))
    #expect(settings.currentProblems.isEmpty)
    // A file that does not parse is no change at all.
    try home.replace("[peers.a\n")
    try home.replace("[peers.a]\nport = 4\n[peers.b]\nport = 2\n")
    #expect(
      await iterator.next()
        == Change(updated: [.init(old: Peer(id: "a", port: 3), new: Peer(id: "a", port: 4))], origin: .outside))
  }

  @Test func `the changes taken together lead to what there is`() async throws {
    let settings = try home.store()
    var iterator = settings.changes(.peers).makeAsyncIterator()
    await withTaskGroup { group in
      for writer in 0..<4 {
        group.addTask {
          for round in 0..<50 {
            let id = "w\(writer)-\(round % 5)"
            if round.isMultiple(of: 3) {
              settings[.peers][id] = nil
            } else {
              settings[.peers][id] = Peer(id: id, port: round)
            }
          }
        }
      }
    }
    settings[.peers]["end"] = Peer(id: "end")
    var state: [String: Peer] = [:]
    while state["end"] == nil, let change = await iterator.next() {
      for record in change.removed { #expect(state.removeValue(forKey: record.id) == record) }
      for record in change.inserted { #expect(state.updateValue(record, forKey: record.id) == nil) }
      for update in change.updated { #expect(state.updateValue(update.new, forKey: update.id) == update.old) }
    }
    #expect(state == Dictionary(uniqueKeysWithValues: settings[.peers].all.map { ($0.id, $0) }))
  }

  @Test func `updates has all records, now and after each change of one`() async throws {
    try home.write("[peers.b]\nport = 2\n[peers.a]\nport = 1\n")
    let settings = try home.store()
    var iterator = settings.updates(.peers).makeAsyncIterator()
    #expect(await iterator.next()?.map(\.id) == ["b", "a"])
    settings[.number] = 1
    settings[.peers]["c"] = Peer(id: "c")
    #expect(await iterator.next()?.map(\.id) == ["b", "a", "c"])
    try await settings.flush()
    try home.replace("[peers.a]\nport = 9\n")
    #expect(await iterator.next() == [Peer(id: "a", port: 9)])
    settings.reset(.peers)
    #expect(await iterator.next() == [])
    var later = settings.updates(.peers, initial: false).makeAsyncIterator()
    settings[.peers]["d"] = Peer(id: "d")
    #expect(await later.next()?.map(\.id) == ["d"])
  }

  @Test func `updates of one record has that one only`() async throws {
    let settings = try home.store()
    var iterator = settings.updates(.peers, id: "a").makeAsyncIterator()
    #expect(await iterator.next() == .some(nil))
    settings[.peers]["b"] = Peer(id: "b")
    settings[.peers]["a"] = Peer(id: "a")
    #expect(await iterator.next() == Peer(id: "a"))
    settings[.peers]["b"]?.port = 7
    settings[.peers]["a"]?.port = 8
    #expect(await iterator.next() == Peer(id: "a", port: 8))
    settings[.peers]["a"] = nil
    #expect(await iterator.next() == .some(nil))
  }

  @Test func `records that cannot be compared are compared as they are stored`() async throws {
    try home.write("[blobs.1]\ntext = \"a\"\n[blobs.2]\ntext = \"b\"\n")
    let settings = try home.store()
    var changes = settings.changes(.blobs).makeAsyncIterator()
    var one = settings.updates(.blobs, id: 2).makeAsyncIterator()
    #expect(await one.next()??.text == "b")
    try home.replace("[blobs.1]\ntext = 'a'  # as it was\n[blobs.2]\ntext = \"c\"\n")
    let change = try #require(await changes.next())
    #expect(change.updated.map(\.id) == [2] && change.inserted.isEmpty && change.removed.isEmpty)
    #expect(await one.next()??.text == "c")
  }

  @Test func `cancelling ends the stream`() async throws {
    let settings = try home.store()
    let recorder = Recorder(settings.updates(.peers))
    await recorder.wait { !$0.isEmpty }
    await recorder.cancel()
    settings[.peers]["a"] = Peer(id: "a")
    #expect(recorder.elements == [[]])
  }
}
