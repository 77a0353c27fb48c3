import EtcdClient
import Foundation
import Synchronization

/// One member of a cluster: a process.
public final class EtcdMember: Sendable {
  /// The member's name in the cluster.
  public let name: String
  /// The address for clients.
  public let endpoint: String
  /// The port of the address for clients, on the loopback interface.
  public let port: Int
  package let peerAddress: String
  /// Where its data and its log are.
  public let directory: String
  private let arguments: [String]
  /// Protects which process the member is.
  private let process = Mutex<ChildProcess?>(nil)

  init(name: String, port: Int, endpoint: String, peerAddress: String, directory: String, arguments: [String]) {
    self.name = name
    self.port = port
    self.endpoint = endpoint
    self.peerAddress = peerAddress
    self.directory = directory
    self.arguments = arguments
  }

  /// The process's number, while there is one.
  public var pid: Int32? { process.withLock { $0?.pid } }

  /// What the member has logged.
  public var log: String { (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? "" }

  var dataDirectory: String { "\(directory)/data" }

  /// Memory of the process in bytes.
  public var residentBytes: Int {
    guard let pid, let text = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
      let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return 0 }
    return kilobytes * 1024
  }

  /// Starts the process; does not wait until it answers.
  ///
  /// - Parameter isNew: Whether it has no data yet, and gets them from a cluster that is there.
  package func launch(isNew: Bool = false) throws {
    let state = isNew ? ["--initial-cluster-state", "existing"] : []
    let child = try ChildProcess(Tool.path(of: "etcd") ?? "etcd", arguments + state, output: "\(directory)/log")
    process.withLock { $0 = child }
  }

  package var isRunning: Bool { process.withLock { $0 }?.isRunning ?? false }

  /// Ends the process at once, as a power failure of the machine would, and returns when it is gone.
  public func kill() {
    let child = process.withLock { process in
      defer { process = nil }
      return process
    }
    child?.kill()
  }

  /// Asks the process to end, as an upgrade does: it closes its streams in order. Returns when it is gone.
  public func terminate() {
    let child = process.withLock { process in
      defer { process = nil }
      return process
    }
    child?.send(SIGTERM)
    _ = child?.wait()
  }

  /// Stops the process without ending it: connections stay open, and nothing answers.
  public func pause() { process.withLock { $0 }?.stop() }

  /// Lets a paused process go on.
  public func resume() { process.withLock { $0 }?.send(SIGCONT) }
}
