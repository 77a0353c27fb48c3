/// Several processes that write at once.
extension Suite {
  /// Each process sets keys of its own; all of them have to be there at the end.
  func distinctKeys() {
    var table = Table(
      "Writers at once, each with its own keys",
      "\(options.processes) processes set \(options.keys) keys each, and do not try again what is refused.",
      ["system", "sets", "said to be stored", "refused", "lost", "damaged"])
    each("keys", into: &table) { system, row in
      let ends = try together(system, "fill") { ["p\($0)", String(options.keys)] }
      var stored = 0
      var lost = 0
      let contents = system.contents
      for (process, numbers) in ends.enumerated() {
        for number in numbers where number >= 0 {
          stored += 1
          if contents?["p\(process)-k\(number)"] != number + 1 { lost += 1 }
        }
      }
      let sets = options.processes * options.keys
      row = [sets.grouped, stored.grouped, (sets - stored).grouped, lost.grouped, contents == nil ? "yes" : "no"]
      return [.lost: lost, .damaged: contents == nil ? 1 : 0, .refused: sets - stored]
    }
    finish(table)
  }

  /// All processes add to one number; every increment that was said to be stored has to be in it.
  func counting() {
    var table = Table(
      "Counting together",
      "\(options.processes) processes add one to the same number, \(options.increments) times each "
        + "(\(options.peerIncrements) times where each needs new processes). Systems without a transaction read, add and "
        + "write.",
      ["system", "increments", "said to be stored", "refused", "reached", "lost", "damaged"])
    each("counting", into: &table) { system, row in
      let times = type(of: system).isInProcess ? options.increments : options.peerIncrements
      let ends = try together(system, "count") { _ in ["n", String(times)] }
      let stored = ends.joined().count { $0 >= 0 }
      let contents = system.contents
      let reached = contents?["n"] ?? 0
      let all = options.processes * times
      let lost = max(0, stored - reached)
      row = [
        all.grouped, stored.grouped, (all - stored).grouped, contents == nil ? "-" : reached.grouped, lost.grouped,
        contents == nil ? "yes" : "no",
      ]
      return [
        .lost: lost, .damaged: contents == nil ? 1 : 0, .refused: all - stored, .increments: stored,
        // More than were said is as wrong as fewer.
        .wrong: max(0, reached - stored),
      ]
    }
    finish(table)
  }

  /// Runs one worker a process at once, and collects what each says.
  private func together(
    _ system: any System, _ verb: String, _ arguments: (Int) -> [String]
  ) throws -> [[Int]] {
    let workers = try (0..<options.processes).map { try system.worker(verb, arguments($0)) }
    let end = Clock.milliseconds() + options.limit * 1000
    return workers.map { worker in
      var numbers: [Int] = []
      while let number = worker.nextAcknowledgement(limit: max(1, end - Clock.milliseconds())) {
        numbers.append(number)
      }
      worker.killGroup()
      _ = worker.wait()
      return numbers
    }
  }
}
