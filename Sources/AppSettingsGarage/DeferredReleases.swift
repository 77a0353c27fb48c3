import AppSettings
import CSettingsSystem

/// What links lead to is released here, one after the other: the release of an object releases its links, and those
/// what they lead to, so that a long chain would be a deep recursion.
enum DeferredReleases {
  /// What a thread is still to release. Only that thread touches it.
  private final class Queue {
    var values: [Any] = []
  }

  /// Takes a value out of a link that is going and releases it: at once, with all that this leads to, or after the value
  /// that the thread is releasing just now.
  static func release<Value>(_ value: inout Value, leaving empty: Value) {
    if let queue = thread_releases_get() {
      Unmanaged<Queue>.fromOpaque(queue).takeUnretainedValue().values.append(value)
      value = empty
      return
    }
    let queue = Queue()
    queue.values.append(value)
    // Nobody but the queue has it now, so that it goes when it leaves the queue.
    value = empty
    thread_releases_set(Unmanaged.passUnretained(queue).toOpaque())
    withExtendedLifetime(queue) {
      while queue.values.popLast() != nil {}
    }
    thread_releases_set(nil)
  }
}
