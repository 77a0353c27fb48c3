package import SettingsTOML

/// The paths that administrators' layers lock, as a tree.
///
/// A lock fixes the value that the layers up to its own give at its path. The lowest layer that locks a path decides; a
/// lock at or below a path that a lower layer has locked adds nothing. A look-up takes time in the length of the path,
/// however many locks there are.
package struct LockedPaths: Sendable {
  /// The lowest layer that locks exactly this path.
  private var own = Self.none
  /// The lowest layer that locks a path below this one.
  private var below = Self.none
  private var children: [ExactKey: LockedPaths] = [:]

  private static let none = Int.max

  package init() {}

  /// Whether nothing is locked.
  package var isEmpty: Bool { own == Self.none && children.isEmpty }

  /// Adds the lock of a layer.
  ///
  /// - Parameters:
  ///   - path: The locked path; the root locks everything.
  ///   - layer: The index of the layer; 0 is the lowest.
  package mutating func insert(_ path: TOMLPath, layer: Int) { insert(path.components[...], layer) }

  private mutating func insert(_ components: ArraySlice<String>, _ layer: Int) {
    // A lock of a lower layer covers everything below it.
    if own <= layer { return }
    guard let first = components.first else {
      own = layer
      return
    }
    below = min(below, layer)
    children[ExactKey(first), default: LockedPaths()].insert(components.dropFirst(), layer)
  }

  /// Adds the locks of another tree for the same paths.
  mutating func formUnion(_ other: LockedPaths) {
    own = min(own, other.own)
    below = min(below, other.below)
    for (key, child) in other.children { children[key, default: LockedPaths()].formUnion(child) }
  }

  // MARK: Looking up

  /// The lock that applies to a path: of those at it and at the tables around it, that of the lowest layer.
  package func lock(around path: TOMLPath) -> (path: TOMLPath, layer: Int)? {
    var node = self
    var lock = own == Self.none ? nil : (depth: 0, layer: own)
    for (depth, component) in path.components.enumerated() {
      guard let child = node.children[ExactKey(component)] else { break }
      node = child
      if node.own < lock?.layer ?? Self.none { lock = (depth + 1, node.own) }
    }
    return lock.map { (path.prefix($0.depth), $0.layer) }
  }

  /// The locks at and below a path, as a tree of their own; `nil` if there are none.
  package subscript(path: TOMLPath) -> LockedPaths? {
    var node = self
    for component in path.components {
      guard let child = node.children[ExactKey(component)] else { return nil }
      node = child
    }
    return node
  }

  /// The locks at and below a key of this table; `nil` if there are none.
  subscript(component: String) -> LockedPaths? { children[ExactKey(component)] }

  /// Whether a lower layer locks the path itself for a layer.
  func isLocked(for layer: Int) -> Bool { own < layer }

  /// Whether a part of the path is locked for a layer, so that only a table takes effect there.
  package func hasLockedPart(for layer: Int) -> Bool { below < layer }

  /// The locked paths below this one that are in no other, relative to it, those of lower layers first.
  package var parts: [TOMLPath] {
    var found: [(path: TOMLPath, layer: Int)] = []
    func collect(_ node: LockedPaths, _ path: TOMLPath) {
      for (key, child) in node.children {
        let path = path.appending(key.text)
        if child.own == Self.none { collect(child, path) } else { found.append((path, child.own)) }
      }
    }
    collect(self, .root)
    return found.map { ($0.path, $0.path.description, $0.layer) }.sorted { ($0.2, $0.1) < ($1.2, $1.1) }.map(\.0)
  }
}

extension TOMLValue {
  /// The part of a layer's value that takes effect; `nil` if locks of lower layers leave nothing of it.
  ///
  /// Locked parts are left out, and so are values that would hide a locked part. A table from which everything is left
  /// out has no effect itself. A table that is empty in its file has one.
  ///
  /// - Parameter locks: The locks at and below the place of the value.
  func counted(for layer: Int, under locks: LockedPaths?) -> TOMLValue? {
    guard let locks else { return self }
    if locks.isLocked(for: layer) { return nil }
    guard locks.hasLockedPart(for: layer) else { return self }
    guard case .table(let table) = self else { return nil }
    var result = TOMLTable()
    for (key, value) in table { result[key] = value.counted(for: layer, under: locks[key]) }
    return result.isEmpty && !table.isEmpty ? nil : .table(result)
  }
}
