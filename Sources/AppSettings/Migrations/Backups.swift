import Glibc

/// The copies that are made before a migration or a recovery, newest 10 kept.
package struct Backups: Sendable {
  package let directory: String
  /// The settings file's name without `.toml`.
  package let name: String
  package let system: Syscalls

  package static let kept = 10

  package init(directory: String, name: String, system: Syscalls) {
    self.directory = directory
    self.name = name
    self.system = system
  }

  /// Writes a copy, durably, and takes away the oldest beyond the number kept.
  ///
  /// The caller holds the settings file's lock, so that two processes do not make one for the same occasion. Where the
  /// same text has been kept for the same reason already, as by a process that died before it could go on, that copy
  /// serves.
  ///
  /// - Parameter reason: What the copy was made before, in a few letters, digits and dashes: `before-v3`.
  /// - Returns: The copy's path.
  /// - Throws: ``SettingsError`` `readOnly` or `io`. No copy was made then.
  @discardableResult
  package func save(_ bytes: [UInt8], reason: String) throws -> String {
    let all = try list()
    if let same = all.first(where: { $0.hasSuffix(".\(reason).toml") }),
      try SettingsFile(path: same, system: system).read().bytes == bytes
    {
      return same
    }
    let stamp = ProcessFacts.timestamp()
    // Those within one second are told apart by a number, which goes on from the newest so that names sort by age.
    let newest = all.first { $0.hasPrefix("\(directory)/\(name).\(stamp)-") }
    let used = newest.flatMap { Int($0.dropFirst("\(directory)/\(name).\(stamp)-".count).prefix(3)) } ?? -1
    for number in used + 1..<max(used + 2, 1000) {
      let digits = String(number)
      let suffix = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
      let path = "\(directory)/\(name).\(stamp)-\(suffix).\(reason).toml"
      let file = SettingsFile(path: path, system: system)
      var isTaken = false
      try file.update { contents in
        isTaken = contents.bytes != nil
        return isTaken ? nil : bytes
      }
      if !isTaken {
        prune()
        return path
      }
    }
    throw SettingsError(.io, "Cannot make a backup in '\(directory)': a thousand were made within this second.")
  }

  /// The copies' paths, newest first.
  package func list() throws(SettingsError) -> [String] {
    do throws(Errno) {
      let names = try system.names(in: directory) ?? []
      return names.filter { $0.hasPrefix(name + ".") && $0.hasSuffix(".toml") }.sorted(by: >)
        .map { "\(directory)/\($0)" }
    } catch {
      throw .system(error, "list", directory)
    }
  }

  private func prune() {
    guard let all = try? list() else { return }
    for path in all.dropFirst(Self.kept) { try? system.unlink(path) }
  }
}
