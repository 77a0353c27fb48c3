#if Configuration
  public import AppSettings
  internal import AppSettingsObserve
  public import Configuration

  /// A provider of swift-configuration that reads settings: the values of files and overrides, and their changes.
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
  /// A configuration key is a path of the settings: `server.port` is `port` in `[server]`. Changes by any program are
  /// pushed; nothing is polled. Creating the provider makes the store follow its files.
  ///
  /// A key without a value in any layer has none here: its default comes from the reader or a later provider.
  public struct SettingsConfigProvider: ConfigProvider {
    /// The name of the provider in logs and access reports.
    public let providerName: String
    private let settings: SettingsStore
    private let table: KeyTable

    /// Makes a provider of a store's values.
    ///
    /// - Parameters:
    ///   - settings: The store.
    ///   - keys: Declared keys: values of secret ones are marked as secret, and constraints and former names apply.
    ///     Other values can be read too.
    ///   - name: Distinguishes this provider from others of its kind.
    public init(_ settings: SettingsStore, keys: [AnySettingsKey] = [], name: String? = nil) {
      self.settings = settings
      table = KeyTable(keys)
      providerName = "SettingsConfigProvider[\(name ?? settings.location?.file ?? "in memory")]"
      settings.follow()
    }

    /// Returns the present value.
    ///
    /// - Throws: `SettingsError` `invalidValue` for a stored value that is not of this type.
    public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
      try table.lookUp(key, as: type, in: settings.snapshot)
    }

    /// Returns the present value. It is that of the files, because the store follows them.
    public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
      try value(forKey: key, type: type)
    }

    /// Watches the value: the present one, then each new one. A slow reader gets the newest value, not a queue of old ones.
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

    /// Returns all present values.
    public func snapshot() -> any ConfigSnapshot { snapshot(settings.snapshot) }

    /// Watches all values: the present ones, then each new state.
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

  /// The results of looking up a key, whenever they change.
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
      // What was delivered last; `nil` within for an error, and around that before the first one.
      var last: LookupResult??

      mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
        while let state = await states.next(isolation: actor) {
          let result = Result { try table.lookUp(key, as: type, in: state) }
          let found = try? result.get()
          // A different text may have the same meaning, and one that cannot be used after another means the same: the
          // reader takes its default.
          if let last, Self.areSame(last, found) { continue }
          last = .some(found)
          return result
        }
        return nil
      }

      /// Whether both are the same, compared as TOML does: texts by their code units, and not-a-number with itself.
      private static func areSame(_ one: LookupResult?, _ other: LookupResult?) -> Bool {
        guard let a = one?.value?.content.exact, let b = other?.value?.content.exact else { return one == other }
        return a == b
      }
    }
  }

  extension ConfigContent {
    /// The content as a value of TOML, if `==` does not compare it exactly.
    fileprivate var exact: SettingsValue? {
      switch self {
      case .string(let text): .string(text)
      case .double(let number): .float(number)
      case .stringArray(let texts): .array(texts.map { .string($0) })
      case .doubleArray(let numbers): .array(numbers.map { .float($0) })
      default: nil
      }
    }
  }
#endif
