internal import Glibc

/// Why a look is due.
package enum LookCause: Equatable, Sendable {
  /// The file was closed after writing, or moved to its place. It is complete, unless the next save has begun.
  case save
  /// Any other reason: a program may still be writing the file.
  case doubt
}

/// The result of a look at a file.
package enum LookResult: Equatable, Sendable {
  case settled
  /// The file is missing or being saved: check again after this time, unless an event comes first.
  case again(after: Duration)
}

/// The earlier of two times, either of which may be `nil`.
func earlier(
  _ first: WatchStateMachine.Instant?, _ second: WatchStateMachine.Instant?
) -> WatchStateMachine.Instant? {
  guard let first, let second else { return first ?? second }
  return min(first, second)
}

extension WatchStateMachine {
  /// The state of one subscription. Only the machine uses it. A class, as it is too large to copy at each step.
  final class Subscription {
    let target: WatchTarget
    var plan: WatchPlan?
    /// Where the path led when the last walk was complete.
    var lastEnd: WatchPlan.End?
    var missingWatches: [FileIdentity] = []
    var rounds = 0
    var isQueued = false

    var wantsWalk = true
    /// Whether to look before the walk.
    var wantsLookNow = false
    var cause = LookCause.doubt
    /// Whether to look once a walk finds nothing new.
    var wantsLook = true
    /// Whether a walk has found other needs since the last complete one.
    var hasMoved = false
    /// Whether the file was created and may still be written to.
    var isExpectingClose = false

    var lookAt: Instant?
    var settleAt: Instant?
    var retryAt: Instant?
    var pollAt: Instant?

    /// The last report: a problem, or that there is none.
    var reported: WatchProblem??

    init(target: WatchTarget) {
      self.target = target
    }

    var deadline: Instant? { earlier(earlier(lookAt, settleAt), earlier(retryAt, pollAt)) }
    var wantsAnything: Bool { wantsWalk || wantsLook || wantsLookNow || !missingWatches.isEmpty }

    /// Handles the events of an entry that is content.
    func contentHad(_ events: WatchEvents, at now: Instant) {
      if events.contains(.closedAfterWriting) {
        wantsLookNow = true
        cause = .save
      } else if events.contains(.movedTo) {
        // Looks first, since a moved file is complete. The walk then finds out whether it leads elsewhere.
        wantsLookNow = true
        cause = .save
        wantsWalk = true
      } else if events.contains(.created) {
        wantsWalk = true
        isExpectingClose = true
        // A save that ended earlier was that of the file that is now gone.
        cause = .doubt
      } else if !events.isDisjoint(with: [.deleted, .movedFrom]) {
        wantsWalk = true
        wantsLook = true
        settleAt = nil
      } else if events.contains(.attributes), settleAt == nil {
        // Tools change the mode before they close the file, so this event can wait for the other.
        settleAt = now.advanced(by: Timing.quiet)
      }
    }

    /// Starts the look that does not wait for a walk, if one is due.
    func takeLookNow() -> LookCause? {
      guard wantsLookNow else { return nil }
      defer { startLook() }
      return cause
    }

    func startLook() {
      wantsLookNow = false
      wantsLook = false
      cause = .doubt
      lookAt = nil
      settleAt = nil
      isExpectingClose = false
    }

    /// Ends a walk: looks now, or waits until a new file has been written.
    func settle(at now: Instant) {
      guard let end = plan?.end else { return }
      let hasAppeared = isExpectingClose || hasMoved && lastEnd?.isContent == false
      defer {
        lastEnd = end
        hasMoved = false
        isExpectingClose = false
      }
      guard hasAppeared || hasMoved || wantsLook else { return }
      if hasAppeared, let age = end.age, age < Timing.quiet {
        settleAt = now.advanced(by: Timing.quiet - age)
        lookAt = nil
        wantsLook = false
      } else {
        settleAt = nil
        wantsLook = true
      }
    }
  }

  /// A directory and what the subscriptions need from it. The kernel has one watch per directory, whatever its names.
  struct Node {
    var watch: CInt?
    /// The events of the kernel's watch.
    var events: WatchEvents = []
    /// Why the last attempt to watch it failed.
    var refusal: WatchRefusal?
    var users: [WatchStateMachine.ID: WatchPlan.Need] = [:]

    var wanted: WatchEvents {
      users.values.reduce(into: []) { $0.formUnion($1.events) }
    }

    func serves(_ need: WatchPlan.Need) -> Bool {
      watch != nil && need.events.isSubset(of: events)
    }
  }
}
