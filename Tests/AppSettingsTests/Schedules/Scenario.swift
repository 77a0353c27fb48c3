import AppSettings
import Foundation
import SettingsTOML
import TestSupport

/// Actors around one settings file, and a model of what the file must hold after any schedule.
final class Scenario: @unchecked Sendable {  // used by the test's thread; each actor has its own `Own`
  static let base = "# Kept by hand.\ncounter = 1\nname = \"a\"  # kept\nmark = 0\n"

  /// A program that does not lock, as a list of steps.
  struct Program {
    struct Step {
      var label: String
      /// Whether this step overwrites the file. A save begins with its first such step and ends with its last.
      var overwrites = false
      var body: () throws -> Void
    }
    var name: String
    var steps: [Step]
    /// The value that must be in the file at the end.
    var saves: (key: String, value: TOMLValue)?
    /// Whether it removes the file.
    var removes = false
  }

  /// A program that uses the library.
  final class Own: @unchecked Sendable {  // written by the actor's thread, read when it has ended
    let name: String
    let settings: SettingsStore
    let action: (SettingsStore) throws -> Void
    /// The value that must be in the file at the end if the action returned.
    let sets: (key: String, value: TOMLValue)?
    let isKilled: Bool
    var error: (any Error)?
    var hasReturned = false
    let observer: Observer

    init(
      _ name: String, _ settings: SettingsStore, sets: (key: String, value: TOMLValue)?, isKilled: Bool,
      isLoaded: Bool, isMigrating: Bool, _ action: @escaping (SettingsStore) throws -> Void
    ) {
      self.name = name
      self.settings = settings
      self.sets = sets
      self.isKilled = isKilled
      self.action = action
      observer = Observer(settings, isLoaded: isLoaded, isMigrating: isMigrating)
    }
  }

  let home: ScratchHome
  private let scheduler: Scheduler
  private var owns: [Int: Own] = [:]
  private var programs: [Int: Program] = [:]
  private var bodies: [@Sendable () -> Void] = []
  /// The text of the file before the first step and after each step.
  private var texts: [String?] = []
  private var log: [Scheduler.Step] = []
  private var names: [String] = []
  /// Additional checks at the end.
  var check: (Scenario) -> [String] = { _ in [] }

  /// Calls that change nothing another actor sees. The short form does not interrupt an actor before them.
  private static let unscheduled: Set<Syscalls.Call> =
    Exploration.isFull
    ? []
    : [
      .write, .chmod, .chown, .xattr, .fsync, .fsyncDirectory,
    ]

  /// - Parameters:
  ///   - text: The initial text of the file.
  ///   - isLinked: Whether the file's directory is a symbolic link to `v1`.
  ///   - repeats: How often one call in a row counts as a poll.
  init(text: String = Scenario.base, isLinked: Bool = false, repeats: Int = 3) throws {
    scheduler = Scheduler(repeats: repeats)
    // In memory where possible: durability is not at issue here.
    home = access("/dev/shm", W_OK) == 0 ? ScratchHome(under: "/dev/shm") : ScratchHome()
    if isLinked {
      let files = FileManager.default
      try files.createDirectory(atPath: home.path + "/config", withIntermediateDirectories: true)
      try files.createDirectory(atPath: home.path + "/v1", withIntermediateDirectories: true)
      try files.createSymbolicLink(atPath: Self.directory(in: home), withDestinationPath: home.path + "/v1")
    }
    try home.write(text)
  }

  static func directory(in home: ScratchHome) -> String { (home.file as NSString).deletingLastPathComponent }

  // MARK: Actors

  /// Adds a program that uses the library.
  ///
  /// - Parameters:
  ///   - isLoaded: Whether it reads the file before the first step.
  ///   - diesAt: The step at which it is killed; `nil` for none.
  func own(
    _ name: String, sets: (key: String, value: TOMLValue)? = nil, isLoaded: Bool = true, diesAt: Int? = nil,
    migrations: [Migration] = [], _ action: @escaping (SettingsStore) throws -> Void
  ) throws {
    let index = scheduler.add(name, diesAt: diesAt)
    let settings = try home.store(
      migrations: migrations, system: scheduler.system(for: index, except: Self.unscheduled))
    if isLoaded { _ = settings.snapshot }
    let own = Own(
      name, settings, sets: sets, isKilled: diesAt != nil, isLoaded: isLoaded,
      isMigrating: !migrations.isEmpty, action)
    owns[index] = own
    names.append(name)
    bodies.append {
      do {
        try own.action(own.settings)
        own.hasReturned = true
      } catch {
        own.error = error
      }
    }
  }

  /// Adds a program that sets a key through the library.
  func writer(
    _ name: String, _ key: SettingsKey<Int>, _ value: Int, isLoaded: Bool = true, diesAt: Int? = nil,
    migrations: [Migration] = []
  ) throws {
    try own(
      name, sets: (key.path.components[0], .integer(Int64(value))), isLoaded: isLoaded, diesAt: diesAt,
      migrations: migrations
    ) { try $0.set(value, for: key) }
  }

  /// Adds a program that does not use the library.
  func program(_ program: Program) {
    let index = scheduler.add(program.name)
    programs[index] = program
    names.append(program.name)
    let scheduler = scheduler
    nonisolated(unsafe) let steps = program.steps  // run by the actor's thread alone
    bodies.append {
      for step in steps {
        try? scheduler.pass(index, step.label)
        try? step.body()
      }
    }
  }

  // MARK: Running

  /// Runs all actors until they end.
  ///
  /// - Returns: What went wrong; empty if nothing did.
  func run(choose: (Scheduler.Choice) -> Int) throws -> [String] {
    for own in owns.values { own.observer.begin() }
    texts = [text()]
    let (log, failure) = try scheduler.run(bodies, choose: choose) { _, _ in texts.append(text()) }
    self.log = log
    if let failure { return [failure] }
    for own in owns.values { own.observer.end() }
    return verdict()
  }

  /// The text of the file; `nil` if there is none. Called after each step, so it avoids Foundation.
  private func text() -> String? {
    let file = open(home.file, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = max(0, read(file, buffer.baseAddress, buffer.count))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The steps in order, with the text of the file wherever it changed.
  var story: String {
    var parts: [String] = []
    var actor: Int?
    for (number, step) in log.enumerated() {
      if step.actor != actor { parts.append("\n  \(names[step.actor]):") }
      actor = step.actor
      parts.append("\(step.label)\(texts[number + 1] == texts[number] ? "" : " → \(quoted(texts[number + 1]))"),")
    }
    return parts.joined(separator: " ")
  }

  private func quoted(_ text: String?) -> String {
    text.map { "'\($0.replacingOccurrences(of: "\n", with: "⏎"))'" } ?? "no file"
  }

  // MARK: Checking

  private func verdict() -> [String] {
    var faults: [String] = []
    let text = home.text()
    let root = text.flatMap { try? TOMLDocument(parsing: Array($0.utf8)).root } ?? [:]
    if text != nil, (try? TOMLDocument(parsing: Array(text!.utf8))) == nil {
      return ["the file does not parse: \(quoted(text))"]
    }
    let overwritings = programs.flatMap { overwriting(by: $0.key) }
    let former = Set(texts).compactMap { text in text.flatMap { try? TOMLDocument(parsing: Array($0.utf8)).root } }
      .filter { $0["settings-version"] == nil }
    for (index, own) in owns.sorted(by: { $0.key < $1.key }) {
      if let error = own.error, !own.isKilled { faults.append("\(own.name) failed: \(error)") }
      // A killed process has acknowledged nothing, even if its code ignored that its last calls failed.
      if own.hasReturned, !scheduler.hasDied(index), let (key, value) = own.sets, root[key] != value {
        let put = lastPut(key, value, by: index)
        // A program that overwrote the file later may have lost it, if it had read the file before.
        if put == nil || !overwritings.contains(where: { $0.begin > put! }) {
          faults.append("what \(own.name) has set is lost")
        }
      }
      if !own.isKilled {
        faults += own.observer.faults(root, former: former, name: own.name, wasMissing: texts.contains(nil))
      }
    }
    for (index, program) in programs.sorted(by: { $0.key < $1.key }) {
      let others = overwritings.filter { $0.actor != index }
      let end = overwriting(by: index).map(\.end).max() ?? -1
      if let (key, value) = program.saves, root[key] != value, !others.contains(where: { $0.end > end }) {
        faults.append("what \(program.name) has saved is lost")
      }
      let wasPutAgain = owns.keys.contains { index in log.indices.contains { log[$0].actor == index && $0 > end } }
      if program.removes, wasPutAgain, text?.contains("# Kept") == true, others.isEmpty {
        faults.append("what \(program.name) has removed is back")
      }
    }
    let hasRemoved = programs.values.contains(where: \.removes)
    if !hasRemoved, texts[0]?.hasPrefix("# Kept by hand.\n") == true, text?.contains("# Kept by hand.\n") != true {
      faults.append("what nobody has touched is gone: \(quoted(text))")
    }
    faults += afterwards()
    return faults + check(self)
  }

  /// The texts of all backups.
  var backups: [String] {
    let state = home.path + "/state"
    let all = (try? FileManager.default.subpathsOfDirectory(atPath: state)) ?? []
    return all.filter { $0.hasSuffix(".toml") }.compactMap { home.text(of: "\(state)/\($0)") }
  }

  /// The last step with which an actor changed the file to a text that has a value.
  private func lastPut(_ key: String, _ value: TOMLValue, by actor: Int) -> Int? {
    log.indices.last { number in
      guard log[number].actor == actor, texts[number + 1] != texts[number], let text = texts[number + 1] else {
        return false
      }
      return (try? TOMLDocument(parsing: Array(text.utf8)).root)?[key] == value
    }
  }

  /// The first and the last step with which a program overwrote the file; empty if it never did.
  private func overwriting(by actor: Int) -> [(actor: Int, begin: Int, end: Int)] {
    guard let program = programs[actor] else { return [] }
    let taken = log.indices.filter { log[$0].actor == actor }
    let places = zip(program.steps, taken).filter(\.0.overwrites).map(\.1)
    guard let begin = places.first, let end = places.last else { return [] }
    return [(actor, begin, end)]
  }

  /// Checks that no lock is left, that the next write works, and that no temporary file remains.
  private func afterwards() -> [String] {
    do {
      let next = try home.store(
        acceptsAnyVersion: true,
        lockTimeout: .milliseconds(500))
      try next.set(1, for: SettingsKey("afterwards", default: 0))
    } catch {
      return ["the next write fails: \(error)"]
    }
    let directory = Self.directory(in: home)
    let strays = home.names(in: directory).filter { $0.hasPrefix(".") }
    return strays.isEmpty ? [] : ["left behind: \(strays)"]
  }
}
