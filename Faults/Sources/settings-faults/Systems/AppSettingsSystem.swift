import AppSettings
import Logging
import SettingsTOML

/// This package, by its public interface.
final class AppSettingsSystem: System {
  static let title = "AppSettings"
  static let id = "app-settings"
  static let isInProcess = true

  let home: Home
  private var opened: SettingsStore?

  init(home: Home) { self.home = home }

  var file: String { home.path + "/config/org.example.faults/settings.toml" }
  var environment: [String: String] { home.environment }

  /// What stands in the file from the start, in more than one page of memory.
  private static let fixture = Array(
    (String(repeating: "# Kept by hand: every byte of this line has to stay as it is.\n", count: 70) + "\n"
      + Fixture.bystanderKeys.map { "\($0) = \(Fixture.bystanders[$0]!)  # kept\n" }.joined()).utf8)

  func prepare() throws {
    Files.makeDirectory(Files.directory(of: file))
    Files.write(Self.fixture, to: file)
  }

  func values(in bytes: [UInt8]) -> [String: Int]? {
    guard let document = try? TOMLDocument(parsing: bytes) else { return nil }
    var values: [String: Int] = [:]
    for (key, value) in document.root {
      guard case .integer(let number) = value else { return nil }
      values[key] = Int(number)
    }
    return values
  }

  /// Stricter than for the others: the text has to be, byte for byte, what it was from the start and then the lines of
  /// the values that workers set. With those values known, this says that it is the old text or the new one.
  func isWhole(_ bytes: [UInt8]) -> Bool {
    guard let values = values(in: bytes), bytes.starts(with: Self.fixture) else { return false }
    let written = values.filter { Fixture.bystanders[$0.key] == nil }.map { "\($0.key) = \($0.value)" }
    let lines = bytes[Self.fixture.count...].split(separator: 10, omittingEmptySubsequences: false)
    return lines.last?.isEmpty == true
      && lines.dropLast().map { String(decoding: $0, as: UTF8.self) }.sorted() == written.sorted()
  }

  // MARK: In a worker

  func location(name: String = "settings", scope: SettingsLocation.Scope = .config) throws -> SettingsLocation {
    try SettingsLocation(app: "org.example.faults", name: name, scope: scope, environment: environment)
  }

  func store() throws -> SettingsStore {
    if let opened { return opened }
    let logger = Logger(label: "faults") { _ in SwiftLogNoOpLogHandler() }
    let store = SettingsStore(at: try location(), logger: logger)
    opened = store
    return store
  }

  private static func key(_ name: String) -> SettingsKey<Int> { SettingsKey(name, default: 0) }

  func set(_ key: String, _ value: Int) -> Bool {
    do {
      try store().set(value, for: Self.key(key))
      return true
    } catch {
      return false
    }
  }

  func get(_ key: String) -> Int? { try? store()[Self.key(key)] }

  func increment(_ key: String) -> Bool {
    do {
      try store().update { $0[Self.key(key)] += 1 }
      return true
    } catch {
      return false
    }
  }

  /// In the driver, without a process: a store that was opened just now knows no more than one of another process.
  func setAfresh(_ key: String, _ value: Int) -> (isSaid: Bool, isLate: Bool) {
    let start = Clock.milliseconds()
    let isSaid = AppSettingsSystem(home: home).set(key, value)
    return (isSaid, Clock.milliseconds() - start > Fixture.patience)
  }
}
