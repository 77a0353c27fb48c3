import EtcdClient
import Foundation
import Synchronization

/// What a run counts, over all fleets.
final class Figures: Sendable {
  /// What must not happen.
  enum Harm: String, Sendable, CaseIterable {
    case lost = "acknowledged writes lost"
    case torn = "states of files that were never a document of the cluster"
    case refused = "refused documents applied"
    case wrong = "older texts, or texts before 'accept', applied"
    case late = "checks in which a machine was not right in time"
    case slow = "calls of over 3 s"
    case broken = "rounds that did not end as they should"
    case divergent = "rounds after which etcd's members differed"

    /// Whether it follows from members that differ: then reads depend on who answers, and mirrors wait for 'accept'.
    /// What a mirror must not do, whatever the cluster says, does not.
    var followsFromDivergence: Bool { [.lost, .late, .broken].contains(self) }
  }

  struct State: Sendable {
    var faults: [Fault.Kind: Int] = [:]
    var harm: [Harm: Int] = [:]
    var acknowledged = 0
    var unknown = 0
    var commands = 0
    var goodCommands = 0
    var resumed = 0
    var calls = 0
    var states = 0
    var rounds = 0
    var restarts = 0
    var longestCall = Duration.zero
    var longestCommand = Duration.zero
    /// How long faults came, and how long healing took, over all rounds.
    var timeOfFaults = Duration.zero
    var timeOfHeals = Duration.zero
    var timesToRight: [Duration] = []
    var allFaults: Int { faults.values.reduce(0, +) }
  }

  /// Protects the counts.
  private let state = Mutex(State())
  /// Those of all fleets, where these are of one.
  private let whole: Figures?

  init(partOf whole: Figures? = nil) { self.whole = whole }

  var now: State { state.withLock { $0 } }
  var isHarmless: Bool { now.harm.values.allSatisfy { $0 == 0 } }

  func note(_ change: (inout State) -> Void) {
    state.withLock { change(&$0) }
    whole?.note(change)
  }

  func count(_ fault: Fault.Kind) { note { $0.faults[fault, default: 0] += 1 } }

  /// Counts what must not happen, and says what it was.
  func count(_ harm: Harm, _ text: String) {
    note { $0.harm[harm, default: 0] += 1 }
    Output.say("\(harm.rawValue.uppercased()): \(text)")
  }

  /// Counts members that differ in the place of all that these figures have and that follows from it.
  func countDivergence() {
    let consequences = now.harm.filter { $0.key.followsFromDivergence }
    note { state in
      for (harm, times) in consequences { state.harm[harm, default: 0] -= times }
      state.harm[.divergent, default: 0] += 1
    }
  }

  /// Makes a call to the cluster, and measures it.
  func call<Value>(_ what: String, _ body: () async throws(EtcdError) -> Value) async throws(EtcdError) -> Value {
    let start = ContinuousClock.now
    defer {
      let time = ContinuousClock.now - start
      note {
        $0.calls += 1
        $0.longestCall = max($0.longestCall, time)
      }
      // With its deadline of one second, renewed when there is a connection and when the answer begins.
      if time > .seconds(3) { count(.slow, "\(what) took \(time)") }
    }
    return try await body()
  }
}

/// What the suite prints.
enum Output {
  private static let lock = Mutex(())

  static func say(_ text: String) {
    lock.withLock { _ in FileHandle.standardError.write(Data(("faults: " + text + "\n").utf8)) }
  }
}
