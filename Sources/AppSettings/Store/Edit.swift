package import SettingsTOML

/// One change asked of a settings file: a value for a path, or its removal.
package struct Edit: Sendable, Hashable {
  package var path: TOMLPath
  /// `nil` removes what is there.
  package var value: TOMLValue?
  /// The key whose value this is part of, if it is known. It is no part of what the edit does.
  package var key: SettingsKeys?

  package init(path: TOMLPath, value: TOMLValue?, key: SettingsKeys? = nil) {
    self.path = path
    self.value = value
    self.key = key
  }

  package static func == (lhs: Edit, rhs: Edit) -> Bool { lhs.path == rhs.path && lhs.value == rhs.value }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(value)
  }
}

extension TOMLTable {
  /// Does to values what an edit does to a document; used to foresee and to check its effect.
  package mutating func apply(_ edit: Edit) { apply(edit.value, at: edit.path.components[...]) }

  /// Whether both hold the same values; tables without a value anywhere below them count as absent.
  package func isEquivalent(to other: TOMLTable) -> Bool { pruned == other.pruned }

  private var pruned: TOMLTable {
    var result = self
    for (key, value) in self {
      guard case .table(let table) = value else { continue }
      let inner = table.pruned
      result[key] = inner.isEmpty ? nil : .table(inner)
    }
    return result
  }

  private mutating func apply(_ value: TOMLValue?, at components: ArraySlice<String>) {
    guard let first = components.first else { return }
    if components.count == 1 {
      self[first] = value
    } else if case .table(var table)? = self[first] {
      table.apply(value, at: components.dropFirst())
      self[first] = .table(table)
    } else if value != nil {
      var table = TOMLTable()
      table.apply(value, at: components.dropFirst())
      self[first] = .table(table)
    }
  }
}

/// Edits that are visible in this process and not yet in the file, by path.
///
/// A later edit replaces earlier ones at and below its path and refines one above it. Finding what they do to a path
/// costs the length of the path.
package struct PendingEdits: Sendable {
  private struct Node: Sendable {
    /// The edit at this very path, with its place in the order of all edits.
    var edit: (value: TOMLValue?, number: UInt64, key: SettingsKeys?)?
    var children: [String: Node] = [:]
  }

  private var root = Node()

  package init() {}

  package var isEmpty: Bool { root.children.isEmpty }

  /// Adds an edit. Numbers grow.
  package mutating func add(_ edit: Edit, number: UInt64) {
    func insert(_ node: inout Node, _ components: ArraySlice<String>) {
      guard let first = components.first else {
        node.edit = (edit.value, number, edit.key)
        node.children = [:]
        return
      }
      insert(&node.children[first, default: Node()], components.dropFirst())
    }
    insert(&root, edit.path.components[...])
  }

  /// Forgets the edits up to a number: they are in the file, or have failed.
  package mutating func removeAll(upTo number: UInt64) {
    func prune(_ node: inout Node) {
      if let edit = node.edit, edit.number <= number { node.edit = nil }
      for (key, var child) in node.children {
        prune(&child)
        node.children[key] = child.edit == nil && child.children.isEmpty ? nil : child
      }
    }
    prune(&root)
  }

  /// All edits in the order in which they were made, those of one number together.
  package var byNumber: [(number: UInt64, edits: [Edit])] {
    var found: [UInt64: [Edit]] = [:]
    func collect(_ node: Node, _ path: TOMLPath) {
      if let edit = node.edit {
        found[edit.number, default: []].append(Edit(path: path, value: edit.value, key: edit.key))
      }
      for (key, child) in node.children { collect(child, path.appending(key)) }
    }
    collect(root, .root)
    return found.sorted { $0.key < $1.key }.map {
      ($0.key, $0.value.sorted { $0.path.description < $1.path.description })
    }
  }

  /// Whether an edit is at, above or below a path, so that the file's text there is out of date.
  package func touches(_ path: TOMLPath) -> Bool {
    var node = root
    for component in path.components {
      guard let child = node.children[component] else { return false }
      if child.edit != nil { return true }
      node = child
    }
    return !node.children.isEmpty
  }

  /// What there is at a path with these edits over what `base` finds there.
  package func lookUp(_ path: TOMLPath, base: () -> LayerLookup) -> LayerLookup {
    if isEmpty { return base() }
    // The nearest edit at or above the path decides; those below it refine.
    var decision: LayerLookup?
    let components = path.components
    func descend(_ node: borrowing Node, _ depth: Int) -> LayerLookup {
      if let edit = node.edit { decision = LayerLookup(edit.value, at: components[depth...]) }
      guard depth < components.count else {
        var result = decision ?? base()
        refine(&result, with: node)
        return result
      }
      guard let child = node.children[components[depth]] else { return decision ?? base() }
      return descend(child, depth + 1)
    }
    return descend(root, 0)
  }

  private func refine(_ result: inout LayerLookup, with node: borrowing Node) {
    guard !node.children.isEmpty else { return }
    var table: TOMLTable
    if case .value(.table(let existing)) = result { table = existing } else { table = TOMLTable() }
    func apply(_ node: Node, _ path: TOMLPath) {
      for (key, child) in node.children.sorted(by: { order($0.value) < order($1.value) }) {
        let childPath = path.appending(key)
        if let edit = child.edit { table.apply(Edit(path: childPath, value: edit.value)) }
        apply(child, childPath)
      }
    }
    apply(node, .root)
    if !table.isEmpty || result.isTable { result = .value(.table(table)) }
  }

  private func order(_ node: Node) -> UInt64 {
    node.edit?.number ?? node.children.values.map(order).min() ?? 0
  }
}
