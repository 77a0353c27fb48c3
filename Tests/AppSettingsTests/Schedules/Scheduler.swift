import AppSettings
import Foundation
import TestSupport

/// Runs actors one system call at a time, in an order that the caller chooses.
///
/// Each actor has its own thread, which stops before each step until the scheduler resumes it. Only one actor runs at a
/// time, so the order of steps determines the outcome, and the same order repeats it.
final class Scheduler: Sendable {
  /// Where an actor is.
  private enum Phase: Sendable {
    /// Not started: calls of its store are not scheduled.
    case idle
    case running
    case parked(String)
    /// Resumed a while ago, and neither at its next step nor at its end: it waits for something other than a step.
    case waiting
    case done
  }

  private struct Actor: Sendable {
    var name: String
    var phase = Phase.idle
    var steps = 0
    var isDead = false
    /// The step before which it is killed.
    var diesAt: Int?
    /// The directory that its current step opens.
    var opening: String?
    /// The scheduler's own descriptor of the directory that the actor opened last: tells whether its lock is free.
    var probe: Int32?
    /// Its steps since another actor's last step.
    var alone: [String] = []
  }

  /// A completed step.
  struct Step: Sendable {
    var actor: Int
    var label: String
  }

  private struct State: Sendable {
    var actors: [Actor] = []
    var log: [Step] = []
    var isOver = false
  }

  private let state = Monitor(State())
  /// How often one call in a row counts as a poll. A write asks for the status of its file three times: with that as
  /// the limit the others go on there, which leaves out the later windows and makes large trees small.
  private let repeats: Int

  init(repeats: Int) { self.repeats = repeats }

  /// How long one step may take before other actors go on beside it: it may be waiting for one of them.
  private static let patience: UInt64 = 100_000_000
  private static let hung: UInt64 = 300_000_000_000
  private static let mostSteps = 2_000

  deinit {
    state.withLockQuietly { state in
      for actor in state.actors { if let probe = actor.probe { close(probe) } }
    }
  }

  // MARK: For actors

  /// Adds an actor.
  ///
  /// - Parameter diesAt: The step that fails, as do all after it, which leaves the files as a kill before it would.
  func add(_ name: String, diesAt: Int? = nil) -> Int {
    state.withLock { state in
      state.actors.append(Actor(name: name, diesAt: diesAt))
      return state.actors.count - 1
    }
  }

  /// System calls that wait for the scheduler before each call.
  func system(for actor: Int, except unscheduled: Set<Syscalls.Call>) -> Syscalls {
    Syscalls { [unowned self] (call, path) throws(Errno) -> Int? in
      let name = path.split(separator: "/").last.map(String.init) ?? path
      try pass(
        actor, "\(call) \(name)", opening: call == .openDirectory ? path : nil, isScheduled: !unscheduled.contains(call)
      )
      return nil
    }
  }

  /// Waits until the scheduler lets the actor take a step.
  func pass(_ actor: Int, _ label: String, opening: String? = nil, isScheduled: Bool = true) throws(Errno) {
    let isDead = state.withLock { state -> Bool in
      guard !state.isOver else { return false }
      switch state.actors[actor].phase {
      case .idle, .done: return false
      case .running, .waiting, .parked: break
      }
      if state.actors[actor].isDead { return true }
      if let path = state.actors[actor].opening {
        if let old = state.actors[actor].probe { close(old) }
        let probe = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        state.actors[actor].probe = probe < 0 ? nil : probe
        state.actors[actor].opening = nil
      }
      if isScheduled { state.actors[actor].phase = .parked(label) }
      state.actors[actor].steps += 1
      if state.actors[actor].steps == state.actors[actor].diesAt { state.actors[actor].isDead = true }
      return false
    }
    if isDead { throw Errno(EIO) }
    guard isScheduled else {
      if hasDied(actor) { throw Errno(EIO) }
      return
    }
    let mustDie = state.wait { state -> Bool? in
      if !state.isOver, case .parked = state.actors[actor].phase { return nil }
      state.actors[actor].opening = opening
      return state.actors[actor].isDead
    }
    if mustDie { throw Errno(EIO) }
  }

  /// Whether the actor was killed.
  func hasDied(_ actor: Int) -> Bool { state.withLockQuietly { $0.actors[actor].isDead } }

  // MARK: Running

  /// The possible next steps.
  struct Choice: Sendable {
    /// The actors that can take a step.
    var actors: [Int]
    /// The actor that took the last step, if it can go on.
    var current: Int?
  }

  /// Runs one body for each actor until all have ended.
  ///
  /// - Parameters:
  ///   - choose: Chooses which actor takes the next step.
  ///   - didStep: Called after each step, while no actor runs.
  /// - Returns: The steps, and why the run got stuck, if it did.
  func run(
    _ bodies: [@Sendable () -> Void], choose: (Choice) -> Int, didStep: (Step, Int) -> Void
  ) throws -> (log: [Step], failure: String?) {
    for (index, body) in bodies.enumerated() {
      state.withLock { $0.actors[index].phase = .running }
      try PlainThread.start("actor-\(index)") { [self] in
        body()
        state.withLock { $0.actors[index].phase = .done }
      }
      // One after another, each up to its first step.
      settle()
    }
    var last: Int?
    var failure: String?
    while true {
      guard let choice = choices(last) else { break }
      if choice.actors.isEmpty {
        failure = "nobody can go on: \(positions)"
        break
      }
      let next = choice.actors.count == 1 ? choice.actors[0] : choose(choice)
      let step = go(next)
      settle()
      didStep(step, state.withLockQuietly { $0.log.count - 1 })
      last = next
      if state.withLockQuietly({ $0.log.count }) > Self.mostSteps {
        failure = "no end after \(Self.mostSteps) steps: \(positions)"
        break
      }
    }
    let log = state.withLock { state in
      state.isOver = true
      return state.log
    }
    let deadline = ProcessFacts.monotonicNanoseconds() + Self.hung
    let areDone: Bool? = state.wait(untilNanoseconds: deadline) { state in
      state.actors.allSatisfy { if case .done = $0.phase { true } else { false } } ? true : nil
    }
    if areDone == nil { failure = failure ?? "an actor does not end: \(positions)" }
    return (log, failure)
  }

  private var positions: String {
    state.withLockQuietly { state in
      state.actors.map { "\($0.name): \($0.phase)" }.joined(separator: ", ")
    }
  }

  /// Waits until no actor runs, apart from those that take too long.
  private func settle() {
    let deadline = ProcessFacts.monotonicNanoseconds() + Self.patience
    let isSettled: Bool? = state.wait(untilNanoseconds: deadline) { state in
      state.actors.contains { if case .running = $0.phase { true } else { false } } ? nil : true
    }
    guard isSettled == nil else { return }
    state.withLockQuietly { state in
      for index in state.actors.indices {
        if case .running = state.actors[index].phase { state.actors[index].phase = .waiting }
      }
    }
  }

  /// - Returns: `nil` when all actors have ended; no actors if none of them can go on.
  private func choices(_ last: Int?) -> Choice? {
    let deadline = ProcessFacts.monotonicNanoseconds() + Self.hung
    let found: Choice?? = state.wait(untilNanoseconds: deadline) { state -> Choice?? in
      var free: [Int] = []
      var spinning: [Int] = []
      var isWaiting = false
      var areDone = true
      for (index, actor) in state.actors.enumerated() {
        switch actor.phase {
        case .done: continue
        case .parked(let label):
          areDone = false
          guard Self.canGo(actor, label) else { continue }
          if isSpinning(actor.alone) { spinning.append(index) } else { free.append(index) }
        case .waiting, .running:
          areDone = false
          isWaiting = true
        case .idle: continue
        }
      }
      if areDone { return .some(nil) }
      let actors = free.isEmpty ? spinning : free
      if actors.isEmpty, isWaiting { return nil }
      return Choice(actors: actors, current: last.flatMap { actors.contains($0) ? $0 : nil })
    }
    return found ?? Choice(actors: [])
  }

  /// Whether the step would return without another actor's help: an actor does not go on into a lock that is held.
  private static func canGo(_ actor: Actor, _ label: String) -> Bool {
    guard label.hasPrefix("lock "), !actor.isDead, let probe = actor.probe else { return true }
    guard flock(probe, LOCK_EX | LOCK_NB) == 0 else { return errno != EWOULDBLOCK }
    flock(probe, LOCK_UN)
    return true
  }

  /// Whether the actor repeats itself, as a poll does, which changes nothing until another actor moves.
  private func isSpinning(_ labels: [String]) -> Bool {
    for length in 1...12 {
      // The same call twice is ordinary: the second read finds the end of the file.
      let times = length == 1 ? repeats : repeats - repeats / 2
      guard labels.count >= times * length else { break }
      let tail = labels.suffix(times * length)
      if zip(tail, tail.dropFirst(length)).allSatisfy({ $0 == $1 }) { return true }
    }
    return false
  }

  private func go(_ index: Int) -> Step {
    state.withLock { state in
      var label = "?"
      if case .parked(let parked) = state.actors[index].phase { label = parked }
      if state.actors[index].isDead { label = "killed before \(label)" }
      for other in state.actors.indices where other != index { state.actors[other].alone = [] }
      state.actors[index].alone.append(label)
      // It counts as running from here on, even before its thread wakes.
      let step = Step(actor: index, label: label)
      state.log.append(step)
      state.actors[index].phase = .running
      return step
    }
  }
}
