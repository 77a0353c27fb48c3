public import AppSettings

// Going from plain to sealed, and from one key to another.

extension Garage {
  /// What becomes of records that are plain text in the file of a garage with a cipher.
  public enum PlainRecords: Sendable, Hashable {
    /// They are an error, with their line, and the file is not written while one is there.
    ///
    /// Anyone who can write the file can put a plain record into it. With this, no one can pass it off as sealed.
    case refuse
    /// They are read like others, and sealed: for the time in which a garage that was plain becomes a sealed one.
    ///
    /// The first write seals all records in the file, and before that all in its backups; an empty ``GarageObjects/update(_:)`` is
    /// enough. A backup that cannot be sealed, since it does not parse, has something in it that is no record, or has
    /// records of another key, stays as it is, with its plain text, and is one of ``Garage/currentProblems``: correct it or
    /// delete it. Comments in and directly above what is sealed are removed with the plain text.
    case seal
  }

  /// Seals all records again with another cipher: another key, another algorithm, or both.
  ///
  /// ```swift
  /// try garage.changeCipher(to: .aesGCM(key: newKey))
  /// ```
  ///
  /// That is one atomic write: after a crash all records are sealed with the former cipher, or all with the new one. Sync
  /// status, comments and fields that no type knows stay. This garage goes on with the new cipher; others that are open
  /// on the file, in this process and elsewhere, are refused from then on.
  ///
  /// Backups stay as they are, sealed with the former key. ``restore(_:sealedWith:)`` puts one back if it gets the former
  /// cipher. Where the former key has become known, remove the backups.
  ///
  /// - Parameter cipher: What seals the records from now on.
  /// - Throws: `SettingsError` `sealedRecord` if this garage has no cipher, or not that of the file, or if any record
  ///   cannot be opened; `nestedUpdate` within an update; `readOnly`, `unparsable`, `newerVersion`, `lockTimeout` or `io`.
  ///   The file is unchanged, unless an `io` error says that the new text was not made durable: then the garage goes on
  ///   with the cipher that the file has.
  public func changeCipher(to cipher: GarageCipher) throws(SettingsError) {
    try SettingsError.only {
      try core.checkNotNested()
      let old = format
      guard old.cipher != nil else {
        throw SettingsError(
          .sealedRecord,
          "Cannot seal '\(old.file)' again: this garage has no cipher. To seal a plain garage, open it with 'cipher:' and "
            + "'plainRecords: .seal'. The file is unchanged.", file: old.file)
      }
      var new = old
      new.cipher = cipher
      new.former = nil
      new.renewGeneration()
      // Until it is known which of the two the file has, both open what is read.
      var either = old
      either.former = cipher
      either.renewGeneration()
      defer {
        // It has failed: at the very end, maybe, when the file was new already.
        if format.generation == either.generation {
          format = either.settled(by: core.known.document)
        }
      }
      try core.rewrite { document in
        try old.checkKey(of: document)
        var again = new
        again.former = old.cipher
        let draft = GarageDraft(base: document, format: again)
        try draft.sealAll()
        draft.renewsCheck = true
        let edits = try draft.apply(to: &document)
        try sealBackups()
        format = either
        return edits
      } checkingAgain: { [core] _ in
        // What is new in it may be sealed with the former key.
        throw core.overtakenError("something")
      }
      format = new
    }
  }

  /// Puts a backup in the place of the file; what is there now becomes a backup first.
  ///
  /// With a cipher, no plain text comes back: a backup with plain records is refused, or sealed as it is put back if the
  /// garage was opened with ``PlainRecords/seal``.
  ///
  /// - Parameters:
  ///   - backup: One of ``backups``.
  ///   - former: The cipher that the backup is sealed with, if the garage had another one then: its records are sealed
  ///     again with the present one.
  /// - Throws: `SettingsError` `io` if there is no such backup, `unparsable` if it is no TOML, `sealedRecord` if it has
  ///   plain records or is sealed with another key, or the file is; `readOnly` or `lockTimeout`. The file is unchanged.
  public func restore(_ backup: SettingsBackup, sealedWith former: GarageCipher? = nil) throws(SettingsError) {
    try SettingsError.only {
      let format = format
      if format.plainRecords == .seal {
        do {
          try write { _ in }
        } catch let error as SettingsError where error.code == .unparsable {
          // What is there becomes a backup as it is, like a file that is recovered.
          hasSealedBackups.withLock { $0 = false }
        }
      }
      try store.restore(backup) { current, document in
        if let current = current.flatMap({ try? TOMLDocument(parsing: $0) }) {
          if format.cipher != nil || !GarageFormat.isSealed(document) { try format.checkKey(of: current) }
          if format.cipher != nil, let plain = format.firstPlain(in: current) { throw format.failure(plain) }
        }
        guard format.cipher != nil else { return document.bytes }
        var opening = format
        opening.file = backup.path
        opening.former = former
        let draft = GarageDraft(base: document, format: opening)
        if former != nil {
          try draft.sealAll()
          // A backup without records has the check value alone.
          draft.renewsCheck = true
        }
        return try draft.text()
      }
    }
  }

  /// Seals the backups that are plain, if that is to be done. Called with the file's lock, before anything is written.
  ///
  /// One that cannot be sealed stays as it is, and is a problem until it can be or is gone: it may be the only copy.
  ///
  /// - Throws: `SettingsError` `readOnly`, `io` or `lockTimeout`. Each backup is as it was, or sealed.
  func sealBackups() throws {
    let format = format
    guard format.cipher != nil, format.plainRecords == .seal, !hasSealedBackups.withLock({ $0 }),
      let backups = core.backupsInCommit
    else { return }
    var problems: [SettingsProblem] = []
    for backup in try backups.list() where !backup.mayBeOfAnotherFile {
      try backups.replace(backup) { bytes in
        do {
          return try sealedText(ofBackup: bytes, at: backup.path, format)
        } catch let error as SettingsError {
          problems.append(
            SettingsProblem(
              .sealedRecord,
              Self.backupProblem + "'\(backup.path)', which stays as it is, with plain text in it: \(error.message) "
                + "Correct the backup, or delete it if its content is not needed.", file: backup.path,
              position: error.position))
          return nil
        }
      }
    }
    core.problems.resolve { $0.message.hasPrefix(Self.backupProblem) && !problems.contains($0) }
    for problem in problems { core.problems.report(problem) }
    hasSealedBackups.withLock { $0 = problems.isEmpty }
  }

  private static var backupProblem: String { "Cannot seal the backup " }

  /// The text to replace that of a backup by; `nil` if there is nothing plain in it.
  private func sealedText(ofBackup bytes: [UInt8], at path: String, _ format: GarageFormat) throws -> [UInt8]? {
    let document: TOMLDocument
    do {
      document = try TOMLDocument(parsing: bytes)
    } catch {
      // One that was sealed before it was damaged has nothing plain in it.
      if bytes.containsText(GarageFormat.checkKey) { return nil }
      throw SettingsError(
        .unparsable, "line \(error.position.line) of it is not TOML.", file: path, position: error.position)
    }
    var opening = format
    opening.file = path
    guard opening.firstPlain(in: document) != nil else { return nil }
    return try GarageDraft(base: document, format: opening).text()
  }
}
