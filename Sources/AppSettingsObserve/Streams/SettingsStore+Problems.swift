public import AppSettings

extension SettingsStore {
  /// Streams the problems that made no call fail: first the current ones, then each new one.
  ///
  /// ```swift
  /// for await problem in settings.problems { show(problem.message) }
  /// ```
  ///
  /// A problem that was solved and occurs again is delivered again.
  public var problems: SettingsStream<SettingsProblem> { SettingsStream(self, ProblemView()) }
}

/// The problems. The memory is the number of the last one delivered.
private struct ProblemView: SettingsView {
  func makeWaiter(_ callback: (@Sendable () -> Void)?) -> ChangeWaiter { ChangeWaiter(paths: [], callback: callback) }
  func add(_ waiter: ChangeWaiter, to core: StoreCore) { core.problems.add(waiter) }
  func remove(_ waiter: ChangeWaiter, from core: StoreCore) { core.problems.remove(waiter) }

  func remember(_ store: SettingsStore) -> UInt64 { 0 }

  func rest(_ store: SettingsStore, _ memory: inout UInt64) -> SettingsProblem? {
    guard let (problem, number) = store.core.problems.next(after: memory) else { return nil }
    memory = number
    return problem
  }

  func look(_ store: SettingsStore, _ waiter: ChangeWaiter, _ memory: inout UInt64) -> SettingsProblem? {
    _ = waiter.take()
    return rest(store, &memory)
  }
}
