internal import AppSettings
internal import SettingsTOML

/// What an observer looks at, and how it tells something new.
protocol SettingsView: Sendable {
  associatedtype Element: Sendable
  /// What an observer remembers of what it has delivered.
  associatedtype Memory

  /// Makes the waiter of an observer.
  ///
  /// - Parameter callback: For one that is no task: called at each signal, on the thread that made the change.
  func makeWaiter(_ callback: (@Sendable () -> Void)?) -> ChangeWaiter
  func add(_ waiter: ChangeWaiter, to core: StoreCore)
  func remove(_ waiter: ChangeWaiter, from core: StoreCore)

  /// The memory of an observer that has seen what there is now.
  func remember(_ store: SettingsStore) -> Memory
  /// What is delivered before anything has changed; `nil` for nothing.
  func first(_ store: SettingsStore, _ memory: inout Memory) -> Element?
  /// What is left to deliver of the last wake-up.
  func rest(_ store: SettingsStore, _ memory: inout Memory) -> Element?
  /// What there is to deliver after a wake-up; `nil` if it is nothing new.
  ///
  /// - Parameter waiter: The waiter of the observer, to take its records from before the values are read.
  func look(_ store: SettingsStore, _ waiter: ChangeWaiter, _ memory: inout Memory) -> Element?
}

/// One that can tell what there is to deliver as of a moment.
protocol MomentView: SettingsView {
  /// - Parameter wake: The records up to the moment, and no others.
  func look(
    _ store: SettingsStore, _ wake: ChangeWaiter.Wake, _ moment: StoreMoment, _ memory: inout Memory
  ) -> Element?
}

extension SettingsView {
  func add(_ waiter: ChangeWaiter, to core: StoreCore) { core.waiters.add(waiter) }
  func remove(_ waiter: ChangeWaiter, from core: StoreCore) { core.waiters.remove(waiter) }
  func first(_ store: SettingsStore, _ memory: inout Memory) -> Element? { nil }
  func rest(_ store: SettingsStore, _ memory: inout Memory) -> Element? { nil }
}

/// Whether two values are the same; `nil` if their type cannot tell.
func areEqual<Value>(_ first: Value, _ second: Value) -> Bool? {
  func compare<Concrete: Equatable>(_: Concrete.Type) -> Bool {
    let first = first as! Concrete
    let second = second as! Concrete
    // What is unequal to itself, not-a-number, is no change either.
    return first == second || first != first && second != second
  }
  guard let type = Value.self as? any Equatable.Type else { return nil }
  return compare(type)
}
