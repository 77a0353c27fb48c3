import AppSettings
import AppSettingsObserve
import Glibc

extension Stress {
  /// Follows a file without a task, whose pool would end the process where it may open no file: prints its number, each
  /// other one, and each problem, and says when none is left. A file beside it, `again`, has one more store begin to
  /// follow it.
  static func watchPlainly(_ file: String) throws -> Never {
    let settings = try store(file)
    var kept = [settings.observe(.number) { say("number \($0)") }]
    var last: [SettingsProblem] = []
    while true {
      let problems = settings.currentProblems
      for problem in problems where !last.contains(problem) { say("problem \(problem.message)") }
      if problems.isEmpty && !last.isEmpty { say("no problem") }
      last = problems
      if kept.count == 1, access(file + ".again", F_OK) == 0 {
        let other = SettingsStore(
          at: try SettingsLocation(file: file), migrations: .none, logger: .silent, acceptsAnyVersion: false,
          system: Syscalls())
        kept.append(other.observe(.number, initial: false) { _ in })
      }
      usleep(10_000)
    }
  }
}
