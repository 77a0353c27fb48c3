import EtcdTesting
import Synchronization

/// Runs rounds, in several fleets side by side.
struct Suite: Sendable {
  let options: Options
  let programs: Programs
  let figures = Figures()
  let kinds: Set<Fault.Kind>

  init(_ options: Options) async throws {
    self.options = options
    programs = try await Programs()
    let (possible, left) = programs.kinds(isPrivate: Sandbox.isPrivate)
    kinds = possible.filter(options.includes)
    for (kind, reason) in left where options.includes(kind) { Output.say("left out: \(kind.rawValue): \(reason)") }
  }

  /// - Returns: Whether nothing happened that must not.
  func run() async -> Bool {
    guard !kinds.isEmpty else {
      Output.say("no fault is left")
      return true
    }
    let rounds = Rounds(options, kinds: kinds, figures: figures)
    let start = ContinuousClock.now
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<options.fleets { group.addTask { await fleet(number, rounds) } }
    }
    Report(figures: figures.now, kinds: kinds, duration: .now - start).print()
    return figures.isHarmless
  }

  /// Runs rounds in one fleet. One that is of no use any more is replaced.
  private func fleet(_ number: Int, _ rounds: Rounds) async {
    // As installations do; without it, there is another protocol.
    let usesTLS = !options.isPlaintext && number.isMultiple(of: 2)
    var arena: Arena?
    var own = Figures(partOf: figures)
    while let round = rounds.next() {
      do {
        if arena == nil {
          own = Figures(partOf: figures)
          arena = try await Arena.start(
            programs, figures: own, hasDisks: Sandbox.isPrivate, usesTLS: usesTLS)
        }
        guard let current = arena else { return }
        do {
          try await RoundRun(round, in: current).run()
        } catch {
          own.count(.broken, "\(error)")
        }
        let all = figures.now
        if !own.isHarmless {
          if await Members(of: current).differ() { own.countDivergence() }
          Output.say("that was in \(round); seed \(options.seed), fleet \(number)\(usesTLS ? "" : " without TLS")")
          await current.stop()
          arena = nil
        }
        if all.rounds % 20 == 0 {
          Output.say(
            "\(all.rounds) rounds, \(all.allFaults) faults, \(all.acknowledged) writes; faults took "
              + "\(all.timeOfFaults), heals \(all.timeOfHeals), being right \(all.timesToRight.reduce(.zero, +))")
        }
      } catch {
        figures.count(.broken, "a fleet cannot be started: \(error)")
        return
      }
    }
    await arena?.stop()
  }
}

/// Deals out the rounds.
final class Rounds: Sendable {
  private let options: Options
  private let kinds: Set<Fault.Kind>
  private let figures: Figures
  private let short: [Round]
  private let start = ContinuousClock.now
  /// Protects the number of the next round.
  private let last = Mutex(0)

  init(_ options: Options, kinds: Set<Fault.Kind>, figures: Figures) {
    (self.options, self.kinds, self.figures) = (options, kinds, figures)
    short = Round.short(seed: options.seed, kinds: kinds)
  }

  /// The next round that has a fault.
  func next() -> Round? {
    while let round = nextOfAll() { if !round.faults.isEmpty { return round } }
    return nil
  }

  private func nextOfAll() -> Round? {
    if let limit = options.limit, .now - start > limit { return nil }
    let index = last.withLock { last in
      last += 1
      return last
    }
    switch options.amount {
    case .short: return index <= short.count ? short[index - 1] : nil
    case .rounds(let first, let count):
      return index <= count ? Round(first + index - 1, seed: options.seed, kinds: kinds) : nil
    case .faults(let most):
      return figures.now.allFaults < most ? Round(index, seed: options.seed, kinds: kinds) : nil
    }
  }
}
