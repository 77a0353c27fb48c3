import AppSettings

// Applies a draft's changes to the document.

extension GarageDraft {
  /// Makes the changes in the document that the draft started from.
  ///
  /// - Returns: The changes by path.
  /// - Throws: ``SettingsError`` `sealedRecord` if the file has another key, or plain content that a garage with a
  ///   cipher must not seal; `invalidValue` for a value that TOML has no text for, or that is too deep.
  func apply(to document: inout TOMLDocument) throws(SettingsError) -> [Edit] {
    try format.checkKey(of: base)
    let plain = try sealPlain()
    do {
      return try edit(&document, plain)
    } catch let error as SettingsError {
      throw error
    } catch {
      let fault = error as? TOMLEditError
      throw SettingsError(
        fault?.code == .internalInconsistency ? .internalInconsistency : .invalidValue,
        "Cannot change '\(format.file)': \(fault?.message ?? "\(error)") Nothing was written.", file: format.file)
    }
  }

  /// The text of the base with its plain content sealed, for a backup.
  func sealedBase() throws(SettingsError) -> [UInt8] {
    guard format.cipher != nil else { return base.bytes }
    return try GarageDraft(base: base, format: format).text()
  }

  /// The text of the base with the changes.
  func text() throws(SettingsError) -> [UInt8] {
    var document = base
    _ = try apply(to: &document)
    return document.bytes
  }

  /// Seals all records again, with their notes.
  func sealAll() throws(SettingsError) {
    for name in try names() {
      switch try kind(of: name) {
      case .none: continue
      case .records: for id in try ids(of: name) { if let row = try row(name, id) { try set(row, name, id) } }
      case .objects: try setObjects(try objects(of: name), of: name)
      }
    }
  }

  // MARK: Within

  /// The number of records from which they are changed together.
  private static let many = 8

  private func edit(_ document: inout TOMLDocument, _ plain: Set<TOMLPath>) throws -> [Edit] {
    try document.editUnchecked { document in
      var edits: [Edit] = []
      // Plain records are removed and added again: edited in place, they would keep the comments in them.
      let plainNames = Set(plain.map { $0.components[0] })
      for (name, old) in renamed.sorted(by: { $0.key < $1.key })
      where !document.contains([name]) && !plainNames.contains(old) {
        guard try document.move(from: [old], to: [name]) else { continue }
        edits.append(Edit(path: [old], value: nil))
        edits += (document.childKeys(of: [name]) ?? []).map { Edit(path: [name, $0], value: document[[name, $0]]) }
      }
      // One at a time; for many, rewriting them is much faster.
      for (path, old) in moved where moved.count <= 50 && changes[path] != .some(nil) {
        guard !document.contains(path), !plain.contains(old), try document.move(from: old, to: path) else { continue }
        edits += [Edit(path: old, value: nil), Edit(path: path, value: document[path])]
      }
      // Comments in and above a plain record may repeat its content: they go with it, also at the top of the file.
      document.isFromTop = plain.isEmpty
      let removed = changed.filter { path in
        changes[path] == .some(nil) && document.contains(path) || plain.contains(path)
      }
      try document.removeAll(at: removed)
      edits += removed.map { Edit(path: $0, value: nil) }

      for name in changedArrays where arrays[name]?.isEmpty == true || plain.contains([name]) {
        guard !document.isTable(at: [name]), try document.remove(at: [name]) else { continue }
        edits.append(Edit(path: [name], value: nil))
      }
      document.isFromTop = true
      var names: [String] = []
      var new: [String: [(key: String, table: TOMLTable)]] = [:]
      var others: [(path: TOMLPath, table: TOMLTable)] = []
      for path in changed {
        guard let table = changes[path] ?? nil else { continue }
        if document.contains(path) {
          if document[path] != .table(table) { others.append((path, table)) }
        } else {
          if new[path.components[0]] == nil { names.append(path.components[0]) }
          new[path.components[0], default: []].append((path.components[1], table))
          edits.append(Edit(path: path, value: .table(table)))
        }
      }
      edits += try setFields(of: others, in: &document)
      for name in names { try document.appendTables(new[name] ?? [], under: [name]) }

      for name in changedArrays {
        guard let elements = arrays[name]?.elements, !elements.isEmpty else { continue }
        let value = TOMLValue.array(elements.map { .table($0.table) })
        guard document[[name]] != value else { continue }
        let origins = elements.map { ($0.table, origin: $0.origin?.name == name ? $0.origin?.index : nil) }
        if try !document.setElements(origins, at: [name]) { try document.set(value, at: [name]) }
        edits.append(Edit(path: [name], value: value))
      }
      let isDue = !edits.isEmpty || renewsCheck && document.contains([GarageFormat.checkKey])
      if isDue, let check = try format.newCheckValue(for: document) {
        let path: TOMLPath = [GarageFormat.checkKey]
        try document.set(check, at: path)
        edits.append(Edit(path: path, value: check))
      }
      return edits
    }
  }

  private func setFields(
    of tables: [(path: TOMLPath, table: TOMLTable)], in document: inout TOMLDocument
  ) throws -> [Edit] {
    if tables.count < Self.many {
      for (path, table) in tables { try document.setFields(table, at: path) }
    } else {
      for (parent, tables) in Dictionary(grouping: tables, by: { $0.path.parent }) {
        let new = Dictionary(tables.map { ($0.path, $0.table) }) { $1 }
        func path(_ member: TOMLMember) -> TOMLPath {
          if case .key(let id) = member { parent.appending(id) } else { parent }
        }
        _ = try document.editMembers(of: parent, where: { new[path($0)] != nil }) { member, part in
          if let table = new[path(member)] { try part.setFields(table, at: path(member)) }
        }
        // Records whose text is not in one piece.
        for (path, table) in tables where document[path] != .table(table) { try document.setFields(table, at: path) }
      }
    }
    return tables.map { Edit(path: $0.path, value: .table($0.table)) }
  }

  /// Seals the plain records of the file if the garage was opened to do so, so that none is written in plain again.
  ///
  /// - Returns: The paths of the records to rewrite without the comments in them.
  /// - Throws: ``SettingsError`` `sealedRecord` for the first plain record that would stay, if the garage may not seal
  ///   it.
  private func sealPlain() throws(SettingsError) -> Set<TOMLPath> {
    guard format.cipher != nil, format.firstPlain(in: base) != nil else { return [] }
    var plain: Set<TOMLPath> = []
    // The replacement of a plain record is sealed.
    func isLeft(_ name: String, _ id: String?) -> Bool {
      id.map { changes[[name, $0]] == nil } ?? !changedArrays.contains(name)
    }
    if let found = format.firstPlain(in: base, where: isLeft), found.isForeign || !format.sealsPlainRecords {
      throw format.failure(found)
    }
    for name in base.childKeys(of: .root) ?? [] where !SettingsFormat.isReserved(name) {
      if let ids = base.childKeys(of: [name]) {
        for id in ids where !GarageFormat.isSealed([name, id], in: base) {
          if isLeft(name, id), let row = try row(name, id) { try set(row, name, id) }
          plain.insert([name, id])
        }
      } else if case .array(let items)? = base[[name]], items.contains(where: { $0.table?[GarageRow.sealKey] == nil }) {
        if isLeft(name, nil) { try setObjects(try objects(of: name), of: name) }
        plain.insert([name])
      }
    }
    return plain
  }
}

extension TOMLDocument {
  /// Makes a table hold some fields, and touches only those that differ.
  fileprivate mutating func setFields(_ table: TOMLTable, at path: TOMLPath) throws {
    guard case .table(let old)? = self[path] else {
      try set(.table(table), at: path)
      return
    }
    for (key, value) in table where old[key] != value { try set(value, at: path.appending(key)) }
    for key in old.keys where table[key] == nil { try remove(at: path.appending(key)) }
  }
}
