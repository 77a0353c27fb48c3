import SettingsTOML

/// What a set of edits has to have done to a document, and what it must have left alone.
struct EditCheck {
  /// The values that the edits leave behind: what later edits say counts.
  private var expected = TOMLTable()
  private var paths = PathSet()
  private let edits: [Edit]

  init(_ edits: [Edit]) {
    self.edits = edits
    for edit in edits {
      expected.apply(edit)
      paths.insert(edit.path)
    }
  }

  /// Whether `document` has every edit's value, and differs from `base` at, above or below their paths only.
  func isMet(by document: TOMLDocument, since base: TOMLDocument) -> Bool {
    isMet(by: document, changed: document.changedPaths(since: base))
  }

  /// Whether `document` has every edit's value, where it is known which paths differ.
  func isMet(by document: TOMLDocument, changed: [TOMLPath]) -> Bool {
    for path in changed where !paths.touches(path) { return false }
    return edits.allSatisfy { edit in
      // An edit decides everything at and below its path, but for what later edits did there.
      let found = document[edit.path]
      switch expected[path: edit.path] {
      case .table(let wanted)?: return found?.table?.isEquivalent(to: wanted) ?? wanted.isEquivalent(to: TOMLTable())
      case nil: return found == nil || found?.table?.isEquivalent(to: TOMLTable()) == true
      case let wanted?: return found == wanted
      }
    }
  }
}

/// Paths, with the question whether another one lies at, above or below any of them.
struct PathSet {
  private struct Node {
    var isMember = false
    var children: [ExactKey: Node] = [:]
  }
  private var root = Node()

  mutating func insert(_ path: TOMLPath) {
    func insert(_ node: inout Node, _ components: ArraySlice<String>) {
      guard let first = components.first else {
        node.isMember = true
        return
      }
      insert(&node.children[ExactKey(first), default: Node()], components.dropFirst())
    }
    insert(&root, path.components[...])
  }

  func touches(_ path: TOMLPath) -> Bool {
    var node = root
    for component in path.components {
      if node.isMember { return true }
      guard let child = node.children[ExactKey(component)] else { return false }
      node = child
    }
    return true
  }
}
