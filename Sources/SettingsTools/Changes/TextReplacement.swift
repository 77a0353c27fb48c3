package import AppSettings
package import AppSettingsSchema

/// A whole text that is to replace a file's: the checks before, and the one write.
package struct TextReplacement {
  package let opened: OpenedSettings
  /// The file's text on which the new one is based; `nil` if there is no file.
  package let before: [UInt8]?

  package init(_ opened: OpenedSettings, before: [UInt8]?) { (self.opened, self.before) = (opened, before) }

  package var schema: SchemaLookup { opened.schema }
  package var file: String { opened.file }

  /// What the app, or an administrator, refuses of a text.
  package struct Fault {
    package let kind: SettingsFinding.Kind
    package let key: TOMLPath
    package let failure: ToolError

    /// Whether the text can be stored: the key may be another program's.
    package var isWarning: Bool { kind == .unknownKey || kind == .reserved }
  }

  /// Others have changed what the text changes.
  package struct Conflict: Error {
    package let failure: ToolError
  }

  // MARK: The checks

  /// Parses a text, and throws for its first fault. An unknown key may be another program's, so it is only a warning.
  ///
  /// - Parameter name: What messages call the text.
  package func checked(_ bytes: [UInt8], named name: String) throws -> TOMLDocument {
    let mine: TOMLDocument
    do {
      mine = try TOMLDocument(parsing: bytes)
    } catch {
      throw ToolError(
        .unparsable,
        "Cannot store the text: it does not parse.\n" + schema.message(error, in: bytes, of: name))
    }
    for fault in faults(in: mine) {
      let message = fault.failure.message ?? ""
      switch fault.kind {
      case _ where fault.isWarning: opened.target.warn(message)
      case .invalidValue:
        let line = mine.position(of: fault.key).map { "\(name):\($0.line):\($0.column): " } ?? ""
        throw ToolError(fault.failure.status, line + message)
      default: throw fault.failure
      }
    }
    return mine
  }

  /// Checks what a text changes: against the locks, then against the schema.
  package func faults(in mine: TOMLDocument) -> [Fault] {
    let base = try? TOMLDocument(parsing: before ?? [])
    let used = meaning(of: mine)
    var changed = used.changedPaths(since: base.map(meaning) ?? TOMLDocument())
    // Nobody knows the values of a text that does not parse. What mends it changes those of the lines that are new.
    if base == nil {
      let lines = Set((before ?? []).split(separator: UInt8(ascii: "\n")))
      changed.removeAll { path in
        mine.valueRange(at: path).map { mine.lines(around: $0).allSatisfy(lines.contains) } == true
      }
    }
    return versionFaults(mine, base) + lockFaults(used, changed) + valueFaults(used, changed)
  }

  /// A version that the app does not know: no verb could write the file after that.
  private func versionFaults(_ mine: TOMLDocument, _ base: TOMLDocument?) -> [Fault] {
    guard let known = schema.schema?.migrations.currentVersion else { return [] }
    func fault(_ kind: SettingsFinding.Kind, _ message: String) -> [Fault] {
      [Fault(kind: kind, key: SettingsFormat.versionPath, failure: ToolError(.migration, message))]
    }
    let version: Int
    do {
      version = try SettingsMigrations.version(of: mine)
    } catch {
      return fault(.migrationFails, "\(error.message) Nothing was written.")
    }
    guard version > known, version != base.flatMap({ try? SettingsMigrations.version(of: $0) }) else { return [] }
    return fault(
      .newerVersion,
      "Cannot store the text: it has settings version \(version), and the app's schema knows versions up to "
        + "\(known). Update the app, or correct 'settings-version'. Nothing was written.")
  }

  /// The text with its values where the schema has them.
  private func meaning(of document: TOMLDocument) -> TOMLDocument {
    guard let migrations = schema.schema?.migrations, let version = try? SettingsMigrations.version(of: document),
      version < migrations.currentVersion
    else { return document }
    var result = document
    return (try? migrations.run(on: &result)) == nil ? document : result
  }

  private func lockFaults(_ mine: TOMLDocument, _ changed: [TOMLPath]) -> [Fault] {
    let snapshot = opened.snapshot
    var secrets: Set<TOMLPath> = []
    return changed.compactMap { path in
      // Removing a value without effect is fine.
      guard let value = mine[path] else { return nil }
      do throws(SettingsError) {
        if let error = schema.lockError(of: path, in: snapshot) { throw error }
        _ = try snapshot.permitted([Edit(path: path, value: value)])
        return nil
      } catch {
        let shown = schema.withoutSecretNames(path)
        guard shown != path else { return Fault(kind: .locked, key: path, failure: ToolError(error)) }
        // The names in a secret are part of it.
        guard secrets.insert(shown).inserted else { return nil }
        let whole = snapshot.lockError(schema.names(of: shown)).map { ToolError($0) }
        let part = ToolError(.notWritable, "Cannot set '\(shown)': a part of it is locked. Nothing was written.")
        return Fault(kind: .locked, key: shown, failure: whole ?? part)
      }
    }
  }

  private func valueFaults(_ mine: TOMLDocument, _ changed: [TOMLPath]) -> [Fault] {
    var faults: [Fault] = []
    var checked: Set<TOMLPath> = []
    var told: Set<String?> = []
    for path in changed {
      if let name = path.components.first, SettingsFormat.isReserved(name) {
        if let message = UnknownKey.reserved(name)?.message, checked.insert([name]).inserted, mine[path] != nil {
          faults.append(Fault(kind: .reserved, key: [name], failure: ToolError(.invalidValue, message)))
        }
        continue
      }
      if let value = mine[path] {
        do {
          try schema.checkKnown(in: value, at: path, advice: nil)
        } catch {
          // The names in a secret are part of it, and a table that is new is a change like its values.
          let shown = schema.withoutSecretNames(path)
          if let failure = error as? ToolError, told.insert(failure.message).inserted {
            faults.append(Fault(kind: .unknownKey, key: shown, failure: failure))
          }
        }
      }
      let key = schema.key(around: path)?.path ?? path
      guard checked.insert(key).inserted, let value = mine[key] else { continue }
      do {
        try schema.check(value, at: key)
      } catch {
        if let failure = error as? ToolError { faults.append(Fault(kind: .invalidValue, key: key, failure: failure)) }
      }
    }
    return faults
  }

  // MARK: The write

  /// Stores a text in one write, after a backup of the old one, with what others have changed meanwhile.
  ///
  /// - Parameters:
  ///   - isConflictSettled: Whether the text's values are stored where others have changed them too.
  ///   - check: Gets the file's present content; throws to leave it as it is.
  /// - Throws: ``Conflict`` if both have changed one key.
  package func write(
    _ mine: TOMLDocument, isConflictSettled: Bool = false, checking check: ([UInt8]?) throws -> Void = { _ in }
  ) throws {
    try opened.replaceText(backingUp: "before-edit") { now in
      try check(now)
      guard now != before else { return mine.bytes }
      guard let base = try? TOMLDocument(parsing: before ?? []), let theirs = try? TOMLDocument(parsing: now ?? []),
        let merge = try? EditMerge(base: base, mine: mine, theirs: theirs)
      else {
        throw ToolError(
          .changed, "'\(file)' has changed, and the change cannot be merged with your text. Nothing was written.")
      }
      guard merge.conflicts.isEmpty || isConflictSettled else {
        throw Conflict(failure: ToolError(.notWritable, merge.message(file: file, schema)))
      }
      if !merge.hasMyComments {
        opened.target.note(
          "A comment that you added in '\(file)' went with what others have removed: add it again.")
      }
      if !merge.isComplete {
        opened.target.note(
          "Comments or the notation of others' changes in '\(file)' could not be merged with yours. The backup has them."
        )
      }
      return merge.document.bytes
    }
  }

  /// Makes sure that the present text is on disk: an earlier edit that was killed at its very end may have written this
  /// text without syncing it.
  package func makeDurable() throws { try SettingsFile(path: file).makeDurable() }
}

extension TOMLDocument {
  /// The lines, without empty ones, that a part of the text is on.
  fileprivate func lines(around range: Range<Int>) -> [ArraySlice<UInt8>] {
    let newline = UInt8(ascii: "\n")
    let start = bytes[..<range.lowerBound].lastIndex(of: newline).map { $0 + 1 } ?? 0
    let end = bytes[range.upperBound...].firstIndex(of: newline) ?? bytes.count
    return bytes[start..<end].split(separator: newline)
  }
}
