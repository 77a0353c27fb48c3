internal import AppSettings
internal import Synchronization

/// Keeps a path watched until ``cancel()`` is called or it is released.
package final class WatchSubscription: Sendable {
  private let registration: WatchRegistration

  init(_ registration: WatchRegistration) {
    self.registration = registration
  }

  deinit {
    cancel()
  }

  /// Ends the subscription.
  ///
  /// This waits for a running look: once it has returned, nothing is called any more. So the caller must hold no lock
  /// that a look takes. Within a look, it returns at once.
  package func cancel() {
    registration.cancel()
  }
}

/// One subscription, as the hub stores it.
final class WatchRegistration: Sendable {
  let id: WatchStateMachine.ID
  let target: WatchTarget
  private let hub: WatchHub
  private let problem: @Sendable (WatchProblem?) -> Void
  private let look: @Sendable (LookCause) -> LookResult
  private let isCancelled = Atomic(false)
  /// Held while a callback runs. Outermost: all locks of the callback are taken after it.
  private let calling = Lock(())

  init(
    id: WatchStateMachine.ID, target: WatchTarget, hub: WatchHub,
    problem: @escaping @Sendable (WatchProblem?) -> Void, look: @escaping @Sendable (LookCause) -> LookResult
  ) {
    self.id = id
    self.target = target
    self.hub = hub
    self.problem = problem
    self.look = look
  }

  func callLook(_ cause: LookCause) -> LookResult {
    DeferredCalls.section {
      calling.withLock { _ in isCancelled.load(ordering: .acquiring) ? .settled : look(cause) }
    }
  }

  func callProblem(_ found: WatchProblem?) {
    DeferredCalls.section {
      calling.withLock { _ in if !isCancelled.load(ordering: .acquiring) { problem(found) } }
    }
  }

  func cancel() {
    guard isCancelled.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else {
      return
    }
    hub.cancel(self)
    if !hub.isCurrentThread { calling.withLock { _ in } }
  }
}
