import CrashStates
import Foundation
import Glibc

/// What the commands of a scenario did to a disk.
struct CrashRecording {
  /// A moment between commands, or at an acknowledgement.
  struct Milestone {
    /// How many events were over.
    var events: Int
    var isAcknowledged: Bool
    /// What programs saw.
    var tree: DiskTree
  }

  var model: DiskModel
  var milestones: [Milestone]
  /// What strace can inject into the first command: a kill before each call that changes a directory or syncs, and an
  /// error of each sync.
  var injections: [String]
}

/// Runs commands under `strace`.
enum CrashRecorder {
  /// Why nothing can be recorded here; `nil` if it can.
  static func unavailable(in directory: String) -> String? {
    guard isInstalled("strace") else { return "strace is not installed" }
    let end = Child.run(
      ["strace", "-f", "-qq", "-o", directory + "/strace-try", "true"], environment: ["PATH": "/usr/bin:/bin"])
    return end.code == 0 ? nil : "strace may not trace processes here"
  }

  /// - Parameter home: As the scenario has prepared it.
  static func record(_ steps: [CrashScenario.Step], in home: Home) throws -> CrashRecording {
    let tree = try DiskTree(readingFrom: home.path)
    var replay = TraceReplay(tree, root: home.path)
    var milestones = [CrashRecording.Milestone(events: 0, isAcknowledged: true, tree: tree)]
    var injections: [String] = []
    for (number, step) in steps.enumerated() {
      let (items, didSucceed) = try trace(step, home)
      if number == 0 { injections = self.injections(items, root: home.path) }
      let outputs = replay.outputs.count
      try replay.run(items, workingDirectory: FileManager.default.currentDirectoryPath)
      // A difference means that the replay missed a call.
      let real = try DiskTree(readingFrom: home.path)
      guard replay.model.tree == real else {
        throw Failure(
          "the trace of \(step.command.joined(separator: " ")) gives\n\(replay.model.tree.listing)\n"
            + "but on disk there is\n\(real.listing)"
        )
      }
      if step.acknowledgement == .output {
        for events in replay.outputs.dropFirst(outputs) {
          milestones.append(.init(events: events, isAcknowledged: true, tree: replay.model.tree(after: events)))
        }
      }
      milestones.append(
        .init(
          events: replay.model.events.count, isAcknowledged: step.acknowledgement != .none && didSucceed, tree: real))
    }
    return CrashRecording(model: replay.model, milestones: milestones, injections: injections)
  }

  private static func trace(_ step: CrashScenario.Step, _ home: Home) throws -> (
    items: [TraceParser.Item], didSucceed: Bool
  ) {
    let file = home.aside + "/trace"
    let calls = TraceReplay.traced.map { "?" + $0 }.joined(separator: ",")
    var command = ["strace", "-f", "-qq", "-xx", "-s", String(4 << 20), "-o", file, "-e", "trace=" + calls]
    if let injection = step.injection { command += ["-e", "inject=" + injection] }
    let end = Child.run(command + step.command, environment: step.environment, limit: 60_000)
    if step.acknowledgement != .none, !step.mayFail, end.code != 0 || end.isLate {
      throw Failure("\(step.command.joined(separator: " ")) ended with \(end.code)")
    }
    guard let text = Files.text(file) else { throw Failure("strace wrote no trace") }
    Files.remove(file)
    return (try TraceParser.parse(text), end.code == 0 && !end.isLate)
  }

  private static func injections(_ items: [TraceParser.Item], root: String) -> [String] {
    var counts: [String: Int] = [:]
    var result: [String] = []
    let syncs = ["fsync", "fdatasync"]
    let changes = ["rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir", "mkdirat"]
    for case .end(let call) in items where syncs.contains(call.name) || changes.contains(call.name) {
      let count = (counts["\(call.pid) \(call.name)"] ?? 0) + 1
      counts["\(call.pid) \(call.name)"] = count
      guard call.succeeded else { continue }
      result.append("\(call.name):signal=KILL:when=\(count)")
      if syncs.contains(call.name) { result.append("\(call.name):error=EIO:when=\(count)") }
    }
    return result
  }
}
