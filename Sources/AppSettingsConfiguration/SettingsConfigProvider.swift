#if Configuration
  public import AppSettings
  internal import AppSettingsObserve
  public import Configuration

  /// Settings as a provider of swift-configuration: each value that a file or an override has, and each change of it.
  ///
  /// ```swift
  /// let settings = try SettingsStore(app: "org.example.relay")
  /// let config = ConfigReader(providers: [
  ///   EnvironmentVariablesProvider(), SettingsConfigProvider(settings, keys: [.token, .port]),
  /// ])
  /// try await config.watchInt(forKey: "server.port", default: 8080) { ports in
  ///   for await port in ports { try await listener.listen(on: port) }
  /// }
  /// ```
  ///
  /// A configuration key is a path of the settings: `server.port` is `port` in `[server]`. Changes are pushed, whoever
  /// makes them; nothing is polled. The store follows its files from now on.
  ///
  /// A key that no layer has a value for has none here: a default is the reader's own, or that of a later provider.
  public struct SettingsConfigProvider: ConfigProvider {
    /// What the provider is called in logs and access reports.
    public let providerName: String
    private let settings: SettingsStore
    private let table: KeyTable

    /// Makes a provider of a store's values.
    ///
    /// - Parameters:
    ///   - settings: The store.
    ///   - keys: Declared keys. Values of secret ones are marked as secret; constraints and former names count, too. Any
    ///     other value can be asked for as well.
    ///   - name: What tells this provider from others of its kind.
    public init(_ settings: SettingsStore, keys: [AnySettingsKey] = [], name: String? = nil) {
      self.settings = settings
      table = KeyTable(keys)
      providerName = "SettingsConfigProvider[\(name ?? settings.location?.file ?? "in memory")]"
      settings.follow()
    }

    /// The value now.
    ///
    /// - Throws: `SettingsError` `invalidValue` for a stored value that is not of this type.
    public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
      try table.lookUp(key, as: type, in: settings.snapshot)
    }

    /// The value now, which is the one in the files: they are followed.
    public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
      try value(forKey: key, type: type)
    }

    /// The value now, and each time it becomes another one. A slow reader gets the newest and no queue of old ones.
    public func watchValue<Return: ~Copyable>(
      forKey key: AbsoluteConfigKey, type: ConfigType,
      updatesHandler: (
        _ updates: ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>
      ) async throws -> Return
    ) async throws -> Return {
      let states = settings.updates(table.watched(key))
      return try await updatesHandler(
        ConfigUpdatesAsyncSequence(LookupUpdates(states: states, table: table, key: key, type: type)))
    }

    /// All values at this moment.
    public func snapshot() -> any ConfigSnapshot { snapshot(settings.snapshot) }

    /// All values now, and each time one becomes another.
    public func watchSnapshot<Return: ~Copyable>(
      updatesHandler: (_ updates: ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
    ) async throws -> Return {
      let states = settings.snapshots().map { snapshot($0) as any ConfigSnapshot }
      return try await updatesHandler(ConfigUpdatesAsyncSequence(states))
    }

    private func snapshot(_ state: SettingsSnapshot) -> Snapshot {
      Snapshot(providerName: providerName, table: table, state: state)
    }
  }

  private struct Snapshot: ConfigSnapshot {
    let providerName: String
    let table: KeyTable
    let state: SettingsSnapshot

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
      try table.lookUp(key, as: type, in: state)
    }
  }

  /// What a key reads, each time that is something else.
  private struct LookupUpdates: AsyncSequence, Sendable {
    typealias Element = Result<LookupResult, any Error>
    typealias Failure = Never

    let states: SettingsStream<SettingsSnapshot>
    let table: KeyTable
    let key: AbsoluteConfigKey
    let type: ConfigType

    func makeAsyncIterator() -> Iterator {
      Iterator(states: states.makeAsyncIterator(), table: table, key: key, type: type)
    }

    struct Iterator: AsyncIteratorProtocol {
      var states: SettingsStream<SettingsSnapshot>.AsyncIterator
      let table: KeyTable
      let key: AbsoluteConfigKey
      let type: ConfigType
      var last: LookupResult?

      mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
        while let state = await states.next(isolation: actor) {
          let result = Result { try table.lookUp(key, as: type, in: state) }
          let found = try? result.get()
          // The text may be another one and mean the same.
          if let found, found == last { continue }
          last = found
          return result
        }
        return nil
      }
    }
  }
#endif
