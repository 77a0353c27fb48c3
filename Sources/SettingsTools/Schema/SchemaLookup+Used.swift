package import AppSettings
package import AppSettingsSchema

// What the app uses: the value of the files if the key's type accepts it, or else the key's default. All verbs that
// show values ask here, so that they show what the app reads. What a verb writes is made from what the files have.

/// A key's value as the app reads it.
package struct KeyReading {
  /// `nil` if there is none, or if only the app knows it.
  package var value: TOMLValue?
  /// Why the app cannot use what the files have, or a record of it. Never shows a secret.
  package var errors: [SettingsValueError] = []
  /// Whether the files have no value that the app uses.
  package var isDefault = false
}

/// A value of the files, or a record in it, that the app does not use.
package struct UnusableValue {
  package let path: TOMLPath
  /// Where, as `FILE:LINE:COLUMN: `.
  package let place: String
  package let error: SettingsValueError
  /// What the app does instead, as a sentence.
  let consequence: String
  /// Why, as `describe` has it.
  package let message: String

  package init(
    _ path: TOMLPath, place: String, _ error: SettingsValueError, consequence: String,
    in whole: SettingsValueError? = nil
  ) {
    (self.path, self.place, self.error, self.consequence) = (path, place, error, consequence)
    message = (whole ?? error).message
  }

  /// Where, why, and what is used instead.
  package var description: String {
    let isRecord = consequence == Self.leavesOut
    guard error.isMissing, !error.isRedacted, isRecord || error.path.count == 1 else {
      return "\(place)\(error.clause(about: "'\(path)'")). \(consequence)"
    }
    let lack = error.lack(in: path, isRecord: isRecord)
    return place + lack + (isRecord ? "" : " \(consequence)")
  }

  static let leavesOut = "The app leaves the record out."
}

extension SchemaLookup {
  /// A key's value as the app reads it: a table with the values that the app uses for missing fields.
  package func reading(of key: SchemaKey, in snapshot: SettingsSnapshot) -> KeyReading {
    let isPlain = key.formerPaths.isEmpty && !key.isSecret
    let stored =
      isPlain ? StoredValue(at: key.path, in: snapshot) : StoredValue(of: key.settingsKey, in: snapshot)
    var failure: SettingsValueError?
    for candidate in stored.candidates {
      do throws(SettingsValueError) {
        try key.type.check(candidate, isStored: true)
        return KeyReading(value: key.type.completed(candidate))
      } catch {
        failure = failure ?? error
      }
    }
    guard let failure else { return KeyReading(value: key.defaultValue, isDefault: true) }
    if key.type.kind == .records, case .table(let records)? = stored.value {
      return reading(of: records, key)
    }
    return KeyReading(
      value: key.defaultValue, errors: [key.isSecret ? failure.redacted : failure], isDefault: true)
  }

  /// Records without those that the app leaves out.
  private func reading(of records: TOMLTable, _ key: SchemaKey) -> KeyReading {
    let errors = key.type.entryErrors(in: records)
    let unusable = Set(errors.compactMap { $0.path.first.map { ExactKey($0) } })
    var usable = TOMLTable()
    for (id, record) in records where !unusable.contains(ExactKey(id)) { usable[id] = record }
    return KeyReading(
      value: key.type.completed(.table(usable)), errors: key.isSecret ? errors.map(\.redacted) : errors)
  }

  /// The value at a path as the app uses it.
  package func usedValue(of path: TOMLPath, in snapshot: SettingsSnapshot) -> TOMLValue? {
    if let (key, _, part) = place(of: path) {
      let used = LayerLookup(reading(of: key, in: snapshot).value, at: part.components[...])
      return if case .value(let value) = used { value } else { nil }
    }
    let value = snapshot[path]
    let stored = value?.table
    // Where keys were once, a value is that of any unknown key.
    guard !named(below: path).isEmpty, stored != nil || !keys(below: path).isEmpty else { return value }
    var table = defaults(below: path) ?? TOMLTable()
    table = table.merging(renamed(stored ?? TOMLTable(), at: path, in: snapshot))
    for key in keys(below: path) {
      table.apply(Edit(path: key.path.rest(below: path), value: reading(of: key, in: snapshot).value))
    }
    return table.isEmpty ? stored.map { .table($0) } : .table(table)
  }

  /// The values at and below a path that the app does not use.
  package func unusable(at path: TOMLPath, in snapshot: SettingsSnapshot) -> [UnusableValue] {
    guard schema != nil else { return [] }
    if let (key, _, part) = place(of: path) {
      guard key.type.kind == .records, let id = part.components.first else { return unusable(of: key, in: snapshot) }
      // What is wrong with other records does not concern it.
      return unusable(of: key, in: snapshot) { $0.path.first?.hasSameCodeUnits(as: id) ?? true }
    }
    var leaves: [TOMLPath] = []
    if !keys(below: path).isEmpty { path.collectDifferences(nil, snapshot[path], into: &leaves) }
    let obstacles = leaves.compactMap { leaf -> UnusableValue? in
      guard !leaf.isRoot, isObstacle(leaf), let value = snapshot[leaf], value.table == nil else { return nil }
      let error = SettingsValueError(expected: "a table", found: value, reason: "there are keys in it")
      return UnusableValue(
        leaf, place: place(of: error, at: leaf, in: snapshot), isSecret(leaf, value) ? error.redacted : error,
        consequence: "The app uses the defaults of those keys.")
    }
    return obstacles + keys(below: path).flatMap { unusable(of: $0, in: snapshot) }
  }

  /// - Parameter isIncluded: Whether to return what is wrong by an error, whose path begins in the key's value.
  private func unusable(
    of key: SchemaKey, in snapshot: SettingsSnapshot, where isIncluded: (SettingsValueError) -> Bool = { _ in true }
  ) -> [UnusableValue] {
    let errors = reading(of: key, in: snapshot).errors.filter(isIncluded)
    guard !errors.isEmpty else { return [] }
    let name = snapshot.origin(of: key.settingsKey).formerName ?? key.path
    return errors.map { error in
      let place = place(of: error, at: name, in: snapshot)
      guard key.type.kind == .records, let id = error.path.first else {
        return UnusableValue(name, place: place, error, consequence: consequence(for: key))
      }
      if key.isSecret { return UnusableValue(name, place: place, error, consequence: UnusableValue.leavesOut) }
      var inner = error
      inner.path.removeFirst()
      return UnusableValue(
        name.appending(id), place: place, inner, consequence: UnusableValue.leavesOut, in: error)
    }
  }

  private func place(of error: SettingsValueError, at path: TOMLPath, in snapshot: SettingsSnapshot) -> String {
    let (layer, position) = snapshot.place(of: error, at: path)
    guard let file = layer.file else { return "" }
    return PathText.shown(file) + (position.map { ":\($0.line):\($0.column)" } ?? "") + ": "
  }

  private func consequence(for key: SchemaKey) -> String {
    if let value = key.defaultValue { return "The app uses its default, \(Shown.short(value))." }
    return key.hasComputedDefault || key.isSecret ? "The app uses its default." : "The app uses no value."
  }

  /// Whether a path is a table of keys, so that the app has no use for another value there.
  func isObstacle(_ path: TOMLPath) -> Bool { key(around: path) == nil && !keys(below: path).isEmpty }

  // MARK: Where from

  /// Where the value that the app uses comes from, under any of the key's names.
  package func origin(of path: TOMLPath, in snapshot: SettingsSnapshot) -> SettingsOrigin {
    var origin: SettingsOrigin
    if let (key, part) = renamedKey(around: path) {
      origin = snapshot.origin(of: key.settingsKey, part: part)
    } else {
      origin = snapshot.origin(of: path)
    }
    if !origin.isDefault, isUnused(path, in: snapshot) {
      (origin.layer, origin.position, origin.formerName) = (SettingsLayer(.default), nil, nil)
    }
    return origin
  }

  /// Whether the app does not use what the files have at a path.
  private func isUnused(_ path: TOMLPath, in snapshot: SettingsSnapshot) -> Bool {
    guard let key = key(around: path) else { return isObstacle(path) && snapshot[path]?.table == nil }
    let reading = reading(of: key, in: snapshot)
    guard !reading.errors.isEmpty else { return false }
    return reading.isDefault || usedValue(of: path, in: snapshot) == nil
  }

  /// The values that the files have for a key, under any of its names, those of the highest layer first.
  package func values(at path: TOMLPath, in snapshot: SettingsSnapshot) -> [LayerValue] {
    var values =
      renamedKey(around: path).map { snapshot.values(at: $0.key.paths, part: $0.part) } ?? snapshot.values(at: [path])
    // A credential is above all files.
    let origin = key(around: path).map { snapshot.origin(of: $0.settingsKey) } ?? snapshot.origin(of: path)
    if origin.layer.kind == .credential {
      values = values.map { $0.used(becomes: .hidden(by: origin.layer, at: nil)) }
      values.insert(
        LayerValue(layer: origin.layer, path: path, value: .string(Shown.redacted), position: nil, state: .used), at: 0)
    }
    guard isUnused(path, in: snapshot) else { return values }
    return values.map { $0.used(becomes: .unusable) }
  }
}

extension LayerValue {
  /// The same value with another state if it is used, or a part of it.
  fileprivate func used(becomes state: State) -> LayerValue {
    guard self.state == .used || self.state == .merged else { return self }
    var value = self
    value.state = state
    return value
  }
}
