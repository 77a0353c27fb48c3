import CSettingsSystem
import Glibc

/// A user's rights to files, for a process with more rights: one that root runs.
///
/// On Linux, each thread has its own rights to files (nptl(7)), so the other threads keep theirs.
package struct UserRights: Sendable, Hashable {
  /// The id of the user.
  let user: UInt32
  private let group: UInt32
  private let groups: [UInt32]

  /// Looks up a user. One that is not in the user database is in no group.
  package init(of user: UInt32) {
    self.user = user
    let entry = UserEntry(id: user)
    group = entry?.group ?? Self.nobodysGroup
    groups = entry?.groups ?? []
  }

  /// `nogroup`, credentials(7) and user_namespaces(7): the overflow id.
  private static let nobodysGroup: UInt32 = 65_534

  /// Whether this process runs as root, to whom permissions of files do not apply.
  package static var isRoot: Bool { geteuid() == 0 }

  /// Runs `body` with only these rights, on a separate thread.
  ///
  /// - Throws: What `body` throws, or ``Errno`` if the thread cannot be started or cannot take the rights.
  package func perform<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
    typealias Outcome = Swift.Result<Result, any Error>
    let outcome = Monitor<Outcome?>(nil)
    try PlainThread.start("user-rights") {
      let isReady = csettings_take_file_rights(user, group, groups, CInt(groups.count)) == 0
      let error = Errno(errno)
      let result = Outcome { if isReady { try body() } else { throw error } }
      outcome.withLock { $0 = result }
    }
    return try outcome.wait { $0 }.get()
  }
}
