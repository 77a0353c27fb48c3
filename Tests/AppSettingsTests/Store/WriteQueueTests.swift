import AppSettings
import Foundation
import Testing
import TestSupport

struct WriteQueueTests {
  let home = ScratchHome()

  /// Those that wait, those that do not, and those that take pending edits along compete for the turn to write. None
  /// may be left waiting, and no value may be lost.
  @Test(.timeLimit(.minutes(10))) func `setters, background sets, updates and flushes together all end`() throws {
    let settings = try home.store()
    let rounds = 60
    let keys = (0..<6).map { SettingsKey("key-\($0)", default: -1) }
    let total = SettingsKey("total", default: 0)
    let works: [@Sendable (Int) throws -> Void] = [
      { try settings.set($0, for: keys[0]) },
      { try settings.set($0, for: keys[1]) },
      { try settings.set($0, for: keys[2]) },
      { settings[keys[3]] = $0 },
      { round in
        settings[keys[4]] = round
        try settings.flush()
      },
      { round in
        try settings.update {
          $0[keys[5]] = round
          $0[total] += 1
        }
      },
    ]
    let group = DispatchGroup()
    for work in works {
      group.enter()
      Thread.detachNewThread {
        for round in 0..<rounds { #expect(throws: Never.self) { try work(round) } }
        group.leave()
      }
    }
    group.wait()
    try settings.flush()
    let file = try TOMLDocument(parsing: home.text() ?? "")
    for index in keys.indices { #expect(file[["key-\(index)"]] == .integer(Int64(rounds - 1))) }
    #expect(file[["total"]] == .integer(Int64(rounds)))
  }

  @Test func `a flush waits for an edit that a setter is writing`() throws {
    let events = Monitor<[String]>([])
    let system = Syscalls.before(.rename) { _ in
      // The setter has the turn, and waits until the other thread is about to flush.
      events.withLock { $0.append("writing") }
      _ = events.wait { $0.contains("flushing") ? true : nil }
      events.withLock { $0.append("written") }
    }
    let settings = try home.store(system: system)
    let group = DispatchGroup()
    group.enter()
    Thread.detachNewThread {
      #expect(throws: Never.self) { try settings.set(1, for: SettingsKey("a", default: 0)) }
      group.leave()
    }
    _ = events.wait { $0.contains("writing") ? true : nil }
    events.withLock { $0.append("flushing") }
    try settings.flush()
    events.withLock { $0.append("flushed") }
    group.wait()
    #expect(events.wait { $0 } == ["writing", "flushing", "written", "flushed"])
    #expect(home.text() == "a = 1\n")
  }
}
