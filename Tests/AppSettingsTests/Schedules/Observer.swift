import AppSettings
import SettingsTOML

/// Records what a store's observers are told during a schedule.
final class Observer: Sendable {
  private struct Seen: Sendable {
    var before: TOMLTable?
    var paths: [TOMLPath] = []
    /// Whether a value was reported missing that the file always had.
    var sawDefault = false
  }

  private let settings: SettingsStore
  private let isLoaded: Bool
  private let isMigrating: Bool
  private let seen = Lock(Seen())
  private let waiter = Lock<ChangeWaiter?>(nil)

  init(_ settings: SettingsStore, isLoaded: Bool, isMigrating: Bool) {
    self.settings = settings
    self.isLoaded = isLoaded
    self.isMigrating = isMigrating
  }

  func begin() {
    guard isLoaded else { return }
    let before = settings.snapshot.root
    seen.withLock { $0.before = before }
    let new = ChangeWaiter(paths: [TOMLPath()], keepsBatches: true) { [weak self] in self?.note() }
    waiter.withLock { $0 = new }
    settings.core.waiters.add(new)
  }

  private func note() {
    guard let wake = waiter.withLock({ $0 })?.take() else { return }
    let isMissing = settings.snapshot.root["name"] == nil
    seen.withLock { seen in
      seen.paths += wake.batches.flatMap(\.paths)
      if isMissing { seen.sawDefault = true }
    }
  }

  func end() {
    settings.reload()
    if let waiter = waiter.withLock({ $0 }) { settings.core.waiters.remove(waiter) }
  }

  /// Differences between the file, the store's memory, and what observers were told.
  ///
  /// - Parameters:
  ///   - root: The values in the file.
  ///   - former: The values that were in it at some point in the form of the first version.
  ///   - wasMissing: Whether there was no file at some point.
  func faults(_ root: TOMLTable, former: [TOMLTable], name: String, wasMissing: Bool) -> [String] {
    var faults: [String] = []
    let now = settings.snapshot.root
    // Snapshots omit reserved keys. If someone restored an old form of the file, memory holds the migrated one.
    let keys = Set(root.keys).union(now.keys).filter { !$0.hasPrefix("settings-") }
    let isComparable = !isMigrating || root["settings-version"] != nil
    // What another program saves in a newer form does not replace values that are known, and is a problem.
    let isKept = settings.currentProblems.contains { $0.code == .newerVersion } && former.contains(now)
    if isComparable, !isKept, !keys.allSatisfy({ root[$0] == now[$0] }) {
      faults.append("\(name) has in memory what is not in the file: \(now)")
    }
    let seen = seen.withLock { $0 }
    guard let before = seen.before else { return faults }
    var changed: [TOMLPath] = []
    TOMLPath().collectDifferences(.table(before), .table(now), into: &changed)
    let told = Set(seen.paths)
    let untold = changed.filter { !told.contains($0) }
    if !untold.isEmpty { faults.append("the observers of \(name) do not hear of \(untold)") }
    if seen.sawDefault, !wasMissing { faults.append("the observers of \(name) were shown a default") }
    return faults
  }
}
