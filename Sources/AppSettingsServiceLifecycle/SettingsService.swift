#if ServiceLifecycle
  public import AppSettings
  public import AppSettingsObserve
  public import ServiceLifecycle

  /// A service that follows settings files while its service group runs, and finishes pending writes at the end.
  ///
  /// ```swift
  /// let settings = try SettingsStore(app: "org.example.relay")
  /// let listener = Listener()
  /// let group = ServiceGroup(
  ///   services: [SettingsService(settings, each: settings.updates(.port)) { try await listener.listen(on: $0) }],
  ///   gracefulShutdownSignals: [.sigterm], logger: logger)
  /// try await group.run()
  /// ```
  ///
  /// It runs until graceful shutdown begins or its task is cancelled. Put it before the services that set values: those
  /// shut down first then, and the values that they set at the end are written.
  public struct SettingsService: Service {
    private let settings: SettingsStore
    private let work: (@Sendable () async throws -> Void)?

    /// Makes a service that keeps the store up to date with its files, so that reads see the changes of others.
    ///
    /// - Parameter settings: The store.
    public init(_ settings: SettingsStore) {
      self.settings = settings
      work = nil
    }

    /// Makes a service that runs a closure for each element of a stream.
    ///
    /// - Parameters:
    ///   - settings: The store, which is also kept up to date with its files.
    ///   - stream: The stream, such as `settings.updates(.port)`.
    ///   - body: Runs for one element after another, the newest each time. Graceful shutdown does not interrupt it: the
    ///     service ends after it has returned. An error that it throws ends the service.
    public init<Element>(
      _ settings: SettingsStore, each stream: SettingsStream<Element>,
      _ body: @escaping @Sendable (Element) async throws -> Void
    ) {
      self.settings = settings
      work = {
        var iterator = stream.makeAsyncIterator()
        let end = iterator.ending
        try await withGracefulShutdownHandler {
          while let element = await iterator.next() { try await body(element) }
        } onGracefulShutdown: {
          end()
        }
      }
    }

    /// Runs until graceful shutdown begins or the task is cancelled, then waits until everything set is on disk.
    ///
    /// - Throws: `SettingsError` of a failed write, or what `body` throws.
    public func run() async throws {
      settings.follow()
      if let work {
        try await work()
      } else {
        // Throws if the task is cancelled, which ends the service too.
        try? await gracefulShutdown()
      }
      try await settings.flush()
    }
  }
#endif
