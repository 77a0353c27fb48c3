public import AppSettings

// Converting a garage from plain to sealed, and from one key to another.

extension Garage {
  /// Seals all records again with another cipher: another key, another algorithm, or both.
  ///
  /// ```swift
  /// try garage.changeCipher(to: .aesGCM(key: newKey))
  /// ```
  ///
  /// This is one atomic write: after a crash, either all records are sealed with the old cipher or all with the new
  /// one. Sync status, comments and fields that no type knows stay. This garage continues with the new cipher; other
  /// garages open on the file, in this process or another, get errors from then on.
  ///
  /// Backups stay sealed with the old key. To restore one, pass the old cipher to ``restore(_:sealedWith:)``. If
  /// someone else knows the old key, remove the backups.
  ///
  /// - Parameter cipher: The new cipher for the records.
  /// - Throws: `SettingsError` `sealedRecord` if this garage has no cipher or not that of the file, or if a record
  ///   cannot be opened; `nestedUpdate` within an update; `readOnly`, `unparsable`, `newerVersion`, `lockTimeout` or
  ///   `io`. The file is unchanged, unless an `io` error says that the new text was not made durable: then the garage
  ///   continues with the cipher that the file has.
  public func changeCipher(to cipher: GarageCipher) throws(SettingsError) {
    try SettingsError.only {
      try core.checkNotNested()
      let old = format
      guard old.cipher != nil else {
        throw SettingsError(
          .sealedRecord,
          "Cannot seal '\(old.file)' again: this garage has no cipher. To seal a plain garage, open it with 'cipher:' and "
            + "'sealsPlainRecords: true'. The file is unchanged.", file: old.file)
      }
      var new = old
      new.cipher = cipher
      new.former = nil
      new.renewGeneration()
      // Until it is certain which of the two ciphers the file has, both open records.
      var either = old
      either.former = cipher
      either.renewGeneration()
      defer {
        // It failed: perhaps at the very end, when the file was already new.
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
        // New content in the file may be sealed with the old key.
        throw core.overtakenError("something")
      }
      format = new
    }
  }

  /// Replaces the file with a backup, after backing up the present file.
  ///
  /// With a cipher, no plain text is restored: a backup with plain records is refused, or is sealed then if the
  /// garage was opened with `sealsPlainRecords`.
  ///
  /// - Parameters:
  ///   - backup: One of ``backups()``.
  ///   - former: The cipher of the backup, if the garage had another one then. Its records get the present one.
  /// - Throws: `SettingsError` `io` if the backup does not exist, `unparsable` if it is not TOML, `sealedRecord` if
  ///   it has plain records, or it or the file has another key; `readOnly` or `lockTimeout`. The file is unchanged.
  public func restore(_ backup: SettingsBackup, sealedWith former: GarageCipher? = nil) throws(SettingsError) {
    try SettingsError.only {
      let format = format
      if format.sealsPlainRecords {
        do {
          try write { _ in }
        } catch let error as SettingsError where error.code == .unparsable {
          // The present file becomes a backup unchanged, like a recovered file.
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
          // A backup without records gets only the check value.
          draft.renewsCheck = true
        }
        return try draft.text()
      }
    }
  }

  /// Seals the plain backups if the garage was opened to do so. Called under the file's lock, before a write.
  ///
  /// A backup that cannot be sealed stays unchanged and is a problem until sealed or deleted: it may be the only copy.
  ///
  /// - Throws: `SettingsError` `readOnly`, `io` or `lockTimeout`. Each backup is either unchanged or sealed.
  func sealBackups() throws {
    let format = format
    guard format.cipher != nil, format.sealsPlainRecords, !hasSealedBackups.withLock({ $0 }),
      let backups = core.backupsInCommit
    else { return }
    var problems: [SettingsProblem] = []
    for backup in try backups.list() {
      try backups.replace(backup) { bytes in
        do {
          return try sealedText(ofBackup: bytes, at: backup.path, format)
        } catch let error as SettingsError {
          problems.append(
            SettingsProblem(
              .sealedRecord,
              Self.backupProblem + "'\(backup.path)', which still contains plain text: \(error.message) "
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

  /// The new text of a backup; `nil` if nothing in it is plain.
  private func sealedText(ofBackup bytes: [UInt8], at path: String, _ format: GarageFormat) throws -> [UInt8]? {
    let document: TOMLDocument
    do {
      document = try TOMLDocument(parsing: bytes)
    } catch {
      // A backup sealed before it was damaged has no plain text.
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
