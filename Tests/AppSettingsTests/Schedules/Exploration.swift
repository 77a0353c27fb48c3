import AppSettings
import Foundation
import Testing

/// Which schedules (orders of steps) to run.
enum Exploration: Sendable {
  /// Every schedule that interrupts a runnable actor at most this many times; `nil` for every schedule.
  case exhaustive(preemptions: Int?)
  /// Random schedules, each with its own seed.
  case seeded(count: Int)
  /// Schedules in which the first actor runs, and each step of the others comes at a random one of its steps. Each has
  /// its own seed.
  case placed(count: Int)

  /// `SETTINGS_SCHEDULES=full` runs the long form; a number sets how many random schedules each test runs.
  private static let variable = ProcessInfo.processInfo.environment["SETTINGS_SCHEDULES"]
  static let isFull = variable == "full"
  /// `SETTINGS_SCHEDULE_SEED` repeats the random schedule that a failure names.
  static let firstSeed = ProcessInfo.processInfo.environment["SETTINGS_SCHEDULE_SEED"].flatMap { UInt64($0) }

  /// For two actors with many steps each: up to `count` interruptions, in the long form one more, or `full`.
  static func interruptions(_ count: Int, full: Int? = nil) -> Exploration {
    .exhaustive(preemptions: isFull ? full ?? count + 1 : count)
  }
  /// For two actors, one of which takes only a step or two: every schedule.
  static let every = Exploration.exhaustive(preemptions: nil)
  /// For three actors.
  static let three = Exploration.seeded(count: variable.flatMap { Int($0) } ?? (isFull ? 3_000 : 25))
  /// For three actors, two of which take only a step.
  static let twoSaves = isFull ? every : Exploration.placed(count: variable.flatMap { Int($0) } ?? 12)

  /// Exceeding this is an issue: no schedule is skipped silently.
  private static let most = isFull ? 200_000 : 6_000

  /// The outcome of all schedules.
  struct Result {
    var schedules = 0
    var failed = 0
    /// The first failure: what went wrong, and the steps.
    var example = ""
  }

  /// Runs a scenario once for each schedule, and records an issue if any of them failed.
  ///
  /// - Parameter make: Makes a new scenario for each schedule.
  @discardableResult
  func run(_ make: () throws -> Scenario, sourceLocation: SourceLocation = #_sourceLocation) throws -> Result {
    var result = Result()
    switch self {
    case .exhaustive(let preemptions):
      var tree = ChoiceTree(preemptions: preemptions)
      repeat {
        try Self.one(make, "", &result) { tree.choose($0) }
      } while tree.advance() && result.schedules < Self.most
      if result.schedules >= Self.most {
        Issue.record(
          "more than \(Self.most) schedules: make the scenario smaller, or lower its bound",
          sourceLocation: sourceLocation)
      }
    case .seeded(let count):
      try Self.seeded(count, make, &result) { random, choice in
        // Mostly continue with the same actor: most windows need only a few interruptions.
        if let current = choice.current, random.next() % 4 != 0 { return current }
        return choice.actors[Int(random.next() % UInt64(choice.actors.count))]
      }
    case .placed(let count):
      var steps: UInt64 = 0
      var uncounted = Result()
      try Self.one(make, "", &uncounted) { choice in
        if choice.actors.contains(0) { steps += 1 }
        return choice.actors.first!
      }
      try Self.seeded(count, make, &result) { random, choice in
        // Each of the others has the same chance at every step.
        guard choice.actors.contains(0), random.next() % max(steps, 2) < UInt64(choice.actors.count - 1) else {
          return choice.actors.first!
        }
        return choice.actors[1 + Int(random.next() % UInt64(choice.actors.count - 1))]
      }
    }
    if ProcessInfo.processInfo.environment["SETTINGS_SCHEDULES"] != nil {
      print("\(sourceLocation.fileName):\(sourceLocation.line): \(result.failed) of \(result.schedules) failed")
    }
    if result.failed > 0 {
      Issue.record(
        "\(result.failed) of \(result.schedules) schedules failed; the first: \(result.example)",
        sourceLocation: sourceLocation)
    }
    return result
  }

  private static func seeded(
    _ count: Int, _ make: () throws -> Scenario, _ result: inout Result,
    choose: (inout Random, Scheduler.Choice) -> Int
  ) throws {
    for _ in 0..<(firstSeed == nil ? count : 1) {
      let seed = firstSeed ?? UInt64.random(in: 0...UInt64.max)
      var random = Random(state: seed)
      try one(make, "SETTINGS_SCHEDULE_SEED=\(seed): ", &result) { choose(&random, $0) }
    }
  }

  private static func one(
    _ make: () throws -> Scenario, _ name: String, _ result: inout Result, choose: (Scheduler.Choice) -> Int
  ) throws {
    let scenario = try make()
    let faults = try scenario.run(choose: choose)
    result.schedules += 1
    guard !faults.isEmpty else { return }
    result.failed += 1
    if result.failed == 1 {
      result.example = "\(name)\(faults.joined(separator: "; "))\n\(scenario.story)"
    }
  }
}

/// The schedules of a scenario, depth first: each run repeats a prefix of the previous one, then takes another branch.
private struct ChoiceTree {
  private struct Node {
    var options: [Int]
    var taken = 0
    /// How many interruptions came before.
    var preemptions: Int
    var current: Int?

    var costs: Int { current != nil && options[taken] != current ? preemptions + 1 : preemptions }
  }

  let preemptions: Int?
  private var nodes: [Node] = []
  private var depth = 0

  init(preemptions: Int?) { self.preemptions = preemptions }

  mutating func choose(_ choice: Scheduler.Choice) -> Int {
    defer { depth += 1 }
    if depth < nodes.count {
      let wanted = nodes[depth].options[nodes[depth].taken]
      // An actor that polls may need another number of steps this time.
      return choice.actors.contains(wanted) ? wanted : choice.actors[0]
    }
    let spent = nodes.last?.costs ?? 0
    var options = choice.actors
    if let current = choice.current {
      let mayInterrupt = preemptions.map { spent < $0 } ?? true
      options = [current] + (mayInterrupt ? choice.actors.filter { $0 != current } : [])
    }
    nodes.append(Node(options: options, preemptions: spent, current: choice.current))
    return options[0]
  }

  /// Moves to the next schedule.
  ///
  /// - Returns: `false` if there is none left.
  mutating func advance() -> Bool {
    // A run may have been shorter than the one whose choices it repeated, since an actor that polls may need another number
    // of steps. What is left to try of the longer one stays.
    depth = 0
    while var last = nodes.popLast() {
      last.taken += 1
      if last.taken < last.options.count {
        nodes.append(last)
        return true
      }
    }
    return false
  }
}

/// Random numbers that a seed repeats (SplitMix64).
private struct Random {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
