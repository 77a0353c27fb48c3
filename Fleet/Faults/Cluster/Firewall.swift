import EtcdTesting
import Synchronization

/// Drops packets, in the network namespace of the suite.
final class Firewall: Sendable {
  private let directory: String
  /// Protects the rules that are in force.
  private let rules = Mutex<[[String]]>([])

  init(in directory: String) { self.directory = directory }

  /// Drops what a member sends to the others. It still hears them.
  func cutOff(_ member: EtcdMember) async throws {
    // The others open the connections on which a member's messages reach them.
    let port = member.peerAddress.split(separator: ":").last.map(String.init) ?? "0"
    for side in ["--dport", "--sport"] { try await drop(["-p", "tcp", side, port]) }
  }

  /// Drops a share of the packets to and from a member.
  func lose(percent: Int, at member: EtcdMember) async throws {
    let ports = [member.peerAddress.split(separator: ":").last.map(String.init) ?? "0", "\(member.port)"]
    for port in ports {
      for side in ["--dport", "--sport"] {
        try await drop([
          "-p", "tcp", side, port, "-m", "statistic", "--mode", "random", "--probability", "\(Double(percent) / 100)",
        ])
      }
    }
  }

  /// Drops all packets between a machine and the members.
  func silence(_ machine: Machine) async throws {
    for proxy in machine.proxies {
      for side in ["--dport", "--sport"] { try await drop(["-p", "tcp", side, "\(proxy.port)"]) }
    }
  }

  /// Lets everything through again.
  func clear() async throws {
    let all = rules.withLock { rules in
      defer { rules = [] }
      return rules
    }
    for rule in all { try await Tool.run("iptables", ["-w", "-D", "INPUT"] + rule, in: directory) }
  }

  private func drop(_ match: [String]) async throws {
    let rule = match + ["-j", "DROP"]
    try await Tool.run("iptables", ["-w", "-A", "INPUT"] + rule, in: directory)
    rules.withLock { $0.append(rule) }
  }
}
