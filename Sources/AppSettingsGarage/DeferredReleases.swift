import AppSettings
import CSettingsSystem

/// Releases the objects of links one after the other. Releasing an object releases its links and their objects in turn,
/// so a long chain would otherwise recurse deeply.
enum DeferredReleases {
  /// The values that a thread has yet to release. Only that thread touches it.
  private final class Queue {
    var values: [Any] = []
  }

  /// Takes a value out of a link that is being released, and releases it: now, with all that its links lead to, or
  /// after the value that the thread is releasing at the moment.
  static func release<Value>(_ value: inout Value, leaving empty: Value) {
    if let queue = thread_releases_get() {
      Unmanaged<Queue>.fromOpaque(queue).takeUnretainedValue().values.append(value)
      value = empty
      return
    }
    let queue = Queue()
    queue.values.append(value)
    // Only the queue holds it now, so it is released when it leaves the queue.
    value = empty
    thread_releases_set(Unmanaged.passUnretained(queue).toOpaque())
    withExtendedLifetime(queue) {
      while queue.values.popLast() != nil {}
    }
    thread_releases_set(nil)
  }
}
