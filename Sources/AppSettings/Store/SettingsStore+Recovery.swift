import SettingsTOML

/// Recovery of a file that does not parse.
extension SettingsStore {
  /// Moves a file that does not parse to the backups, so that the app starts with its defaults.
  ///
  /// The file is removed only when exactly its text is in a backup on disk. A file that an editor has corrected
  /// meanwhile stays. Files that a write has set aside because the disk failed are moved to the backups too.
  ///
  /// A person can do more: `settings-cli recover APP --restore` replaces the file with the newest text that parses,
  /// from the history or from a backup, and shows what differs. The errors of `settings-cli` say from when that text
  /// is.
  ///
  /// ```swift
  /// if let backup = try settings.recover() { print("The settings could not be read; they are in \(backup.path).") }
  /// ```
  ///
  /// A store in memory has nothing to recover.
  ///
  /// - Returns: The backup; `nil` if there is no file, or it parses.
  /// - Throws: ``SettingsError`` `readOnly`, `io`, `lockTimeout`, or `nestedUpdate` within an update of the same store.
  ///   The file is in its old place, unless the message gives another one.
  @discardableResult
  public func recover() throws(SettingsError) -> SettingsBackup? {
    guard case .file(let file, _) = core.backing, try file.hasDirectory() else { return nil }
    return try SettingsError.only {
      try core.commit(backingUp: Backups.unparsable) { current in
        current.flatMap { RecoverySearch.parses($0) ? $0 : nil }
      }.backup
    }
  }

  /// Replaces a file that does not parse with the newest text that does, from the history or from a backup, in one
  /// write, after backing up its text. A file that was removed gets that text, too.
  ///
  /// - Throws: ``SettingsError`` as ``restore(_:)``. The file is unchanged.
  package func recoverNewest() throws -> SettingsRecovery {
    guard case .file(let file, _) = core.backing, let location = core.location else { return .notNeeded }
    var found: (search: RecoverySearch, broken: [UInt8]?)?
    let replaced = try core.commit(backingUp: Backups.unparsable, from: { found?.search.source?.backup }) { current in
      // This may run again, on a text that an editor has saved meanwhile.
      found = nil
      if let current, RecoverySearch.parses(current) { return current }
      let search = RecoverySearch(
        for: current, at: location, core.history?.migrations ?? .none, system: file.system)
      if current == nil, search.source == nil, search.incomplete == nil { return nil }
      found = (search, current)
      return search.source?.bytes ?? current
    }.backup
    guard let (search, broken) = found else { return .notNeeded }
    guard let source = search.source else { return .nothingFound(search) }
    return .restored(source, search, broken: broken, replaced: replaced)
  }
}

/// The result of replacing a file that does not parse.
package enum SettingsRecovery: Sendable, Hashable {
  /// There is no file, or it parses.
  case notNeeded
  /// There is no text to replace it with. The file is unchanged.
  case nothingFound(RecoverySearch)
  /// A text has replaced the file, and its old text, if it had one, is a backup.
  case restored(RecoverySource, RecoverySearch, broken: [UInt8]?, replaced: SettingsBackup?)
}
