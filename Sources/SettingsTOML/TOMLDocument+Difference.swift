extension TOMLDocument {
  /// The paths of the values, as ``leafPaths(under:)`` counts them, that were added, removed or changed since another
  /// document: those that this one has in its order, then those that only the other has.
  public func changedPaths(since old: TOMLDocument) -> [TOMLPath] {
    if bytes.isSameText(as: old.bytes) { return [] }
    let comparison = Comparison(old: old, new: self)
    var changed: [TOMLPath] = []
    var gone: [TOMLPath] = []
    comparison.appendChanges(Tree.root, Tree.root, to: &changed, &gone)
    return changed + gone
  }
}

extension Comparison {
  fileprivate func appendChanges(
    _ a: Tree.ID, _ b: Tree.ID, to changed: inout [TOMLPath], _ gone: inout [TOMLPath]
  ) {
    guard old.tree[a].kind.isTable, new.tree[b].kind.isTable else {
      guard !agree(a, b) else { return }
      let path = new.location(of: b).path
      let now = new.leafPaths(under: path)
      changed += now
      gone += old.leafPaths(under: path).filter { !now.contains($0) }
      return
    }
    let wasEmpty = old.tree[a].firstChild == Tree.none
    let isEmpty = new.tree[b].firstChild == Tree.none
    if wasEmpty != isEmpty, b != Tree.root {
      let path = new.location(of: b).path
      if wasEmpty { gone.append(path) } else { changed.append(path) }
    }
    var matched = 0
    // Most often both have the same keys in the same order.
    var next = old.tree[a].firstChild
    for child in new.tree.children(of: b) {
      let before: Tree.ID?
      if next != Tree.none, hasSameKeyBytes(next, child) {
        before = next
      } else {
        before = old.child(newKey(child), of: a)
      }
      if let before {
        matched += 1
        next = old.tree[before].next
        appendChanges(before, child, to: &changed, &gone)
      } else {
        changed += new.leafPaths(under: new.location(of: child).path)
      }
    }
    var missing = old.tree.children(of: a).reduce(-matched) { count, _ in count + 1 }
    var following = new.tree[b].firstChild
    for child in old.tree.children(of: a) where missing > 0 {
      if following != Tree.none, hasSameKeyBytes(child, following) {
        following = new.tree[following].next
      } else if let counterpart = new.child(oldKey(child), of: b) {
        following = new.tree[counterpart].next
      } else {
        missing -= 1
        gone += old.leafPaths(under: old.location(of: child).path)
      }
    }
  }
}
