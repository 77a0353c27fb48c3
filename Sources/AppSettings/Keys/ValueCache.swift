import CSettingsSystem
public import Synchronization

/// The last decoded value of a key, with the stamp of the store's state that it was decoded from.
///
/// Stamps are drawn from one counter for the whole process, so that a stamp names a store and a state of it: a key that
/// is used with several stores needs no more than one entry to be right.
///
/// Neither kind of read takes a lock. A value of up to eight trivial bytes is read between two looks at the stamp, which
/// a writer takes away while it changes the bits (a sequence lock). Anything else must not be retained while a writer
/// may release it: each thread keeps references of its own, in a small cache that no other thread touches.
@usableFromInline
package final class ValueCache<Value: Sendable>: Sendable {
  /// No state's stamp at first and while the bits change, so that not even a store that was not read yet matches.
  @usableFromInline let stamp = Atomic<UInt64>(.max)
  @usableFromInline let bits = Atomic<UInt64>(0)
  /// Tells this cache from all others there ever were: a new one may have an old one's address.
  @usableFromInline let number = CacheNumbers.next()
  // Protects the box of values that are not trivial, and serialises writers of those that are.
  private let entry = Lock<(stamp: UInt64, box: ValueBox<Value>?)>((.max, nil))

  @inlinable static var isTrivial: Bool {
    _isPOD(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<UInt64>.size
  }

  package init() {}

  /// The value for a stamp; `nil` if it is not here.
  @inlinable
  package func value(at wanted: UInt64) -> Value? {
    if Self.isTrivial {
      guard stamp.load(ordering: .acquiring) == wanted else { return nil }
      // Acquiring, so that whoever sees bits of a later write sees that it took the stamp away, too.
      var bits = bits.load(ordering: .acquiring)
      guard stamp.load(ordering: .relaxed) == wanted else { return nil }
      return withUnsafeBytes(of: &bits) { $0.loadUnaligned(as: Value.self) }
    }
    if let box = ThreadCache.find(number, wanted) {
      return box._withUnsafeGuaranteedRef { unsafeDowncast($0, to: ValueBox<Value>.self).value }
    }
    return valueOfAnyThread(at: wanted)
  }

  /// Looks where all threads' values come from, and keeps what is there for this thread.
  @usableFromInline
  func valueOfAnyThread(at wanted: UInt64) -> Value? {
    let box = entry.withLock { entry in entry.stamp == wanted ? entry.box : nil }
    guard let box else { return nil }
    ThreadCache.put(box, number, wanted)
    return box.value
  }

  /// Keeps a value in the place of whatever is here. An older state may win a race: that costs a decoding, nothing else.
  package func store(_ value: Value, at new: UInt64) {
    if Self.isTrivial {
      var raw: UInt64 = 0
      withUnsafeMutableBytes(of: &raw) { $0.storeBytes(of: value, as: Value.self) }
      entry.withLock { entry in
        guard entry.stamp != new else { return }
        entry.stamp = new
        stamp.store(.max, ordering: .relaxed)
        bits.store(raw, ordering: .releasing)
        stamp.store(new, ordering: .releasing)
      }
      return
    }
    let box = ValueBox(value)
    // The old box goes after the lock: its deinitialisation may run anyone's code.
    let old = entry.withLock { entry in
      let old = entry.box
      entry = (new, box)
      return old
    }
    _ = old
  }
}

/// A value on the heap, for sharing between threads. Immutable.
@usableFromInline
final class ValueBox<Value: Sendable>: Sendable {
  @usableFromInline let value: Value
  init(_ value: Value) { self.value = value }
}

@usableFromInline
enum CacheNumbers {
  private static let last = Atomic<UInt64>(0)
  @usableFromInline static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// The calling thread's own references to decoded values.
@usableFromInline
enum ThreadCache {
  @usableFromInline
  static func find(_ owner: UInt64, _ stamp: UInt64) -> Unmanaged<AnyObject>? {
    thread_cache_find(owner, stamp).map { Unmanaged.fromOpaque($0) }
  }

  static func put(_ box: AnyObject, _ owner: UInt64, _ stamp: UInt64) {
    let old = thread_cache_put(owner, stamp, Unmanaged.passRetained(box).toOpaque()) { object in
      Unmanaged<AnyObject>.fromOpaque(object!).release()
    }
    if let old { Unmanaged<AnyObject>.fromOpaque(old).release() }
  }
}
