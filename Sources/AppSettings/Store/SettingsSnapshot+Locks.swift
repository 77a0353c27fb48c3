package import SettingsTOML

// What an administrator's locks allow to be written: nothing that would change or hide what is locked.

extension SettingsSnapshot {
  /// The edits to make of those that one call asks for: all of them, or an error.
  ///
  /// * An edit at a locked path, or below one, is refused. If it is one of several that store a key which is declared
  ///   above the lock, such as a struct of which one property is locked, it is left out where it says what counts anyway.
  /// * A table for a path above a locked one may leave the locked part out or repeat what counts there, which is then
  ///   left out of it. One that says something else is refused, and so is a value that is no table, which would hide it.
  /// * A table above a locked path may be removed from the user's file: what it says of the locked part does not count.
  ///
  /// - Throws: ``SettingsError`` `locked`, which names the locked path and the file and line that lock it.
  package func permitted(_ edits: [Edit]) throws(SettingsError) -> [Edit] {
    guard !locks.isEmpty else { return edits }
    var result: [Edit] = []
    for edit in edits { if let edit = try permitted(edit) { result.append(edit) } }
    return result
  }

  private func permitted(_ edit: Edit) throws(SettingsError) -> Edit? {
    if let lock = locks.first(where: { edit.path.hasPrefix($0.path) }) {
      let isPart = edit.key.map { lock.path != $0.path && lock.path.hasPrefix($0.path) } ?? false
      guard isPart, edit.value == effectiveValue(at: edit.path, of: edit.key) else {
        throw lockError(edit.path, by: lock.path)
      }
      return nil
    }
    guard let value = edit.value else { return edit }
    var permitted = edit
    for lock in locks where lock.path.hasPrefix(edit.path) {
      guard case .table(var table)? = permitted.value else { throw lockError(edit.path, by: lock.path) }
      let below = TOMLPath(Array(lock.path.components.dropFirst(edit.path.components.count)))
      switch LayerLookup(value, at: below.components[...]) {
      case .absent: continue
      case .hidden: throw lockError(edit.path, by: lock.path)
      case .value(let part):
        guard part == effectiveValue(at: lock.path, of: edit.key) else { throw lockError(edit.path, by: lock.path) }
        table.apply(Edit(path: below, value: nil))
        permitted.value = .table(table)
      }
    }
    return permitted
  }

  /// What counts at a path; where no layer has anything, what the default of the key around it says.
  private func effectiveValue(at path: TOMLPath, of key: SettingsKeys?) -> TOMLValue? {
    if let value = self[path] { return value }
    guard let key, path.hasPrefix(key.path),
      case .value(let value) = LayerLookup(
        key.storedDefault, at: path.components.dropFirst(key.path.components.count))
    else { return nil }
    return value
  }

  /// The error of setting a locked path; `nil` if it is not locked.
  package func lockError(_ path: TOMLPath) -> SettingsError? {
    locks.first { path.hasPrefix($0.path) }.map { lockError(path, by: $0.path) }
  }

  private func lockError(_ path: TOMLPath, by locked: TOMLPath) -> SettingsError {
    let lock = lock(of: locked)
    let line = lock?.position.map { ", line \($0.line)" } ?? ""
    let place = "locked by '\(lock?.layer.file ?? "an administrator")'\(line)"
    let reason = path.hasPrefix(locked) ? "it is \(place)" : "a part of it, '\(locked)', is \(place), and would change"
    return SettingsError(
      .locked, "Cannot set '\(path)': \(reason). Nothing was written.", file: lock?.layer.file,
      position: lock?.position)
  }
}
