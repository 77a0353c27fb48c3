public import Synchronization

/// The last decoded value of a key, with the stamp of the store's state that it was decoded from.
///
/// Stamps are drawn from one counter for the whole process, so that a stamp names a store and a state of it: a key that
/// is used with several stores needs no more than one entry to be right.
///
/// A value of up to eight trivial bytes is read without a lock: the stamp is read before and after it, and a writer
/// takes the stamp away while it changes the bits (a sequence lock). Anything else is copied under a lock, since a
/// reader must not retain what a writer is about to release.
@usableFromInline
package final class ValueCache<Value: Sendable>: Sendable {
  @usableFromInline let stamp = Atomic<UInt64>(0)
  @usableFromInline let bits = Atomic<UInt64>(0)
  // Protects `value`, and for trivial values serialises writers; nothing is called while it is held.
  @usableFromInline let entry = Mutex<(stamp: UInt64, value: Value?)>((0, nil))

  @inlinable static var isTrivial: Bool {
    _isPOD(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<UInt64>.size
  }

  package init() {}

  /// The value for a stamp, which is not 0; `nil` if it is not here.
  @inlinable
  package func value(at wanted: UInt64) -> Value? {
    if Self.isTrivial {
      guard stamp.load(ordering: .acquiring) == wanted else { return nil }
      // Acquiring, so that whoever sees bits of a later write sees that it took the stamp away, too.
      var bits = bits.load(ordering: .acquiring)
      guard stamp.load(ordering: .relaxed) == wanted else { return nil }
      return withUnsafeBytes(of: &bits) { $0.loadUnaligned(as: Value.self) }
    }
    return entry.withLock { entry in entry.stamp == wanted ? entry.value : nil }
  }

  /// Keeps a value in the place of whatever is here. An older state may win a race: that costs a decoding, nothing else.
  package func store(_ value: Value, at new: UInt64) {
    if Self.isTrivial {
      var raw: UInt64 = 0
      withUnsafeMutableBytes(of: &raw) { $0.storeBytes(of: value, as: Value.self) }
      entry.withLock { entry in
        guard entry.stamp != new else { return }
        entry.stamp = new
        stamp.store(0, ordering: .relaxed)
        bits.store(raw, ordering: .releasing)
        stamp.store(new, ordering: .releasing)
      }
      return
    }
    // The old value goes after the lock: its deinitialisation may run anyone's code.
    let old = entry.withLock { entry -> Value? in
      let old = entry.value
      if entry.stamp != new { entry = (new, value) }
      return old
    }
    _ = old
  }
}
