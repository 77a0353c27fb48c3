import Foundation

/// What the kernel says about a process.
struct ProcessFacts: Sendable {
  let pid: Int32

  /// Memory in bytes: what is resident, and the part of it that is the process's own and not its executable's.
  var memory: (resident: Int, own: Int, most: Int) {
    let status = text("status")
    return (
      Self.number("VmRSS", in: status) * 1024, Self.number("RssAnon", in: status) * 1024,
      Self.number("VmHWM", in: status) * 1024
    )
  }

  /// How often each thread has gone to sleep.
  var sleeps: [String: Int] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
    return tasks.reduce(into: [:]) { sleeps, task in
      sleeps[task] = Self.number("voluntary_ctxt_switches", in: text("task/\(task)/status"))
    }
  }

  /// The time that the process has computed, with threads that have ended, in milliseconds. The kernel counts in ticks.
  var computed: Double {
    // The name of the program may contain anything; what follows its closing parenthesis begins with the third field.
    let fields = text("stat").split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) * 1000 / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private func text(_ name: String) -> String {
    (try? String(contentsOfFile: "/proc/\(pid)/\(name)", encoding: .utf8)) ?? ""
  }

  private static func number(_ field: String, in text: String) -> Int {
    let line = text.split(separator: "\n").first { $0.hasPrefix(field + ":") }
    return line.flatMap { Int($0.split(whereSeparator: { !$0.isNumber }).first ?? "") } ?? 0
  }
}
