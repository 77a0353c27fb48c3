import Glibc

/// Facts about this machine that select declared files: the system's id, the architecture and the host name.
package enum MachineFacts {
  /// `ID` of `/etc/os-release`, or else of `/usr/lib/os-release`, os-release(5); `nil` if neither has one.
  package static func systemID(_ system: Syscalls) -> String? {
    for path in ["/etc/os-release", "/usr/lib/os-release"] {
      guard let file = try? system.open(path, flags: O_RDONLY) else { continue }
      defer { system.close(file) }
      let bytes = (try? system.readAll(file, path: path, expecting: 4096, limit: 65_536)) ?? []
      return systemID(in: String(decoding: bytes, as: UTF8.self))
    }
    return nil
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

  /// The machine and the node name of `uname(2)`.
  package static var names: (machine: String, host: String) {
    var names = utsname()
    guard uname(&names) == 0 else { return ("", "") }
    func text(_ field: some Any) -> String {
      withUnsafeBytes(of: field) { PathText.text($0.prefix { $0 != 0 }) }
    }
    return (text(names.machine), text(names.nodename))
  }
}
