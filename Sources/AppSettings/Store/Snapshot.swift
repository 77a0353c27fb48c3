public import SettingsTOML

/// All layers at one moment, and what a path reads there.
///
/// A value: it never changes. A later state has a higher generation.
public struct SettingsSnapshot: Sendable {
  /// Grows by at least one with every visible change of this store.
  public package(set) var generation: UInt64
  /// Files and overrides, lowest first.
  package private(set) var layers: [LayerContent]
  /// Which of them is the user's.
  package var userIndex: Int
  /// What this process has set and not yet written, over the user's file.
  package var pending: PendingEdits
  /// What the layers lock, lowest layer first.
  private(set) var locks: [(path: TOMLPath, index: Int)] = []
  /// Above all files: what this process's environment and arguments say.
  package var overrides: SettingsOverrides

  package init(
    generation: UInt64, layers: [LayerContent], userIndex: Int, pending: PendingEdits,
    overrides: SettingsOverrides = .none
  ) {
    self.generation = generation
    self.layers = layers
    self.userIndex = userIndex
    self.pending = pending
    self.overrides = overrides
    findLocks()
  }

  /// Puts the administrators' layers in the place of those before.
  package mutating func replaceSystemLayers(by layers: [LayerContent]) {
    self.layers.replaceSubrange(..<userIndex, with: layers)
    userIndex = layers.count
    findLocks()
  }

  /// The text of the user's file.
  package var userDocument: TOMLDocument {
    get { layers[userIndex].document }
    set { layers[userIndex] = layers[userIndex].holding(newValue) }
  }

  /// Takes over what the user's file holds.
  ///
  /// - Parameter document: The meaning of the bytes, migrated in memory if need be.
  mutating func adopt(_ document: TOMLDocument, bytes: [UInt8]) {
    let isMigrated = !bytes.isSameText(as: document.bytes)
    layers[userIndex] = layers[userIndex].holding(document, unmigrated: isMigrated ? bytes : nil)
  }

  private mutating func findLocks() {
    locks = layers.enumerated().flatMap { index, content in content.locks.map { ($0, index) } }
  }

  /// The override of a path; `nil` if there is none, or an administrator's lock forbids it.
  package func override(of path: TOMLPath) -> (text: String, layer: SettingsLayer.Kind)? {
    guard !overrides.isEmpty, let found = overrides.text(for: path), lock(of: path) == nil else { return nil }
    return found
  }

  /// The value at a path, over all layers; `nil` if none has one.
  ///
  /// Tables of several layers are merged key by key; any other value replaces what is below it. A path that a system
  /// layer locks takes its value from that layer or a lower one.
  public subscript(path: TOMLPath) -> TOMLValue? {
    if let first = path.components.first, first.hasPrefix("settings-") { return nil }
    if let override = override(of: path) { return SettingsOverrides.candidates(for: override.text).first }
    var result = merged(upTo: ceiling(of: path)) { lookUp(path, in: $0) }
    // Locks further down: there the higher layers do not count.
    if case .table(var table)? = result {
      for lock in locks where lock.path.hasPrefix(path) && lock.path != path {
        let below = TOMLPath(Array(lock.path.components.dropFirst(path.components.count)))
        table.apply(Edit(path: below, value: merged(upTo: lock.index) { lookUp(lock.path, in: $0) }))
      }
      if path.isRoot { for key in table.keys where key.hasPrefix("settings-") { table[key] = nil } }
      result = .table(table)
    }
    return result
  }

  /// Everything, over all layers.
  public var root: TOMLTable { self[.root]?.table ?? TOMLTable() }

  /// The layer that the value at a path comes from: the highest that has one, `default` if none has.
  public func layer(of path: TOMLPath) -> SettingsLayer {
    if let override = override(of: path) { return SettingsLayer(override.layer) }
    guard let index = layerIndex(of: path) else { return SettingsLayer(.default) }
    return layers[index].layer
  }

  /// The place of the value in its layer's file; `nil` for a default, an override, what is not yet written, and what a
  /// migration in memory has made or moved.
  public func position(of path: TOMLPath) -> TOMLPosition? {
    if override(of: path) != nil { return nil }
    guard let index = layerIndex(of: path), layers[index].layer.file != nil else { return nil }
    if index == userIndex, pending.touches(path) { return nil }
    return layers[index].position(of: path)
  }

  /// The administrator's layer that locks a path, and where it says so; `nil` if the path is not locked.
  public func lock(of path: TOMLPath) -> (layer: SettingsLayer, position: TOMLPosition?)? {
    guard let lock = locks.first(where: { path.hasPrefix($0.path) }) else { return nil }
    let content = layers[lock.index]
    return (content.layer, content.position(of: SettingsFormat.locksPath))
  }

  package func layerIndex(of path: TOMLPath) -> Int? {
    for index in stride(from: ceiling(of: path), through: 0, by: -1) {
      switch lookUp(path, in: index) {
      case .value: return index
      case .hidden: return nil
      case .absent: continue
      }
    }
    return nil
  }

  /// The highest layer that counts for a path.
  func ceiling(of path: TOMLPath) -> Int {
    locks.first { path.hasPrefix($0.path) }?.index ?? layers.count - 1
  }

  /// Merges what the layers have, the lowest first: tables merge, other values replace.
  ///
  /// - Parameter found: What the layer of an index has.
  func merged(upTo ceiling: Int, _ found: (Int) -> LayerLookup) -> TOMLValue? {
    var result: TOMLValue?
    for index in layers.indices where index <= ceiling {
      switch found(index) {
      case .absent: continue
      case .hidden: result = nil
      case .value(.table(let above)):
        if case .table(let below)? = result {
          result = .table(below.merging(above))
        } else {
          result = .table(above)
        }
      case .value(let value): result = value
      }
    }
    return result
  }

  func lookUp(_ path: TOMLPath, in index: Int) -> LayerLookup {
    let content = layers[index]
    return index == userIndex ? pending.lookUp(path) { content.lookUp(path) } : content.lookUp(path)
  }
}
