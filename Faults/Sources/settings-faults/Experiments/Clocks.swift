import Foundation
import Glibc

/// Clocks that are years ahead or behind.
extension Suite {
  func jumpingClocks() {
    var table = Table(
      "Clocks that jump",
      "Each process runs under `faketime` with a clock up to 20 years ahead or behind. \(options.clocks) times, one "
        + "recovers a file that does not parse, one migrates a file of an older version, and one undoes the migration. "
        + "Lost: the original text is in no backup right afterwards. Undone wrongly: the text that comes back is not the "
        + "one that was migrated last. Failed: a call, or the set after it, fails.",
      ["system", "calls", "lost", "undone wrongly", "failed"])
    guard isInstalled("faketime") else {
      if options.runs("clocks") { say("clocks: left out, since faketime is not installed") }
      return
    }
    each("clocks", into: &table, among: [AppSettingsSystem.id]) { system, row in
      var (calls, lost, undoneWrongly, failed) = (0, 0, 0, 0)
      // A clock that jumps does not change the times of files.
      let variables = system.environment.merging(["NO_FAKE_STAT": "1"]) { $1 }
      /// Runs a verb with a random clock.
      func run(_ verb: String, _ arguments: [String] = []) -> Bool {
        calls += 1
        let days = [-7300, -400, -1, 0, 1, 400, 7300].randomElement(using: &random)!
        let end = Child.run(
          ["faketime", "-f", days < 0 ? "\(days)d" : "+\(days)d", Worker.executable, "worker"]
            + [type(of: system).id, system.home.path, verb] + arguments,
          environment: variables, limit: Fixture.patience)
        let isDone = end.code == 0 && !end.isLate
        if !isDone { say("clocks: '\(verb)' at \(days) days: exit \(end.code)\(end.isLate ? ", too late" : "")") }
        return isDone
      }
      func isKept(_ text: String) -> Bool {
        Files.all(below: system.home.path + "/state").contains { Files.text($0) == text }
      }
      let end = Clock.milliseconds() + options.limit * 1000
      for number in 1...options.clocks where Clock.milliseconds() < end {
        let broken = "# \(number)\nn = = \(number)\n"
        Files.write(broken, to: system.file)
        if !run("recover") { failed += 1 }
        if !isKept(broken) { lost += 1 }
        if Files.text(system.file)?.contains("n = 1\n") != true { failed += 1 }

        let old = "# old \(number)\nn = 0\n"
        Files.write(old, to: system.file)
        if !run("migrate", [String(number)]) { failed += 1 }
        if Files.text(system.file)?.contains("n = \(number)\n") != true { failed += 1 }
        if !isKept(old) { lost += 1 }

        if !run("undo") { failed += 1 }
        if Files.text(system.file) != old { undoneWrongly += 1 }
      }
      row = [calls, lost, undoneWrongly, failed].map(\.grouped)
      return [.lost: lost, .wrong: undoneWrongly, .stuck: failed]
    }
    finish(table)
  }
}
