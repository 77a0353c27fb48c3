package import SettingsTOML

extension SettingsKey {
  /// Decodes a stored value and checks it against the constraint.
  ///
  /// If the stored table lacks a required field, which a newer release may have added, the default's field is used.
  ///
  /// This applies only to types that are stored as a table of fields. A missing optional field reads as `nil`.
  ///
  /// - Throws: ``SettingsValueError`` with the path of the invalid part, and a description of what the key needs.
  package func decode(_ stored: TOMLValue) throws(SettingsValueError) -> Value {
    let value: Value
    do {
      value = try read(stored)
    } catch {
      var error = SettingsValueError(wrapping: error, expected: expected, found: stored)
      if constraint != nil, error.path.isEmpty { error.expected = expected }
      throw error
    }
    try checkConstraint(value, stored: stored)
    return value
  }

  /// Decodes a stored value without checking the constraint.
  func read(_ stored: TOMLValue) throws -> Value {
    try bridge.read(stored, over: completion)
  }

  /// The value whose fields complete a stored table.
  private func completion() -> Value? { if case .absent = fallback { nil } else { defaultValue } }

  /// Whether a stored value is valid. Makes no error, since errors would take long for many values.
  ///
  /// It accepts exactly what ``decode(_:)`` can decode.
  package func accepts(_ stored: TOMLValue) -> Bool {
    (try? read(stored)).map { constraint?.violation(of: $0) == nil } ?? false
  }

  /// Throws if a value violates the constraint.
  ///
  /// - Parameters:
  ///   - value: The decoded value.
  ///   - stored: Its stored form. The error shows the invalid part of it: for the path `["[3]"]`, the fourth element.
  private func checkConstraint(_ value: Value, stored: TOMLValue) throws(SettingsValueError) {
    guard let violation = constraint?.violation(of: value) else { return }
    var found = stored
    for component in violation.path {
      if case .array(let elements) = found, let index = Int(component.dropFirst().dropLast()),
        elements.indices.contains(index)
      {
        found = elements[index]
      }
    }
    var error = SettingsValueError(
      expected: violation.expected ?? expected, found: found, reason: violation.reason)
    error.path = violation.path
    throw error
  }

  /// Returns the edits that replace `current` by `value`.
  ///
  /// A record is written field by field. Fields that its type does not know stay, including those that another process
  /// adds at the same time. A stored field without a value (an optional that became `nil`) is removed.
  ///
  /// Removals of values under former names come first. If the bridge writes nothing for the value, it is removed.
  ///
  /// - Parameter moves: Whether `current` is stored under a former name, so that the whole value must be written.
  /// - Throws: ``SettingsValueError`` if the value violates the constraint or TOML cannot represent it.
  package func edits(
    storing value: Value, over current: TOMLValue?, moves: Bool = false
  ) throws(SettingsValueError) -> [Edit] {
    try removalsOfFormer + editsAtPath(storing: value, over: current, moves: moves)
  }

  /// The edits under the present name.
  ///
  /// One edit replaces the whole value. Only if the type is stored as a record, and both the old and the new value are
  /// tables, each field has an edit of its own.
  private func editsAtPath(
    storing value: Value, over current: TOMLValue?, moves: Bool
  ) throws(SettingsValueError) -> [Edit] {
    let written: TOMLValue?
    let merged: TOMLValue?
    do {
      written = try bridge.write(value)
      merged = bridge.keepsStoredParts ? try bridge.write(value, over: current, fallback: completion) : written
    } catch {
      throw SettingsValueError(unstorable: Value.self, error)
    }
    guard let written, let merged else { return [edit(nil)] }
    try checkConstraint(value, stored: written)
    // Without any field, the table itself is the value: removing its fields would remove it with the last one.
    guard bridge.mergesTables, !moves, case .table(let known) = written, case .table(let new) = merged, !new.isEmpty,
      case .table(let old)? = current
    else { return [edit(merged)] }
    var edits: [Edit] = []
    known.fieldEdits(taking: new, over: old, at: path, into: &edits)
    old.removals(to: new, at: path, into: &edits)
    for index in edits.indices { edits[index].key = self }
    return edits
  }
}

extension AnySettingsKey {
  /// An edit of the key's whole value.
  fileprivate func edit(_ value: TOMLValue?) -> Edit { Edit(path: path, value: value, key: self) }

  /// The edits that remove the value under each of its names.
  ///
  /// They are resets, which an administrator's lock permits.
  package var removals: [Edit] { paths.reversed().map { .reset($0, of: self) } }

  /// The edits that remove the value under each former name. Every write contains them, so that no old value reappears.
  /// They are resets: a lock of any name refuses what the key is set to, by its present name.
  fileprivate var removalsOfFormer: [Edit] { paths.dropFirst().map { .reset($0, of: self) } }
}

extension TOMLTable {
  /// Returns this table with the values of another on top, merged table by table.
  ///
  /// Where both have a table, the result has the keys of both. Everything else is taken from `other`, arrays as a
  /// whole. This is how a layer covers the ones below it.
  package func merging(_ other: TOMLTable) -> TOMLTable {
    var result = self
    for (key, value) in other {
      if case .table(let above) = value, case .table(let below)? = result[key] {
        result[key] = .table(below.merging(above))
      } else {
        result[key] = value
      }
    }
    return result
  }

  /// Adds edits that set each field of this table to its value in another, if it has one there.
  ///
  /// Tables are followed field by field, so that fields in them that the type does not know stay.
  ///
  /// - Parameter old: The table that is stored.
  fileprivate func fieldEdits(taking new: TOMLTable, over old: TOMLTable, at path: TOMLPath, into edits: inout [Edit]) {
    for (key, value) in self {
      if case .table(let known) = value, case .table(let table)? = new[key], !known.isEmpty {
        known.fieldEdits(taking: table, over: old[key]?.table ?? TOMLTable(), at: path.appending(key), into: &edits)
      } else if let value = new[key] {
        edits.append(Edit(path: path.appending(key), value: value))
      }
    }
    // Entries whose key is stored in another form than its own.
    for (key, value) in new where self[key] == nil && value != old[key] {
      edits.append(Edit(path: path.appending(key), value: value))
    }
  }

  /// Adds edits that remove the fields of this table that another lacks.
  fileprivate func removals(to new: TOMLTable, at path: TOMLPath, into edits: inout [Edit]) {
    for (key, value) in self {
      if case .table(let old) = value, case .table(let table)? = new[key] {
        old.removals(to: table, at: path.appending(key), into: &edits)
      } else if new[key] == nil {
        edits.append(Edit(path: path.appending(key), value: nil))
      }
    }
  }
}
