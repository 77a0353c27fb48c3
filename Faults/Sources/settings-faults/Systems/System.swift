import Foundation
import Glibc

/// A system that keeps settings, as this suite sees it: one home, with whole numbers under flat names.
///
/// Made in the driving process, which breaks things and looks at what is on disk, and in the workers, which use the
/// system as a program would.
protocol System: AnyObject {
  /// Its name in a table.
  static var title: String { get }
  /// Its name in arguments.
  static var id: String { get }
  /// Whether a write is one call in the worker, and not a command to start.
  static var isInProcess: Bool { get }
  /// Why it cannot be tried here; `nil` if it can.
  static var unavailable: String? { get }

  init(home: Home)

  var home: Home { get }
  /// The file that holds the values.
  var file: String { get }
  /// The variables of every process that uses this home.
  var environment: [String: String] { get }

  /// Puts the values that every experiment begins with in place, as the system itself would have written them.
  func prepare() throws
  /// Ends the helpers of the system that would outlive it: a daemon that writes.
  func killHelpers()
  /// Ends what `prepare` has started.
  func close()

  /// What stands in the bytes of the file; `nil` if they are no whole file of this system.
  func values(in bytes: [UInt8]) -> [String: Int]?
  /// Whether the bytes are a whole file with all that was there from the start.
  func isWhole(_ bytes: [UInt8]) -> Bool
  /// The values on disk now; `nil` if they are damaged: not whole, or without what was there from the start.
  var contents: [String: Int]? { get }
  /// Sets a value as a program that has just started would.
  ///
  /// - Returns: Whether the system said that it is stored, and whether it took too long.
  func setAfresh(_ key: String, _ value: Int) -> (isSaid: Bool, isLate: Bool)

  // In a worker:
  /// Stores a value, and returns whether the system says that it is stored.
  func set(_ key: String, _ value: Int) -> Bool
  func get(_ key: String) -> Int?
  /// Adds one by the best means that the system has.
  func increment(_ key: String) -> Bool
}

extension System {
  var isOurs: Bool { Self.id == AppSettingsSystem.id }
  static var unavailable: String? { nil }
  func killHelpers() {}
  func close() {}

  func increment(_ key: String) -> Bool { set(key, (get(key) ?? 0) + 1) }

  func isWhole(_ bytes: [UInt8]) -> Bool {
    guard let values = values(in: bytes) else { return false }
    return Fixture.bystanders.allSatisfy { values[$0] == $1 }
  }

  var contents: [String: Int]? {
    guard let bytes = Files.bytes(file), isWhole(bytes) else { return nil }
    return values(in: bytes)
  }

  /// What is in the directory of the file beside it.
  var strays: [String] {
    let name = file.split(separator: "/").last.map(String.init)
    return Files.names(Files.directory(of: file)).filter { $0 != name }
  }

  /// Starts a worker.
  func worker(_ verb: String, _ arguments: [String]) throws -> Child {
    try Child([Worker.executable, "worker", Self.id, home.path, verb] + arguments, environment: environment)
  }

  func setAfresh(_ key: String, _ value: Int) -> (isSaid: Bool, isLate: Bool) {
    guard let child = try? worker("set", [key, String(value)]) else { return (false, false) }
    let end = child.finish(limit: Fixture.patience)
    return (end.code == 0 && !end.isLate, end.isLate)
  }

  /// Begins anew after damage.
  func reset() throws {
    close()
    home.empty()
    try prepare()
  }
}

/// What every experiment begins with.
enum Fixture {
  /// Keys that no one writes: they show whether a write harms what it is not about.
  static let bystanders: [String: Int] = Dictionary(
    uniqueKeysWithValues: (0..<40).map { ("s\($0)", 1000 + $0) })
  static let bystanderKeys = (0..<40).map { "s\($0)" }
  /// The longest that any one call may take before it counts as stuck, in milliseconds.
  static let patience = 10_000
}

/// A place of an experiment's own: the settings in one directory, what a system needs besides in another.
struct Home {
  /// The directory that the settings are in; experiments mount over it.
  let path: String
  /// Beside it: schemas, sockets.
  let aside: String

  init(path: String) {
    self.path = path
    aside = path + ".aside"
    Files.makeDirectory(path)
    Files.makeDirectory(aside)
  }

  private init(unmade path: String) {
    self.path = path
    aside = path + ".aside"
  }

  /// One that is nowhere, to ask for paths.
  static let unmade = Home(unmade: "/nowhere")

  func empty() {
    for directory in [path, aside] {
      for name in Files.names(directory) { Files.remove(directory + "/" + name) }
    }
  }

  func remove() {
    Files.remove(path)
    Files.remove(aside)
  }

  /// The variables that keep a process within this home.
  var environment: [String: String] {
    [
      "HOME": path, "XDG_CONFIG_HOME": path + "/config", "XDG_STATE_HOME": path + "/state",
      "XDG_DATA_HOME": path + "/data", "XDG_CACHE_HOME": path + "/cache", "XDG_RUNTIME_DIR": aside,
      "XDG_CONFIG_DIRS": path + "/etc", "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "LC_ALL": "C.UTF-8",
    ]
  }
}

/// Whether a command is installed.
func isInstalled(_ command: String) -> Bool {
  let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
  return path.split(separator: ":").contains { access("\($0)/\(command)", X_OK) == 0 }
}

/// Values in the lines of an INI file, as git config and GLib's keyfile write it.
func valuesOfLines(_ bytes: [UInt8], section: String) -> [String: Int]? {
  guard let text = String(validating: bytes, as: UTF8.self), text.hasSuffix("\n") else { return nil }
  var values: [String: Int] = [:]
  var isInSection = false
  for line in text.split(separator: "\n") {
    if line.hasPrefix("[") {
      guard line == section else { return nil }
      isInSection = true
      continue
    }
    let parts = line.split(separator: "=", maxSplits: 1)
    guard isInSection, parts.count == 2, let value = Int(parts[1].trimmingCharacters(in: .whitespaces)) else {
      return nil
    }
    values[parts[0].trimmingCharacters(in: .whitespaces)] = value
  }
  return values
}
