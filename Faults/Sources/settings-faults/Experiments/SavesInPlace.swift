import Foundation
import Glibc

/// Programs that do not lock and rewrite the file in place, beside a writer that sets another key.
extension Suite {
  private struct Program {
    var name: String
    /// Puts the text of `$N` into the file `$F`.
    var script: String

    static let all = [
      Program(name: "cp", script: "exec cp \"$N\" \"$F\""),
      Program(name: "cat >", script: "exec cat \"$N\" > \"$F\""),
      // Vim asks whether to write a file that has changed since it was read, and does not without an answer.
      Program(
        name: "vim, backupcopy",
        script: "printf 'y\\ny\\ny\\n' | vim -es -n -u NONE -c 'set backupcopy=yes' -c %d -c \"r $N\" -c 'wq!' \"$F\""),
    ]
  }

  func savesInPlace() {
    var table = Table(
      "Saves in place beside sets",
      "A program rewrites the file in place, \(options.saves) times, with a new value for one key. Meanwhile one process "
        + "sets another key, and pauses for 1 or 50 ms after each set. After each save with exit code 0, and two more "
        + "sets, the file is read. Wiped: keys that every saved text has are gone. Saves lost: the new value is not there. "
        + "Defaults: an observer in the process that sets was shown the default of a key that every saved text has.",
      ["system", "program", "pause", "saves", "sets", "refused", "wiped", "defaults", "saves lost"])
    for program in Program.all {
      for pause in [1, 50] {
        each("in-place", into: &table, among: [AppSettingsSystem.id, GitConfig.id, GSettingsKeyfile.id]) {
          system, row in
          try saveInPlace(system, program, pause: pause, &row)
        }
      }
    }
    finish(table)
  }

  private func saveInPlace(
    _ system: any System, _ program: Program, pause: Int, _ row: inout [String]
  ) throws -> [Figure: Int] {
    if program.script.contains("vim"), !isInstalled("vim") { throw Failure("vim is not installed") }
    guard let text = Files.text(system.file), let key = Fixture.bystanderKeys.last, let old = Fixture.bystanders[key]
    else { throw Failure("there is no text to save") }
    let copy = system.home.aside + "/saved"
    let variables = system.environment.merging(["N": copy, "F": system.file, "TERM": "dumb"]) { $1 }
    let writer = try system.worker("pace", ["n", "1", String(pause * 1000)])
    guard writer.nextAcknowledgement(limit: Fixture.patience) != nil else {
      throw Failure("the writer did not write")
    }
    var (saves, sets, refused, wiped, defaults, lost) = (0, 0, 0, 0, 0, 0)
    func take(_ numbers: [Int]) -> Int {
      refused += numbers.count { $0 == StepWorker.Word.refused }
      defaults += numbers.count { $0 == StepWorker.Word.sawDefault }
      let new = numbers.count { $0 > 0 }
      sets += new
      return new
    }
    let end = Clock.milliseconds() + options.limit * 1000
    var stuck = 0
    for number in 1...options.saves where Clock.milliseconds() < end {
      let value = old + number
      let saved = text.replacingOccurrences(of: "\(key) = \(old)", with: "\(key) = \(value)")
        .replacingOccurrences(of: "\(key)=\(old)", with: "\(key)=\(value)")
      Files.write(saved, to: copy)
      // At a random point of the writer's cycle.
      usleep(UInt32.random(in: 0..<UInt32(pause * 1000), using: &random))
      guard Child.run(["sh", "-c", program.script], environment: variables).code == 0 else { continue }
      saves += 1
      // The set that was under way when the save ended is one of these two.
      _ = take(writer.acknowledgements())
      var more = 0
      while more < 2 {
        guard let number = writer.nextAcknowledgement(limit: Fixture.patience) else { break }
        more += number == StepWorker.Word.refused ? 1 : 0
        more += take([number])
      }
      if more < 2 {
        stuck += 1
        break
      }
      let values = Files.bytes(system.file).flatMap(system.values(in:)) ?? [:]
      if Fixture.bystanderKeys.dropLast().contains(where: { values[$0] != Fixture.bystanders[$0] }) { wiped += 1 }
      if values[key] != value { lost += 1 }
    }
    writer.killGroup()
    _ = take(writer.drain())
    _ = writer.wait()
    row =
      [program.name, "\(pause) ms", saves.grouped, sets.grouped, refused.grouped, wiped.grouped]
      + [system.isOurs ? defaults.grouped : "-", lost.grouped]
    return [.damaged: wiped, .wrong: defaults, .lost: lost, .stuck: stuck, .refused: refused]
  }
}
