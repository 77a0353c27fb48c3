public import AppSettings
public import Logging

/// A place for objects: park them, and retrieve them by type and id.
///
/// Any `Codable` type that is `Identifiable` can be parked, and any that is `Hashable` as a value. The records are tables of
/// a TOML file, `$XDG_DATA_HOME/<app>/<name>.toml`, `[Person."joan smith"]`; values are `[[Address]]`. Every call
/// that changes something returns when it is on disk, in one atomic write, or throws and has changed nothing.
///
/// ```swift
/// let garage = try Garage(app: "org.example.hotel")
/// try garage.park(guest)
/// let again = try garage.retrieve(Guest.self, id: "joan")
/// try garage.update { try $0.park([order, receipt]) }
/// ```
///
/// Reads are from memory, all of one state of the file. What other processes have parked shows after ``reload()`` and
/// after each write of one's own; a write always begins with what the file has at that moment.
public final class Garage: GarageObjects, Sendable {
  /// The engine, as of a store: one write path for all files.
  let core: StoreCore
  let store: SettingsStore
  // Protects how records are stored, which changes with the cipher; taken for nothing else.
  private let currentFormat: Lock<GarageFormat>
  let names = GarageNames()

  /// Whether no backup is plain any more, as far as this garage is to see to that.
  let hasSealedBackups = Lock(false)

  /// Where the records are; `nil` for a garage in memory.
  public var location: SettingsLocation? { core.location }

  /// Opens a garage of an app. Nothing is read or made until the first access.
  ///
  /// - Parameters:
  ///   - app: The app's id, such as `org.example.hotel`.
  ///   - name: Which of the app's garages; the file is `<app>/<name>.toml`.
  ///   - cipher: What seals each record. Without one, records are plain text, and a file that has sealed ones is not
  ///     written.
  ///   - plainRecords: What becomes of plain records in the file of a garage with a cipher: by default they are an error.
  ///   - logger: Where problems go, once each.
  /// - Throws: `SettingsError` `invalidLocation` for an id of another form; `io` if there is no home directory.
  public convenience init(
    app: String, name: String = "garage", cipher: GarageCipher? = nil, plainRecords: PlainRecords = .refuse,
    logger: Logger = Logger(label: "app-settings")
  ) throws(SettingsError) {
    self.init(
      at: try SettingsLocation(app: app, name: name, scope: .data), cipher: cipher, plainRecords: plainRecords,
      logger: logger)
  }

  /// Opens the garage at a location. Nothing is read or made until the first access.
  public convenience init(
    at location: SettingsLocation, cipher: GarageCipher? = nil, plainRecords: PlainRecords = .refuse,
    logger: Logger = Logger(label: "app-settings")
  ) {
    self.init(SettingsStore(at: location, logger: logger), cipher, plainRecords)
  }

  /// Makes a garage in memory, for tests and previews. It behaves as one with a file that no one else has.
  ///
  /// - Parameters:
  ///   - text: The TOML text to begin with.
  ///   - cipher: Seals the records, if given.
  ///   - plainRecords: What to do with records that are plain text although there is a cipher.
  public convenience init(
    inMemory text: String = "", cipher: GarageCipher? = nil, plainRecords: PlainRecords = .refuse
  ) {
    self.init(SettingsStore(inMemory: text), cipher, plainRecords)
  }

  /// Opens a garage for a tool or a test, with system calls of its own; it shares nothing with others.
  package convenience init(
    at location: SettingsLocation, cipher: GarageCipher? = nil, plainRecords: PlainRecords = .refuse,
    logger: Logger? = nil, system: Syscalls, lockTimeout: Duration = .seconds(30)
  ) {
    let store = SettingsStore(
      at: location, migrations: .none, logger: logger ?? .silent, acceptsAnyVersion: false, system: system,
      lockTimeout: lockTimeout)
    self.init(store, cipher, plainRecords)
  }

  private init(_ store: SettingsStore, _ cipher: GarageCipher?, _ plainRecords: PlainRecords) {
    self.store = store
    core = store.core
    let file = store.core.location?.file ?? "the garage in memory"
    currentFormat = Lock(GarageFormat(cipher: cipher, plainRecords: plainRecords, file: file))
  }

  /// How records are stored.
  var format: GarageFormat {
    get { currentFormat.withLock { $0 } }
    set { currentFormat.withLock { $0 = newValue } }
  }

  // MARK: Several changes as one

  /// How the garage's objects are reached.
  public var access: GarageAccess { GarageAccess(garage: self) }

  /// Makes several changes as one, without blocking a thread of the concurrency pool.
  ///
  /// As ``GarageObjects/update(_:)`` otherwise.
  public func update<Result: Sendable>(
    _ body: @escaping @Sendable (inout GarageTransaction) throws -> Result
  ) async throws -> Result {
    try await core.onPlainThread { [self] in try access.update(body) }
  }

  // MARK: The file

  /// Reads the file again, and takes over what other processes have parked.
  ///
  /// If it does not parse, what was read last stays, and that is a problem.
  public func reload() { store.reload() }

  /// The problems that stand now, oldest first.
  public var currentProblems: [SettingsProblem] { store.currentProblems }

  /// The copies of the file that were made before migrations and restores, newest first. Each is as plain, or sealed with
  /// the key, as the file was; in the file's turn from plain to sealed, they are sealed as well: see
  /// ``PlainRecords/seal``.
  ///
  /// - Throws: `SettingsError` `io` or `readOnly` if their directory cannot be listed.
  public var backups: [SettingsBackup] { get throws(SettingsError) { try store.backups } }

  /// Moves a file that does not parse to the backups, as it is, so that the garage begins afresh.
  ///
  /// - Returns: Where it is now; `nil` if there is no file, or it parses.
  /// - Throws: `SettingsError` `readOnly`, `io` or `lockTimeout`. The file is where it was.
  @discardableResult
  public func recover() throws(SettingsError) -> SettingsBackup? {
    // What is moved there may be plain.
    defer { hasSealedBackups.withLock { $0 = false } }
    return try store.recover()
  }
}
