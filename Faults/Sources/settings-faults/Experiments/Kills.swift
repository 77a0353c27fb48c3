import Glibc

/// Writers that are killed.
extension Suite {
  /// One writer, killed at a random microsecond while it writes without a pause.
  func kills() {
    var table = Table(
      "A writer killed while it writes",
      "`kill -9` of the writer and all that it started, at a random microsecond. Lost: a value that was said to be stored "
        + "is not there. Damaged: the file is neither the old nor the new one. Stuck: the next set, by a new process, "
        + "fails or takes \(Fixture.patience / 1000) s. Left: files beside the settings after that set.",
      ["system", "kills", "old", "new", "with a temporary file", "lost", "damaged", "stuck", "left"])
    each("kills", into: &table) { system, row in
      var figures = KillFigures()
      let window = try killWindow(of: system)
      let count = system.isOurs ? options.kills : options.peerKills
      let end = Clock.milliseconds() + options.limit * 1000
      while figures.kills < count, Clock.milliseconds() < end {
        try killOnce(system, within: window, &figures)
        if figures.kills % 500 == 0 { say("  \(figures.kills) kills") }
      }
      row = [
        figures.kills.grouped, figures.old.grouped, figures.new.grouped, figures.temporaries.grouped,
        figures.lost.grouped, figures.damaged.grouped, figures.stuck.grouped, figures.left.grouped,
      ]
      return [
        .lost: figures.lost, .damaged: figures.damaged, .stuck: figures.stuck, .left: figures.left,
        .kills: figures.kills,
      ]
    }
    finish(table)
  }

  private struct KillFigures {
    var kills = 0
    var old = 0
    var new = 0
    var temporaries = 0
    var lost = 0
    var damaged = 0
    var stuck = 0
    var left = 0
  }

  private func killOnce(_ system: any System, within window: UInt32, _ figures: inout KillFigures) throws {
    let before = system.contents?["n"] ?? 0
    let writer = try system.worker("loop", ["n", String(before + 1)])
    // From the first acknowledgement on it is in the middle of a write almost always.
    guard var last = writer.nextAcknowledgement(limit: Fixture.patience), last > before else {
      figures.stuck += 1
      figures.kills += 1
      return try system.reset()
    }
    usleep(UInt32.random(in: 0..<window, using: &random))
    writer.killGroup()
    system.killHelpers()
    last = writer.drain().filter { $0 >= 0 }.last ?? last
    _ = writer.wait()
    figures.kills += 1
    let isDebris = !system.strays.isEmpty
    if isDebris { figures.temporaries += 1 }

    var isFit = true
    if let value = system.contents.map({ $0["n"] ?? 0 }) {
      switch value {
      case last: figures.old += 1
      case last + 1: figures.new += 1
      case ..<last:
        figures.lost += 1
        isFit = false
      default:
        figures.damaged += 1
        isFit = false
      }
    } else {
      figures.damaged += 1
      isFit = false
    }
    let next = system.setAfresh("n", last + 2)
    if !next.isSaid || next.isLate || (isFit && system.contents?["n"] != last + 2) {
      figures.stuck += 1
      isFit = false
    }
    if isFit, !system.strays.isEmpty {
      figures.left += 1
      isFit = false
    }
    if !isFit { try system.reset() }
  }

  /// Within how many microseconds of a writer's first word it is killed: the time of two writes, as they take here.
  private func killWindow(of system: any System) throws -> UInt32 {
    let writer = try system.worker("loop", ["n", "1"])
    _ = writer.nextAcknowledgement(limit: Fixture.patience)
    let start = Clock.microseconds()
    var writes = 0
    while writes < 50, Clock.microseconds() - start < 2_000_000 {
      if writer.nextAcknowledgement(limit: 2000) != nil { writes += 1 }
    }
    let each = (Clock.microseconds() - start) / max(1, writes)
    writer.killGroup()
    _ = writer.drain()
    _ = writer.wait()
    try system.reset()
    return UInt32(clamping: max(200, 2 * each))
  }

  /// Four writers, one of which is killed again and again, beside the others.
  func crowd() {
    let writers = 4
    var table = Table(
      "Writers killed among others that write",
      "\(writers) processes set a key of their own each, without a pause; one after the other is killed and replaced "
        + "(with dconf's service, which writes for all). "
        + "Stuck: no other writer can store anything for \(Fixture.patience / 2000) s.",
      ["system", "kills", "sets", "refused", "lost", "damaged", "stuck"])
    each("crowd", into: &table) { system, row in
      var members: [Child] = []
      var last = [Int](repeating: 0, count: writers)
      var (kills, sets, refused, lost, damaged, stuck) = (0, 0, 0, 0, 0, 0)
      let window = try killWindow(of: system)
      let count = max(1, (system.isOurs ? options.kills : options.peerKills) / 5)
      let end = Clock.milliseconds() + options.limit * 1000

      func take(_ numbers: [Int], from member: Int) {
        for number in numbers {
          if number < 0 { refused += 1 } else { sets += 1 }
        }
        last[member] = max(last[member], numbers.max() ?? 0)
      }
      func begin() throws {
        members = try last.indices.map { try system.worker("loop", ["w\($0)", String(last[$0] + 1)]) }
      }
      func stop() {
        for member in members { member.killGroup() }
        for (index, member) in members.enumerated() {
          take(member.drain(), from: index)
          _ = member.wait()
        }
      }
      func startOver() throws {
        stop()
        try system.reset()
        last = last.map { _ in 0 }
        try begin()
      }
      /// Whether everyone stores something within the time.
      func isAlive() -> Bool {
        let before = last
        let end = Clock.milliseconds() + Fixture.patience / 2
        while Clock.milliseconds() < end {
          for index in members.indices { take(members[index].acknowledgements(), from: index) }
          if zip(last, before).allSatisfy({ $0 > $1 }) { return true }
          usleep(500)
        }
        return false
      }

      try begin()
      while kills < count, Clock.milliseconds() < end {
        guard isAlive() else {
          stuck += 1
          kills += 1
          try startOver()
          continue
        }
        let victim = kills % writers
        usleep(UInt32.random(in: 0..<window, using: &random))
        members[victim].killGroup()
        system.killHelpers()
        take(members[victim].drain(), from: victim)
        _ = members[victim].wait()
        kills += 1
        let contents = system.contents
        if let value = contents.map({ $0["w\(victim)"] ?? 0 }), value == last[victim] || value == last[victim] + 1 {
          last[victim] = value
          members[victim] = try system.worker("loop", ["w\(victim)", String(value + 1)])
        } else {
          if contents == nil { damaged += 1 } else { lost += 1 }
          try startOver()
        }
        if kills % 500 == 0 { say("  \(kills) kills") }
      }
      stop()
      let contents = system.contents
      if contents == nil { damaged += 1 }
      for (index, value) in last.enumerated() where contents.map({ $0["w\(index)"] ?? 0 < value }) == true { lost += 1 }
      row = [kills, sets, refused, lost, damaged, stuck].map(\.grouped)
      return [.lost: lost, .damaged: damaged, .stuck: stuck, .kills: kills, .refused: refused]
    }
    finish(table)
  }
}
