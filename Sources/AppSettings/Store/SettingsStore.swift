public import Logging
import SettingsTOML
public import Synchronization

/// The settings of an app: typed values over TOML files, shared by any number of threads and processes.
///
/// Reads are synchronous and touch the disk at the first access only. ``subscript(_:)-(SettingsKey<Value>)`` sets a
/// value at once for this process and writes it in the background; ``set(_:for:)`` and ``update(_:)`` return when it is
/// on disk. A normal exit writes what is left.
///
/// ```swift
/// let settings = try SettingsStore(app: "org.example.editor")
/// settings[.theme] = .dark
/// ```
///
/// Any thread may use a store. Observers and loggers are called while the thread holds no lock of this library, so they
/// may use the store, too.
@dynamicMemberLookup
public final class SettingsStore: SettingsAccess, Sendable {
  @usableFromInline package let core: StoreCore

  /// Where the settings are, with the profile that is written now; `nil` for a store in memory.
  public var location: SettingsLocation? { core.location }

  /// Opens the settings of an app. Nothing is read or created until the first access.
  ///
  /// Several stores of one process on the same file share one state.
  ///
  /// ```swift
  /// let settings = try SettingsStore(
  ///   app: "org.example.editor", migrations: migrations, overrides: .environment(app: "org.example.editor"))
  /// ```
  ///
  /// - Parameters:
  ///   - app: The app's id, such as `org.example.editor`.
  ///   - name: The name of the store; the file is `<app>/<name>.toml`.
  ///   - scope: The kind of data: settings, state or data.
  ///   - profile: The profile that takes the place of the user's file, for a store named `settings` of the scope
  ///     `config`. By default the active one, which the store follows.
  ///   - migrations: The migrations for files of earlier releases.
  ///   - overrides: Values that override those of the files in this process.
  ///   - project: The project whose file may set some keys.
  ///   - history: Whether to keep a history of the file; by default for settings and data.
  ///   - logger: Receives each problem once.
  /// - Throws: ``SettingsError`` `invalidLocation` if the id or the profile's name is malformed; `io` if there is no
  ///   home directory.
  public convenience init(
    app: String, name: String = "settings", scope: SettingsLocation.Scope = .config, profile: SettingsProfile = .active,
    migrations: [Migration] = [], overrides: SettingsOverrides = .none, project: SettingsProject? = nil,
    history: SettingsHistory? = nil, logger: Logger = Logger(label: "app-settings")
  ) throws(SettingsError) {
    self.init(
      at: try SettingsLocation(app: app, name: name, scope: scope, profile: profile), migrations: migrations,
      overrides: overrides, project: project, history: history ?? (scope == .state ? .off : .on), logger: logger)
  }

  /// Opens the settings at a location. Nothing is read or created until the first access.
  ///
  /// ```swift
  /// let settings = try SettingsStore(at: SettingsLocation(file: "/etc/example.toml"))
  /// ```
  ///
  /// - Parameters:
  ///   - location: The file, and the layers around it.
  ///   - migrations: The migrations for files of earlier releases.
  ///   - overrides: Values that override those of the files in this process.
  ///   - project: The project whose file may set some keys.
  ///   - history: Whether to keep a history of the file.
  ///   - logger: Receives each problem once.
  public convenience init(
    at location: SettingsLocation, migrations: [Migration] = [], overrides: SettingsOverrides = .none,
    project: SettingsProject? = nil, history: SettingsHistory = .on, logger: Logger = Logger(label: "app-settings")
  ) {
    self.init(
      at: location, migrations: SettingsMigrations(migrations), overrides: overrides, project: project,
      history: history, logger: logger, acceptsAnyVersion: false)
  }

  /// Opens a location for a tool or a test.
  ///
  /// - Parameters:
  ///   - acceptsAnyVersion: Whether the file is read and written whatever its version, without migrating it.
  ///   - onlyReads: Whether the first access writes nothing: a pending migration is made in memory.
  ///   - showsText: Whether errors may show a text that does not parse.
  ///   - advice: Returns what errors say to do about a text of the user's file that does not parse.
  ///   - system: The system calls; a store with its own shares nothing.
  package convenience init(
    at location: SettingsLocation, migrations: SettingsMigrations, overrides: SettingsOverrides = .none,
    project: SettingsProject? = nil, history: SettingsHistory = .on, logger: Logger, acceptsAnyVersion: Bool,
    onlyReads: Bool = false,
    showsText: Bool = false, advice: RepairAdvice? = nil,
    system: Syscalls? = nil, lockTimeout: Duration = .seconds(30)
  ) {
    func make() -> StoreCore {
      let system = system ?? Syscalls()
      let file = SettingsFile(
        path: location.file, system: system, lockTimeout: lockTimeout, isShared: location.isAdministrators)
      let backups = Backups(of: location, system: system)
      return StoreCore(
        backing: .file(file, backups), location: location,
        reader: TextReader(
          migrations: migrations, acceptsAnyVersion: acceptsAnyVersion, showsText: showsText,
          advice: advice.map { (location.file, $0) }),
        logger: logger, overrides: overrides, project: project, onlyReads: onlyReads, history: history)
    }
    guard system == nil else {
      self.init(core: make())
      return
    }
    let key = SharedCores.Key(
      location: location, migrations: migrations.migrations.map { "\($0.version) \($0.name)" },
      acceptsAnyVersion: acceptsAnyVersion, onlyReads: onlyReads, overrides: overrides, project: project,
      history: history)
    self.init(core: SharedCores.core(for: key, make: make))
  }

  /// Makes a store in memory, for tests and previews. It behaves like one with a file that nobody else writes.
  ///
  /// ```swift
  /// let settings = SettingsStore(inMemory: "theme = \"dark\"")
  /// ```
  ///
  /// Apart from the overrides, it has no other layers; it has no backups and no history, and shares nothing with other
  /// stores. If the text does not parse, that is a problem, and the defaults are used.
  ///
  /// - Parameters:
  ///   - text: The TOML text to begin with.
  ///   - migrations: The app's migrations.
  ///   - overrides: Values that hide the text's.
  ///   - logger: Receives each problem once.
  public convenience init(
    inMemory text: String = "", migrations: [Migration] = [], overrides: SettingsOverrides = .none,
    logger: Logger = Logger(label: "app-settings")
  ) {
    self.init(
      core: StoreCore(
        backing: .memory(MemoryFile(text.isEmpty ? nil : Array(text.utf8))), location: nil,
        reader: TextReader(migrations: SettingsMigrations(migrations), acceptsAnyVersion: false), logger: logger,
        overrides: overrides))
  }

  private init(core: StoreCore) {
    self.core = core
    core.storeOpened()
  }

  deinit { core.storeClosed() }

  // MARK: Reading

  /// The value of a key.
  ///
  /// Reading returns the default if no layer has a value, or if it cannot be decoded; that is reported as a problem,
  /// and the text in the file stays.
  ///
  /// A value that you set is visible to this process at once. One thread writes it, together with other pending
  /// changes. A value that the key refuses, or for a locked key, is not set, which is reported as a problem. If the
  /// write fails, the value returns to that of the file, which is a change, and ``flush()`` throws.
  ///
  /// A change in place, such as `settings[.recent].append(file)` or `settings[.fontSize] += 1`, begins with the stored
  /// value. If that cannot be decoded, the file stays as it is, and a problem is reported. What another thread sets in
  /// the middle of it is lost: `update` loses nothing.
  ///
  /// Repeated reads on one thread, with no change in between, take no lock and look nothing up, unless the default is
  /// computed or the stored value cannot be decoded.
  ///
  /// ```swift
  /// settings[.fontSize] = 14
  /// settings[.fontSize] += 1
  /// print(settings[.fontSize])   // 15
  /// ```
  public subscript<Value>(key: SettingsKey<Value>) -> Value {
    @inlinable get {
      let stamp = core.stamp.load(ordering: .acquiring)
      if let value = key.cache.value(at: stamp) { return value }
      return read(key)
    }
    set {
      core.enqueue(for: key.path) { () throws(SettingsError) in try edits(storing: newValue, for: key) }
    }
    _modify {
      let known = key.cache.value(at: core.stamp.load(ordering: .acquiring))
      var (value, failure) = known.map { ($0, nil) } ?? readForChange(key)
      defer { end(value, key, failure) }
      yield &value
    }
  }

  /// The value of a key, by a key path: `settings[\.theme]`.
  @_disfavoredOverload  // so that an unknown '.key' is reported as a member that a key's type lacks
  public subscript<Value>(keyPath: KeyPath<SettingsKeys.Type, SettingsKey<Value>>) -> Value {
    @inlinable get { self[AnySettingsKey.self[keyPath: keyPath]] }
    set { self[AnySettingsKey.self[keyPath: keyPath]] = newValue }
    _modify { yield &self[AnySettingsKey.self[keyPath: keyPath]] }
  }

  /// The value of a key, as a property: `settings.theme`.
  public subscript<Value>(dynamicMember keyPath: KeyPath<SettingsKeys.Type, SettingsKey<Value>>) -> Value {
    get { self[AnySettingsKey.self[keyPath: keyPath]] }
    set { self[AnySettingsKey.self[keyPath: keyPath]] = newValue }
    _modify { yield &self[AnySettingsKey.self[keyPath: keyPath]] }
  }

  @usableFromInline
  func read<Value>(_ key: SettingsKey<Value>) -> Value { readForChange(key).value }

  /// Reads a value that is to be changed.
  ///
  /// It also notes the use of the key and caches the decoded value.
  ///
  /// - Returns: The value, and the reason why it is not the stored one.
  private func readForChange<Value>(_ key: SettingsKey<Value>) -> (value: Value, failure: SettingsValueError?) {
    core.declarations.note(key, core.problems)
    let (stored, stamp) = core.lookUp(key)
    let (value, isCacheable, failure) = ValueReading.value(
      of: key, stored: stored, in: core.snapshot, problems: core.problems)
    if isCacheable { key.cache.store(value, at: stamp) }
    if key.isSecret { core.checkSecrecy(of: key.path) }
    return (value, failure)
  }

  /// Ends a change in place, which began with ``readForChange(_:)``.
  private func end<Value>(_ value: Value, _ key: SettingsKey<Value>, _ failure: SettingsValueError?) {
    guard let failure else { return self[key] = value }
    core.problems.report(SettingsProblem(failure.refusingChange(of: key, in: core.snapshot), path: key.path))
  }

  /// Returns the value of a key, or throws the reason why it cannot be used.
  ///
  /// Use this where it would do harm to use the default in place of an invalid value.
  ///
  /// - Returns: The stored value, or the default if no layer has one.
  /// - Throws: ``SettingsError`` `invalidValue` with file, line, what was found and what is needed.
  public func value<Value>(for key: SettingsKey<Value>) throws(SettingsError) -> Value {
    core.declarations.note(key, core.problems)
    do throws(SettingsValueError) {
      return try core.lookUp(key).value.decoded(by: key) ?? key.defaultValue
    } catch {
      throw error.describing(key, in: core.snapshot, using: Value?.none)
    }
  }

  /// Returns whether any layer has a value for the key, even one that cannot be decoded.
  ///
  /// That includes administrators' values, overrides, and values under a former name.
  public func isSet(_ key: AnySettingsKey) -> Bool { core.lookUp(key).value.value != nil }

  /// All values at one moment; see ``SettingsSnapshot``.
  public var snapshot: SettingsSnapshot { core.snapshot }

  /// The unresolved problems, oldest first.
  ///
  /// A problem is resolved when its cause is gone, for example when the value in the file is corrected.
  public var currentProblems: [SettingsProblem] { core.problems.current }

  /// Re-reads the files, so that changes by others take effect.
  ///
  /// It waits up to half a second for a save by another program to end, and otherwise keeps the previous content. You
  /// need not call it while a stream of `AppSettingsObserve` is open.
  public func reload() { core.reload() }

  // MARK: Writing

  /// Sets a value and returns when it is on disk.
  ///
  /// Comments, spacing and keys this app does not know stay as they are, and so does the text of a value, or of a part
  /// of one, that is what it was. The write is atomic: after a crash the file holds either the old or the new text.
  ///
  /// Readers and observers in this process see the value when it is on disk, and not at all if this throws.
  ///
  /// ```swift
  /// try settings.set(14, for: .fontSize)
  /// ```
  ///
  /// - Parameters:
  ///   - value: The value to store; must satisfy the key's constraint.
  ///   - key: The key to store it under.
  /// - Returns: `true` if the file changed, `false` if it already held the value.
  /// - Throws: ``SettingsError`` with code `invalidValue`, `locked`, `readOnly`, `unparsable`, `newerVersion`,
  ///   `lockTimeout` or `io`. The file is unchanged in each case.
  @discardableResult
  public func set<Value>(_ value: Value, for key: SettingsKey<Value>) throws(SettingsError) -> Bool {
    try core.enqueueAndWait(try edits(storing: value, for: key))
  }

  /// Sets a value and returns when it is on disk, without blocking a thread of the concurrency pool.
  ///
  /// Otherwise does the same as ``set(_:for:)`` without `async`.
  ///
  /// If the task is cancelled meanwhile, the value is still written.
  @discardableResult
  public func set<Value>(_ value: Value, for key: SettingsKey<Value>) async throws(SettingsError) -> Bool {
    try await core.enqueueAndWait(try edits(storing: value, for: key))
  }

  /// Reads and writes several values as one: on the present content of the file, under its lock, in one write.
  ///
  /// Two processes that count this way lose nothing. Observers see one change.
  ///
  /// ```swift
  /// try settings.update { $0[.launches] += 1 }
  /// ```
  ///
  /// Other processes wait until the closure ends, so it should be short and wait for nothing itself.
  ///
  /// - Parameter body: Runs on this thread. A throw changes nothing.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or ``SettingsError`` as ``set(_:for:)``, and `nestedUpdate` if this is called inside
  ///   another update of the same file or of one in the same directory. The file is unchanged in each case.
  public func update<Result>(_ body: (inout SettingsTransaction) throws -> Result) throws -> Result {
    try core.update(body)
  }

  /// Does the same as ``update(_:)-(_)`` without `async` on a separate thread, blocking none of the concurrency pool.
  public func update<Result: Sendable>(
    _ body: @escaping @Sendable (inout SettingsTransaction) throws -> Result
  ) async throws -> Result {
    try await core.onPlainThread { [core] in try core.update(body) }
  }

  /// Removes the user's values of keys, so that lower layers or defaults apply. Visible at once, written later. A value
  /// that a lock makes ineffective is removed, too.
  ///
  /// ```swift
  /// settings.reset(.zoom, .columns)
  /// ```
  ///
  /// That includes values under former names.
  public func reset(_ keys: AnySettingsKey...) { reset(keys) }

  /// Removes the user's values of keys, so that lower layers or defaults show again. Visible at once, written later.
  @_disfavoredOverload  // so that an unknown '.key' is reported as a member that a key's type lacks
  package func reset(_ keys: [AnySettingsKey]) {
    core.enqueue { keys.flatMap(\.removals) }
  }

  /// Removes everything from the user's file except the reserved keys and comments set off by blank lines.
  ///
  /// Values without a declared key are removed, too.
  public func resetAll() {
    let keys = core.userTable.keys.filter { !SettingsFormat.isReserved($0) }
    core.enqueue { keys.map { .reset([$0]) } }
  }

  /// Waits until everything that was set so far is on disk.
  ///
  /// If nothing is pending, it returns at once.
  ///
  /// ```swift
  /// settings[.theme] = .dark
  /// try settings.flush()   // the theme is on disk
  /// ```
  ///
  /// - Throws: ``SettingsError`` of a write that failed since the last flush and that no other call has thrown. The
  ///   values of that write are lost: the store shows those of the file.
  public func flush() throws(SettingsError) { try core.flush() }

  /// Waits until everything that was set so far is on disk, without blocking a thread of the concurrency pool.
  ///
  /// Otherwise does the same as ``flush()`` without `async`.
  public func flush() async throws(SettingsError) {
    do {
      try await core.onPlainThread { [core] in try core.flush() }
    } catch {
      throw SettingsError(error)
    }
  }

  /// The edits that set a value, over the present values and all edits that are not in the file yet.
  private func edits<Value>(storing value: Value, for key: SettingsKey<Value>) throws(SettingsError) -> [Edit] {
    core.declarations.note(key, core.problems)
    return try key.edits(storing: value, in: core.snapshotToEdit)
  }
}
