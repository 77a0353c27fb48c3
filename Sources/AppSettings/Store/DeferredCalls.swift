import CSettingsSystem

/// Defers calls of foreign code: observers, loggers, hooks. A thread makes them when it has released all locks of this
/// library, whatever they protect.
///
/// Foreign code may do anything: read and write settings, or wait for a lock that another thread holds while it writes.
/// Under one of our locks it could wait for itself, or the other thread for it.
///
/// Each thread has its own list. Outside of a section, a call is made at once.
package enum DeferredCalls {
  /// The deferred calls of a thread. Only that thread touches it.
  private final class Pending {
    var calls: [() -> Void] = []
    /// The number of nested sections the thread is in.
    var depth = 0
  }

  /// Runs `body`, which takes locks, and then the calls deferred meanwhile, in order. Nested, they run at the outer
  /// end.
  ///
  /// The calls run on this thread before the outermost section returns, even if `body` throws.
  package static func section<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    begin()
    defer { end() }
    return try body()
  }

  /// Begins a section, before locks are taken.
  static func begin() {
    let pending = current ?? Pending()
    if pending.depth == 0 { thread_deferred_set(Unmanaged.passRetained(pending).toOpaque()) }
    pending.depth += 1
  }

  /// Ends a section, after the locks are released.
  static func end() {
    guard let pending = current else { return }
    pending.depth -= 1
    guard pending.depth == 0 else { return }
    thread_deferred_set(nil)
    Unmanaged.passUnretained(pending).release()
    for call in pending.calls { call() }
  }

  /// Runs a call now, or at the end of the thread's section.
  ///
  /// No call is dropped, and those of one thread run in the order in which they were deferred.
  package static func run(_ call: @escaping () -> Void) {
    guard let pending = current else { return call() }
    pending.calls.append(call)
  }

  private static var current: Pending? {
    thread_deferred_get().map { Unmanaged<Pending>.fromOpaque($0).takeUnretainedValue() }
  }
}
