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

extension WatchStateMachine {
  /// Where one subscription stands.
  struct Subscription {
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

    var deadline: Instant? { [lookAt, settleAt, retryAt, pollAt].compactMap(\.self).min() }
    var wantsAnything: Bool { wantsWalk || wantsLook || wantsLookNow || !missingWatches.isEmpty }

    mutating func startLook() {
      wantsLookNow = false
      wantsLook = false
      cause = .doubt
      lookAt = nil
      settleAt = nil
      isExpectingClose = false
    }

    /// The walk has come to rest: look now, or wait until a file that has just appeared has been written.
    mutating func settle(at now: Instant) {
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
