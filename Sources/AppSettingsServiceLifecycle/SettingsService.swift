#if ServiceLifecycle
  public import AppSettings
  public import AppSettingsObserve
  public import ServiceLifecycle

  /// Settings as a service of a service group: follows them while the group runs, and writes what is left at its end.
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
  /// It runs until graceful shutdown begins, or its task is cancelled. Put it before the services that set values: those
  /// are shut down first then, and what they set at their end is written.
  public struct SettingsService: Service {
    private let settings: SettingsStore
    private let work: (@Sendable () async throws -> Void)?

    /// Makes a service that keeps the store up to date with its files, so that reads see what others change.
    ///
    /// - Parameter settings: The store.
    public init(_ settings: SettingsStore) {
      self.settings = settings
      work = nil
    }

    /// Makes a service that does something for each element of a stream.
    ///
    /// - Parameters:
    ///   - settings: The store, which is also kept up to date with its files.
    ///   - stream: The stream, such as `settings.updates(.port)`.
    ///   - body: Called for one element after another, the newest each time. Graceful shutdown does not interrupt it: the
    ///     service ends when it has returned. What it throws ends the service.
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
    /// - Throws: `SettingsError` of a write that failed; what the function throws that was given.
    public func run() async throws {
      settings.follow()
      if let work {
        try await work()
      } else {
        // Throws when the task is cancelled, which is an end like the other.
        try? await gracefulShutdown()
      }
      try await settings.flush()
    }
  }
#endif
