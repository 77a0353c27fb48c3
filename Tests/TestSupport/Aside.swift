package import AppSettings
import Foundation

/// Work on a thread of its own, so that a test can go on, or fail, where the work waits for ever.
package final class Aside: Sendable {
  private let isDone = DispatchSemaphore(value: 0)

  package init(_ body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread { [isDone] in
      body()
      isDone.signal()
    }
  }

  /// Waits for the end of the work.
  ///
  /// - Returns: Whether it has ended. Ask once.
  package func ends(within seconds: Double = 30) -> Bool { isDone.wait(timeout: .now() + seconds) == .success }
}

/// A place at which one thread waits for another. Opens once, and stays open.
package final class Barrier: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  package func open() { semaphore.signal() }

  /// Waits until it is open.
  ///
  /// - Returns: Whether it has been opened in time.
  @discardableResult
  package func wait(seconds: Double = 30) -> Bool {
    guard semaphore.wait(timeout: .now() + seconds) == .success else { return false }
    semaphore.signal()
    return true
  }
}

extension Syscalls {
  /// Calls of which those of a kind wait: each opens one place, and goes on when another is open.
  package static func waiting(before call: Call, opening arrival: Barrier, until departure: Barrier) -> Syscalls {
    before(call) { _ in
      arrival.open()
      departure.wait()
    }
  }
}
