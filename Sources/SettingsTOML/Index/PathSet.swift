/// A set of paths that answers whether a path is at, above or below any of them.
package struct PathSet {
  private struct Node {
    var isMember = false
    var children: [ExactKey: Node] = [:]
  }
  private var root = Node()

  package init(_ paths: [TOMLPath] = []) { for path in paths { insert(path) } }

  package mutating func insert(_ path: TOMLPath) {
    func insert(_ node: inout Node, _ components: ArraySlice<String>) {
      guard let first = components.first else {
        node.isMember = true
        return
      }
      insert(&node.children[ExactKey(first), default: Node()], components.dropFirst())
    }
    insert(&root, path.components[...])
  }

  /// Whether a path is one of them, or above or below one.
  package func touches(_ path: TOMLPath) -> Bool {
    var node = root
    for component in path.components {
      if node.isMember { return true }
      guard let child = node.children[ExactKey(component)] else { return false }
      node = child
    }
    return node.isMember || !node.children.isEmpty
  }
}
