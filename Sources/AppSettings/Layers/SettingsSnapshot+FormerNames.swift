import SettingsTOML

// Reads a key with former names. The layers win over the names: a value in a higher layer hides those in
// lower ones, whatever their names. Within a layer the value under the present name is used, or else that under the
// newest former name. A lock applies to all names.

extension SettingsSnapshot {
  /// The stored value of a key, over all layers; `nil` if none has one.
  package func stored(for key: AnySettingsKey) -> TOMLValue? { overlay(of: key).value }

  /// The value of a key of several names over all files.
  ///
  /// - Parameter names: The present name first.
  func stored(at names: [TOMLPath]) -> TOMLValue? {
    if names.count == 1 { return stored(at: names[0]) }
    let locks = locks(of: names)
    return merged(under: locks) { counted(names, in: $0, under: locks).found }
  }

  /// The lock of the lowest layer on one of several names.
  func lock(of names: [TOMLPath]) -> SettingsLock? {
    let lock = names.compactMap { locks.lock(around: $0) }.min { $0.layer < $1.layer }
    return lock.flatMap { self.lock(of: $0.path) }
  }

  /// The source of a key's value: the highest layer that has one, and its name there.
  package func source(of key: AnySettingsKey) -> (path: TOMLPath, index: Int)? { source(of: key.paths) }

  /// - Parameter part: The part of the value to find.
  func source(of names: [TOMLPath], part: TOMLPath = .root) -> (path: TOMLPath, index: Int)? {
    let locks = locks(of: names)
    let partLocks = part.isRoot ? locks : self.locks(of: names.map { $0.appending(part) })
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

  /// The locks of a key with several names: a lock of any of them locks the key.
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

  /// The effective part of a layer's value for a key, and its name there.
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
  /// Returns the origin of a key's value, including its name there.
  ///
  /// - Parameter part: The requested part of the value.
  package func origin(of key: AnySettingsKey, part: TOMLPath = .root) -> SettingsOrigin {
    let names = key.paths.map { $0.appending(part) }
    if names.count == 1, !key.isSecret || overrides.credentials == nil { return origin(of: names[0]) }
    var origin = SettingsOrigin(layer: SettingsLayer(.default), lock: lock(of: names))
    if let override = overrideLayer(of: names, isSecret: key.isSecret) {
      origin.layer = layer(of: override, at: names)
    } else if let source = source(of: key.paths, part: part) {
      origin.layer = layers[source.index].layer
      origin.position = position(of: source.path, in: source.index)
      origin.formerName = source.path == names[0] ? nil : source.path
    }
    return origin
  }
}

extension StoredValue {
  /// The stored value of a key under any of its names.
  package init(of key: AnySettingsKey, in snapshot: SettingsSnapshot) { self.init(snapshot.overlay(of: key)) }
}
