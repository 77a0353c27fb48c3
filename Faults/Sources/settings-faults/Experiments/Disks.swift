/// File systems that will not take a write.
extension Suite {
  /// A memory file system with no room, or with too little.
  func fullDisk() {
    var table = Table(
      "A full file system",
      "A tmpfs of 512 KB with 0, 1, 2 and 3 free pages of 4 KB, 16 sets in each.",
      Self.diskHeader)
    onDisk("full", into: &table, options: "size=512k") { system, tally in
      for pages in 0...3 {
        let filler = system.home.path + "/filler"
        Files.fill(filler, leavingPages: pages)
        try trySets(system, 16, &tally)
        Files.remove(filler)
        try trySetAfterwards(system, &tally)
      }
    }
    finish(table)
  }

  /// A file system that is mounted read-only under the settings.
  func readOnlyMount() {
    var table = Table("A read-only mount", "A tmpfs that was mounted again as read-only, 16 sets.", Self.diskHeader)
    onDisk("readonly", into: &table, options: "size=4m") { system, tally in
      guard Namespace.mount(["-o", "remount,ro", system.home.path]) else {
        throw Failure("it cannot be mounted read-only here")
      }
      try trySets(system, 16, &tally)
      _ = Namespace.mount(["-o", "remount,rw", system.home.path])
      try trySetAfterwards(system, &tally)
    }
    finish(table)
  }

  private static let diskHeader = [
    "system", "sets", "stored", "refused", "said to be stored, is not", "damaged", "stuck", "left",
  ]

  private struct DiskTally {
    var (sets, stored, refused, wrong, damaged, stuck, left) = (0, 0, 0, 0, 0, 0, 0)
  }

  private func onDisk(
    _ experiment: String, into table: inout Table, options mountOptions: String,
    _ body: (any System, inout DiskTally) throws -> Void
  ) {
    guard Namespace.isPrivate else {
      if options.runs(experiment) { say("\(experiment): left out, since this user may not mount: \(Namespace.reason)") }
      return
    }
    each(experiment, into: &table, mounting: mountOptions) { system, row in
      var tally = DiskTally()
      try body(system, &tally)
      row = [tally.sets, tally.stored, tally.refused, tally.wrong, tally.damaged, tally.stuck, tally.left].map(
        \.grouped)
      return [
        .lost: tally.wrong, .damaged: tally.damaged, .stuck: tally.stuck, .left: tally.left, .refused: tally.refused,
      ]
    }
  }

  private func trySets(_ system: any System, _ count: Int, _ tally: inout DiskTally) throws {
    let names = system.strays
    for _ in 0..<count {
      tally.sets += 1
      let before = system.contents?["n"] ?? 0
      let result = system.setAfresh("n", before + 1)
      guard let after = system.contents.map({ $0["n"] ?? 0 }) else {
        tally.damaged += 1
        // It has shown what it does: what follows would count the same damage again.
        return
      }
      if result.isLate { tally.stuck += 1 }
      switch (result.isSaid, after == before + 1) {
      case (true, true): tally.stored += 1
      case (true, false): tally.wrong += 1
      case (false, _): tally.refused += 1
      }
    }
    if system.strays != names { tally.left += 1 }
  }

  /// With room again, a set has to work.
  private func trySetAfterwards(_ system: any System, _ tally: inout DiskTally) throws {
    guard let before = system.contents?["n"] ?? (system.contents == nil ? nil : 0) else {
      return try system.reset()
    }
    let result = system.setAfresh("n", before + 10)
    if !result.isSaid || system.contents?["n"] != before + 10 { tally.stuck += 1 }
  }
}
