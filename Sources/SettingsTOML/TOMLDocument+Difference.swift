extension TOMLDocument {
  /// The paths of the values, as ``leafPaths(under:)`` counts them, that were added, removed or changed since another
  /// document: those that this one has in its order, then those that only the other has.
  public func changedPaths(since old: TOMLDocument) -> [TOMLPath] {
    if bytes == old.bytes { return [] }
    let comparison = Comparison(old: old, new: self)
    var changed: [TOMLPath] = []
    var gone: [TOMLPath] = []
    comparison.appendChanges(Tree.root, Tree.root, at: .root, to: &changed, &gone)
    return changed + gone
  }
}

extension Comparison {
  fileprivate func appendChanges(
    _ a: Tree.ID, _ b: Tree.ID, at path: TOMLPath, to changed: inout [TOMLPath], _ gone: inout [TOMLPath]
  ) {
    guard old.tree[a].kind.isTable, new.tree[b].kind.isTable else {
      guard !agree(a, b) else { return }
      let now = new.leafPaths(under: path)
      changed += now
      gone += old.leafPaths(under: path).filter { !now.contains($0) }
      return
    }
    let wasEmpty = old.tree[a].firstChild == Tree.none
    let isEmpty = new.tree[b].firstChild == Tree.none
    if wasEmpty != isEmpty, !path.isRoot {
      if wasEmpty { gone.append(path) } else { changed.append(path) }
    }
    for child in new.tree.children(of: b) {
      let key = newKey(child)
      let below = path.appending(key)
      if let before = old.child(key, of: a) {
        appendChanges(before, child, at: below, to: &changed, &gone)
      } else {
        changed += new.leafPaths(under: below)
      }
    }
    for child in old.tree.children(of: a) {
      let key = oldKey(child)
      if new.child(key, of: b) == nil { gone += old.leafPaths(under: path.appending(key)) }
    }
  }
}
