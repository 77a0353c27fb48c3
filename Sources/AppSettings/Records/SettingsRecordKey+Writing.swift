import SettingsTOML

// Turns changes of records into edits: of the fields of one table, of its removal, of its key.

extension SettingsRecordKey {
  /// The edits that store a record over the content of a snapshot.
  ///
  /// - Throws: ``SettingsError`` `invalidValue`, `invalidKey`.
  func edits(
    putting record: Record, for id: Record.ID, in snapshot: SettingsSnapshot
  ) throws(SettingsError) -> [Edit] {
    let text = key(try text(id), in: snapshot)
    try checkTable(in: snapshot, for: path.appending(text))
    let edits = try coding.key(text, of: self).edits(storing: record, in: snapshot)
    guard !snapshot.locks.isEmpty else { return edits }
    // Locked fields may be written with their present values.
    return edits.filter { edit in
      snapshot.lock(of: edit.path) == nil || edit.value == nil || edit.value != snapshot[edit.path]
    }
  }

  /// The edits that remove a record; none if it does not exist.
  ///
  /// - Throws: ``SettingsError`` `readOnly` if it is in an administrator's file.
  func edits(removing id: Record.ID, in snapshot: SettingsSnapshot) throws(SettingsError) -> [Edit] {
    let text = key(try text(id), in: snapshot)
    try checkIsOwn(text, in: snapshot, "remove")
    return edits(resetting: text, in: snapshot).map { Edit(path: $0.path, value: nil, key: $0.key) }
  }

  /// The edits that remove the user's part of a record, which a lock permits; none if the user's file has no part of it.
  func edits(resetting text: String, in snapshot: SettingsSnapshot) -> [Edit] {
    let path = path.appending(text)
    guard case .value = snapshot.lookUp(path, in: snapshot.userIndex) else { return [] }
    return [.reset(path, of: coding.key(text, of: self))]
  }

  /// The edits that give a record another id; none if it does not exist.
  ///
  /// - Throws: ``SettingsError`` `existingRecord` if a record with the new id exists, `invalidValue` if the record's
  ///   own fields determine its id, `readOnly` if it is in an administrator's file.
  func edits(
    renaming id: Record.ID, to newID: Record.ID, in snapshot: SettingsSnapshot
  ) throws(SettingsError) -> [Edit] {
    let text = key(try text(id), in: snapshot)
    let newText = try self.text(newID)
    let (path, newPath) = (path.appending(text), self.path.appending(newText))
    guard path != newPath else { return [] }
    try checkIsOwn(text, in: snapshot, "rename")
    guard case .value(let stored) = snapshot.lookUp(path, in: snapshot.userIndex) else { return [] }
    let refusal = "Cannot rename the record \(named(path))\(isSecret ? "" : " to \(named(newPath))"):"
    let taken = self.path.appending(key(newText, in: snapshot))
    // Another notation of the same id is the same record.
    if taken != path, let position = Optional(snapshot.position(of: taken)), snapshot[taken] != nil {
      let place = position.map { " at line \($0.line)" } ?? ""
      throw SettingsError(
        .existingRecord,
        "\(refusal) that one exists already\(place). Nothing was changed.",
        file: snapshot.layer(of: taken).file, position: position)
    }
    let renamed = coding.renaming(stored, from: id, to: newID)
    if (try? coding.read(stored, at: text)) != nil {
      do throws(SettingsValueError) {
        _ = try coding.read(renamed, at: newText)
      } catch {
        throw SettingsError(
          .invalidValue,
          "\(refusal) its own fields determine its id. Put a record with the new id, and remove this one. Nothing was "
            + "changed.", cause: (isSecret ? error.redacted : error).message)
      }
    }
    return [
      Edit(path: newPath, value: renamed, key: coding.key(newText, of: self), source: path),
      Edit(path: path, value: nil, key: coding.key(text, of: self)),
    ]
  }

  /// Throws if something else has the records' place in the user's file.
  private func checkTable(in snapshot: SettingsSnapshot, for record: TOMLPath) throws(SettingsError) {
    var obstacle: (path: TOMLPath, kind: String, position: TOMLPosition?)?
    let user = snapshot.layers[snapshot.userIndex]
    // This does not collect all pending edits, which would be repeated for each of many records.
    switch snapshot.pending.decision(at: path) {
    case .value(let value)? where value.table == nil:
      guard case .value(let now) = snapshot.pending.lookUp(path, base: { .absent }), now.table == nil else { return }
      obstacle = (path, now.kindName, nil)
    case nil:
      if let place = path.prefixes.first(where: { user.document.contains($0) && !user.document.isTable(at: $0) }) {
        obstacle = (place, user.document[place]?.kindName ?? "a value", user.position(of: place))
      }
    default: break
    }
    guard let obstacle else { return }
    let line = obstacle.position.map { " at line \($0.line)" } ?? ""
    throw SettingsError(
      .invalidValue,
      "Cannot set the record \(named(record)): '\(user.layer.file ?? "the settings")' has \(obstacle.kind) for "
        + "'\(obstacle.path)'\(line), where the records' table must be. Correct or reset that first. "
        + "Nothing was changed.",
      file: user.layer.file, position: obstacle.position)
  }

  /// Throws if another file than the one that is written has a record.
  private func checkIsOwn(_ text: String, in snapshot: SettingsSnapshot, _ verb: String) throws(SettingsError) {
    let path = path.appending(text)
    for index in snapshot.layers.indices where index != snapshot.userIndex {
      guard case .value = snapshot.lookUp(path, in: index) else { continue }
      let content = snapshot.layers[index]
      let position = content.position(of: path)
      let place = position.map { ", line \($0.line)" } ?? ""
      throw SettingsError(
        .readOnly,
        "Cannot \(verb) the record \(named(path)): it is in '\(content.layer.file ?? "a file")'\(place), "
          + (content.layer.kind == .system ? "for all users. " : "which is not written here. ")
          + "Reset it to drop your own changes to it. Nothing was changed.",
        file: content.layer.file, position: position)
    }
  }
}

extension RecordCoding {
  /// A stored record with another id, if it stores its id.
  func renaming(_ stored: TOMLValue, from id: Record.ID, to newID: Record.ID) -> TOMLValue {
    guard case .table(var table) = stored, let own = table[Self.idField], ids.isID(own, id),
      let new = ids.stored(newID)
    else { return stored }
    table[Self.idField] = new
    return .table(table)
  }
}
