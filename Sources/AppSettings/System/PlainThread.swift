import CSettingsSystem
import Glibc

/// A system thread, for work that blocks.
///
/// Not a `Task` and not a dispatch queue: both keep a pool with a timer, and blocking there takes a thread from others.
package enum PlainThread {
  /// Starts a detached thread, with signals blocked so that the app's handlers run elsewhere.
  ///
  /// - Parameters:
  ///   - name: The name that `ps -T` and debuggers show, of which Linux keeps 15 bytes.
  ///   - body: The work of the thread, which then ends.
  /// - Throws: ``Errno`` of `pthread_create(3)`.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
    final class Box: Sendable {
      let name: String
      let body: @Sendable () -> Void
      init(_ name: String, _ body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
      }
    }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))

    var everySignal = sigset_t()
    var previous = sigset_t()
    sigfillset(&everySignal)
    // Signals that report a crash of the thread itself stay unblocked: blocked, they would end the process silently.
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS] { sigdelset(&everySignal, signal) }
    pthread_sigmask(SIG_SETMASK, &everySignal, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(name, body))
    let result = pthread_create(
      &thread, &attributes,
      { context in
        let box = Unmanaged<Box>.fromOpaque(context!).takeRetainedValue()
        csettings_name_thread(box.name)
        box.body()
        return nil
      }, box.toOpaque())
    guard result == 0 else {
      box.release()
      throw Errno(result)
    }
  }

  /// A number that distinguishes the calling thread from every other living one.
  ///
  /// A later thread may get the number of one that has ended.
  package static var currentID: UInt { UInt(pthread_self()) }
}

/// A value under a lock, with a way to wait for a change: `pthread_mutex_t` with `pthread_cond_t`.
///
/// `Synchronization.Mutex` has no way to wait; this is for the few places that must.
///
/// ```swift
/// let monitor = Monitor(false)
/// try PlainThread.start("work") { monitor.withLock { $0 = true } }
/// monitor.wait { $0 ? () : nil }
/// ```
package final class Monitor<State>: @unchecked Sendable {  // `state` is touched only between lock and unlock
  private var state: State
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  /// Makes a monitor whose waits end by the monotonic clock, which nobody can set.
  package init(_ state: sending State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` with the lock held, then wakes all waiters.
  package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return try body(&state)
  }

  /// Runs `body` with the lock held, and wakes no waiter.
  package func withLockQuietly<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Wakes all waiters.
  package func wake() { pthread_cond_broadcast(condition) }

  /// Waits until `body` returns a result. It runs with the lock held, once at first and again after each change.
  ///
  /// `body` may change the state, for example to take what it has waited for.
  package func wait<Result>(_ body: (inout State) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// Does the same as ``wait(_:)``, but gives up at a time on the monotonic clock, in nanoseconds.
  package func wait<Result>(untilNanoseconds deadline: UInt64, _ body: (inout State) -> Result?) -> Result? {
    var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return body(&state) }
    }
  }
}
