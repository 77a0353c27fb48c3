internal import AppSettings
internal import SettingsTOML

/// What an observer reads from a store, and how it finds out what to deliver.
protocol SettingsView: Sendable {
  associatedtype Element: Sendable
  /// The state that an observer delivered last.
  associatedtype Memory

  /// Creates the waiter of an observer.
  ///
  /// - Parameter callback: Called at each signal on the thread that made the change, for an observer outside any task.
  func makeWaiter(_ callback: (@Sendable () -> Void)?) -> ChangeWaiter
  func add(_ waiter: ChangeWaiter, to core: StoreCore)
  func remove(_ waiter: ChangeWaiter, from core: StoreCore)

  /// The memory of an observer that has seen the current state.
  func remember(_ store: SettingsStore) -> Memory
  /// Whether an observer begins with the current state.
  var initial: Bool { get }
  /// The element that delivers a state; `nil` in a view that delivers only changes.
  func element(of memory: Memory) -> Element?
  /// The next element that remains of the last wake-up.
  func rest(_ store: SettingsStore, _ memory: inout Memory) -> Element?
  /// The element to deliver after a wake-up; `nil` if nothing is new.
  ///
  /// - Parameter waiter: The observer's waiter. Take its records before you read the values.
  func look(_ store: SettingsStore, _ waiter: ChangeWaiter, _ memory: inout Memory) -> Element?
}

/// A view that can find out what to deliver as of a given moment.
protocol MomentView: SettingsView {
  /// - Parameter wake: Exactly the records up to the moment.
  func look(
    _ store: SettingsStore, _ wake: ChangeWaiter.Wake, _ moment: StoreMoment, _ memory: inout Memory
  ) -> Element?
}

extension SettingsView {
  func add(_ waiter: ChangeWaiter, to core: StoreCore) { core.waiters.add(waiter) }
  func remove(_ waiter: ChangeWaiter, from core: StoreCore) { core.waiters.remove(waiter) }
  var initial: Bool { false }
  func element(of memory: Memory) -> Element? { nil }
  func rest(_ store: SettingsStore, _ memory: inout Memory) -> Element? { nil }

  /// The element to deliver before the first change; `nil` if there is none.
  func first(_ store: SettingsStore, _ memory: inout Memory) -> Element? {
    guard initial else { return nil }
    // The newest state, which may have changed since the observer was created.
    memory = remember(store)
    return element(of: memory)
  }
}

/// How the values of a type are compared.
///
/// An observer makes it once: looking up the conformances of a type takes longer than comparing two values.
///
/// Texts are compared by their code units, as TOML does: two forms of an accent are different names to Linux.
struct ValueComparison<Value>: @unchecked Sendable {  // the function holds nothing but a type
  private let areEqual: ((Value, Value, () -> Bool) -> Bool)?

  init() {
    func comparing<Concrete: Equatable>(_: Concrete.Type) -> (Value, Value, () -> Bool) -> Bool {
      let holdsTexts = Concrete.self is any TextHolding.Type
      return { first, second, areStoredEqual in
        // The same type: a cast that asks for it takes longer than the rest.
        let first = unsafeBitCast(first, to: Concrete.self)
        let second = unsafeBitCast(second, to: Concrete.self)
        if first == second { return !holdsTexts || hasSameTexts(first, second) }
        return first != first && second != second && areStoredEqual()
      }
    }
    areEqual = (Value.self as? any Equatable.Type).map { comparing($0) }
  }

  /// Whether the type is `Equatable`.
  var isPossible: Bool { areEqual != nil }

  /// Whether two values are equal; `nil` if their type is not `Equatable`.
  ///
  /// - Parameter areStoredEqual: Whether the stored forms are equal, which decides on values that are unequal to
  ///   themselves: they hold a not-a-number.
  func callAsFunction(_ first: Value, _ second: Value, orElse areStoredEqual: @autoclosure () -> Bool) -> Bool? {
    areEqual?(first, second, areStoredEqual)
  }
}

extension SettingsKey {
  /// Whether two values are equal; `nil` if their type is not `Equatable`.
  func areEqual(_ first: Value, _ second: Value, by compare: ValueComparison<Value> = ValueComparison()) -> Bool? {
    compare(first, second, orElse: (try? bridge.write(first)) == (try? bridge.write(second)))
  }
}

/// Whether equal values have the same texts. Within types of an app, `==` decides.
private func hasSameTexts<Value>(_ first: Value, _ second: Value) -> Bool {
  guard let first = first as? any TextHolding else { return true }
  func compare<Concrete: TextHolding>(_ first: Concrete) -> Bool { first.hasSameTexts(as: second as! Concrete) }
  return compare(first)
}

/// A type of which two equal values may have different code units.
private protocol TextHolding {
  /// - Parameter other: A value that is equal to this one.
  func hasSameTexts(as other: Self) -> Bool
}

extension String: TextHolding {
  fileprivate func hasSameTexts(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Optional: TextHolding {
  fileprivate func hasSameTexts(as other: Wrapped?) -> Bool {
    guard let self, let other else { return true }
    return AppSettingsObserve.hasSameTexts(self, other)
  }
}

extension Array: TextHolding {
  fileprivate func hasSameTexts(as other: [Element]) -> Bool {
    guard Element.self is any TextHolding.Type else { return true }
    return zip(self, other).allSatisfy { AppSettingsObserve.hasSameTexts($0, $1) }
  }
}

extension Set: TextHolding {
  fileprivate func hasSameTexts(as other: Set<Element>) -> Bool {
    guard Element.self is any TextHolding.Type else { return true }
    return allSatisfy { element in
      other.firstIndex(of: element).map { AppSettingsObserve.hasSameTexts(element, other[$0]) } ?? false
    }
  }
}

extension Dictionary: TextHolding {
  fileprivate func hasSameTexts(as other: [Key: Value]) -> Bool {
    guard Key.self is any TextHolding.Type || Value.self is any TextHolding.Type else { return true }
    return allSatisfy { key, value in
      other.index(forKey: key).map { index in
        AppSettingsObserve.hasSameTexts(key, other[index].key)
          && AppSettingsObserve.hasSameTexts(value, other[index].value)
      } ?? false
    }
  }
}
