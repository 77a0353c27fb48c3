public import AppSettings
public import Logging

/// A store for objects: park them, and retrieve them by type and id.
///
/// You can park any `Codable` type that is `Identifiable`, and as a value any that is `Hashable`. The records are
/// tables of a TOML file, `$XDG_DATA_HOME/<app>/<name>.toml`: `[Person."joan smith"]`, and for values `[[Address]]`. A
/// call that changes something returns when the change is on disk, in one atomic write; if it throws, nothing changed.
///
/// ```swift
/// let garage = try Garage(app: "org.example.hotel")
/// try garage.park(guest)
/// let again = try garage.retrieve(Guest.self, id: "joan")
/// try garage.update { try $0.park([order, receipt]) }
/// ```
///
/// Reads come from memory, all from one state of the file. Records that other processes park show up after ``reload()``
/// and after each write of your own. A write always starts from the present content of the file.
public final class Garage: GarageObjects, Sendable {
  /// The store's engine: all files share one write path.
  let core: StoreCore
  let store: SettingsStore
  // Protects how records are stored, which changes with the cipher; protects nothing else.
  private let currentFormat: Lock<GarageFormat>
  let names = GarageNames()

  /// Whether the backups that this garage has to seal are all sealed.
  let hasSealedBackups = Lock(false)

  /// The location of the file; `nil` for a garage in memory.
  public var location: SettingsLocation? { core.location }

  /// Opens a garage of an app. Nothing is read or created until the first access.
  ///
  /// - Parameters:
  ///   - app: The app's id, such as `org.example.hotel`.
  ///   - name: The name of the garage; the file is `<app>/<name>.toml`.
  ///   - cipher: Seals each record. Without a cipher records are plain text, and files with sealed ones are not
  ///     written.
  ///   - sealsPlainRecords: Whether plain records in the file are read like others and sealed: for converting a plain
  ///     garage to a sealed one. Otherwise, in a garage with a cipher, they are an error that names their line, and the
  ///     file is not written while it has one: anyone who can write the file can put a plain record into it. The first
  ///     write seals all records in the file, after those in its backups; an empty ``GarageObjects/update(_:)`` is enough.
  ///     A backup cannot be sealed if it does not parse, contains anything that is not a record, or has records sealed
  ///     with another key. It then stays unchanged, in plain text, and is one of ``currentProblems``: correct it or delete
  ///     it. Comments in and above a sealed record are removed.
  ///   - logger: Receives each problem once.
  /// - Throws: `SettingsError` `invalidLocation` if the id is malformed; `io` if there is no home directory.
  public convenience init(
    app: String, name: String = "garage", cipher: GarageCipher? = nil, sealsPlainRecords: Bool = false,
    logger: Logger = Logger(label: "app-settings")
  ) throws(SettingsError) {
    self.init(
      at: try SettingsLocation(app: app, name: name, scope: .data), cipher: cipher,
      sealsPlainRecords: sealsPlainRecords,
      logger: logger)
  }

  /// Opens the garage at a location. Nothing is read or created until the first access.
  public convenience init(
    at location: SettingsLocation, cipher: GarageCipher? = nil, sealsPlainRecords: Bool = false,
    logger: Logger = Logger(label: "app-settings")
  ) {
    self.init(SettingsStore(at: location, logger: logger), cipher, sealsPlainRecords)
  }

  /// Makes a garage in memory, for tests and previews. It behaves like one with a file that nobody else writes.
  ///
  /// - Parameters:
  ///   - text: The TOML text to begin with.
  ///   - cipher: Seals the records, if given.
  ///   - sealsPlainRecords: Whether records that are plain text although there is a cipher are read and sealed.
  public convenience init(
    inMemory text: String = "", cipher: GarageCipher? = nil, sealsPlainRecords: Bool = false
  ) {
    self.init(SettingsStore(inMemory: text), cipher, sealsPlainRecords)
  }

  /// Opens a garage for a tool or a test, with its own system calls; it shares nothing with other garages.
  package convenience init(
    at location: SettingsLocation, cipher: GarageCipher? = nil, sealsPlainRecords: Bool = false,
    logger: Logger? = nil, system: Syscalls, lockTimeout: Duration = .seconds(30)
  ) {
    let store = SettingsStore(
      at: location, migrations: .none, logger: logger ?? .silent, acceptsAnyVersion: false, system: system,
      lockTimeout: lockTimeout)
    self.init(store, cipher, sealsPlainRecords)
  }

  private init(_ store: SettingsStore, _ cipher: GarageCipher?, _ sealsPlainRecords: Bool) {
    self.store = store
    core = store.core
    let file = store.core.location?.file ?? "the garage in memory"
    currentFormat = Lock(GarageFormat(cipher: cipher, sealsPlainRecords: sealsPlainRecords, file: file))
    // The history may have all records, or, if they are sealed, none.
    core.history?.describe([KnownKeys.Entry(path: .root, isSecret: cipher != nil)])
  }

  /// How records are stored.
  var format: GarageFormat {
    get { currentFormat.withLock { $0 } }
    set { currentFormat.withLock { $0 = newValue } }
  }

  // MARK: Several changes as one

  /// The access to the garage's objects.
  public var access: GarageAccess { GarageAccess(garage: self) }

  /// Makes several changes as one, without blocking a thread of the concurrency pool.
  ///
  /// Otherwise does the same as ``GarageObjects/update(_:)``.
  public func update<Result: Sendable>(
    _ body: @escaping @Sendable (inout GarageTransaction) throws -> Result
  ) async throws -> Result {
    try await core.onPlainThread { [self] in try access.update(body) }
  }

  // MARK: The file

  /// Re-reads the file, so that records parked by other processes show up.
  ///
  /// If the file does not parse, the garage keeps the content last read, and reports a problem.
  public func reload() { store.reload() }

  /// The unresolved problems, oldest first.
  public var currentProblems: [SettingsProblem] { store.currentProblems }

  /// The backups of the file made before migrations and restores, newest first.
  ///
  /// Each is as plain, or sealed with the same key, as the file was. When a plain file is sealed, its backups are
  /// sealed too: see
  /// ``init(app:name:cipher:sealsPlainRecords:logger:)``.
  ///
  /// - Throws: `SettingsError` `io` or `readOnly` if their directory cannot be listed.
  public func backups() throws(SettingsError) -> [SettingsBackup] { try store.backups() }

  /// Moves a file that does not parse to the backups, unchanged, so that the garage starts empty.
  ///
  /// - Returns: The moved file; `nil` if there is no file, or it parses.
  /// - Throws: `SettingsError` `readOnly`, `io` or `lockTimeout`. The file is in its old place.
  @discardableResult
  public func recover() throws(SettingsError) -> SettingsBackup? {
    // The moved file may be plain.
    defer { hasSealedBackups.withLock { $0 = false } }
    return try store.recover()
  }
}
