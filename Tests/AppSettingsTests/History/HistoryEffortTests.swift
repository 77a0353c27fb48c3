import Foundation
import SettingsTOML
import Testing
import TestSupport

@testable import AppSettings

/// What a write's history costs, in counts: it must not grow with the file.
struct HistoryEffortTests {
  /// What one write has done.
  private struct Effort: Equatable {
    var history: HistoryEffort
    var calls: [Syscalls.Call: Int]
  }

  private let key = SettingsKey("values.key-50", default: "")
  private let other = SettingsKey("values.key-70", default: "")
  private let values = SettingsKey("values", default: [String: String]())

  /// A file of keys, every tenth of which is a secret by its name, if nothing is declared.
  private func home(_ keys: Int) throws -> ScratchHome {
    let home = ScratchHome()
    var text = "[values]\n"
    for key in 0..<keys {
      text += key % 10 == 3 ? "password-\(key) = \"x\(key)\"\n" : "key-\(key) = \"value\" # kept\n"
    }
    try home.write(text)
    return home
  }

  private func effort(
    in home: ScratchHome, declares: Bool, _ body: (SettingsStore, (SettingsStore) throws -> Effort) throws -> Effort
  ) throws -> Effort {
    let calls = Lock<[Syscalls.Call: Int]>([:])
    let settings = try home.store(
      acceptsAnyVersion: true,
      system: Syscalls { call, path throws(Errno) in
        if path.contains(".history") { calls.withLock { $0[call, default: 0] += 1 } }
        return nil
      })
    if declares { _ = settings[values] }
    return try body(settings) { settings in
      calls.withLock { $0 = [:] }
      let value = TOMLValue.string("\(UInt32.random(in: 0 ... .max))")
      try settings.core.commit { _ in [Edit(path: ["values", "key-50"], value: value)] }
      return Effort(history: settings.core.history!.effort.withLock { $0 }, calls: calls.withLock { $0 })
    }
  }

  @Test(arguments: [true, false]) func `a write costs the same among 100 keys and 10,000`(_ declares: Bool) throws {
    var fresh: [Effort] = []
    var following: [Effort] = []
    for keys in [100, 10_000] {
      let home = try home(keys)
      for _ in 0..<2 { _ = try effort(in: home, declares: declares) { try $1($0) } }
      fresh.append(try effort(in: home, declares: declares) { try $1($0) })
      following.append(
        try effort(in: home, declares: declares) { settings, write in
          for _ in 0..<3 { _ = try write(settings) }
          return try write(settings)
        })
    }
    #expect(fresh[0].history == HistoryEffort(judgedPaths: 1, wholeTexts: 0) && fresh[0] == fresh[1])
    #expect(following.map(\.history) == [fresh[0].history, fresh[0].history])
    // A process's first write: `present`, the journal, the keys. Those that follow: the journal alone.
    #expect(fresh[0].calls[.write] == 2 && following[0].calls[.write] == 1)
    #expect(following[0].calls.values.reduce(0, +) <= 6, "\(following[0].calls)")
    // Three of them are those of an assertion, which reads the keys.
    #expect(fresh[0].calls.filter { $0.key != .readlink }.values.reduce(0, +) <= 17, "\(fresh[0].calls)")
    #expect(following[1].calls[.write] ?? 0 <= 2)
  }

  @Test func `an earlier text is made from the journal only for what another program has changed`() throws {
    let home = try home(1_000)
    try home.store().set("written by the release before", for: key)
    func formerTexts(_ body: (SettingsStore) throws -> Void) throws -> Int {
      let settings = try home.store(migrations: [
        Migration(2, "a new name", [.rename("values.key-70", to: "values.renamed")])
      ])
      try body(settings)
      return settings.core.history!.effort.withLock { $0.formerTexts }
    }
    let ofUpgrade = try formerTexts { #expect($0[key] == "written by the release before") }
    #expect(ofUpgrade == 0)
    try home.write(try #require(home.text()) + "more = 1\n")
    let ofChange = try formerTexts { settings in
      try settings.set("x", for: key)
      #expect(try settings.history().map(\.reason) == [.set, .outside, .migration, .set])
    }
    #expect(ofChange == 1)
  }

  @Test func `a change of very many values is one short record, and everything is known of it`() throws {
    let home = try home(0)
    let settings = try home.store(acceptsAnyVersion: true)
    func edits(_ value: Int) -> [Edit] { (0..<3000).map { Edit(path: ["k\($0)"], value: .integer(Int64(value))) } }
    try settings.core.commit { _ in [Edit(path: ["k7"], value: .integer(-1))] }
    try settings.core.commit { _ in edits(1) }
    try settings.core.commit { _ in [Edit(path: ["k7"], value: .integer(2))] }
    try settings.core.commit { _ in edits(3) }
    let other = try home.store(acceptsAnyVersion: true)
    #expect(try other.history().map(\.changes.count) == [3000, 1, 3000, 1])
    #expect(try other.history(at: [["k7"]]).map(\.id) == [4, 3, 2, 1])
    #expect(try other.history(at: [["k8"]]).map(\.id) == [4, 2])
    #expect(try other.history(at: [["none"]]).isEmpty)
    #expect(try other.blame([["k9"]]).first?.entry?.id == 4)
    #expect(try other.formerText(after: 4) == home.text())
    #expect(try other.formerText(after: 2).contains("k7 = 1\n") && other.formerText(after: 3).contains("k7 = 2\n"))
    try other.undo(.entry(4))
    #expect(try home.text() == other.formerText(after: 3))
    let journal = home.path + "/state/app-settings/files\(home.file).history/journal"
    let size = try #require(FileManager.default.attributesOfItem(atPath: journal)[.size] as? Int)
    #expect(size < 6 * (home.text()?.utf8.count ?? 0))
  }
}
