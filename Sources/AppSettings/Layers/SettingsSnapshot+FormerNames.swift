import SettingsTOML

// How a key with former names is read. The layer decides first: in each of them the value stands under the key's present
// name, or else under the newest former one, and a higher layer's is above a lower one's whatever name each of them has.
// A lock of one of the names is a lock of all.

extension SettingsSnapshot {
  /// The stored value of a key, over all layers; `nil` if none has one.
  package func stored(for key: AnySettingsKey) -> TOMLValue? { overlay(of: key).value }

  /// The value of a key of several names over all files.
  func stored(at names: [TOMLPath]) -> TOMLValue? {
    if names.count == 1 { return stored(at: names[0]) }
    let locks = locks(of: names)
    return merged(under: locks) { counted(names, in: $0, under: locks).found }
  }

  /// The administrator's layer that locks a key under any of its names, and where it says so.
  package func lock(of key: AnySettingsKey) -> (layer: SettingsLayer, position: TOMLPosition?)? {
    lock(of: key.paths)
  }

  /// The lowest administrator's layer that locks one of several names.
  func lock(of names: [TOMLPath]) -> (layer: SettingsLayer, position: TOMLPosition?)? {
    let lock = names.compactMap { locks.lock(around: $0) }.min { $0.layer < $1.layer }
    return lock.flatMap { self.lock(of: $0.path) }
  }

  /// Where the value of a key is: the highest layer that has one, and the name that it has there.
  package func source(of key: AnySettingsKey) -> (path: TOMLPath, index: Int)? { source(of: key.paths) }

  /// - Parameter part: Of the value, the part to find.
  private func source(of names: [TOMLPath], part: TOMLPath = .root) -> (path: TOMLPath, index: Int)? {
    let (locks, partLocks) = (locks(of: names), locks(of: names.map { $0.appending(part) }))
    for index in stride(from: partLocks.ceiling, through: 0, by: -1) {
      var (found, path) = counted(names, in: index, under: locks)
      if case .value = found, !part.isRoot {
        path = path.appending(part)
        found = counted(lookUp(path, in: index), at: path, in: index, under: partLocks)
      }
      switch found {
      case .value: return (path, index)
      case .hidden: return nil
      case .absent: continue
      }
    }
    return nil
  }

  /// What locks mean for a key of several names: a lock of any of them is one of the key.
  func locks(of names: [TOMLPath]) -> PathLocks {
    var result = locks(of: names[0])
    for name in names.dropFirst() {
      let former = locks(of: name)
      result.ceiling = min(result.ceiling, former.ceiling)
      if let parts = former.parts {
        if result.parts == nil { result.parts = parts } else { result.parts?.formUnion(parts) }
      }
    }
    return result
  }

  /// What counts of what a layer has for a key, and the name that it has there.
  private func counted(
    _ names: [TOMLPath], in index: Int, under locks: PathLocks
  ) -> (found: LayerLookup, path: TOMLPath) {
    let present = counted(lookUp(names[0], in: index), at: names[0], in: index, under: locks)
    if case .value = present { return (present, names[0]) }
    for name in names.dropFirst() {
      let former = counted(lookUp(name, in: index), at: name, in: index, under: locks)
      if case .value = former { return (former, name) }
    }
    return (present, names[0])
  }
}

extension SettingsSnapshot {
  /// Where the value of a key comes from, and the name that it has there.
  ///
  /// - Parameter part: Of the value, the part that is asked for.
  package func origin(of key: AnySettingsKey, part: TOMLPath = .root) -> SettingsOrigin {
    let names = key.paths.map { $0.appending(part) }
    if names.count == 1 { return origin(of: names[0]) }
    let lock = lock(of: names)
    var origin = SettingsOrigin(layer: SettingsLayer(.default), lockedBy: lock?.layer, lockPosition: lock?.position)
    if let override = overrideLayer(of: names) {
      origin.layer = SettingsLayer(override)
    } else if let source = source(of: key.paths, part: part) {
      origin.layer = layers[source.index].layer
      origin.position = position(of: source.path, in: source.index)
      origin.formerName = source.path == names[0] ? nil : source.path
    }
    return origin
  }
}

extension StoredValue {
  /// What there is for a key, under any of its names.
  package init(of key: AnySettingsKey, in snapshot: SettingsSnapshot) { self.init(snapshot.overlay(of: key)) }
}
