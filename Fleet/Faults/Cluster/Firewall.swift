import EtcdTesting
import Synchronization

/// Drops packets, in the network namespace of the suite.
final class Firewall: Sendable {
  private let directory: String
  /// Protects the rules that are in force.
  private let rules = Mutex<[[String]]>([])
  /// Protects the rules about forgotten connections.
  private let forgotten = Mutex<[[String]]>([])

  init(in directory: String) { self.directory = directory }

  /// Drops what a member sends to the others. It still hears them.
  func cutOff(_ member: EtcdMember) async throws {
    // The others open the connections on which a member's messages reach them.
    let port = member.peerAddress.split(separator: ":").last.map(String.init) ?? "0"
    for side in ["--dport", "--sport"] { try await add(["-p", "tcp", side, port]) }
  }

  /// Drops a share of the packets to and from a member.
  func lose(percent: Int, at member: EtcdMember) async throws {
    let ports = [member.peerAddress.split(separator: ":").last.map(String.init) ?? "0", "\(member.port)"]
    for port in ports {
      for side in ["--dport", "--sport"] {
        try await add([
          "-p", "tcp", side, port, "-m", "statistic", "--mode", "random", "--probability", "\(Double(percent) / 100)",
        ])
      }
    }
  }

  /// Drops all packets between a machine and the members.
  func silence(_ machine: Machine) async throws {
    for proxy in machine.proxies {
      for side in ["--dport", "--sport"] { try await add(["-p", "tcp", side, "\(proxy.port)"]) }
    }
  }

  /// Drops all packets of the connections that a proxy has now, as a router does that has lost its table.
  func forgetConnections(to proxy: TCPProxy) async throws {
    for port in proxy.clientPorts {
      for (source, destination) in [(port, proxy.port), (proxy.port, port)] {
        let rule = try await drop(["-p", "tcp", "--sport", "\(source)", "--dport", "\(destination)"])
        forgotten.withLock { $0.append(rule) }
      }
    }
  }

  /// Lets everything through again, but for the connections that are forgotten.
  func clear() async throws { try await remove(rules) }

  /// Ends what ``forgetConnections(to:)`` began: by now nobody uses those connections, and new ones may have their ports.
  func clearForgotten() async throws { try await remove(forgotten) }

  private func remove(_ rules: borrowing Mutex<[[String]]>) async throws {
    let all = rules.withLock { rules in
      defer { rules = [] }
      return rules
    }
    for rule in all { try await Tool.run("iptables", ["-w", "-D", "INPUT"] + rule, in: directory) }
  }

  private func drop(_ match: [String]) async throws -> [String] {
    let rule = match + ["-j", "DROP"]
    try await Tool.run("iptables", ["-w", "-A", "INPUT"] + rule, in: directory)
    return rule
  }

  private func add(_ match: [String]) async throws {
    let rule = try await drop(match)
    rules.withLock { $0.append(rule) }
  }
}
