package import SettingsTOML

extension SettingsKey {
  /// Decodes a stored value and checks it against the constraint.
  ///
  /// A record's required fields that are absent, since a new release added them, take the default's.
  package func decode(_ stored: TOMLValue) throws(SettingsValueError) -> Value {
    let value: Value
    do {
      value = try bridge.read(stored) {
        if case .absent = fallback { nil } else { defaultValue }
      }
    } catch {
      throw SettingsValueError(wrapping: error, expected: bridge.expected, found: stored)
    }
    if let constraint, !constraint.isSatisfied(value) {
      throw SettingsValueError(expected: "\(bridge.expected) \(constraint.expected)", found: stored)
    }
    return value
  }

  /// The edits that store `value` where `current` is now.
  ///
  /// A record is written field by field, so that fields which its type does not know stay, even those that another
  /// process adds at the same time. A field that is stored now and is no longer (an optional that became `nil`) is
  /// removed.
  package func edits(storing value: Value, over current: TOMLValue?) throws(SettingsValueError) -> [Edit] {
    let written: TOMLValue?
    let merged: TOMLValue?
    do {
      written = try bridge.write(value)
      merged = bridge.keepsStoredParts ? try bridge.write(value, over: current) : written
    } catch {
      throw SettingsValueError(unstorable: Value.self, error)
    }
    guard let written, let merged else { return [Edit(path: path, value: nil)] }
    if let constraint, !constraint.isSatisfied(value) {
      throw SettingsValueError(expected: "\(bridge.expected) \(constraint.expected)", found: written)
    }
    guard bridge.mergesTables, case .table(let known) = written, case .table(let new) = merged,
      case .table(let old)? = current
    else { return [Edit(path: path, value: merged)] }
    var edits: [Edit] = []
    known.fieldEdits(taking: new, at: path, into: &edits)
    old.removals(to: new, at: path, into: &edits)
    return edits
  }
}

extension TOMLTable {
  /// This table with another's values over it, table by table.
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

  /// Edits that set every field of this table to its value in another one.
  fileprivate func fieldEdits(taking new: TOMLTable, at path: TOMLPath, into edits: inout [Edit]) {
    for (key, value) in self {
      if case .table(let known) = value, case .table(let table)? = new[key], !known.isEmpty {
        known.fieldEdits(taking: table, at: path.appending(key), into: &edits)
      } else {
        edits.append(Edit(path: path.appending(key), value: new[key] ?? value))
      }
    }
  }

  /// Edits that remove what this table has and another one has not.
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
