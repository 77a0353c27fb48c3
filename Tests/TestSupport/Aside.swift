package import AppSettings
import Foundation

/// Work on a thread of its own, so that a test can go on, or fail, where the work waits for ever.
package final class Aside: Sendable {
  /// How long a test waits for what has to happen, in seconds: so long that no load of the machine is the reason.
  package static let patience = 300.0
  /// How long something stays that must not be waited for: until it is told to go, or all who wait have given up.
  package static let endless = 3 * patience

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
  package func ends(within seconds: Double = Aside.patience) -> Bool {
    isDone.wait(timeout: .now() + seconds) == .success
  }
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
  package func wait(seconds: Double = Aside.patience) -> Bool {
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
