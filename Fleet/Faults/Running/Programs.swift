import EtcdTesting
import Foundation

/// The programs that the suite runs, and what is left out where one is missing.
struct Programs: Sendable {
  /// The mirror and the command, which are beside this program.
  let mirror: String
  /// The command that both run.
  let cli: String
  let strace = Tool.path(of: "strace")
  /// The library that gives a process another wall clock; `nil` if faketime is not installed, or what a killed process leaves
  /// of it in '/dev/shm' would stay.
  let fakeClock: String?
  let iptables = Tool.path(of: "iptables")

  init() async throws {
    let own = URL(fileURLWithPath: Sandbox.program)
    mirror = own.deletingLastPathComponent().appendingPathComponent("settings-fleet").path
    fakeClock = Sandbox.isPrivate ? await Self.fakeClock() : nil
    cli = ProcessInfo.processInfo.environment["SETTINGS_CLI"] ?? Tool.path(of: "settings-cli") ?? ""
    for program in [mirror, cli] where !FileManager.default.isExecutableFile(atPath: program) {
      throw Failure("'\(program)' is missing; Scripts/faults --fleet builds it, and SETTINGS_CLI names settings-cli")
    }
  }

  /// faketime(1) itself is a process between: what is killed then is not what it runs. So its library is used directly.
  private static func fakeClock() async -> String? {
    let line = try? await Tool.run("faketime", ["-f", "+0d", "printenv", "LD_PRELOAD"], in: NSTemporaryDirectory())
    return line?.split(separator: "\n").first.map(String.init)
  }

  /// The kinds of faults that are possible here, and why the others are not.
  func kinds(isPrivate: Bool) -> (possible: Set<Fault.Kind>, left: [(Fault.Kind, String)]) {
    var left: [(Fault.Kind, String)] = []
    if strace == nil { left.append((.mirrorKilledAtCall, "strace is not installed")) }
    if fakeClock == nil {
      let reason = isPrivate ? "faketime is not installed" : "namespaces are not permitted"
      left += [.clockJump, .certificate].map { ($0, reason) }
    }
    if !isPrivate || iptables == nil {
      let reason = isPrivate ? "iptables is not installed" : "namespaces are not permitted"
      left += [.packetLoss, .memberCutOff, .silence, .connectionsForgotten].map { ($0, reason) }
    }
    if !isPrivate { left.append((.diskFull, "namespaces are not permitted")) }
    let impossible = Set(left.map(\.0))
    return (Set(Fault.Kind.allCases).subtracting(impossible), left)
  }
}
