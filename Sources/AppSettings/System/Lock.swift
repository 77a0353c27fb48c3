internal import CSettingsSystem
internal import Glibc

/// A value behind a mutex of the operating system.
///
/// Not `Synchronization.Mutex`: under contention that one is handed over inside the kernel, where ThreadSanitizer does
/// not see it. The sanitizer would report false races to every program that uses this library.
///
/// Inlined everywhere: unspecialized, each use would look up the types of its results while it holds the lock.
///
/// It is not recursive: a thread that takes it twice waits forever.
///
/// ```swift
/// private let names = Lock<[String]>([])
/// names.withLock { $0.append("theme") }
/// ```
@usableFromInline
package struct Lock<Value: Sendable>: ~Copyable, @unchecked Sendable {  // The value is touched under the mutex only.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// Makes a lock with an initial value.
  package init(_ initial: Value) {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    value = .allocate(capacity: 1)
    value.initialize(to: initial)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with the lock held and exclusive access to the value.
  ///
  /// - Parameter body: Must be short, and must neither call foreign code nor take a lock that comes earlier in the
  ///   order.
  @inlinable package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body(&value.pointee)
  }

  @usableFromInline borrowing func lock() { pthread_mutex_lock(mutex) }

  @usableFromInline borrowing func unlock() { pthread_mutex_unlock(mutex) }
}
