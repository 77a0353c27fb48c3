import AppSettings
import SettingsTOML

/// What an observer of a store is told while a schedule runs.
final class Observer: Sendable {
  private struct Seen: Sendable {
    var before: TOMLTable?
    var paths: [TOMLPath] = []
    /// Whether a value that the file had all the time was seen to be missing.
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

  /// What it was not told, or told wrongly.
  ///
  /// - Parameters:
  ///   - root: What the file has.
  ///   - wasMissing: Whether there was no file for a while.
  func faults(_ root: TOMLTable, name: String, wasMissing: Bool) -> [String] {
    var faults: [String] = []
    let now = settings.snapshot.root
    // A snapshot leaves the reserved keys out. A file that someone has put back into an old form is migrated in memory.
    let keys = Set(root.keys).union(now.keys).filter { !$0.hasPrefix("settings-") }
    let isComparable = !isMigrating || root["settings-version"] != nil
    if isComparable, !keys.allSatisfy({ root[$0] == now[$0] }) {
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
