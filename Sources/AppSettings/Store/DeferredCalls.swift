import CSettingsSystem

/// Calls of code that is not this library's: observers, loggers, hooks. A thread makes them when it has released the
/// locks of this library, all of them, whatever they protect.
///
/// That code may do anything: read and write settings, wait for a lock that another thread holds while it writes. Under
/// one of our locks it would wait for itself, or the other thread for it.
package enum DeferredCalls {
  /// What a thread has put off. Only that thread touches it.
  private final class Pending {
    var calls: [() -> Void] = []
    /// How many sections the thread is in, one within the other.
    var depth = 0
  }

  /// Runs `body`, which takes locks, and then makes the calls that were put off meanwhile, in their order. Within another
  /// section they are made at that one's end.
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

  /// Ends a section, after the locks were released.
  static func end() {
    guard let pending = current else { return }
    pending.depth -= 1
    guard pending.depth == 0 else { return }
    thread_deferred_set(nil)
    Unmanaged.passUnretained(pending).release()
    for call in pending.calls { call() }
  }

  /// Makes a call: now, or at the end of the section that the thread is in.
  package static func run(_ call: @escaping () -> Void) {
    guard let pending = current else { return call() }
    pending.calls.append(call)
  }

  private static var current: Pending? {
    thread_deferred_get().map { Unmanaged<Pending>.fromOpaque($0).takeUnretainedValue() }
  }
}
