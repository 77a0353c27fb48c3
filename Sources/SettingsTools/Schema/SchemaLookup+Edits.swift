package import AppSettings
package import AppSettingsSchema

extension SchemaLookup {
  /// The keys at and below a path: first those with a value in a file, in the order of the files, then those with only
  /// a default, in the order of the schema. A key of the schema is one entry, whatever it holds. Within a key's value, the
  /// parts that the app adds follow those of the files.
  package func paths(below: TOMLPath = .root, in snapshot: SettingsSnapshot) -> [TOMLPath] {
    var leaves: [TOMLPath] = []
    below.collectDifferences(nil, snapshot[below], into: &leaves)
    if let key = key(around: below), key.path != below {
      let stored = Set(leaves)
      var used: [TOMLPath] = []
      below.collectDifferences(nil, usedValue(of: below, in: snapshot), into: &used)
      // An empty table of the files is an entry with everything that the app adds to it.
      leaves += used.filter { leaf in
        !(below.components.count...leaf.components.count).contains { stored.contains(leaf.prefix($0)) }
      }
    }
    var seen: Set<TOMLPath> = []
    var paths: [TOMLPath] = []
    for leaf in leaves where !leaf.isRoot && !isObstacle(leaf) {
      let key = key(around: leaf)
      // The path may be a part of a key's value, or a former name of the key.
      let path =
        key.flatMap { key in
          key.formerPaths.contains(below) ? below : key.path.hasPrefix(below) ? key.path : nil
        } ?? leaf
      if seen.insert(path).inserted { paths.append(path) }
    }
    for key in keys(below: below) where !seen.contains(key.path) {
      // A value under a former name may be outside the table at `below`.
      let hasValue = !key.formerPaths.isEmpty && snapshot.stored(for: key.settingsKey) != nil
      if hasValue || key.defaultValue != nil { paths.append(key.path) }
    }
    return paths
  }

  /// The error for changing a key that is locked under one of its names, by its present one. A lock of a key with one
  /// name is found when it is written.
  ///
  /// - Parameter isRemoval: Whether it is removed, where the user's file has no value of it: then nothing is written.
  package func lockError(of path: TOMLPath, in snapshot: SettingsSnapshot, isRemoval: Bool = false) -> SettingsError? {
    let names = names(of: path)
    guard isRemoval || names.count > 1 else { return nil }
    return snapshot.lockError(names, isRemoval: isRemoval, of: secretKey(around: path))
  }

  /// The error for changing a value that is locked, or a part of it; `nil` if nothing in it is.
  package func lockError(atOrWithin path: TOMLPath, in snapshot: SettingsSnapshot) -> SettingsError? {
    let secret = secretKey(around: path)
    return snapshot.lockError([path], of: secret) ?? snapshot.lockError(within: path, of: secret)
  }

  /// The key that a path is, or is in, if that is a secret, so that messages do not have the names in it.
  private func secretKey(around path: TOMLPath) -> AnySettingsKey? {
    key(around: path).flatMap { $0.isSecret ? $0.settingsKey : nil }
  }

  /// Removes from a table what only repeats keys that are locked under a former name.
  ///
  /// - Throws: ``SettingsError`` `locked` if the table would change or hide such a key.
  func withoutLocked(_ value: TOMLValue, at path: TOMLPath, in snapshot: SettingsSnapshot) throws -> TOMLValue {
    var result = value
    for key in keys(below: path) where key.path != path && !key.formerPaths.isEmpty {
      // A lock of the present name is found when the table is written.
      guard snapshot.lockError([key.path]) == nil, let error = snapshot.lockError(key.paths) else { continue }
      let rest = key.path.rest(below: path)
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

  /// The edits that store values, each under its key's present name; `nil` removes one.
  ///
  /// Every write removes the key's former names from the user's file, so that no old value comes back later. What is
  /// there moves to the present name first: so it keeps its comments, and a part does not hide the rest. If the app could
  /// not read the value that an edit replaces, the write path makes a backup.
  ///
  /// - Parameter texts: The values as typed, for the notation of their numbers.
  package func edits(
    storing values: [(path: TOMLPath, value: TOMLValue?)], texts: [TOMLPath: String] = [:],
    in snapshot: SettingsSnapshot
  ) -> [Edit] {
    let document = snapshot.userDocument
    var edits: [Edit] = []
    var settled: Set<TOMLPath> = []
    for (path, value) in values {
      let names = names(of: path)
      if value == nil, snapshot.lockError(names) != nil {
        // Only the user's own value, which has no effect.
        let key = key(around: path).map(checkingKey)
        edits += names.filter(document.contains).map { .reset($0, of: key) }
        edits += removals(outside: path, from: document)
        continue
      }
      guard let (key, _, part) = place(of: path) else {
        edits += removals(outside: path, from: document)
        edits.append(Edit(path: path, value: value, text: texts[path]))
        // What is set in it later has nothing of what was there.
        settled.formUnion(renamedKeys(below: path).map(\.path))
        continue
      }
      let counting = key.paths.first { document.contains($0) }
      // Removing a missing part is not a write.
      let isWrite = part.isRoot || value != nil || counting.map { document.contains($0.appending(part)) } ?? false
      let checking = checkingKey(key)
      if isWrite, settled.insert(key.path).inserted {
        if !part.isRoot || value != nil, let counting, counting != key.path {
          edits += unlocked(document[counting], of: key, in: snapshot).map {
            Edit(path: key.path.appending($0.part), value: $0.value, key: checking, source: counting.appending($0.part))
          }
        }
        for former in key.formerPaths {
          edits += unlocked(document[former], of: key, in: snapshot).map {
            Edit(path: former.appending($0.part), value: nil, key: checking)
          }
        }
      }
      edits.append(
        Edit(
          path: key.path.appending(part), value: value, key: part.isRoot || value == nil ? checking : nil,
          text: texts[path]))
    }
    return edits
  }

  /// The keys of a table that have former names, which may be outside of it.
  package func renamedKeys(below table: TOMLPath) -> [SchemaKey] {
    key(around: table) == nil ? keys(below: table).filter { !$0.formerPaths.isEmpty } : []
  }

  /// The former names of a table's keys that are outside of the table.
  private func namesOutside(_ table: TOMLPath) -> [(key: SchemaKey, name: TOMLPath)] {
    renamedKeys(below: table).flatMap { key in
      key.formerPaths.filter { !$0.hasPrefix(table) }.map { (key, $0) }
    }
  }

  /// All places where a file may have what is at and below a path: those of its names, and for a table those outside of
  /// it, under former names of its keys.
  package func places(of path: TOMLPath) -> [TOMLPath] { names(of: path) + namesOutside(path).map(\.name) }

  /// The removals of what a document has of a table's keys outside of the table, under former names.
  private func removals(outside table: TOMLPath, from document: TOMLDocument) -> [Edit] {
    namesOutside(table).filter { document.contains($0.name) }.map { .reset($0.name, of: checkingKey($0.key)) }
  }

  /// A key with the type that the app uses to read its file.
  private func checkingKey(_ key: SchemaKey) -> AnySettingsKey {
    let type = key.type
    let bridge = SettingsBridge<TOMLValue>(
      expecting: type.expected,
      read: { value in
        try type.check(value, isStored: true)
        return value
      }, write: { $0 })
    return SettingsKey<TOMLValue?>(
      key.path.description, .formerly(key.formerPaths.map(\.description)), bridge: bridge)
  }

  private func unlocked(
    _ value: TOMLValue?, of key: SchemaKey, in snapshot: SettingsSnapshot
  ) -> [(part: TOMLPath, value: TOMLValue)] {
    unlocked(value, in: snapshot) { part in key.paths.map { $0.appending(part) } }
  }

  /// The fewest parts of a value that cover everything not locked under any of its names; the value itself if nothing
  /// in it is locked. Locked parts have no effect and stay where they are, for when the lock is removed.
  ///
  /// - Parameter names: The names of a part, the present one first.
  func unlocked(
    _ value: TOMLValue?, in snapshot: SettingsSnapshot, names: (TOMLPath) -> [TOMLPath]
  ) -> [(part: TOMLPath, value: TOMLValue)] {
    guard let value else { return [] }
    func parts(of value: TOMLValue, at place: TOMLPath) -> (parts: [(part: TOMLPath, value: TOMLValue)], areAll: Bool) {
      let names = names(place)
      if snapshot.lockError(names) != nil { return ([], false) }
      guard case .table(let table) = value else { return ([(place, value)], true) }
      let inner = table.map { parts(of: $0.value, at: place.appending($0.key)) }
      return inner.allSatisfy(\.areAll) ? ([(place, value)], true) : (inner.flatMap(\.parts), false)
    }
    return parts(of: value, at: .root).parts
  }
}
