public import SettingsTOML

/// All layers at one moment, and what a path reads there.
///
/// A value: it never changes. A later state has a higher generation.
public struct SettingsSnapshot: SettingsAccess, Sendable {
  /// Grows by at least one with every visible change of this store.
  public package(set) var generation: UInt64
  /// Files and overrides, lowest first.
  package private(set) var layers: [LayerContent]
  /// Which of them is the user's: the highest.
  package var userIndex: Int { layers.count - 1 }
  /// What this process has set and not yet written, over the user's file.
  package var pending: PendingEdits
  /// What the layers lock.
  package private(set) var locks = LockedPaths()
  /// Above all files: what this process's environment and arguments say.
  package var overrides: SettingsOverrides

  package init(
    generation: UInt64, layers: [LayerContent], pending: PendingEdits, overrides: SettingsOverrides = .none
  ) {
    self.generation = generation
    self.layers = layers
    self.pending = pending
    self.overrides = overrides
    findLocks()
  }

  /// Puts the administrators' layers in the place of those before.
  package mutating func replaceSystemLayers(by layers: [LayerContent]) {
    self.layers.replaceSubrange(..<userIndex, with: layers)
    findLocks()
  }

  /// The text of the user's file.
  package var userDocument: TOMLDocument {
    get { layers[userIndex].document }
    set { layers[userIndex] = layers[userIndex].holding(newValue, of: newValue.bytes) }
  }

  /// The bytes of the user's file; `nil` while there is none.
  var userBytes: [UInt8]? { layers[userIndex].fileBytes }

  /// Takes over what the user's file holds.
  ///
  /// - Parameter document: The meaning of the bytes, migrated in memory if need be.
  mutating func adopt(_ document: TOMLDocument, bytes: [UInt8]?) {
    layers[userIndex] = layers[userIndex].holding(document, of: bytes)
  }

  private mutating func findLocks() {
    locks = LockedPaths()
    for (index, content) in layers.enumerated() { for path in content.locks { locks.insert(path, layer: index) } }
  }

  /// The value at a path, over all layers; `nil` if none has one.
  ///
  /// Layers are put over each other, the lowest first: tables merge key by key, and any other value replaces what is
  /// there. What a layer locks stays as the layers up to that one have it: for those above, nothing counts that is at or
  /// below a locked path, nor does a value that is not a table and would hide one.
  public subscript(path: TOMLPath) -> TOMLValue? {
    overlay(of: path).value
  }

  /// The value at a path over all files.
  func stored(at path: TOMLPath) -> TOMLValue? {
    if let first = path.components.first, first.hasPrefix("settings-") { return nil }
    let locks = locks(of: path)
    let value = merged(under: locks) { counted(lookUp(path, in: $0), at: path, in: $0, under: locks) }
    // What is the files' own is no setting.
    guard path.isRoot, case .table(let table)? = value, table.keys.contains(where: { $0.hasPrefix("settings-") }) else {
      return value
    }
    var settings = TOMLTable()
    for (key, value) in table where !key.hasPrefix("settings-") { settings[key] = value }
    return .table(settings)
  }

  /// Everything, over all layers.
  public var root: TOMLTable { self[.root]?.table ?? TOMLTable() }

  /// The layer that the value at a path comes from: the highest that has one, `default` if none has.
  public func layer(of path: TOMLPath) -> SettingsLayer {
    if let override = overrideLayer(of: [path]) { return SettingsLayer(override) }
    guard let index = layerIndex(of: path) else { return SettingsLayer(.default) }
    return layers[index].layer
  }

  /// The place of the value in its layer's file; `nil` for a default, an override, what is not yet written, and what a
  /// migration in memory has made or moved.
  public func position(of path: TOMLPath) -> TOMLPosition? {
    if overrideLayer(of: [path]) != nil { return nil }
    return layerIndex(of: path).flatMap { position(of: path, in: $0) }
  }

  /// The place in its file of what a layer has at a path.
  func position(of path: TOMLPath, in index: Int) -> TOMLPosition? {
    guard layers[index].layer.file != nil, index != userIndex || !pending.touches(path) else { return nil }
    return layers[index].position(of: path)
  }

  /// The administrator's layer that locks a path, and where it says so; `nil` if the path is not locked.
  public func lock(of path: TOMLPath) -> (layer: SettingsLayer, position: TOMLPosition?)? {
    guard let lock = locks.lock(around: path) else { return nil }
    let content = layers[lock.layer]
    return (content.layer, content.position(of: SettingsFormat.locksPath))
  }

  package func layerIndex(of path: TOMLPath) -> Int? {
    let locks = locks(of: path)
    for index in stride(from: locks.ceiling, through: 0, by: -1) {
      switch counted(lookUp(path, in: index), at: path, in: index, under: locks) {
      case .value: return index
      case .hidden: return nil
      case .absent: continue
      }
    }
    return nil
  }

  /// What one layer has at a path, whatever others lock.
  func lookUp(_ path: TOMLPath, in index: Int) -> LayerLookup {
    let content = layers[index]
    return index == userIndex ? pending.lookUp(path) { content.lookUp(path) } : content.lookUp(path)
  }
}

// MARK: - Locks and layers

extension SettingsSnapshot {
  /// What locks mean for one path.
  struct PathLocks {
    /// The highest layer that counts there.
    var ceiling: Int
    /// The locks below it; `nil` if there are none.
    var parts: LockedPaths?
  }

  func locks(of path: TOMLPath) -> PathLocks {
    let top = layers.count - 1
    guard !locks.isEmpty else { return PathLocks(ceiling: top) }
    return PathLocks(ceiling: locks.lock(around: path)?.layer ?? top, parts: locks[path])
  }

  /// Merges what the layers have, the lowest first.
  ///
  /// - Parameter found: What counts of the layer of an index; what is locked in a table may be in it.
  func merged(under locks: PathLocks, _ found: (Int) -> LayerLookup) -> TOMLValue? {
    var result: TOMLValue?
    for index in layers.indices where index <= locks.ceiling {
      switch found(index) {
      case .absent: continue
      case .hidden: result = nil
      case .value(.table(let above)):
        if result?.table == nil, locks.parts == nil {
          result = .table(above)
        } else {
          var table = result?.table ?? TOMLTable()
          table.merge(above, of: index, under: locks.parts)
          result = .table(table)
        }
      case .value(let value): result = value
      }
    }
    return result
  }

  /// What counts of what a layer has at a path, up to the ceiling there: a value that is not a table does not, at the
  /// path or above it, if a lower layer has locked something in its place.
  func counted(_ found: LayerLookup, at path: TOMLPath, in index: Int, under locks: PathLocks) -> LayerLookup {
    if self.locks.isEmpty { return found }
    switch found {
    case .absent, .value(.table): return found
    case .value: return locks.parts?.hasLockedPart(for: index) == true ? .absent : found
    case .hidden:
      guard let place = obstacle(above: path, in: index) else { return found }
      return self.locks[place]?.hasLockedPart(for: index) == true ? .absent : found
    }
  }

  /// Where, above a path that is hidden in a layer, the value is that hides it.
  func obstacle(above path: TOMLPath, in index: Int) -> TOMLPath? {
    // From below: what is hidden itself is not looked up further, and no table around it is made.
    for count in stride(from: path.components.count - 1, to: 0, by: -1) {
      let place = TOMLPath(Array(path.components.prefix(count)))
      if case .value = lookUp(place, in: index) { return place }
    }
    return nil
  }
}

// MARK: - Description

extension SettingsSnapshot: CustomStringConvertible {
  /// What it is a snapshot of, without any value: `generation 3 of /home/alice/.config/org.example.editor/settings.toml`.
  public var description: String {
    let file = layers.last?.layer.file.map(PathText.shown) ?? "settings in memory"
    return "generation \(generation) of \(file)"
  }
}
