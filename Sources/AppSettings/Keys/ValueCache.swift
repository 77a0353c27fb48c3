import CSettingsSystem
public import Synchronization

/// The last decoded value of a key, with the stamp of the store's state that it was decoded from.
///
/// Stamps come from one counter for the whole process, so a stamp identifies a store and its state. One entry is
/// therefore enough for a key that is used with several stores.
///
/// Reads take no lock. A trivial value of up to eight bytes is read between two checks of the stamp, which a writer
/// invalidates while it changes the bits (a sequence lock). Other values must not be retained while a writer may
/// release them, so each thread keeps its own references, in a small cache that no other thread uses.
@usableFromInline
package final class ValueCache<Value: Sendable>: Sendable {
  /// Matches no state, not even that of a store that was never read: the stamp at first and while the bits change.
  @usableFromInline let stamp = Atomic<UInt64>(.max)
  @usableFromInline let bits = Atomic<UInt64>(0)
  /// Distinguishes this cache from all others, including released ones: a new cache may have the address of an old one.
  @usableFromInline let number = CacheNumbers.next()
  // Protects the box of values that are not trivial, and serialises writers of those that are.
  private let entry = Lock(CacheEntry())

  /// Whether values hold no references and fit an atomic integer, as a `Bool`, an `Int` or a small enumeration does.
  @inlinable static var isTrivial: Bool {
    _isPOD(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<UInt64>.size
  }

  package init() {}

  /// Returns the value for a stamp; `nil` if it is not cached.
  ///
  /// It takes the lock of the shared entry only if the calling thread has no reference for this stamp yet.
  @inlinable
  package func value(at wanted: UInt64) -> Value? {
    if Self.isTrivial {
      guard stamp.load(ordering: .acquiring) == wanted else { return nil }
      // Acquiring, so that a thread that sees the bits of a later write also sees that the stamp was invalidated.
      var bits = bits.load(ordering: .acquiring)
      guard stamp.load(ordering: .relaxed) == wanted else { return nil }
      return withUnsafeBytes(of: &bits) { $0.loadUnaligned(as: Value.self) }
    }
    if let box = ThreadCache.find(number, wanted) {
      return box._withUnsafeGuaranteedRef { unsafeDowncast($0, to: ValueBox<Value>.self).value }
    }
    return valueOfAnyThread(at: wanted)
  }

  /// Looks in the entry that all threads share, and caches its value for this thread.
  @usableFromInline
  func valueOfAnyThread(at wanted: UInt64) -> Value? {
    let box = entry.withLock { entry in entry.stamp == wanted ? entry.box : nil }
    guard let box else { return nil }
    ThreadCache.put(box, number, wanted)
    return unsafeDowncast(box, to: ValueBox<Value>.self).value
  }

  /// Replaces the cached value. If an older state wins a race, that costs one decoding and nothing else.
  ///
  /// - Parameters:
  ///   - value: The value that was decoded.
  ///   - new: The stamp of the state from which it was decoded.
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
    // The old box is released after the lock: its deinitialisation may run any code.
    let old = entry.withLock { entry in
      let old = entry.box
      entry = CacheEntry(stamp: new, box: box)
      return old
    }
    _ = old
  }
}

/// What a cache has for all threads. Not generic, so that the type is not looked up at each use.
private struct CacheEntry: Sendable {
  var stamp = UInt64.max
  /// A ``ValueBox`` of the cache's type.
  var box: (any AnyObject & Sendable)?
}

/// An immutable value on the heap, shared between threads.
@usableFromInline
final class ValueBox<Value: Sendable>: Sendable {
  @usableFromInline let value: Value
  init(_ value: Value) { self.value = value }
}

/// Numbers for caches. They begin at 1 and are never reused in the process.
@usableFromInline
enum CacheNumbers {
  private static let last = Atomic<UInt64>(0)
  @usableFromInline static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// The calling thread's own references to decoded values.
///
/// They are in a C array in thread-local storage, whose slot follows from the cache's number: two caches may share a
/// slot and then replace each other's entry. The array is emptied when the thread ends.
@usableFromInline
enum ThreadCache {
  /// The calling thread's value of a cache at a stamp, not retained; `nil` if its slot holds something else.
  @usableFromInline
  static func find(_ owner: UInt64, _ stamp: UInt64) -> Unmanaged<AnyObject>? {
    thread_cache_find(owner, stamp).map { Unmanaged.fromOpaque($0) }
  }

  /// Retains a value for the calling thread, and releases what its slot held.
  static func put(_ box: AnyObject, _ owner: UInt64, _ stamp: UInt64) {
    let old = thread_cache_put(owner, stamp, Unmanaged.passRetained(box).toOpaque()) { object in
      Unmanaged<AnyObject>.fromOpaque(object!).release()
    }
    if let old { Unmanaged<AnyObject>.fromOpaque(old).release() }
  }
}
