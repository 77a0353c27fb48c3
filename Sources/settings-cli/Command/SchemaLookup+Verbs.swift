import AppSettings

extension SchemaLookup {
  /// The keys at and below a path: what has a value in a file, in the order of the files, and then what has a default
  /// only, in that of the schema. A key of the schema is one entry, whatever it holds.
  func paths(below: TOMLPath = .root, in snapshot: SettingsSnapshot) -> [TOMLPath] {
    var leaves: [TOMLPath] = []
    below.collectDifferences(nil, snapshot[below], into: &leaves)
    var seen: Set<TOMLPath> = []
    var paths: [TOMLPath] = []
    for leaf in leaves where !leaf.isRoot && !isEmptied(leaf, in: snapshot) {
      let key = key(around: leaf)?.path ?? leaf
      // What is asked for may be a part of a key's value.
      let path = key.hasPrefix(below) ? key : leaf
      if seen.insert(path).inserted { paths.append(path) }
    }
    for key in keys(below: below) where !seen.contains(key.path) {
      // A value under a former name may be outside of the table that is asked for.
      let hasValue = !key.formerPaths.isEmpty && snapshot.stored(for: key.settingsKey) != nil
      if hasValue || key.defaultValue != nil { paths.append(key.path) }
    }
    return paths
  }

  /// Whether a path is a table of which nothing counts: no file has an empty one there.
  private func isEmptied(_ path: TOMLPath, in snapshot: SettingsSnapshot) -> Bool {
    guard snapshot[path]?.table?.isEmpty == true else { return false }
    return !snapshot.layers.contains { $0.document[path]?.table?.isEmpty == true }
  }

  /// The error of setting what is locked under a former name; a lock of the present one is found where it is written.
  func lockError(of path: TOMLPath, in snapshot: SettingsSnapshot) -> SettingsError? {
    let names = names(of: path)
    return names.count == 1 ? nil : snapshot.lockError(path, formerly: names.filter { $0 != path })
  }

  /// A table that is to be set without what it repeats of keys in it that are locked under a former name.
  ///
  /// - Throws: ``SettingsError`` `locked` if it would change or hide such a key.
  func withoutLocked(_ value: TOMLValue, at path: TOMLPath, in snapshot: SettingsSnapshot) throws -> TOMLValue {
    var result = value
    for key in keys(below: path) where key.path != path && !key.formerPaths.isEmpty {
      // A lock of the present name is found where the table is written.
      guard snapshot.lockError(key.path) == nil,
        let error = snapshot.lockError(key.path, formerly: key.formerPaths)
      else { continue }
      let rest = TOMLPath(Array(key.path.components.dropFirst(path.components.count)))
      switch LayerLookup(value, at: rest.components[...]) {
      case .absent: continue
      case .hidden: throw error
      case .value(let part):
        guard part == effectiveValue(of: key.path, in: snapshot), case .table(var table) = result else { throw error }
        table.apply(Edit(path: rest, value: nil))
        result = .table(table)
      }
    }
    return result
  }

  /// The edits that store a value, for the write path: where the app could not read what they replace, it makes a backup.
  func keepingEdits(storing value: TOMLValue?, at path: TOMLPath) -> [Edit] {
    let edits = edits(storing: value, at: path)
    guard let key = key(path) else { return edits }
    let type = key.type
    let bridge = SettingsBridge<TOMLValue>(
      expecting: type.expected,
      read: { value in
        try type.check(value, isStored: true)
        return value
      }, write: { $0 })
    let checking = SettingsKey<TOMLValue?>(
      key.path.description, formerly: SettingsFormerNames(key.formerPaths.map(\.description)), bridge: bridge)
    return edits.map { Edit(path: $0.path, value: $0.value, key: checking) }
  }

  /// Reads a text that is to be an element of a key's array.
  ///
  /// - Parameter sibling: Another element, for types that allow anything.
  /// - Throws: ``Failure`` with status 4.
  func element(_ text: String, of path: TOMLPath, kind: ValueText.Kind?, sibling: TOMLValue?) throws -> TOMLValue {
    guard kind == nil, let type = type(of: path)?.element else {
      return try ValueText.value(
        text, kind: kind, current: sibling, key: path, isElement: true, isSecret: isSecret(path))
    }
    do {
      return try type.value(of: text, like: sibling)
    } catch {
      let shown = isSecret(path) ? "that value" : Shown.short(.string(text))
      throw Failure(
        .invalidValue,
        "Cannot use \(shown) as an element of '\(path)': it needs \(error.expected)\(error.reasonInParentheses). "
          + "Nothing was written.")
    }
  }
}
