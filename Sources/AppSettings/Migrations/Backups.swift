import Glibc

/// A backup that is made along with the replacing of the file.
struct BackupInProgress {
  /// Makes it durable; to be called before the file is replaced.
  var finish: () throws -> Void = {}
  /// Takes it back where the file was not replaced after all.
  var abandon: () -> Void = {}
}

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
    if let same = try same(as: bytes, reason: reason, among: all) { return same }
    let path = try makeNew(reason: reason, after: all) { path in
      var isTaken = false
      try SettingsFile(path: path, system: system).update { contents in
        isTaken = contents.bytes != nil
        return isTaken ? nil : bytes
      }
      return !isTaken
    }
    prune()
    return path
  }

  /// Keeps the text of a file that is about to be replaced by giving the file a second name: nothing is written, so
  /// there is room for it on a full disk. The caller holds the file's lock.
  ///
  /// It becomes durable by what is returned, which is to be finished when the new text is on disk already: file systems
  /// with a journal have then written both, so that it costs next to nothing.
  ///
  /// - Parameters:
  ///   - bytes: What the file has, as it was read with `status`.
  ///   - reason: As in ``save(_:reason:)``.
  /// - Returns: `nil` if there can be no such name: on another file system, in one that knows none, or where the file
  ///   has other names already, through which it might be written to. A copy has to do then.
  func link(
    _ file: SettingsFile, _ bytes: [UInt8], _ status: FileStatus, reason: String
  ) throws -> BackupInProgress? {
    let all = try list()
    if let same = try same(as: bytes, reason: reason, among: all) {
      return BackupInProgress(finish: { try synchronize(same) })
    }
    guard status.links == 1 else { return nil }
    let source = try FinalPath.resolve(file.path, system: system).path
    let path: String
    do {
      path = try makeNew(reason: reason, after: all) { path in
        var isMissing = false
        do throws(Errno) {
          try system.link(source, to: path)
        } catch {
          if error.rawValue == EEXIST { return false }
          guard error.rawValue == ENOENT else { throw error }
          isMissing = true
        }
        if isMissing {
          try SettingsFile(path: path, system: system).makeDirectories(directory)
          try system.link(source, to: path)
        }
        return true
      }
    } catch is Errno {
      return nil
    }
    // Whoever writes without the lock may have put another file there since it was read.
    guard let linked = try? system.status(at: path), linked.sameFile(status), linked.links == 2,
      linked.size == status.size, linked.modified == status.modified
    else {
      try? system.unlink(path)
      return nil
    }
    prune()
    return BackupInProgress(
      finish: { try synchronize(path) },
      abandon: {
        // While the file has both names, an editor that writes in place would write to the backup.
        if let status = try? system.status(at: path), status.links > 1 { try? system.unlink(path) }
      })
  }

  /// Sees to it that a backup is on disk, and its name too.
  private func synchronize(_ path: String) throws(SettingsError) {
    do throws(Errno) {
      let file = try system.open(path, flags: O_RDONLY)
      defer { system.close(file) }
      try system.synchronize(file, path: path)
      let directory = try system.open(self.directory, flags: O_RDONLY | O_DIRECTORY)
      defer { system.close(directory) }
      try system.synchronizeDirectory(directory, path: self.directory)
    } catch {
      throw .system(error, "make durable", path)
    }
  }

  /// The newest copy that was made for a reason, if it has this text.
  private func same(as bytes: [UInt8], reason: String, among all: [String]) throws -> String? {
    guard let path = all.first(where: { $0.hasSuffix(".\(reason).toml") }),
      try SettingsFile(path: path, system: system).read().bytes == bytes
    else { return nil }
    return path
  }

  /// Calls `make` with one path after another until it says that there was nothing yet.
  private func makeNew(reason: String, after all: [String], _ make: (String) throws -> Bool) throws -> String {
    let stamp = ProcessFacts.timestamp()
    // Those within one second are told apart by a number, which goes on from the newest so that names sort by age.
    let newest = all.first { $0.hasPrefix("\(directory)/\(name).\(stamp)-") }
    let used = newest.flatMap { Int($0.dropFirst("\(directory)/\(name).\(stamp)-".count).prefix(3)) } ?? -1
    for number in used + 1..<max(used + 2, 1000) {
      let digits = String(number)
      let suffix = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
      let path = "\(directory)/\(name).\(stamp)-\(suffix).\(reason).toml"
      if try make(path) { return path }
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
