import SettingsTOML

// How a key with former names is read: in each layer under its present name, or else under a former one, so that a
// value of the user's stays above an administrator's whatever names their files have.

extension SettingsSnapshot {
  /// The stored value of a key, over all layers; `nil` if none has one.
  package func stored(for key: SettingsKeys) -> TOMLValue? {
    if key.paths.count == 1 { return self[key.path] }
    if let override = override(of: key) { return SettingsOverrides.candidates(for: override.text).first }
    var result = merged(upTo: ceiling(of: key.paths)) { lookUp(key.paths, in: $0).found }
    guard case .table(var table)? = result else { return result }
    // Locks further down: there the higher layers do not count.
    for name in key.paths {
      for lock in locks where lock.path.hasPrefix(name) && lock.path != name {
        let below = TOMLPath(Array(lock.path.components.dropFirst(name.components.count)))
        let names = key.paths.map { $0.appending(below) }
        let value = merged(upTo: lock.index) { lookUp(names, in: $0).found }
        table.apply(Edit(path: below, value: value))
      }
    }
    result = .table(table)
    return result
  }

  /// The override of a key; `nil` if there is none, or an administrator's lock forbids it.
  package func override(of key: SettingsKeys) -> (text: String, layer: SettingsLayer.Kind)? {
    guard !overrides.isEmpty, let text = key.paths.lazy.compactMap({ overrides.text(for: $0) }).first,
      lock(of: key) == nil
    else { return nil }
    return text
  }

  /// The administrator's layer that locks a key under any of its names, and where it says so.
  package func lock(of key: SettingsKeys) -> (layer: SettingsLayer, position: TOMLPosition?)? {
    key.paths.lazy.compactMap { lock(of: $0) }.first
  }

  /// Where the value of a key is: the highest layer that has one, and the name that it has there.
  package func source(of key: SettingsKeys) -> (path: TOMLPath, index: Int)? {
    for index in stride(from: ceiling(of: key.paths), through: 0, by: -1) {
      switch lookUp(key.paths, in: index) {
      case (.value, let path): return (path, index)
      case (.hidden, _): return nil
      case (.absent, _): continue
      }
    }
    return nil
  }

  /// The highest layer that counts for a key of several names: a lock of any of them is one of the key.
  private func ceiling(of names: [TOMLPath]) -> Int { names.map { ceiling(of: $0) }.min() ?? userIndex }

  private func lookUp(_ names: [TOMLPath], in index: Int) -> (found: LayerLookup, path: TOMLPath) {
    let present = lookUp(names[0], in: index)
    if case .value = present { return (present, names[0]) }
    for name in names.dropFirst() {
      let former = lookUp(name, in: index)
      if case .value = former { return (former, name) }
    }
    return (present, names[0])
  }
}

extension SettingsSnapshot {
  /// Where the value of a key comes from, and the name that it has there.
  package func origin(of key: SettingsKeys) -> SettingsOrigin {
    if key.paths.count == 1 { return origin(of: key.path) }
    let lock = lock(of: key)
    if let override = override(of: key) {
      return SettingsOrigin(layer: SettingsLayer(override.layer), lockedBy: lock?.layer, lockPosition: lock?.position)
    }
    guard let source = source(of: key) else {
      return SettingsOrigin(layer: SettingsLayer(.default), lockedBy: lock?.layer, lockPosition: lock?.position)
    }
    return SettingsOrigin(
      layer: layers[source.index].layer, position: position(of: source.path), lockedBy: lock?.layer,
      lockPosition: lock?.position, formerName: source.path == key.path ? nil : source.path)
  }
}

extension StoredValue {
  /// What there is for a key, under any of its names.
  package init(of key: SettingsKeys, in snapshot: SettingsSnapshot) {
    if key.paths.count == 1 {
      self.init(at: key.path, in: snapshot)
    } else if let override = snapshot.override(of: key) {
      self = .text(override.text)
    } else {
      self = snapshot.stored(for: key).map { .value($0) } ?? .absent
    }
  }
}
