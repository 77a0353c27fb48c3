import Synchronization

/// A state of a store, with the stamp that tells it from all others.
package struct StoreMoment: Sendable {
  package let snapshot: SettingsSnapshot
  let stamp: UInt64
}

extension StoreCore {
  /// The state at this moment, and what `take` makes of the same moment: no change comes in between.
  package func moment<Taken>(_ take: () -> Taken) -> (taken: Taken, moment: StoreMoment) {
    load()
    return state.withLock { state in
      (take(), StoreMoment(snapshot: state.snapshot, stamp: stamp.load(ordering: .relaxed)))
    }
  }

  /// A key's value at a moment, as ``value(of:in:)``.
  package func value<Value>(of key: SettingsKey<Value>, at moment: StoreMoment) -> Value {
    if let value = key.cache.value(at: moment.stamp) { return value }
    let (value, isCacheable) = ValueReading.value(
      of: key, stored: StoredValue(of: key, in: moment.snapshot), in: moment.snapshot, problems: problems)
    if isCacheable { key.cache.store(value, at: moment.stamp) }
    return value
  }
}
