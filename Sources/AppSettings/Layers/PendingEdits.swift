package import SettingsTOML

/// Edits that are visible in this process but not in the file yet, by path.
///
/// A later edit replaces earlier ones at and below its path and refines one above it. The time to find their effect on
/// a path is proportional to the length of the path.
///
/// A copy shares its nodes until one of the two changes, which copies only the nodes along the path of the change.
package struct PendingEdits: Sendable {
  /// An object, so that looking something up copies nothing.
  private final class Node: @unchecked Sendable {  // changed only while no one else has it
    /// The edit at exactly this path, with its place in the order of all edits.
    var edit: (value: TOMLValue?, number: UInt64, key: AnySettingsKey?)?
    /// The key under which the file contains the table's text, if the edit gives the table another key.
    var source: String?
    /// The number of the edit that determines its place, if that is not the last one.
    var place: UInt64?
    /// Whether the file's value is removed before the edit's value is set.
    var isRemovedFirst = false
    var children: [ExactKey: Node] = [:]

    /// Changes a node, after making sure that nothing else holds it.
    static func change(_ node: inout Node, _ body: (Node) -> Void) {
      if !isKnownUniquelyReferenced(&node) {
        let copy = Node()
        copy.edit = node.edit
        copy.source = node.source
        copy.place = node.place
        copy.isRemovedFirst = node.isRemovedFirst
        copy.children = node.children
        node = copy
      }
      body(node)
    }
  }

  private var root = Node()
  /// Whether all edits are made in the order in which they were added: a value that is removed and set again comes
  /// last, and a table that gets another key keeps its place. Otherwise only the last edit at each path is made.
  private let keepsSequence: Bool

  /// Makes an instance of which only the last edit at each path is made.
  package init() { keepsSequence = false }

  /// Makes an instance whose edits are all made, in their order.
  init(keepingSequence: Bool) { keepsSequence = keepingSequence }

  /// Whether there are no edits, in constant time.
  package var isEmpty: Bool { root.children.isEmpty }

  /// Adds an edit. Numbers must grow.
  package mutating func add(_ edit: Edit, number: UInt64) {
    let former = keepsSequence ? edit.source.flatMap { walk(to: $0).node } : nil
    let isMove = keepsSequence && edit.source != nil
    // A value set again under the key of something moved or removed is not the file's value.
    let isNew = former.map { $0.isRemovedFirst || $0.edit != nil && $0.edit?.value == nil } ?? false
    let source = isMove ? former?.source ?? (isNew ? nil : edit.source?.components.last) : nil
    let place = former.map(Self.order)
    func insert(_ node: inout Node, _ components: ArraySlice<String>) {
      Node.change(&node) { node in
        guard let first = components.first else {
          if keepsSequence {
            if node.edit != nil, node.edit?.value == nil { node.isRemovedFirst = true }
            if isMove {
              (node.source, node.place) = (source, place)
            } else if edit.value == nil {
              (node.source, node.place) = (nil, nil)
            } else if node.edit?.value != nil {
              node.place = Self.order(node)
            }
          }
          node.edit = (edit.value, number, edit.key)
          node.children = [:]
          return
        }
        insert(&node.children[ExactKey(first), default: Node()], components.dropFirst())
      }
    }
    insert(&root, edit.path.components[...])
  }

  /// Drops the edits up to a number: they are in the file, or have failed.
  ///
  /// Takes time in proportion to all edits.
  package mutating func removeAll(upTo number: UInt64) {
    func pruned(_ node: Node) -> Node {
      let result = Node()
      if let edit = node.edit, edit.number > number {
        result.edit = edit
        result.source = node.source
        result.place = node.place
        result.isRemovedFirst = node.isRemovedFirst
      }
      for (key, child) in node.children {
        let child = pruned(child)
        if child.edit != nil || !child.children.isEmpty { result.children[key] = child }
      }
      return result
    }
    root = pruned(root)
  }

  /// All edits in their order, those of one number together.
  package var byNumber: [(number: UInt64, edits: [Edit])] {
    var found: [UInt64: [Edit]] = [:]
    func collect(_ node: Node, _ path: TOMLPath) {
      if let edit = node.edit {
        found[edit.number, default: []].append(Edit(path: path, value: edit.value, key: edit.key))
      }
      for (key, child) in node.children { collect(child, path.appending(key.text)) }
    }
    collect(root, .root)
    return found.sorted { $0.key < $1.key }.map {
      ($0.key, $0.value.sorted { $0.path.description < $1.path.description })
    }
  }

  /// Whether an edit is at, above or below a path, so that the file's text there is out of date.
  ///
  /// Takes time in proportion to the length of the path.
  package func touches(_ path: TOMLPath) -> Bool {
    var node = root
    for component in path.components {
      guard let child = node.children[ExactKey(component)] else { return false }
      if child.edit != nil { return true }
      node = child
    }
    return !node.children.isEmpty
  }

  /// The value at a path with these edits applied to what `base` finds there.
  package func lookUp(_ path: TOMLPath, base: () -> LayerLookup) -> LayerLookup {
    if isEmpty { return base() }
    // The nearest edit at or above the path decides; those below it refine.
    let (decision, node) = walk(to: path)
    var result = decision ?? base()
    if let node { refine(&result, with: node) }
    return result
  }

  /// The result of the nearest edit at or above a path, without those below it; `nil` if there is none.
  func decision(at path: TOMLPath) -> LayerLookup? { isEmpty ? nil : walk(to: path).decision }

  /// The keys directly below a path that edits concern, in their order; `nil` if one is at or above the path.
  func keys(below path: TOMLPath) -> [String]? {
    if isEmpty { return [] }
    let (decision, node) = walk(to: path)
    guard decision == nil else { return nil }
    guard let node else { return [] }
    return ordered(node).map(\.key.text)
  }

  /// The result of the nearest edit at or above a path, and the node at it, if there is one.
  private func walk(to path: TOMLPath) -> (decision: LayerLookup?, node: Node?) {
    let components = path.components
    var node = root
    var depth = 0
    var deciding = root.edit == nil ? nil : (node: root, depth: 0)
    while depth < components.count, let child = node.children[ExactKey(components[depth])] {
      node = child
      depth += 1
      if node.edit != nil { deciding = (node, depth) }
    }
    let decision = deciding.map { LayerLookup($0.node.edit?.value, at: components[$0.depth...]) }
    return (decision, depth == components.count ? node : nil)
  }

  /// Applies the edits below a path to what was found there.
  private func refine(_ result: inout LayerLookup, with node: Node) {
    guard !node.children.isEmpty else { return }
    var table: TOMLTable
    if case .value(.table(let existing)) = result { table = existing } else { table = TOMLTable() }
    func apply(_ node: Node, _ path: TOMLPath) {
      if keepsSequence { Self.giveNewKeys(to: &table, at: path, by: node) }
      for (key, child) in ordered(node) {
        let childPath = path.appending(key.text)
        if let edit = child.edit { table.apply(Edit(path: childPath, value: edit.value)) }
        apply(child, childPath)
      }
    }
    apply(node, .root)
    if !table.isEmpty || result.isTable { result = .value(.table(table)) }
  }

  /// Gives the tables in a table their new keys, in their places, and removes those that are set again later.
  private static func giveNewKeys(to table: inout TOMLTable, at path: TOMLPath, by node: Node) {
    var targets: [ExactKey: String] = [:]
    for (key, child) in node.children where child.edit?.value != nil {
      if let source = child.source { targets[ExactKey(source)] = key.text }
    }
    guard !targets.isEmpty || node.children.values.contains(where: \.isRemovedFirst) else { return }
    guard let old = path.isRoot ? table : table[path: path]?.table else { return }
    var new = TOMLTable()
    for (key, value) in old {
      if let target = targets[ExactKey(key)] {
        new[target] = value
      } else if let child = node.children[ExactKey(key)], child.source != nil || child.isRemovedFirst {
        continue
      } else {
        new[key] = value
      }
    }
    if path.isRoot { table = new } else { table.apply(Edit(path: path, value: .table(new))) }
  }

  /// The children in the order in which they were set.
  private func ordered(_ node: Node) -> [(key: ExactKey, value: Node)] {
    // Finding the order visits all descendants, so do it once for each child, not for each comparison.
    node.children.map { (place: Self.order($0.value), child: (key: $0.key, value: $0.value)) }
      .sorted { $0.place < $1.place }.map(\.child)
  }

  /// The number by which a child is placed among its siblings: that of its place, of its own edit, or else the lowest
  /// one below it.
  private static func order(_ node: Node) -> UInt64 {
    node.place ?? node.edit?.number ?? node.children.values.map(Self.order).min() ?? 0
  }
}
