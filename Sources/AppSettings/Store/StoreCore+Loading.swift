import SettingsTOML

/// Reading the files: what their bytes mean to this release.
extension StoreCore {
  /// Reads the user's file, migrates it if it is of an older version, and makes it if there is an older home to take
  /// over. Where that fails, the store goes on in memory.
  func readOnFirstAccess() throws(SettingsError) -> (bytes: [UInt8]?, document: TOMLDocument) {
    var known: TOMLDocument?
    if let bytes = try readUserFile().bytes {
      let document = try reader.parse(bytes, file: backing.name)
      guard let isOutdated = try? reader.isOutdated(document), isOutdated else {
        return (bytes, interpret(document))
      }
      known = document
    } else if !reader.migrations.hasSomethingToImport || reader.acceptsAnyVersion {
      return (nil, TOMLDocument())
    }
    do {
      try commit(of: [], knowing: known)
      return state.withLock { ($0.userBytes, $0.userDocument) }
    } catch let error as SettingsError {
      // Not writable is no failure of the migration: it is done in memory, each time.
      if error.code != .readOnly { problems.report(SettingsProblem(error)) }
    } catch {
      problems.report(SettingsProblem(.migrationFailed, "\(error)", file: location?.file))
    }
    let now = try readUserFile().bytes
    return (now, try now == nil ? importInMemory() : interpret(now))
  }

  /// Reads the user's file, and takes note of who may read it.
  func readUserFile() throws(SettingsError) -> SettingsFile.Contents {
    let contents = try backing.read()
    let permissions = contents.status?.permissions
    state.withLock { $0.userPermissions = permissions }
    if let permissions, permissions & 0o077 == 0 { problems.resolve { $0.code == .exposedSecret } }
    return contents
  }

  /// Reports a secret that stands in a file which others may read.
  func checkSecrecy(of path: TOMLPath) {
    let exposed = state.withLock { state -> UInt32? in
      guard let permissions = state.userPermissions, permissions & 0o077 != 0,
        state.snapshot.layer(of: path).kind == .user
      else { return nil }
      return permissions
    }
    guard let exposed, let file = location?.file else { return }
    problems.report(
      SettingsProblem(
        .exposedSecret,
        "The secret '\(path)' is in '\(file)', which other users may open (mode \(String(exposed, radix: 8))). "
          + "Run 'chmod go= \(file)'.", path: path, file: file))
  }

  /// What bytes mean to this release: parsed, and migrated in memory if they are of an older version.
  func interpret(_ bytes: [UInt8]?) throws(SettingsError) -> TOMLDocument {
    guard let bytes else { return TOMLDocument() }
    return interpret(try reader.parse(bytes, file: backing.name))
  }

  private func interpret(_ document: TOMLDocument) -> TOMLDocument {
    var document = document
    do {
      if try reader.isOutdated(document) { try reader.migrations.run(on: &document) }
      try reader.checkNotNewer(document, file: backing.name)
    } catch {
      problems.report(SettingsProblem(error))
    }
    return document
  }

  func readSystemLayers() -> [LayerContent] {
    guard let location, case .file(let file, _) = backing else { return [] }
    let known = state.withLock { state in state.snapshot.layers[..<state.snapshot.userIndex] }
    var contents: [LayerContent] = []
    for path in SystemFiles.paths(of: location, system: file.system, problems: problems) {
      do throws(SettingsError) {
        let systemFile = SettingsFile(path: path, system: file.system)
        guard let bytes = try systemFile.read().bytes else { continue }
        var document = try reader.parse(bytes, file: path)
        if try reader.isOutdated(document) { try reader.migrations.run(on: &document) }
        var locks: [TOMLPath] = []
        do throws(SettingsError) {
          locks = try reader.locks(in: document, file: path)
        } catch {
          problems.report(SettingsProblem(error))
        }
        contents.append(
          LayerContent(layer: SettingsLayer(.system, file: path), document: document, locks: locks))
        problems.resolve { $0.code == .unparsable && $0.file == path }
      } catch {
        let last = known.first { $0.layer.file == path }
        if let last { contents.append(last) }
        problems.report(
          SettingsProblem(
            error.using(last == nil ? "That file is left out." : "The values that were read last are used.")))
      }
    }
    return contents
  }
}
