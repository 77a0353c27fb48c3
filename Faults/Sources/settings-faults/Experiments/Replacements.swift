import CFaults
import Glibc

/// Directories that are replaced during writes.
extension Suite {
  /// How the directory of the file is replaced by a copy of itself.
  ///
  /// Either way, the path leads nowhere while the copy is made, and nothing can be created there, so every set is refused.
  /// An acknowledged set therefore took effect before that, and is in the copy, or after it, and is in the new directory.
  /// There is no order of events in which it may be missing.
  private enum Replacement: CaseIterable {
    case directory, link

    var title: String { self == .directory ? "the directory" : "a link to it" }
  }

  func replacedDirectories() {
    var table = Table(
      "Directories replaced during writes",
      "One process sets distinct keys without a pause and retries what is refused. Meanwhile the directory is replaced "
        + "by a copy of itself, \(options.replacements) times: either it is exchanged for a plain file, copied, and the "
        + "file exchanged for the copy; or a link to it is pointed at nothing, the directory copied, and the link pointed "
        + "at the copy. Lost: a key that was said to be stored is not in the file that the path leads to. "
        + "Damaged: what was in the file from the start is gone. Stuck: no set succeeds for 2 s after the last replacement.",
      ["system", "replaced", "times", "sets", "refused", "lost", "damaged", "stuck"])
    for way in Replacement.allCases {
      each(
        "replaced", into: &table, among: [AppSettingsSystem.id, GitConfig.id, GSettingsKeyfile.id, "userdefaults"]
      ) { system, row in try replace(system, way, &row) }
    }
    finish(table)
  }

  private func replace(_ system: any System, _ way: Replacement, _ row: inout [String]) throws -> [Figure: Int] {
    var (times, sets, refused, lost, damaged, stuck) = (0, 0, 0, 0, 0, 0)
    let end = Clock.milliseconds() + options.limit * 1000
    while times < options.replacements, Clock.milliseconds() < end {
      let directory = Files.directory(of: system.file)
      if way == .link {
        guard rename(directory, directory + ".v0") == 0, symlink(directory + ".v0", directory) == 0 else {
          throw Failure("cannot put a link in the place of the directory")
        }
      }
      let writer = try system.worker("distinct", [String(StepWorker.mostDistinct)])
      var stored: [Int] = []
      func take(_ numbers: [Int]) {
        stored += numbers.filter { $0 >= 0 }
        refused += numbers.count { $0 < 0 }
      }
      guard let first = writer.nextAcknowledgement(limit: Fixture.patience) else {
        throw Failure("the writer did not write")
      }
      take([first])
      var version = 0
      // Until the keys run out.
      while times < options.replacements, stored.count < StepWorker.mostDistinct - 100, Clock.milliseconds() < end {
        usleep(UInt32.random(in: 500..<6000, using: &random))
        guard replaceOnce(system.file, way, number: version + 1) else {
          throw Failure("cannot replace \(way.title)")
        }
        times += 1
        version += 1
        take(writer.acknowledgements())
        // It goes on.
        guard let next = writer.nextAcknowledgement(limit: Fixture.patience) else { break }
        take([next])
      }
      // Once nothing is replaced any more, sets succeed again.
      let before = stored.count
      let patience = Clock.milliseconds() + 2000
      while stored.count == before, Clock.milliseconds() < patience {
        guard let next = writer.nextAcknowledgement(limit: 2000) else { break }
        take([next])
      }
      if stored.count == before { stuck += 1 }
      writer.killGroup()
      take(writer.drain())
      _ = writer.wait()
      sets += stored.count
      if system.contents == nil { damaged += 1 }
      let values = Files.bytes(system.file).flatMap(system.values(in:)) ?? [:]
      lost += stored.count { values[StepWorker.distinctKey($0)] != $0 + 1 }
      try system.reset()
    }
    row = [way.title] + [times, sets, refused, lost, damaged, stuck].map(\.grouped)
    return [.lost: lost, .damaged: damaged, .stuck: stuck, .refused: refused]
  }

  private func replaceOnce(_ path: String, _ way: Replacement, number: Int) -> Bool {
    let directory = Files.directory(of: path)
    let file = path.dropFirst(directory.count + 1)
    /// Not by a process: starting one takes as long as a set, and would miss most of the moments that matter.
    func copy(_ old: String, _ new: String) -> Bool {
      Files.makeDirectory(new)
      for name in Files.names(old) {
        // A temporary file may be gone by now.
        if let bytes = Files.bytes("\(old)/\(name)") { Files.write(bytes, to: "\(new)/\(name)") }
      }
      return access("\(new)/\(file)", R_OK) == 0
    }
    switch way {
    case .directory:
      let aside = directory + ".aside"
      let new = directory + ".new"
      Files.write("", to: aside)
      guard faults_exchange(directory, aside) == 0, copy(aside, new), faults_exchange(directory, new) == 0 else {
        return false
      }
      Files.remove(aside)
      Files.remove(new)
    case .link:
      func turn(to target: String) -> Bool {
        symlink(target, directory + ".link") == 0 && rename(directory + ".link", directory) == 0
      }
      let old = "\(directory).v\(number - 1)"
      // Nothing can be created in /proc.
      guard turn(to: "/proc/self/none"), copy(old, "\(directory).v\(number)"), turn(to: "\(directory).v\(number)")
      else { return false }
      Files.remove(old)
    }
    return true
  }
}
