import Glibc

/// Facts about this machine: the system's id, the architecture and the host name, which select declared files, and its
/// groups.
package enum MachineFacts {
  /// `ID` of `/etc/os-release`, or else of `/usr/lib/os-release`, os-release(5); `nil` if neither has one.
  package static func systemID(_ system: Syscalls) -> String? {
    (text(of: "/etc/os-release", system) ?? text(of: "/usr/lib/os-release", system)).flatMap(systemID(in:))
  }

  /// The text of a system file, at most a megabyte of it; `nil` if the file cannot be opened.
  private static func text(of path: String, _ system: Syscalls) -> String? {
    guard let file = try? system.open(path, flags: O_RDONLY) else { return nil }
    defer { system.close(file) }
    let bytes = (try? system.readAll(file, path: path, expecting: 4096, limit: 1 << 20)) ?? []
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The id in the text of `os-release`.
  package static func systemID(in text: String) -> String? {
    for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("ID=") {
      var value = line.dropFirst(3)
      if let quote = value.first, quote == "\"" || quote == "'", value.last == quote, value.count > 1 {
        value = value.dropFirst().dropLast()
      }
      return value.isEmpty ? nil : String(value)
    }
    return nil
  }

  /// Whether a group is a user's own, which systems with the umask 002 make for each user: it has the user's number,
  /// and group(5) lists no members. `false` for root, and for a group that is not in that file.
  package static func isPrivate(group: UInt32, of user: UInt32, _ system: Syscalls) -> Bool {
    user != 0 && group == user && text(of: "/etc/group", system).map { isPrivate(group: group, in: $0) } == true
  }

  /// Whether a group without members is in the text of `/etc/group`.
  package static func isPrivate(group: UInt32, in text: String) -> Bool {
    var isListed = false
    for line in text.split(whereSeparator: \.isNewline) {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count == 4, UInt32(fields[2]) == group else { continue }
      guard fields[3].isEmpty else { return false }
      isListed = true
    }
    return isListed
  }

  /// The machine and the node name of `uname(2)`.
  ///
  /// For example `x86_64` and `ada-laptop`; both are empty if the call fails.
  package static var names: (machine: String, host: String) {
    var names = utsname()
    guard uname(&names) == 0 else { return ("", "") }
    func text(_ field: some Any) -> String {
      withUnsafeBytes(of: field) { PathText.text($0.prefix { $0 != 0 }) }
    }
    return (text(names.machine), text(names.nodename))
  }
}
