import AppSettings
import AppSettingsGarage
import AppSettingsImport
import Foundation
import Glibc
import Logging

/// The worker process of the crash states, `worker crash VERB HOME …`: runs an operation that is recorded, or opens
/// the settings in states that were enumerated.
enum CrashWorker {
  static let app = "org.example.faults"
  /// The key that the next program sets.
  static let nextKey = "next-set"
  /// The key that the next program imports, which makes a backup.
  static let importedKey = "next-import"

  /// Which program uses the settings next.
  enum Next: String {
    /// An app without migrations, which recovers a file that does not parse.
    case plain
    /// An app whose newest version is that of ``migrations``.
    case migrating
    case garage
  }

  static let migrations = [
    Migration(2, "call it count", [.rename("n", to: "count")])
  ]

  static func run(_ arguments: [String]) -> CInt {
    guard arguments.count >= 2 else { return 2 }
    let home = Home(path: arguments[1])
    do {
      switch arguments[0] {
      case "transaction":
        try store(home).update {
          $0[key("n")] += 1
          $0[key("m")] = 2
        }
      case "sets":
        let store = try store(home)
        for value in 1...3 {
          try store.set(value, for: key("n"))
          acknowledge()
        }
      case "flush":
        let store = try store(home)
        store[key("n")] = 5
        store[key("m")] = 6
        try store.flush()
      case "meet": try meetSave(home)
      case "migrate":
        // As an app does: by reading.
        _ = try store(home, migrations)[key("count")]
      case "park":
        try garage(home).park(Guest(id: arguments[2], nights: 3))
      case "next": return useNext(home, arguments)
      default: return 2
      }
      return 0
    } catch {
      return 1
    }
  }

  private static func key(_ name: String) -> SettingsKey<Int> { SettingsKey(name, default: 0) }

  private static let logger = Logger(label: "faults") { _ in SwiftLogNoOpLogHandler() }

  private static func store(_ home: Home, _ migrations: [Migration] = []) throws -> SettingsStore {
    SettingsStore(
      at: try SettingsLocation(app: app, environment: home.environment), migrations: migrations, logger: logger)
  }

  /// Sets a value while an editor has the file open, which saves into what the set has replaced.
  private static func meetSave(_ home: Home) throws {
    let store = try store(home)
    guard store[key("n")] == 1, let path = store.location?.file else { throw Failure("there is no file to meet in") }
    @Sendable func inode() -> ino_t {
      var status = stat()
      return stat(path, &status) == 0 ? status.st_ino : 0
    }
    let (descriptor, old) = (open(path, O_RDWR | O_CLOEXEC), inode())
    let text = try String(contentsOfFile: path, encoding: .utf8).replacing("\"red\"", with: "\"blue\"")
    Thread.detachNewThread {
      while inode() == old { usleep(100) }
      // The exchange of the names is synced by then: before that, only the file system's journal keeps both.
      usleep(100_000)
      _ = Array(text.utf8).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
      if fsync(descriptor) == 0 { acknowledge() }
      close(descriptor)
    }
    try store.set(5, for: key("n"))
    guard store[SettingsKey("colour", default: "")] == "blue" else { throw Failure("the save is not in the file") }
  }

  private static func garage(_ home: Home) throws -> Garage {
    let location = try SettingsLocation(app: app, name: "garage", scope: .data, environment: home.environment)
    return Garage(at: location, logger: logger)
  }

  private struct Guest: Codable, Identifiable, Equatable {
    var id: String
    var nights: Int
  }

  private static func acknowledge() {
    var byte: UInt8 = 10
    if write(1, &byte, 1) != 1 { exit(3) }
  }

  // MARK: The next program

  /// `next HOME NEXT [backup]`: opens the settings, sets a value, and reads it again. Then it has a backup made, if
  /// asked to. Prints what goes wrong.
  private static func useNext(_ home: Home, _ arguments: [String]) -> CInt {
    guard arguments.count >= 3, let next = Next(rawValue: arguments[2]) else { return 2 }
    do {
      try setNext(home, next)
      if arguments.last == "backup" { try makeBackup(home, next) }
      return 0
    } catch {
      print(error)
      return 1
    }
  }

  private static func setNext(_ home: Home, _ next: Next) throws {
    if next == .garage {
      let guest = Guest(id: nextKey, nights: 7)
      let garage = try garage(home)
      try garage.park(guest)
      guard try self.garage(home).retrieve(Guest.self, id: nextKey) == guest else {
        throw Failure("what was parked is not there")
      }
      return
    }
    let migrations = next == .migrating ? migrations : []
    do {
      try store(home, migrations).set(7, for: key(nextKey))
    } catch let error as SettingsError where error.code == .unparsable {
      try store(home, migrations).recover()
      try store(home, migrations).set(7, for: key(nextKey))
    }
    let opened = try store(home, migrations)
    try checkHistory(of: opened)
  }

  /// However much of the history the power failure has left, it can be asked, and goes on.
  private static func checkHistory(of store: SettingsStore) throws {
    guard store[key(nextKey)] == 7 else { throw Failure("what was set is not there") }
    guard let last = try store.history(limit: 1).first, last.changes.map(\.path) == [key(nextKey).path],
      last.changes[0].new == 7, !last.isUnrecorded
    else { throw Failure("what was set is not the last entry of the history") }
    // A text whose records are damaged is said not to be there.
    for entry in try store.history() { _ = try? store.formerText(after: entry.id) }
    try store.undo(key(nextKey))
    try store.redo(key(nextKey))
    guard store[key(nextKey)] == 7 else { throw Failure("what was undone and redone is not there") }
  }

  private static func makeBackup(_ home: Home, _ next: Next) throws {
    let file = home.aside + "/next.json"
    Files.write("{\"\(importedKey)\": 1}\n", to: file)
    let report = try store(home, next == .migrating ? migrations : []).importFile(file, as: .json)
    guard report.taken.count == 1 else { throw Failure("the next import took nothing") }
  }
}
