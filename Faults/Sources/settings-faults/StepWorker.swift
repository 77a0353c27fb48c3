import AppSettings
import AppSettingsObserve
import CFaults
import Foundation
import Glibc
import Logging
import SettingsTOML

/// The worker's verbs for experiments on what happens around a write.
enum StepWorker {
  /// What a worker reports besides stored values.
  enum Word {
    static let refused = -1
    /// An observer was shown a default.
    static let sawDefault = -2
    /// A store has another store's text.
    static let crossed = -3
    /// A call threw.
    static let wrong = -4
  }

  static func run(_ system: any System, _ verb: String, _ arguments: [String]) -> CInt {
    switch (verb, arguments.count) {
    case ("pace", 3): pace(system, key: arguments[0], from: Int(arguments[1])!, pause: UInt32(arguments[2])!)
    case ("distinct", 1): distinct(system, count: Int(arguments[0])!)
    case ("fork", 2): fork(system, after: UInt32(arguments[0])!, dies: arguments[1] == "dies")
    case ("migrate", 1): return AgedStore(system).migrate(Int(arguments[0])!)
    case ("undo", 0): return AgedStore(system).undo()
    case ("recover", 0): return AgedStore(system).recover()
    case ("share", 2): SharedDirectory.work(system, store: arguments[0], rounds: Int(arguments[1])!)
    default: return 2
    }
    return 0
  }

  /// Sets a key to increasing numbers, with a pause after each. With this package, an observer meanwhile watches another
  /// key that is always in the file.
  private static func pace(_ system: any System, key: String, from start: Int, pause: UInt32) -> Never {
    var observation: SettingsObservation?
    if let system = system as? AppSettingsSystem, let store = try? system.store() {
      let bystander = SettingsKey(Fixture.bystanderKeys[0], default: -1)
      observation = store.observe(bystander) { if $0 == -1 { Worker.acknowledge(Word.sawDefault) } }
    }
    withExtendedLifetime(observation) {
      for value in start... {
        Worker.acknowledge(system.set(key, value) ? value : Word.refused)
        usleep(pause)
      }
    }
    exit(0)
  }

  /// The name of the n-th distinct key.
  static func distinctKey(_ number: Int) -> String { "p\(number / 100)-k\(number % 100)" }
  static let mostDistinct = 1600

  /// Sets each distinct key once, and retries what is refused.
  private static func distinct(_ system: any System, count: Int) {
    for number in 0..<count {
      while !system.set(distinctKey(number), number + 1) {
        Worker.acknowledge(Word.refused)
        usleep(300)
      }
      Worker.acknowledge(number)
    }
  }

  /// Writes without a pause on another thread, forks meanwhile, then dies or completes its last write.
  private static func fork(_ system: any System, after microseconds: UInt32, dies: Bool) -> Never {
    let isOver = Flag()
    let isDone = Flag()
    nonisolated(unsafe) let system = system  // used by that thread alone
    Thread.detachNewThread {
      var value = 1
      while !isOver.isSet {
        Worker.acknowledge(system.set("n", value) ? value : Word.refused)
        value += 1
      }
      isDone.set()
    }
    usleep(microseconds)
    let child = faults_fork_idle()
    if child < 0 || dies { kill(getpid(), SIGKILL) }
    isOver.set()
    while !isDone.isSet { usleep(100) }
    // The writes have ended; this process lives on, as an app does, and its child too.
    Worker.acknowledge(0)
    while true { pause() }
  }

  private final class Flag: @unchecked Sendable {  // under the lock
    private let lock = NSLock()
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
  }
}

/// A store with a migration, to make backups and restore them.
struct AgedStore {
  let system: AppSettingsSystem?

  init(_ system: any System) { self.system = system as? AppSettingsSystem }

  static let migrations = [
    Migration(2, "mark") { document in try document.set(.integer(1), at: ["migrated"]) }
  ]

  static func open(_ location: SettingsLocation) -> SettingsStore {
    SettingsStore(
      at: location, migrations: migrations, logger: Logger(label: "faults") { _ in SwiftLogNoOpLogHandler() })
  }

  private func store() throws -> SettingsStore {
    guard let system else { throw Failure("only for this package") }
    return Self.open(try system.location())
  }

  /// Sets a key in a file of the old version, which migrates it.
  func migrate(_ value: Int) -> CInt {
    do {
      try store().set(value, for: SettingsKey("n", default: 0))
      return 0
    } catch {
      return 1
    }
  }

  func undo() -> CInt { (try? store().restore()) == nil ? 1 : 0 }

  /// Moves a file that does not parse to the backups, then sets a key.
  func recover() -> CInt {
    guard let store = try? store(), let backup = try? store.recover() else { return 1 }
    // What it names is there.
    guard access(backup.path, R_OK) == 0 else { return 3 }
    return (try? store.set(1, for: SettingsKey("n", default: 0))) == nil ? 4 : 0
  }
}
