package import SettingsTOML

// Checks writes against an administrator's locks: nothing may change or hide a locked value.

extension SettingsSnapshot {
  /// Returns the edits to make from those that one call asks for: all of them, or throws.
  ///
  /// * An edit at or below a locked path is refused, unless it is a reset: the user's own value has no effect there.
  ///   There is one more exception: if several edits store a key declared above the lock, such as a struct with one
  ///   locked property, an edit that repeats the effective value is left out.
  /// * A table for a path above a locked one may omit the locked part or repeat its effective value, which is then left
  ///   out. A table with another value is refused, and so is a value that is not a table, which would hide the locked
  ///   part.
  /// * A table above a locked path may be removed from the user's file: its locked part has no effect.
  ///
  /// - Throws: ``SettingsError`` `locked`, which names the locked path and the file and line of the lock.
  package func permitted(_ edits: [Edit]) throws(SettingsError) -> [Edit] {
    guard !locks.isEmpty else { return edits }
    var result: [Edit] = []
    for edit in edits { if let edit = try permitted(edit) { result.append(edit) } }
    return result
  }

  /// The edit to make for a requested one; `nil` if it only repeats a locked value.
  private func permitted(_ edit: Edit) throws(SettingsError) -> Edit? {
    if edit.isReset { return edit }
    let places = places(of: edit)
    if let lock = places.lazy.compactMap({ locks.lock(around: $0) }).first {
      let isPart = edit.key.map { key in key.paths.contains { lock.path != $0 && lock.path.hasPrefix($0) } } ?? false
      guard isPart, edit.value == effectiveValue(at: edit.path, of: edit.key) else {
        throw lockError(edit.path, by: lock.path, isPart: false, isRemoval: edit.value == nil, of: edit.key)
      }
      return nil
    }
    guard let value = edit.value else { return edit }
    var permitted = edit
    for place in places {
      for below in locks[place]?.parts ?? [] {
        let locked = place.appending(below)
        guard case .table(var table)? = permitted.value else {
          throw lockError(edit.path, by: locked, isPart: true, of: edit.key)
        }
        switch LayerLookup(value, at: below.components[...]) {
        case .absent: continue
        case .hidden: throw lockError(edit.path, by: locked, isPart: true, of: edit.key)
        case .value(let part):
          guard part == effectiveValue(at: edit.path.appending(below), of: edit.key) else {
            throw lockError(edit.path, by: locked, isPart: true, of: edit.key)
          }
          table.apply(Edit(path: below, value: nil))
          permitted.value = .table(table)
        }
      }
    }
    return permitted
  }

  /// The paths of an edit: one for each name of its key.
  private func places(of edit: Edit) -> [TOMLPath] {
    guard let key = edit.key, key.paths.count > 1, let name = key.paths.first(where: { edit.path.hasPrefix($0) }) else {
      return [edit.path]
    }
    let rest = edit.path.rest(below: name)
    return [edit.path] + key.paths.filter { $0 != name }.map { $0.appending(rest) }
  }

  /// The effective value at a path; if no layer has one, that of the surrounding key's default.
  private func effectiveValue(at path: TOMLPath, of key: AnySettingsKey?) -> TOMLValue? {
    guard let key, let name = key.paths.first(where: { path.hasPrefix($0) }) else { return self[path] }
    let rest = path.components.dropFirst(name.components.count)
    for value in [stored(for: key), key.storedDefault] {
      if case .value(let part) = LayerLookup(value, at: rest) { return part }
    }
    return nil
  }

  /// The error for setting a value that is locked under one of its names, by the first; `nil` if it is not locked.
  ///
  /// - Parameters:
  ///   - names: The value's paths, the present one first.
  ///   - isRemoval: Whether the value is to be removed.
  ///   - key: The key to whose value the path belongs: of a secret, the message has no names.
  package func lockError(
    _ names: [TOMLPath], isRemoval: Bool = false, of key: AnySettingsKey? = nil
  ) -> SettingsError? {
    names.lazy.compactMap { locks.lock(around: $0) }.first
      .map { lockError(names[0], by: $0.path, isPart: false, isRemoval: isRemoval, of: key) }
  }

  /// The error for changing a value of which a part is locked; `nil` if none is.
  package func lockError(within path: TOMLPath, of key: AnySettingsKey?) -> SettingsError? {
    locks[path]?.parts.first.map { lockError(path, by: path.appending($0), isPart: true, of: key) }
  }

  private func lockError(
    _ path: TOMLPath, by locked: TOMLPath, isPart: Bool, isRemoval: Bool = false, of key: AnySettingsKey? = nil
  ) -> SettingsError {
    let lock = lock(of: locked)
    let place = "locked by \(lock?.place ?? "an administrator")"
    // The names in a secret are a part of it.
    let secret = key.flatMap { $0.isSecret ? $0.name : nil }
    let reason =
      if isPart {
        "a part of it\(secret == nil ? ", '\(locked)'," : "") is \(place), and would change"
      } else if path.hasPrefix(locked) {
        "it is \(place)"
      } else {
        "it is, under \(secret == nil ? "its former name '\(locked)'" : "a former name"), \(place)"
      }
    return SettingsError(
      .locked, "Cannot \(isRemoval ? "unset" : "set") '\(secret ?? path.description)': \(reason). Nothing was written.",
      file: lock?.layer.file,
      position: lock?.position)
  }
}
