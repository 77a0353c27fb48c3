import Synchronization

/// A state of a store, with the stamp that identifies it.
///
/// With the stamp, its values are found in the caches of the keys, unlike those of a plain snapshot.
package struct StoreMoment: Sendable {
  package let snapshot: SettingsSnapshot
  let stamp: UInt64
}

extension StoreCore {
  /// The present state, and the result of `take` at the same moment: no change comes in between.
  package func moment<Taken>(_ take: () -> Taken) -> (taken: Taken, moment: StoreMoment) {
    load()
    return state.withLock { state in
      (take(), StoreMoment(snapshot: state.snapshot, stamp: stamp.load(ordering: .relaxed)))
    }
  }

  /// A key's value at a moment; see ``value(of:in:)``.
  package func value<Value>(of key: SettingsKey<Value>, at moment: StoreMoment) -> Value {
    if let value = key.cache.value(at: moment.stamp) { return value }
    note(key)
    let (value, isCacheable, _) = ValueReading.value(
      of: key, stored: StoredValue(of: key, in: moment.snapshot), in: moment.snapshot, problems: problems)
    if isCacheable { key.cache.store(value, at: moment.stamp) }
    return value
  }
}
