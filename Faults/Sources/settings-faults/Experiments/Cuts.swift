/// Files that something else has damaged.
extension Suite {
  /// A crash of something else, or a copy that did not end.
  func cuts() {
    let step = options.cutStep == 1 ? "at every byte" : "after each \(options.cutStep) bytes"
    var table = Table(
      "A file cut short",
      "The file cut \(step) (at \(options.peerCuts) lengths for other systems), then one set. Refused: the caller is told, "
        + "and the file stays as it is. Kept: what could be read is in the new file. Moved: the rest was put aside. "
        + "Overwritten: what could be read is gone, or nothing was stored, and the caller is told that all is well.",
      Self.damageHeader)
    // In memory where that can be: thousands of files, and no one asks whether they are durable.
    each("cut", into: &table, mounting: Namespace.isPrivate ? "size=16m" : nil) { system, row in
      guard let whole = Files.bytes(system.file) else { throw Failure("there is no file to cut") }
      let step = system.isOurs ? options.cutStep : max(1, whole.count / options.peerCuts)
      var tally = DamageTally()
      let end = Clock.milliseconds() + options.limit * 1000
      for length in stride(from: 0, to: whole.count, by: step) where Clock.milliseconds() < end {
        try trySet(system, on: Array(whole[..<length]), &tally) { after in
          self.isKept(Array(whole[..<length]), in: after, system)
        }
      }
      row = tally.row
      return tally.figures
    }
    finish(table)
  }

  /// A slip of an editor, or of a merge tool.
  func brokenLines() {
    // Each set waits for the rest of what might be a save.
    let step = options.cutStep == 1 ? 1 : 4
    var table = Table(
      "A broken line",
      "A line `=<=`, which is none, before \(step == 1 ? "each" : "every \(step)th") value in turn, then one set.",
      Self.damageHeader)
    each("broken", into: &table, mounting: Namespace.isPrivate ? "size=16m" : nil) { system, row in
      guard let whole = Files.bytes(system.file) else { throw Failure("there is no file to break") }
      let slip = Array("=<=\n".utf8)
      guard String(validating: whole, as: UTF8.self) != nil else {
        throw Failure("its file is binary, and no one edits it by hand")
      }
      var tally = DamageTally()
      let end = Clock.milliseconds() + options.limit * 1000
      for number in stride(from: 0, to: Fixture.bystanderKeys.count, by: step) where Clock.milliseconds() < end {
        let key = Array(Fixture.bystanderKeys[number].utf8)
        guard let found = whole.indices.first(where: { whole[$0...].starts(with: key) }) else { continue }
        let place = whole[..<found].lastIndex(of: 10).map { $0 + 1 } ?? 0
        var broken = whole
        broken.insert(contentsOf: slip, at: place)
        try trySet(system, on: broken, &tally) { after in
          var mended = after
          if let found = after.indices.first(where: { after[$0...].starts(with: slip) }) {
            mended.removeSubrange(found..<found + slip.count)
          }
          guard let values = system.values(in: mended) else { return false }
          return Fixture.bystanders.allSatisfy { values[$0] == $1 }
        }
      }
      row = tally.row
      return tally.figures
    }
    finish(table)
  }

  private static let damageHeader = ["system", "files", "refused", "kept", "moved", "overwritten", "stuck"]

  private struct DamageTally {
    /// All of them.
    var files = 0
    /// The file stays as it is, and the caller is told.
    var refused = 0
    /// What could be read is in the new file.
    var kept = 0
    /// The damaged file was put aside.
    var moved = 0
    /// What could be read is gone, or nothing was stored, though the system said that all is well.
    var overwritten = 0
    var stuck = 0

    var row: [String] { [files, refused, kept, moved, overwritten, stuck].map(\.grouped) }
    var figures: [Figure: Int] { [.lost: overwritten, .stuck: stuck] }
  }

  private func trySet(
    _ system: any System, on damaged: [UInt8], _ tally: inout DamageTally, isKept: ([UInt8]) -> Bool
  ) throws {
    let directory = Files.directory(of: system.file)
    // A service may hold the file open.
    system.killHelpers()
    for name in system.strays { Files.remove(directory + "/" + name) }
    Files.write(damaged, to: system.file)
    tally.files += 1
    let result = system.setAfresh("n", tally.files)
    if result.isLate { tally.stuck += 1 }
    let after = Files.bytes(system.file) ?? []
    if after == damaged {
      if result.isSaid { tally.overwritten += 1 } else { tally.refused += 1 }
    } else if isKept(after) {
      tally.kept += 1
    } else if system.strays.contains(where: { Files.bytes(directory + "/" + $0) == damaged }) {
      tally.moved += 1
    } else {
      tally.overwritten += 1
    }
  }

  /// Whether what a file still had is in the one that was made of it.
  private func isKept(_ rest: [UInt8], in after: [UInt8], _ system: any System) -> Bool {
    if rest.isEmpty || after.starts(with: rest) { return true }
    let wholeLines = Array(rest[..<(rest.lastIndex(of: 10).map { $0 + 1 } ?? 0)])
    guard let new = system.values(in: after), let old = system.values(in: rest) ?? system.values(in: wholeLines),
      !old.isEmpty
    else { return false }
    return old.allSatisfy { new[$0] == $1 }
  }
}
