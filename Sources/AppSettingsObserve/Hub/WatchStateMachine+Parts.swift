internal import Glibc

/// Why a look is due.
package enum LookCause: Equatable, Sendable {
  /// The file was closed after writing, or moved to its place. What is there is whole, unless the next save has begun.
  case save
  /// Any other reason: what is there may still be being written.
  case doubt
}

/// What a look at a file came to.
package enum LookResult: Equatable, Sendable {
  case settled
  /// The file is gone, or in the middle of being saved: look again then, unless an event comes first.
  case again(after: Duration)
}

/// The earlier of two times, of which none may be.
func earlier(
  _ first: WatchStateMachine.Instant?, _ second: WatchStateMachine.Instant?
) -> WatchStateMachine.Instant? {
  guard let first, let second else { return first ?? second }
  return min(first, second)
}

extension WatchStateMachine {
  /// Where one subscription stands. The machine's alone: an object, as it is too large to be copied at each step.
  final class Subscription {
    let target: WatchTarget
    var plan: WatchPlan?
    /// Where the path led when the walk last came to rest.
    var lastEnd: WatchPlan.End?
    var missingWatches: [FileIdentity] = []
    var rounds = 0
    var isQueued = false

    var wantsWalk = true
    /// Look before the walk.
    var wantsLookNow = false
    var cause = LookCause.doubt
    /// Look when the walk has found nothing new.
    var wantsLook = true
    /// The walk has found other needs since it last came to rest.
    var hasMoved = false
    /// The file was made and may be being written.
    var isExpectingClose = false

    var lookAt: Instant?
    var settleAt: Instant?
    var retryAt: Instant?
    var pollAt: Instant?

    /// What was reported last: what is wrong, or that nothing is.
    var reported: WatchProblem??

    init(target: WatchTarget) {
      self.target = target
    }

    var deadline: Instant? { earlier(earlier(lookAt, settleAt), earlier(retryAt, pollAt)) }
    var wantsAnything: Bool { wantsWalk || wantsLook || wantsLookNow || !missingWatches.isEmpty }

    /// Takes in what happened to an entry that is content.
    func contentHad(_ events: WatchEvents, at now: Instant) {
      if events.contains(.closedAfterWriting) {
        wantsLookNow = true
        cause = .save
      } else if events.contains(.movedTo) {
        // Look first: what was moved here is complete. Then see whether it leads elsewhere.
        wantsLookNow = true
        cause = .save
        wantsWalk = true
      } else if events.contains(.created) {
        wantsWalk = true
        isExpectingClose = true
        // A save that ended before was of the file that is gone.
        cause = .doubt
      } else if !events.isDisjoint(with: [.deleted, .movedFrom]) {
        wantsWalk = true
        wantsLook = true
        settleAt = nil
      } else if events.contains(.attributes), settleAt == nil {
        // Tools change the mode before they close the file, so this one can wait for the other.
        settleAt = now.advanced(by: Timing.quiet)
      }
    }

    /// Begins the look that does not wait for a walk, if there is to be one.
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

    /// The walk has come to rest: look now, or wait until a file that has just appeared has been written.
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

  /// A directory, with what the subscriptions need of it. The kernel has one watch per directory, whatever its names.
  struct Node {
    var watch: CInt?
    /// What the kernel's watch is for.
    var events: WatchEvents = []
    /// What came of the last attempt to watch it.
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
