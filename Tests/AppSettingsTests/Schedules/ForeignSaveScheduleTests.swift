import AppSettings
import Foundation
import SettingsTOML
import Testing
import TestSupport

/// Every kind of write, and two saves of programs that do not lock, each at every system call of it: the write is done
/// once and says so, and what was saved is in the file with it, or among the backups and reported.
struct ForeignSaveScheduleTests {
  private struct Missing: Error {}

  private static let base = """
    # Kept by hand.
    counter = 1
    name = "a"  # kept
    list = ["p"]
    mark = 0
    other = { x = 1 }
    sign = 0
    old = 5
    runs = 0

    """

  /// What the program that locks does.
  enum Verb: String, CaseIterable, Sendable {
    case set, append, batch, unset, rename, `import`, undo, adopt, migrate, recover

    fileprivate static let migrations = [
      Migration(2, "count runs") { document in
        guard case .integer(let runs)? = document[["runs"]] else { return }
        try document.set(.integer(runs + 1), at: ["runs"])
      }
    ]

    /// The text before it.
    fileprivate var before: String {
      self == .recover ? base.replacingOccurrences(of: "Kept", with: "Broken") + "broken =\n" : base
    }

    /// The text after it, without saves of others; `nil` for no file.
    fileprivate var after: String? {
      func changed(_ old: String, _ new: String) -> String { base.replacingOccurrences(of: old, with: new) }
      return switch self {
      case .set: changed("counter = 1", "counter = 10")
      case .append: changed("[\"p\"]", "[\"p\", \"x\"]")
      case .batch: changed("[\"p\"]", "[\"p\", \"x\"]").replacingOccurrences(of: "old = 5\n", with: "")
      case .unset, .adopt: changed("old = 5\n", "")
      case .rename: changed("old = 5\n", "") + "new = 5\n"
      case .import: base + "new = 5\n"
      case .undo: changed("counter = 1", "counter = 7")
      case .migrate: "settings-version = 2\n" + changed("runs = 0", "runs = 1")
      case .recover: nil
      }
    }

    fileprivate func join(_ scenario: Scenario) throws {
      let other = try scenario.home.store(name: "other")
      if self == .undo {
        let history = try scenario.home.store()
        try history.set(7, for: .counter)
        try history.set(1, for: .counter)
      }
      try scenario.own(rawValue, isLoaded: self != .migrate, migrations: self == .migrate ? Self.migrations : []) {
        try run(on: $0, other)
      }
    }

    private func run(on settings: SettingsStore, _ other: SettingsStore) throws {
      func commit(_ edits: (TOMLDocument) throws -> [Edit]) throws {
        let hasChanged = try settings.core.commit { try edits($0.userDocument) }
        guard hasChanged else { throw Missing() }
      }
      func appending(to document: TOMLDocument) -> Edit {
        guard case .array(let elements)? = document[["list"]] else { return Edit(path: ["list"], value: nil) }
        return Edit(path: ["list"], value: .array(elements + [.string("x")]))
      }
      func old(_ document: TOMLDocument) throws -> TOMLValue {
        guard let value = document[["old"]] else { throw Missing() }
        return value
      }
      let removal = Edit(path: ["old"], value: nil)
      switch self {
      case .set: try settings.set(10, for: .counter)
      case .append: try commit { [appending(to: $0)] }
      case .batch:
        try commit {
          _ = try old($0)
          return [appending(to: $0), removal]
        }
      case .unset:
        try commit {
          _ = try old($0)
          return [removal]
        }
      case .rename: try commit { [removal, Edit(path: ["new"], value: try old($0))] }
      case .import:
        let outcome = try settings.core.commit(backingUp: "before-import") { bytes in
          var document = try TOMLDocument(parsing: bytes ?? [])
          guard !document.contains(["new"]) else { throw Missing() }
          try document.set(.integer(5), at: ["new"])
          return document.bytes
        }
        guard outcome.hasChanged, outcome.backup != nil else { throw Missing() }
      case .undo: try settings.undo(.value([["counter"]]))
      case .adopt:
        try other.core.commit { _ in [Edit(path: ["old"], value: .integer(5))] }
        try commit {
          guard try old($0) == .integer(5) else { throw Missing() }
          return [removal]
        }
      case .migrate: guard settings[.counter] == 1 else { throw Missing() }
      case .recover: _ = try settings.recover()
      }
    }

    /// What is wrong at the end.
    ///
    /// - Parameter keys: What the others have saved.
    fileprivate func faults(_ scenario: Scenario, _ keys: [String]) -> [String] {
      let text = (scenario.home.text() ?? "").replacingOccurrences(of: "afterwards = 1\n", with: "")
      func saved(_ text: String) -> String {
        keys.reduce(text) { $0.replacingOccurrences(of: "\($1) = 0", with: "\($1) = 1") }
      }
      guard self == .recover else {
        return text == saved(after!) ? [] : ["the file is '\(text)', the backups are \(scenario.backups)"]
      }
      let texts = scenario.backups + [text]
      return keys.filter { key in !texts.contains { $0.contains("\(key) = 1\n") } }.map { "\($0) is lost: \(texts)" }
    }
  }

  private static func scenario(_ verb: Verb, _ saves: [(key: String, inPlace: Bool)]) throws -> Scenario {
    let scenario = try Scenario(text: verb.before, repeats: 6)
    try verb.join(scenario)
    for (key, inPlace) in saves {
      // A text that does not parse would be waited for.
      let text = verb == .recover && key == "mark" ? base.replacingOccurrences(of: "mark = 0", with: "mark = 1") : nil
      scenario.program(.saving(key, scenario.home, inPlace: inPlace, text: text))
    }
    scenario.check = { verb.faults($0, saves.map(\.key)) }
    return scenario
  }

  @Test(arguments: Verb.allCases)
  func `a save at any step of a write is in the file with it`(verb: Verb) throws {
    for inPlace in Exploration.isFull ? [false, true] : [false] {
      let result = try Exploration.every.run { try Self.scenario(verb, [("mark", inPlace)]) }
      // One for each call, also for those after the exchange.
      #expect(result.schedules > 40)
    }
  }

  // A save of a text that does not parse takes half a second.
  @Test(arguments: Verb.allCases.filter { Exploration.isFull || $0 != .recover })
  func `two saves at any two steps of a write are in the file with it`(verb: Verb) throws {
    for inPlace in [false, true] {
      try Exploration.twoSaves.run { try Self.scenario(verb, [("mark", inPlace), ("sign", false)]) }
    }
  }
}
