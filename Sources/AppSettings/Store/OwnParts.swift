import SettingsTOML

extension SettingsKey {
  /// The edits that store a value over the content of a snapshot.
  ///
  /// The snapshot is taken only if the stored value matters. Of a table, what only repeats other layers and overrides is
  /// not written.
  ///
  /// - Throws: ``SettingsError`` `invalidValue`.
  func edits(storing value: Value, in snapshot: @autoclosure () -> SettingsSnapshot) throws(SettingsError) -> [Edit] {
    do throws(SettingsValueError) {
      if !bridge.keepsStoredParts {
        let edits = try edits(storing: value, over: nil)
        return edits.contains { $0.value?.table != nil } ? own(edits, in: snapshot()) : edits
      }
      let snapshot = snapshot()
      let source = paths.count == 1 ? nil : snapshot.source(of: self)
      let current = StoredValue(of: self, in: snapshot).value
      let edits = try edits(storing: value, over: current, moves: source.map { $0.path != path } ?? false)
      return own(edits, inEffect: current, in: snapshot)
    } catch {
      throw error.refusing(self)
    }
  }

  private func own(_ edits: [Edit], in snapshot: SettingsSnapshot) -> [Edit] {
    own(edits, inEffect: StoredValue(of: self, in: snapshot).value, in: snapshot)
  }

  /// Edits without what only repeats other layers and overrides. If the app could not read the files without that, it
  /// stays, but not what other files or credentials have.
  private func own(
    _ edits: [Edit], inEffect current: @autoclosure () -> TOMLValue?, in snapshot: SettingsSnapshot
  ) -> [Edit] {
    guard snapshot.layers.count > 1 || !snapshot.overrides.isEmpty, case .table(let current)? = current() else {
      return edits
    }
    var parts = OwnParts(of: self, inEffect: current, in: snapshot)
    // A value that is locked is refused as it is; one that is stored, or locked in part, under a former name is written
    // as a whole.
    guard paths.allSatisfy({ snapshot.locks.lock(around: $0) == nil }),
      paths.dropFirst().allSatisfy({ parts.userValue(at: $0) == nil && snapshot.locks[$0] == nil })
    else { return edits }
    let (own, files) = parts.only(edits)
    if own == edits || !own.contains(where: { $0.path.hasPrefix(path) }) || accepts(.table(files)) { return own }
    parts.keepsOverrides = true
    return parts.only(edits).edits
  }
}

/// Reduces edits of a key's table to what is not in effect without them.
private struct OwnParts {
  /// Whether what only repeats overrides stays, unless they are credentials.
  var keepsOverrides = false
  private let path: TOMLPath
  private let snapshot: SettingsSnapshot
  /// What is in effect.
  private let current: TOMLTable
  /// What the files have.
  private let files: TOMLTable
  /// The paths of the credentials.
  private let secrets: [TOMLPath]

  init(of key: AnySettingsKey, inEffect current: TOMLTable, in snapshot: SettingsSnapshot) {
    path = key.path
    self.snapshot = snapshot
    self.current = current
    files = snapshot.stored(at: key.paths)?.table ?? TOMLTable()
    let isWhole = key.paths.contains {
      snapshot.overrides.text(for: $0, in: .credential, isSecret: key.isSecret) != nil
    }
    secrets = isWhole ? [path] : snapshot.overrides.texts(below: path, in: .credential, for: []).map(\.path)
  }

  /// The value of the file that is written.
  func userValue(at path: TOMLPath) -> TOMLValue? {
    if case .value(let value) = snapshot.lookUp(path, in: snapshot.userIndex) { value } else { nil }
  }

  /// - Returns: The edits to make, and what the files have then, so far as the edits are about it.
  func only(_ edits: [Edit]) -> (edits: [Edit], files: TOMLTable) {
    var (result, after) = ([Edit](), files)
    for var edit in edits {
      let field = edit.path.components.dropFirst(path.components.count)
      guard edit.path.hasPrefix(path), let value = edit.value else {
        if edit.path.hasPrefix(path) { after.set(nil, at: field) }
        result.append(edit)
        continue
      }
      let (own, place) = (userValue(at: edit.path), TOMLPath(Array(field)))
      let part = part(of: value, own, current[path: place], files[path: place], at: edit.path)
      if field.isEmpty { after = part.files?.table ?? TOMLTable() } else { after.set(part.files, at: field) }
      // Nothing of the file changes.
      if part.own == own, own != value { continue }
      edit.value = part.own ?? (part.files == nil ? .table(TOMLTable()) : nil)
      result.append(edit)
    }
    return (result, after)
  }

  /// The part of a value to store, and what the files have then.
  private func part(
    of value: TOMLValue, _ own: TOMLValue?, _ current: TOMLValue?, _ files: TOMLValue?, at path: TOMLPath
  ) -> (own: TOMLValue?, files: TOMLValue?) {
    if value == own { return (value, value) }
    // A change of what is locked is refused when it is written.
    if value != current, snapshot.locks.lock(around: path) != nil { return (value, files) }
    if value == current, !keepsOverrides || value == files || secrets.contains(where: { path.hasPrefix($0) }) {
      if own == nil { return (nil, files) }
      // What is locked is taken out when it is written.
      if snapshot.locks.lock(around: path) != nil { return (value, files) }
      if snapshot.locks[path] == nil { return (own, files) }
    }
    guard case .table(let new) = value, !new.isEmpty, case .table(let present)? = current else { return (value, value) }
    var (result, after) = (TOMLTable(), TOMLTable())
    for (key, value) in new {
      let part = part(of: value, own?.table?[key], present[key], files?.table?[key], at: path.appending(key))
      result[key] = part.own
      after[key] = part.files
    }
    return (result.isEmpty ? nil : .table(result), after.isEmpty ? nil : .table(after))
  }
}
