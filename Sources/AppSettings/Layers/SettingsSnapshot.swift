public import SettingsTOML

/// All layers at one moment, for reading several consistent values.
///
/// A snapshot is a value that never changes. A later state of the store has a higher generation.
///
/// ```swift
/// let snapshot = settings.snapshot
/// let size = (snapshot[.width], snapshot[.height])   // both from the same moment
/// ```
///
/// Taking a snapshot copies no values. It keeps the texts of the files in memory as long as it exists.
public struct SettingsSnapshot: SettingsAccess, Sendable {
  /// Grows by at least one with every visible change of this store.
  ///
  /// It starts at 1. Generations of different stores are unrelated.
  public package(set) var generation: UInt64
  /// Files and overrides, lowest first.
  package private(set) var layers: [LayerContent]
  /// The index of the layer that is written: the user's file, or another one in its place. Layers above it hide it.
  package private(set) var userIndex: Int
  /// Changes of this process that are not written yet, above the user's file.
  package var pending: PendingEdits
  /// The locks of the layers.
  ///
  /// They are collected when the layers change, not when a value is read.
  package private(set) var locks = LockedPaths()
  /// The overrides from this process's environment and arguments, above all files.
  package var overrides: SettingsOverrides

  /// - Parameter userIndex: The index of the layer that is written; by default the highest.
  package init(
    generation: UInt64, layers: [LayerContent], userIndex: Int? = nil, pending: PendingEdits,
    overrides: SettingsOverrides = .none
  ) {
    self.generation = generation
    self.layers = layers
    self.userIndex = userIndex ?? layers.count - 1
    self.pending = pending
    self.overrides = overrides
    findLocks()
  }

  /// Replaces the layers around the one that is written, and if given that one.
  mutating func replaceLayers(below lower: [LayerContent], above upper: [LayerContent], own: LayerContent? = nil) {
    layers = lower + [own ?? layers[userIndex]] + upper
    userIndex = lower.count
    findLocks()
  }

  /// The text of the user's file.
  package var userDocument: TOMLDocument {
    get { layers[userIndex].document }
    set { layers[userIndex] = layers[userIndex].holding(newValue, of: newValue.bytes) }
  }

  /// The bytes of the user's file; `nil` while there is none.
  var userBytes: [UInt8]? { layers[userIndex].fileBytes }

  /// Stores a new content of the user's file.
  ///
  /// - Parameter document: The meaning of the bytes, migrated in memory if needed.
  mutating func adopt(_ document: TOMLDocument, bytes: [UInt8]?) {
    layers[userIndex] = layers[userIndex].holding(document, of: bytes)
  }

  /// The layer that is written: the user's file, or another one that takes its place.
  package var ownLayer: SettingsLayer { layers[userIndex].layer }

  var ownContent: LayerContent { layers[userIndex] }

  /// Collects the locks of all layers, with the index of each one's layer.
  private mutating func findLocks() {
    locks = LockedPaths()
    for (index, content) in layers.enumerated() { for path in content.locks { locks.insert(path, layer: index) } }
  }

  /// The value at a path over all layers, or `nil` if none has one.
  ///
  /// Layers are merged from the lowest to the highest: tables merge key by key, and any other value replaces a lower
  /// one. A locked value is read from the layers up to the lock. A higher layer cannot change values at or below a
  /// locked path, nor hide them with a value above it that is not a table.
  ///
  /// Reserved keys, which begin with `settings-`, are not settings and have no value here.
  ///
  /// ```swift
  /// let value = settings.snapshot[["plugins", "spelling", "enabled"]]
  /// ```
  public subscript(path: TOMLPath) -> TOMLValue? {
    overlay(of: path).value
  }

  /// The value at a path over all files.
  func stored(at path: TOMLPath) -> TOMLValue? {
    if path.isReserved { return nil }
    let locks = locks(of: path)
    let value = merged(under: locks) { counted(lookUp(path, in: $0), at: path, in: $0, under: locks) }
    // Reserved keys of the files are not settings.
    guard path.isRoot, case .table(let table)? = value, table.keys.contains(where: SettingsFormat.isReserved) else {
      return value
    }
    var settings = TOMLTable()
    for (key, value) in table where !SettingsFormat.isReserved(key) { settings[key] = value }
    return .table(settings)
  }

  /// All values over all layers.
  ///
  /// This builds a table of everything: read single values by their keys or paths.
  public var root: TOMLTable { self[.root]?.table ?? TOMLTable() }

  /// Whether a file has a setting. That looks at the first keys of each file.
  package var hasSettings: Bool { layers.contains { $0.document.hasKey { !SettingsFormat.isReserved($0) } } }

  /// Returns the highest layer that has a value at a path; a layer of kind `default` if none has.
  ///
  /// For a table, values in it may come from lower layers as well.
  package func layer(of path: TOMLPath) -> SettingsLayer {
    if let override = overrideLayer(of: [path]) { return layer(of: override, at: [path]) }
    guard let index = layerIndex(of: path) else { return SettingsLayer(.default) }
    return layers[index].layer
  }

  /// Returns the position of the value in its layer's file; `nil` for a default, an override, a value that is not yet
  /// written, and one that a migration in memory has made or moved.
  ///
  package func position(of path: TOMLPath) -> TOMLPosition? {
    if overrideLayer(of: [path]) != nil { return nil }
    return layerIndex(of: path).flatMap { position(of: path, in: $0) }
  }

  /// The position in its file of a layer's value at a path, or of a part of it.
  func position(
    of path: TOMLPath, part: ArraySlice<String> = [], isKey: Bool = false, in index: Int
  ) -> TOMLPosition? {
    guard layers[index].layer.file != nil, index != userIndex || !pending.touches(path) else { return nil }
    return layers[index].position(of: path, part: part, isKey: isKey)
  }

  /// Where the fault of a value at a path is: its layer and position, or those of the innermost part around it that has
  /// a position.
  package func place(of error: SettingsValueError, at path: TOMLPath) -> (layer: SettingsLayer, position: TOMLPosition?)
  {
    // Layers merge tables key by key, so that each part of a table has a layer of its own.
    let keys = error.path.prefix { !SettingsValueError.isIndex($0) }
    for count in stride(from: keys.count, through: 0, by: -1) {
      let place = path.appending(TOMLPath(Array(keys.prefix(count))))
      if let override = overrideLayer(of: [place]) {
        if self[place] != nil { return (layer(of: override, at: [place]), nil) }
      } else if let index = layerIndex(of: place),
        let position = position(of: place, part: error.path.dropFirst(count), isKey: error.isAboutKey, in: index)
      {
        return (layers[index].layer, position)
      }
    }
    return (layer(of: path), nil)
  }

  /// Returns the lock that keeps a path from being set; `nil` if there is none.
  ///
  /// That may be a lock on a table around the path.
  package func lock(of path: TOMLPath) -> SettingsLock? {
    guard let lock = locks.lock(around: path) else { return nil }
    let content = layers[lock.layer]
    return SettingsLock(
      layer: content.layer, position: content.locksPosition,
      reason: content.lockReasons[lock.path])
  }

  /// The index of the highest layer that has an effective value at a path; `nil` if none has. Ignores overrides.
  package func layerIndex(of path: TOMLPath) -> Int? { source(of: [path])?.index }

  /// One layer's value at a path, ignoring locks.
  func lookUp(_ path: TOMLPath, in index: Int) -> LayerLookup {
    let content = layers[index]
    return index == userIndex ? pending.lookUp(path) { content.lookUp(path) } : content.lookUp(path)
  }
}

// MARK: - Locks and layers

extension SettingsSnapshot {
  /// The effect of locks on one path.
  struct PathLocks {
    /// The highest layer that has an effect there.
    var ceiling: Int
    /// The locks below it; `nil` if there are none.
    var parts: LockedPaths?
  }

  /// The locks at, above and below a path, in time proportional to its length.
  func locks(of path: TOMLPath) -> PathLocks {
    let top = layers.count - 1
    guard !locks.isEmpty else { return PathLocks(ceiling: top) }
    return PathLocks(ceiling: locks.lock(around: path)?.layer ?? top, parts: locks[path])
  }

  /// Merges the values of the layers, the lowest first.
  ///
  /// - Parameter found: The effective value of the layer with an index.
  func merged(under locks: PathLocks, _ found: (Int) -> LayerLookup) -> TOMLValue? {
    var result: TOMLValue?
    for index in layers.indices where index <= locks.ceiling {
      switch found(index) {
      case .absent: continue
      case .hidden: result = nil
      case .value(.table(let above)): result = .table(result?.table?.merging(above) ?? above)
      case .value(let value): result = value
      }
    }
    return result
  }

  /// The effective part of a layer's value at a path, up to the ceiling. A value that is not a table, at the path or
  /// above it, has no effect if a lower layer has locked something in its place.
  func counted(_ found: LayerLookup, at path: TOMLPath, in index: Int, under locks: PathLocks) -> LayerLookup {
    if self.locks.isEmpty { return found }
    switch found {
    case .absent: return found
    case .value(let value):
      guard let parts = locks.parts else { return found }
      return value.counted(for: index, under: parts).map { .value($0) } ?? .absent
    case .hidden:
      guard let place = obstacle(above: path, in: index) else { return found }
      return self.locks[place]?.hasLockedPart(for: index) == true ? .absent : found
    }
  }

  /// The path of the value that hides a path in a layer.
  func obstacle(above path: TOMLPath, in index: Int) -> TOMLPath? {
    // Searches upwards, so that nothing below a hidden path is looked up and no table around it is made.
    for count in stride(from: path.components.count - 1, to: 0, by: -1) {
      let place = path.prefix(count)
      if case .value = lookUp(place, in: index) { return place }
    }
    return nil
  }
}

// MARK: - Description

extension SettingsSnapshot: CustomStringConvertible {
  /// The generation and file without values: `generation 3 of /home/alice/.config/org.example.editor/settings.toml`.
  public var description: String {
    let file = ownLayer.file.map(PathText.shown) ?? "settings in memory"
    return "generation \(generation) of \(file)"
  }
}
