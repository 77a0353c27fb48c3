public import SettingsTOML
import Synchronization

extension SettingsStore {
  /// Returns whether a key's value equals its default, because no layer has a value or because that is equal.
  ///
  /// Values are compared in their stored form.
  ///
  /// For a stored value that cannot be decoded, the default is used, so the result is `true`.
  ///
  /// ```swift
  /// resetButton.isEnabled = !settings.isDefault(.fontSize)
  /// ```
  public func isDefault(_ key: AnySettingsKey) -> Bool { key.readsDefault(core.lookUp(key).value.candidates) }

  /// The paths of all values in the user's file, also of those that no key is declared for; tables that hold anything
  /// are not among them, nor are reserved keys. Includes what was set but not yet written.
  ///
  /// ```swift
  /// let unknown = settings.storedPaths.filter { path in !SettingsKeys.all.contains { path.hasPrefix($0.path) } }
  /// ```
  public var storedPaths: [TOMLPath] {
    var paths: [TOMLPath] = []
    TOMLPath.root.collectDifferences(nil, .table(core.userTable), into: &paths)
    return paths.filter { !$0.isRoot && !$0.isReserved }
  }

  /// Removes the user's values of keys given by name, so that lower layers or defaults apply. Visible at once, written
  /// later. Values that a lock makes ineffective are removed, too.
  ///
  /// If the removed text is unreadable for a key that this store was used with, a backup is made first.
  ///
  /// ```swift
  /// try settings.reset(named: "editor.font-size", "window")
  /// ```
  ///
  /// - Parameter names: Dotted paths, as in a key's declaration. The name of a table removes everything in it. What the
  ///   file has under former names of keys that this store was used with goes, too.
  /// - Throws: ``SettingsError`` `invalidKey` for a name that is not a path or is reserved. Nothing is changed then.
  public func reset(named names: String...) throws(SettingsError) { try reset(named: names) }

  /// Removes the user's values of keys given by name, so that lower layers or defaults apply. Visible at once, written
  /// later.
  ///
  /// - Throws: As ``reset(named:)-(String...)``.
  package func reset(named names: [String]) throws(SettingsError) {
    var edits: [Edit] = []
    for name in names {
      let path: TOMLPath
      do {
        path = try TOMLPath(parsing: name)
      } catch {
        throw SettingsError(.invalidKey, "Cannot reset a key: \(error.message) Nothing was changed.")
      }
      if path.isReserved {
        throw SettingsError(
          .invalidKey,
          "Cannot reset '\(name)': root keys that begin with 'settings-' are reserved. Nothing was changed.")
      }
      edits += core.resets(at: path)
    }
    try core.enqueue(edits)
  }

  /// Removes the user's values of everything in a group. Visible at once, written later.
  ///
  /// That includes values without a declared key, and values under former names of keys that this store was used with.
  /// Values in other layers stay.
  ///
  /// - Parameter group: The group to reset: `settings.reset(SettingsKeys.editor)`.
  @_disfavoredOverload  // so that an unknown '.key' is reported as a member that a key's type lacks
  public func reset(_ group: SettingsGroup) {
    core.enqueue { core.resets(at: group.path) }
  }

  /// Returns where the value of a key comes from: layer, file, line, and an administrator's lock if there is one.
  ///
  /// ```swift
  /// let origin = settings.origin(of: .theme)
  /// if origin.isLocked { picker.isEnabled = false }
  /// ```
  public func origin(of key: AnySettingsKey) -> SettingsOrigin { snapshot.origin(of: key) }
}

extension StoreCore {
  /// The stored value of a key, with the stamp of the state in which it was found.
  package func lookUp(_ key: AnySettingsKey) -> (value: StoredValue, stamp: UInt64) {
    note(key)
    return lookUp { key.paths.count == 1 ? StoredValue(at: key.path, in: $0) : StoredValue(of: key, in: $0) }
  }

  /// The edits that remove the user's values at and below a path, also those under former names of the keys in use.
  fileprivate func resets(at path: TOMLPath) -> [Edit] {
    let former = declarations.keys.flatMap { key -> [Edit] in
      key.paths.dropFirst().compactMap { name in
        if key.path.hasPrefix(path) { return name.hasPrefix(path) ? nil : .reset(name, of: key) }
        guard path.hasPrefix(key.path) else { return nil }
        return .reset(name.appending(path.rest(below: key.path)), of: key)
      }
    }
    return former + [.reset(path)]
  }

  /// The user's values, including pending ones.
  var userTable: TOMLTable {
    let snapshot = snapshot
    guard case .value(.table(let table)) = snapshot.lookUp(.root, in: snapshot.userIndex) else { return TOMLTable() }
    return table
  }
}
