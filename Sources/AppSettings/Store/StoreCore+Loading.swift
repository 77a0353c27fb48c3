import SettingsTOML

/// Reads the files: the meaning of their bytes to this release.
extension StoreCore {
  /// Reads the user's file, migrates an older version, and creates the file if there are older settings to import. If
  /// that fails, the store continues in memory.
  ///
  /// It waits for no other writer. If one holds the file's lock, this happens in memory, and on disk with the next
  /// write, the next time that the store reads the file while its lock is free, or when the process ends. One that only
  /// reads does it in memory.
  ///
  /// - Parameter deadline: The end of waiting for a save by another program, on the monotonic clock.
  /// - Returns: The content of the file and its meaning; `nil` if a write has made them known already.
  func readOnFirstAccess(until deadline: UInt64) throws(SettingsError) -> (bytes: [UInt8]?, document: TOMLDocument)? {
    var known: TOMLDocument?
    if let (bytes, document) = try readUserFileAtRest(until: deadline) {
      guard let isOutdated = try? reader.isOutdated(document), isOutdated else {
        return (bytes, interpret(document))
      }
      known = document
    } else if !hasImport {
      return (nil, TOMLDocument())
    }
    guard !onlyReads else {
      state.withLock { $0.isWriteDue = true }
      return (known?.bytes, known.map { interpret($0) } ?? importInMemory())
    }
    do {
      try commit(of: [], knowing: known, timeout: .zero)
      return nil
    } catch let error as SettingsError where error.isOfBusyFile {
      state.withLock { $0.isWriteDue = true }
      LiveStores.register(self)
    } catch let error as SettingsError {
      // A missing permission is no failure of the migration: it is made in memory each time.
      if error.code != .readOnly { problems.report(SettingsProblem(error), endsWithWrite: true) }
    } catch {
      problems.report(SettingsProblem(.migrationFailed, "\(error)", file: location?.file), endsWithWrite: true)
    }
    let now = try readUserFile().bytes
    return (now, try now == nil ? importInMemory() : interpret(now))
  }

  /// Reads the user's file for the first time. Waits for a save by another program.
  ///
  /// - Returns: Its text and what that says; `nil` if there is no file.
  private func readUserFileAtRest(
    until deadline: UInt64
  ) throws(SettingsError) -> (bytes: [UInt8], document: TOMLDocument)? {
    var watch = SaveWatch()
    while true {
      let contents = try readUserFile()
      // Of a new file it has to be known whether it is whole: then it is parsed by now.
      var document: TOMLDocument?
      guard
        let wait = watch.wait(
          for: contents, after: SaveWatch.Known(), .doubt,
          wholeness: {
            document = try? contents.bytes.map(TOMLDocument.init(parsing:))
            return document == nil ? .broken : .whole
          }), SaveWatch.pause(for: wait, until: deadline)
      else {
        state.withLock { $0.userInode = contents.status?.inode }
        guard let bytes = contents.bytes else { return nil }
        if let document { return (bytes, document) }
        return (bytes, try reader.parse(bytes, file: backing.name))
      }
    }
  }

  /// Whether a migration or an import was made in memory because another writer held the file's lock.
  private var hasWorkDue: Bool { !onlyReads && isWriteDue }

  /// Writes the migration or import made in memory at the first access, if nobody holds the file's lock.
  ///
  /// If another writer has the lock, the work stays due. After any other failure it is not tried again; that is a
  /// problem, unless only permission is missing.
  func writeWhatIsDue(waiting timeout: Duration = .zero) {
    guard hasWorkDue else { return }
    do {
      try commit(of: [], timeout: timeout)
    } catch let error as SettingsError where error.isOfBusyFile {
      // Another writer will bring it to disk, or else the next check will.
    } catch {
      state.withLock { $0.isWriteDue = false }
      guard let error = error as? SettingsError, error.code != .readOnly else { return }
      problems.report(SettingsProblem(error), endsWithWrite: true)
    }
  }

  /// Leaves what is due to the end of the process, since the last store of this engine was closed.
  func keepWhatIsDue() {
    if hasWorkDue { LiveStores.register(self, isKept: true) }
  }

  /// Reads the user's file, and notes its permissions.
  func readUserFile() throws(SettingsError) -> SettingsFile.Contents {
    let contents = try backing.read()
    let permissions = contents.status?.permissions
    state.withLock { $0.userPermissions = permissions }
    if let permissions, permissions & 0o077 == 0 { problems.resolve { $0.code == .exposedSecret } }
    return contents
  }

  /// Reports a secret in a file that others may read.
  ///
  /// It reports only a value in the own file, by the file's mode when it was last read.
  ///
  /// - Parameter name: What messages name in place of a path with names that are a part of the secret.
  func checkSecrecy(of path: TOMLPath, named name: TOMLPath? = nil) {
    let name = name ?? path
    let exposed = state.withLock { state -> UInt32? in
      guard let permissions = state.userPermissions, permissions & 0o077 != 0,
        state.snapshot.layer(of: path) == state.snapshot.ownLayer
      else { return nil }
      return permissions
    }
    guard let exposed, let file = location?.file else { return }
    problems.report(
      SettingsProblem(
        .exposedSecret,
        "The secret '\(name)' is in '\(file)', which other users may open (mode \(String(exposed, radix: 8))). "
          + "Run 'chmod go= \(PathText.word(file) ?? file)'.", path: name, file: file))
  }

  /// The meaning of bytes to this release: parsed, and migrated in memory if they are of an older version.
  func interpret(_ bytes: [UInt8]?) throws(SettingsError) -> TOMLDocument {
    guard let bytes else { return TOMLDocument() }
    return interpret(try reader.parse(bytes, file: backing.name))
  }

  /// The meaning of a text to this release, parsed only as far as it differs from the known document.
  ///
  /// - Returns: The document of the text, its meaning, and the paths of the meaning that differ from the known
  ///   document, if that is certain.
  /// - Throws: ``SettingsError`` `unparsable`; `newerVersion` or `migrationFailed` if this release knows the meaning of
  ///   the known document, but not that of the text: then the store keeps the values that it has.
  func interpret(
    _ bytes: [UInt8], since known: TOMLDocument
  ) throws(SettingsError) -> (document: TOMLDocument, meaning: TOMLDocument, changed: [TOMLPath]?) {
    guard let (document, changed) = known.reread(bytes) else {
      let document = try reader.parse(bytes, file: backing.name)
      return (document, try interpret(document, inPlaceOf: known), nil)
    }
    let meaning = try interpret(document, inPlaceOf: known)
    let isMigrated = !meaning.bytes.isSameText(as: bytes)
    return (document, meaning, isMigrated ? nil : changed.map { [$0] } ?? [])
  }

  private func interpret(
    _ document: TOMLDocument, inPlaceOf known: TOMLDocument
  ) throws(SettingsError) -> TOMLDocument {
    guard reader.hasMeaning(known) else { return interpret(document) }
    var document = document
    try reader.migrate(&document, of: userLayer, using: "the values that were read last are used")
    return document
  }

  /// - Parameter layer: The layer of the document; by default the own one.
  func interpret(_ document: TOMLDocument, of layer: SettingsLayer? = nil) -> TOMLDocument {
    var document = document
    do {
      try reader.migrate(&document, of: layer ?? userLayer)
    } catch {
      problems.report(SettingsProblem(error), endsWithWrite: layer == nil)
    }
    return document
  }
}

extension StoreCore {
  /// Whether a new file begins with older settings of the user.
  var hasImport: Bool {
    !reader.acceptsAnyVersion && reader.migrations.hasSomethingToImport && userLayer.kind == .user
  }

  /// The initial document of a store without a file, if the import into one failed or is not possible.
  func importInMemory() -> TOMLDocument {
    var document = TOMLDocument()
    guard hasImport else { return document }
    do throws(SettingsError) {
      try reader.migrations.run(on: &document)
    } catch {
      problems.report(SettingsProblem(error.about(file: location?.file)))
    }
    return document
  }
}
