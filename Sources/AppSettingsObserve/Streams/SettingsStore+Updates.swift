public import AppSettings
internal import SettingsTOML

extension SettingsStore {
  /// Streams the value of a key: now, and each time it changes.
  ///
  /// ```swift
  /// for await size in settings.updates(.fontSize) { editor.setFontSize(size) }
  /// ```
  ///
  /// It does not matter who makes the change: this process, another one, an editor or a package. The process's own
  /// changes arrive at once, without waiting for the disk. The last value of a burst always arrives; a slow reader gets
  /// only the newest value. While a file is being saved, is missing for a moment or does not parse, the stream delivers
  /// nothing and goes on. It ends only when its task is cancelled.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - initial: Whether the first element is the current value. If `false`, the first element is the first value that
  ///     is set after this call.
  ///   - duplicates: Whether to deliver a value that equals the one before and was set again, locked or unlocked.
  /// - Returns: The stream.
  public func updates<Value>(
    _ key: SettingsKey<Value>, initial: Bool = true, includingDuplicates duplicates: Bool = false
  ) -> SettingsStream<Value> {
    SettingsStream(self, ValueView(key: key, initial: initial, duplicates: duplicates), beginsNow: !initial)
  }

  /// Streams the values of several keys together: now, and each time one of them changes.
  ///
  /// The values of an element belong to one moment: no reader sees only part of an `update` of several keys.
  ///
  /// ```swift
  /// for await (theme, size) in settings.updates(.theme, .fontSize) { editor.show(theme, size) }
  /// ```
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - initial: Whether the first element has the current values. If `false`, the first element comes with the first
  ///     change after this call.
  ///   - duplicates: Whether to deliver values that equal the ones before when one of them was set again, locked or
  ///     unlocked.
  /// - Returns: The stream.
  public func updates<each Value>(
    _ keys: repeat SettingsKey<each Value>, initial: Bool = true, includingDuplicates duplicates: Bool = false
  ) -> SettingsStream<(repeat each Value)> {
    SettingsStream(self, TupleView(repeat each keys, initial: initial, duplicates: duplicates), beginsNow: !initial)
  }

  /// Streams snapshots of the settings: now, and each time the value of one of some keys changes.
  ///
  /// ```swift
  /// for await snapshot in settings.updates([.theme, .fontSize]) { editor.show(snapshot[.theme], snapshot[.fontSize]) }
  /// ```
  ///
  /// - Parameters:
  ///   - keys: The keys, of any type.
  ///   - initial: Whether the first element is the current state.
  ///   - duplicates: Whether to deliver a state without a different value when one of the values was set again, locked
  ///     or unlocked.
  /// - Returns: The stream.
  public func updates(
    _ keys: [AnySettingsKey], initial: Bool = true, includingDuplicates duplicates: Bool = false
  ) -> SettingsStream<SettingsSnapshot> {
    SettingsStream(self, SnapshotView(keys: keys, initial: initial, duplicates: duplicates), beginsNow: !initial)
  }

  /// Streams snapshots of the settings: now, and after every change of any value.
  ///
  /// - Parameter initial: Whether the first element is the current state.
  /// - Returns: The stream.
  public func snapshots(initial: Bool = true) -> SettingsStream<SettingsSnapshot> {
    SettingsStream(self, SnapshotView(keys: nil, initial: initial, duplicates: false), beginsNow: !initial)
  }
}

/// One key's value.
struct ValueView<Value: Sendable>: MomentView {
  struct Memory {
    var value: Value
    /// Stored for types that cannot be compared.
    var stored: TOMLValue?
  }

  let key: SettingsKey<Value>
  let initial: Bool
  let duplicates: Bool
  private let comparison = ValueComparison<Value>()

  func makeWaiter(_ callback: (@Sendable () -> Void)?) -> ChangeWaiter {
    ChangeWaiter(paths: key.paths, seesEqualSets: duplicates, tellsQuiet: callback != nil, callback: callback)
  }

  func remember(_ store: SettingsStore) -> Memory {
    if comparison.isPossible { return Memory(value: store[key]) }
    let snapshot = store.snapshot
    return Memory(value: store.core.value(of: key, in: snapshot), stored: snapshot.stored(for: key))
  }

  func remember(_ store: SettingsStore, at moment: StoreMoment) -> Memory {
    let value = store.core.value(of: key, at: moment)
    return Memory(value: value, stored: comparison.isPossible ? nil : moment.snapshot.stored(for: key))
  }

  func element(of memory: Memory) -> Value? { .some(memory.value) }

  func look(_ store: SettingsStore, _ waiter: ChangeWaiter, _ memory: inout Memory) -> Value? {
    waiter.take() == nil ? nil : compare(remember(store), with: &memory)
  }

  func look(
    _ store: SettingsStore, _ wake: ChangeWaiter.Wake, _ moment: StoreMoment, _ memory: inout Memory
  ) -> Value? {
    compare(remember(store, at: moment), with: &memory)
  }

  /// Remembers a new state; returns its value if that is to be delivered.
  func compare(_ new: Memory, with memory: inout Memory) -> Value? {
    let isSame = key.areEqual(memory.value, new.value, by: comparison) ?? (memory.stored == new.stored)
    memory = new
    return isSame && !duplicates ? nil : .some(new.value)
  }
}

/// The values of several keys at one moment.
struct TupleView<each Value: Sendable>: MomentView {
  typealias Element = (repeat each Value)

  struct Memory {
    var values: (repeat each Value)
    /// Stored for types that cannot be compared.
    var stored: [TOMLValue?]
  }

  let keys: (repeat SettingsKey<each Value>)
  let list: [AnySettingsKey]
  let initial: Bool
  let duplicates: Bool

  init(_ keys: repeat SettingsKey<each Value>, initial: Bool, duplicates: Bool) {
    self.keys = (repeat each keys)
    var list: [AnySettingsKey] = []
    for key in repeat each keys { list.append(key) }
    self.list = list
    self.initial = initial
    self.duplicates = duplicates
  }

  func makeWaiter(_ callback: (@Sendable () -> Void)?) -> ChangeWaiter {
    ChangeWaiter(
      paths: list.flatMap(\.paths), seesEqualSets: duplicates, tellsQuiet: callback != nil, callback: callback)
  }

  func remember(_ store: SettingsStore) -> Memory { remember(store, store.snapshot) }

  private func remember(_ store: SettingsStore, _ snapshot: SettingsSnapshot) -> Memory {
    Memory(
      values: (repeat store.core.value(of: each keys, in: snapshot)), stored: list.map { snapshot.stored(for: $0) })
  }

  func element(of memory: Memory) -> Element? { Optional<Element>.some(memory.values) }

  func look(_ store: SettingsStore, _ waiter: ChangeWaiter, _ memory: inout Memory) -> Element? {
    _ = waiter.take()
    return compare(remember(store), with: &memory)
  }

  func look(
    _ store: SettingsStore, _ wake: ChangeWaiter.Wake, _ moment: StoreMoment, _ memory: inout Memory
  ) -> Element? {
    compare(remember(store, moment.snapshot), with: &memory)
  }

  /// Remembers new values; returns them if they are to be delivered.
  private func compare(_ new: Memory, with memory: inout Memory) -> Element? {
    let isSame = isSame(memory, new)
    memory = new
    return isSame && !duplicates ? nil : Optional<Element>.some(new.values)
  }

  private func isSame(_ old: Memory, _ new: Memory) -> Bool {
    var index = 0
    for (key, first, second) in repeat (each keys, each old.values, each new.values) {
      guard key.areEqual(first, second) ?? (old.stored[index] == new.stored[index]) else { return false }
      index += 1
    }
    return true
  }
}

/// All settings, for an observer of some keys or of everything.
private struct SnapshotView: SettingsView {
  struct Memory {
    var snapshot: SettingsSnapshot
    var stored: [TOMLValue?]
  }

  /// `nil` for every key, declared or not.
  let keys: [AnySettingsKey]?
  let initial: Bool
  let duplicates: Bool

  func makeWaiter(_ callback: (@Sendable () -> Void)?) -> ChangeWaiter {
    ChangeWaiter(paths: keys?.flatMap(\.paths) ?? [.root], seesEqualSets: duplicates, callback: callback)
  }

  func remember(_ store: SettingsStore) -> Memory {
    let snapshot = store.snapshot
    // Stores nothing for an observer of everything: a comparison would cost more than the change.
    return Memory(snapshot: snapshot, stored: keys?.map { snapshot.stored(for: $0) } ?? [])
  }

  func element(of memory: Memory) -> SettingsSnapshot? { memory.snapshot }

  func look(_ store: SettingsStore, _ waiter: ChangeWaiter, _ memory: inout Memory) -> SettingsSnapshot? {
    guard let wake = waiter.take() else { return nil }
    let new = remember(store)
    // The change was already part of the previous element, or was undone.
    let isSame = new.snapshot.generation == memory.snapshot.generation || self.isSame(memory, new, store.core)
    memory = new
    return isSame && !(duplicates && wake.isEqualSet) ? nil : new.snapshot
  }

  /// Whether all observed keys have the same values.
  private func isSame(_ old: Memory, _ new: Memory, _ core: StoreCore) -> Bool {
    guard let keys, !keys.isEmpty else { return false }
    return keys.indices.allSatisfy { index in
      old.stored[index] == new.stored[index]
        || (keys[index] as? any ComparedKey)?.isSame(old.snapshot, new.snapshot, core) == true
    }
  }
}

/// A key whose values are compared, and not what is stored for them.
private protocol ComparedKey {
  func isSame(_ old: SettingsSnapshot, _ new: SettingsSnapshot, _ core: StoreCore) -> Bool?
}

extension SettingsKey: ComparedKey {
  fileprivate func isSame(_ old: SettingsSnapshot, _ new: SettingsSnapshot, _ core: StoreCore) -> Bool? {
    areEqual(core.value(of: self, in: old), core.value(of: self, in: new))
  }
}
