import Foundation

/// A system call at which a process is killed, before it is carried out.
struct KillPoint: Sendable, CustomStringConvertible {
  /// The call's name, and which of the calls of this name by one thread it is.
  let call: String
  let number: Int

  /// What strace(1) needs to kill at this point, and to write what it does to a file.
  func strace(output: String) -> [String] {
    ["-f", "-qq", "-o", output, "-e", "trace=\(call)", "-e", "inject=\(call):signal=KILL:when=\(number)"]
  }

  var description: String { "\(call) \(number)" }

  /// Whether a process was killed, as strace says it.
  static func didKill(_ output: String) -> Bool {
    (try? String(contentsOfFile: output, encoding: .utf8))?.contains("+++ killed by SIGKILL") ?? false
  }
}

/// The system calls of a process, as they were recorded once: each of them is a point at which it may be killed.
struct KillPoints: Sendable {
  private let points: [KillPoint]

  /// - Parameter trace: What 'strace -f' has written.
  init(_ trace: String) {
    var points: [KillPoint] = []
    var counts: [String: Int] = [:]
    for line in trace.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      guard words.count == 2, Int(words[0]) != nil, let end = words[1].firstIndex(of: "(") else { continue }
      let call = words[1][..<end].drop { $0 == " " }
      // There is nothing left to kill after these.
      guard !call.isEmpty, call.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }), !call.hasPrefix("exit"),
        call != "execve"
      else { continue }
      let number = counts["\(words[0]) \(call)", default: 0] + 1
      counts["\(words[0]) \(call)"] = number
      points.append(KillPoint(call: String(call), number: number))
    }
    self.points = points
  }

  var isEmpty: Bool { points.isEmpty }
  var count: Int { points.count }

  /// The point that a random number stands for.
  func point(_ amount: Int) -> KillPoint? { points.isEmpty ? nil : points[amount % points.count] }
}
