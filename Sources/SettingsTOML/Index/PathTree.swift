/// Paths as a tree, each with a number that identifies what has it as its name, such as a key.
///
/// A look-up takes time proportional to the length of its path, not to the number of keys. Nothing recurses, so names
/// may have any depth.
package struct PathTree: Sendable, Equatable {
  /// A place in the tree: the root, or one in the path of a name.
  package struct Place: Hashable, Sendable {
    fileprivate let index: Int
    fileprivate init(_ index: Int) { self.index = index }
    package static let root = Place(0)
  }

  private struct Edge: Hashable, Sendable {
    var parent: Int
    var name: ExactKey
  }

  private struct Node: Hashable, Sendable {
    /// The key that has this name.
    var key: Int?
    /// The last key that has a name below this place.
    var lastBelow: Int?
    var children: [Int] = []
  }

  private var nodes = [Node()]
  private var edges: [Edge: Int] = [:]

  /// Makes a tree of paths.
  package init(_ paths: [TOMLPath]) {
    self.init(capacity: paths.count)
    for path in paths { insert(path) }
  }

  /// Creates an empty tree.
  ///
  /// - Parameter capacity: About how many names it will have: to grow, it would hash all of them again.
  package init(capacity: Int = 0) {
    nodes.reserveCapacity(capacity + 1)
    edges.reserveCapacity(capacity)
  }

  /// Whether there are no names.
  package var isEmpty: Bool { nodes[0].key == nil && nodes[0].lastBelow == nil }

  /// Adds a name.
  ///
  /// - Parameter index: The number that identifies the key in results.
  package mutating func insert(_ path: TOMLPath, _ index: Int = 0) {
    var place = 0
    for name in path.components {
      nodes[place].lastBelow = index
      let edge = Edge(parent: place, name: ExactKey(name))
      if let child = edges[edge] {
        place = child
      } else {
        nodes.append(Node())
        edges[edge] = nodes.count - 1
        nodes[place].children.append(nodes.count - 1)
        place = nodes.count - 1
      }
    }
    nodes[place].key = index
  }

  // MARK: Looking up

  /// The place of a name in a table; `nil` if no name has it in its path.
  package func place(_ name: String, in table: Place) -> Place? {
    edges[Edge(parent: table.index, name: ExactKey(name))].map(Place.init)
  }

  /// Whether a key has the name of a place.
  package func isName(_ place: Place) -> Bool { nodes[place.index].key != nil }

  /// The last parts of all names.
  package var lastParts: Set<ExactKey> {
    Set(edges.lazy.filter { nodes[$0.value].key != nil }.map(\.key.name))
  }

  private func node(at path: TOMLPath) -> Int? {
    var place = 0
    for name in path.components {
      guard let child = edges[Edge(parent: place, name: ExactKey(name))] else { return nil }
      place = child
    }
    return place
  }

  /// The key with a name.
  ///
  /// A name above or below it does not match.
  package func key(at path: TOMLPath) -> Int? { node(at: path).flatMap { nodes[$0].key } }

  /// The key whose value contains or is the value at a path; the innermost, if one name of a key contains another.
  package func key(around path: TOMLPath) -> Int? {
    var place = 0
    var found = nodes[0].key
    for name in path.components {
      guard let child = edges[Edge(parent: place, name: ExactKey(name))] else { break }
      place = child
      found = nodes[place].key ?? found
    }
    return found
  }

  /// One of the keys with a name below a path.
  package func key(below path: TOMLPath) -> Int? { node(at: path).flatMap { nodes[$0].lastBelow } }

  /// Whether a path is a name, is below a name, or is a table that contains names.
  package func touches(_ path: TOMLPath) -> Bool { !isEmpty && (node(at: path) != nil || key(around: path) != nil) }

  /// The keys with a name at or below a path, in their order.
  package func keys(atOrBelow path: TOMLPath) -> [Int] {
    guard let start = node(at: path) else { return [] }
    var found: Set<Int> = []
    var rest = [start]
    while let place = rest.popLast() {
      if let key = nodes[place].key { found.insert(key) }
      rest += nodes[place].children
    }
    return found.sorted()
  }

  /// The keys with a name at, above or below a path, in their order.
  package func keys(touching path: TOMLPath) -> [Int] { key(around: path).map { [$0] } ?? keys(atOrBelow: path) }
}
