public import AppSettings

extension SettingsStore {
  /// What is wrong with the settings and failed no call: first the problems that stand now, then each new one.
  ///
  /// ```swift
  /// for await problem in settings.problems { show(problem.message) }
  /// ```
  ///
  /// A problem that was mended and comes back is delivered again.
  public var problems: SettingsStream<SettingsProblem> { SettingsStream(self, ProblemView()) }
}

/// The problems. The memory is those that were delivered and still stand.
private struct ProblemView: SettingsView {
  func makeWaiter(_ callback: (@Sendable () -> Void)?) -> ChangeWaiter { ChangeWaiter(paths: [], callback: callback) }
  func add(_ waiter: ChangeWaiter, to core: StoreCore) { core.problems.add(waiter) }
  func remove(_ waiter: ChangeWaiter, from core: StoreCore) { core.problems.remove(waiter) }

  func remember(_ store: SettingsStore) -> Set<SettingsProblem> { [] }

  func rest(_ store: SettingsStore, _ memory: inout Set<SettingsProblem>) -> SettingsProblem? {
    let standing = store.currentProblems
    memory.formIntersection(standing)
    guard let problem = standing.first(where: { !memory.contains($0) }) else { return nil }
    memory.insert(problem)
    return problem
  }

  func look(
    _ store: SettingsStore, _ wake: ChangeWaiter.Wake, _ memory: inout Set<SettingsProblem>
  ) -> SettingsProblem? {
    rest(store, &memory)
  }
}
