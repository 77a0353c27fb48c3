import SettingsTOML

// How a draft's changes get into the document.

extension GarageDraft {
  /// Makes the changes in the document that this was begun with.
  ///
  /// - Returns: What was done, path by path.
  /// - Throws: ``SettingsError`` `sealedRecord`, or `invalidValue` for what TOML has no text for, or no such depth.
  func apply(to document: inout TOMLDocument) throws(SettingsError) -> [Edit] {
    let anew = try sealTheRest()
    do {
      return try edit(&document, anew)
    } catch {
      let fault = error as? TOMLEditError
      throw SettingsError(
        fault?.code == .internalInconsistency ? .internalInconsistency : .invalidValue,
        "Cannot change '\(format.file)': \(fault?.message ?? "\(error)") Nothing was written.", file: format.file)
    }
  }

  private func edit(_ document: inout TOMLDocument, _ anew: Set<TOMLPath>) throws -> [Edit] {
    try document.editUnchecked { document in
      var edits: [Edit] = []
      for (name, old) in renamed.sorted(by: { $0.key < $1.key }) where !document.contains([name]) {
        guard try document.move(from: [old], to: [name]) else { continue }
        edits.append(Edit(path: [old], value: nil))
        edits += (document.childKeys(of: [name]) ?? []).map { Edit(path: [name, $0], value: document[[name, $0]]) }
      }
      // One at a time: for many, to write them anew is the faster way by far.
      for (path, old) in moved where moved.count <= 50 && changes[path] != .some(nil) {
        guard !document.contains(path), try document.move(from: old, to: path) else { continue }
        edits += [Edit(path: old, value: nil), Edit(path: path, value: document[path])]
      }
      let removed = changed.filter { path in
        changes[path] == .some(nil) && document.contains(path) || anew.contains(path)
      }
      try document.removeTables(at: removed)
      edits += removed.map { Edit(path: $0, value: nil) }

      for name in changedArrays where arrays[name]?.isEmpty == true {
        guard !document.isTable(at: [name]), try document.remove(at: [name]) else { continue }
        edits.append(Edit(path: [name], value: nil))
      }
      var names: [String] = []
      var new: [String: [(key: String, table: TOMLTable)]] = [:]
      for path in changed {
        guard let table = changes[path] ?? nil else { continue }
        if !document.contains(path) {
          if new[path.components[0]] == nil { names.append(path.components[0]) }
          new[path.components[0], default: []].append((path.components[1], table))
          edits.append(Edit(path: path, value: .table(table)))
        } else if try document.setFields(table, at: path) {
          edits.append(Edit(path: path, value: .table(table)))
        }
      }
      for name in names { try document.appendTables(new[name] ?? [], under: [name]) }

      for name in changedArrays {
        guard let tables = arrays[name], !tables.isEmpty else { continue }
        let value = TOMLValue.array(tables.map { .table($0) })
        if try document.set(value, at: [name]) { edits.append(Edit(path: [name], value: value)) }
      }
      return edits
    }
  }

  /// Seals what is in the file as plain text, so that none of it is written once more.
  ///
  /// - Returns: The paths of records that are to be written anew, without the comments in them.
  private func sealTheRest() throws(SettingsError) -> Set<TOMLPath> {
    guard format.cipher != nil else { return [] }
    var anew: Set<TOMLPath> = []
    for name in base.childKeys(of: .root) ?? [] where !name.hasPrefix(GarageRow.reservedPrefix) {
      if changedArrays.contains(name) { continue }
      switch (try? kind(of: name)) ?? .none {
      case .none: continue
      case .records:
        for id in try ids(of: name) {
          let path: TOMLPath = [name, id]
          guard base.isTable(at: path), !base.contains(path.appending(GarageRow.sealKey)) else { continue }
          anew.insert(path)
          if changes[path] == nil, let row = try row(name, id) { try set(row, name, id) }
        }
      case .objects:
        guard case .array(let items)? = base[[name]] else { continue }
        if items.contains(where: { $0.table?[GarageRow.sealKey] == nil }) {
          try setObjects(try objects(of: name), of: name)
        }
      }
    }
    return anew
  }

  /// The text of the base with what is plain in it sealed: what a backup may hold.
  func sealedBase() throws -> [UInt8] {
    guard format.cipher != nil else { return base.bytes }
    let copy = GarageDraft(base: base, format: format)
    var document = base
    _ = try copy.apply(to: &document)
    return document.bytes
  }
}

extension TOMLDocument {
  /// Makes a table hold some fields, and touches only those that differ.
  ///
  /// - Returns: Whether anything did.
  fileprivate mutating func setFields(_ table: TOMLTable, at path: TOMLPath) throws -> Bool {
    guard case .table(let old)? = self[path] else { return try set(.table(table), at: path) }
    var isChanged = false
    for (key, value) in table where old[key] != value {
      isChanged = try set(value, at: path.appending(key)) || isChanged
    }
    for key in old.keys where table[key] == nil {
      isChanged = try remove(at: path.appending(key)) || isChanged
    }
    return isChanged
  }
}
