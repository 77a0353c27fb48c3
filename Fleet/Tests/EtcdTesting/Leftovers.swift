import Foundation
import Synchronization

/// The clusters that have to go when the process exits: those that tests share live until then.
enum Leftovers {
  /// Protects the clusters that were started and not stopped, by their directories.
  private static let clusters = Mutex<[String: [EtcdMember]]>([:])
  private static let isRegistered: Bool =
    atexit {
      for directory in Leftovers.clusters.withLock({ Array($0.keys) }) { Leftovers.remove(directory) }
    } == 0

  static func add(members: [EtcdMember], directory: String) {
    precondition(isRegistered, "The process has no place for another exit handler.")
    clusters.withLock { $0[directory] = members }
  }

  static var members: [EtcdMember] { clusters.withLock { $0.values.flatMap(\.self) } }

  static func remove(_ directory: String) {
    guard let members = clusters.withLock({ $0.removeValue(forKey: directory) }) else { return }
    for member in members { member.kill() }
    try? FileManager.default.removeItem(atPath: directory)
  }
}
