import CSettingsSystem
import Glibc

/// Where the system looks up users, groups and hosts.
package enum NameServices {
  private static let isPrepared: Void = csettings_use_builtin_name_services()

  /// Prepares lookups. Call it before the first one.
  ///
  /// A program that is linked without shared libraries sees only what `/etc/passwd`, `/etc/group`, `/etc/hosts` and DNS
  /// have: what else `nsswitch.conf(5)` names cannot be loaded into it. For other programs this does nothing.
  package static func prepare() { _ = isPrepared }
}

/// A user, as the user database has it: `getpwuid(3)`.
package struct UserEntry: Sendable {
  /// The user's name.
  package let name: String
  /// The user's home directory.
  package let home: String
  /// The user's own group.
  let group: UInt32

  /// Looks up a user; `nil` if the database has no such one.
  package init?(id: UInt32) {
    NameServices.prepare()
    let found = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer -> (String, String, UInt32)? in
      // The entry's texts point into the buffer.
      var entry = passwd()
      var result: UnsafeMutablePointer<passwd>?
      guard getpwuid_r(id, &entry, buffer.baseAddress!, buffer.count, &result) == 0, result != nil,
        let name = entry.pw_name, let home = entry.pw_dir
      else { return nil }
      return (PathText.text(name), PathText.text(home), entry.pw_gid)
    }
    guard let found else { return nil }
    (name, home, group) = found
  }

  /// The user of this process; `nil` if the database has no such one.
  package static var current: UserEntry? { UserEntry(id: geteuid()) }

  /// All groups of the user, `getgrouplist(3)`.
  var groups: [UInt32] {
    var found = [gid_t](repeating: 0, count: 1024)
    var count = CInt(found.count)
    // If the user has more groups than fit, the first ones count: too few rights, never too many.
    _ = name.withCString { getgrouplist($0, group, &found, &count) }
    return Array(found.prefix(min(Int(count), found.count)))
  }
}
