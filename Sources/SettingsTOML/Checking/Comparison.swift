/// Compares two documents without making their values.
struct Comparison {
  let old: TOMLDocument
  let new: TOMLDocument
  private let oldBase: [UInt8]
  private let newBase: [UInt8]
  /// Where the old text is no longer the new one, and where it is that again.
  private let prefixEnd: UInt32
  private let suffixStart: UInt32
  /// By how much that is moved.
  private let growth: UInt32

  init(old: TOMLDocument, new: TOMLDocument) {
    self.old = old
    self.new = new
    oldBase = old.bytes
    newBase = new.bytes
    let (prefix, suffix) = Scan.commonEnds(oldBase, newBase)
    prefixEnd = UInt32(prefix)
    suffixStart = UInt32(oldBase.count - suffix)
    growth = UInt32(truncatingIfNeeded: newBase.count - oldBase.count)
  }

  /// Whether two nodes have equal values.
  func agree(_ a: DocumentIndex.ID, _ b: DocumentIndex.ID) -> Bool {
    let x = old.tree[a]
    let y = new.tree[b]
    if x.kind.isTable { return y.kind.isTable && tablesAgree(a, b, except: []) }
    if x.kind == .arrayOfTables || y.kind == .arrayOfTables {
      guard x.kind == y.kind else { return old.value(of: a) == new.value(of: b) }
      var next = y.firstChild
      for element in old.tree.children(of: a) {
        guard next != DocumentIndex.none, tablesAgree(element, next, except: []) else { return false }
        next = new.tree[next].next
      }
      return next == DocumentIndex.none
    }
    if x.kind == y.kind, hasSameBytes(Int(x.start)..<Int(x.end), Int(y.start)..<Int(y.end)) { return true }
    return !y.kind.isTable && old.value(of: a) == new.value(of: b)
  }

  private func hasSameBytes(_ x: Range<Int>, _ y: Range<Int>) -> Bool {
    guard x.count == y.count else { return false }
    return oldBase.withUnsafeBufferPointer { a in
      newBase.withUnsafeBufferPointer { b in
        var offset = 0
        while offset < x.count, a[x.lowerBound + offset] == b[y.lowerBound + offset] { offset += 1 }
        return offset == x.count
      }
    }
  }

  /// Goes on behind the keys that are in the same place of what the texts have in common, with values without children.
  ///
  /// - Returns: The number of keys.
  fileprivate func skipSame(_ a: inout DocumentIndex.ID, _ b: inout DocumentIndex.ID) -> Int {
    old.tree.nodes.withUnsafeBufferPointer { olds in
      new.tree.nodes.withUnsafeBufferPointer { news in
        var count = 0
        while a != DocumentIndex.none, b != DocumentIndex.none, areSamePlace(olds[Int(a)], news[Int(b)]) {
          (a, b) = (olds[Int(a)].next, news[Int(b)].next)
          count += 1
        }
        return count
      }
    }
  }

  @inline(__always)
  private func areSamePlace(_ x: IndexNode, _ y: IndexNode) -> Bool {
    let shift = y.keyStart &- x.keyStart
    guard x.kind == y.kind, x.kind.rawValue >= IndexNode.Kind.string.rawValue, y.keyEnd &- x.keyEnd == shift,
      y.start &- x.start == shift, y.end &- x.end == shift
    else { return false }
    return shift == 0 && x.end <= prefixEnd || shift == growth && x.keyStart >= suffixStart
  }

  func hasSameKeyBytes(_ a: DocumentIndex.ID, _ b: DocumentIndex.ID) -> Bool {
    let x = old.tree[a]
    let y = new.tree[b]
    return hasSameBytes(Int(x.keyStart)..<Int(x.keyEnd), Int(y.keyStart)..<Int(y.keyEnd))
  }

  /// Whether two tables are equal except at some paths.
  ///
  /// A table that holds nothing outside those paths may also be missing.
  func tablesAgree(_ a: DocumentIndex.ID, _ b: DocumentIndex.ID, except paths: [ArraySlice<String>]) -> Bool {
    var matched = 0
    // Usually both have the same keys in the same order.
    var next = new.tree[b].firstChild
    for child in old.tree.children(of: a) {
      let counterpart: DocumentIndex.ID?
      if next != DocumentIndex.none, hasSameKeyBytes(child, next) {
        counterpart = next
        next = new.tree[next].next
      } else {
        counterpart = new.child(old.key(of: child), of: b)
        if let counterpart { next = new.tree[counterpart].next }
      }
      if counterpart != nil { matched += 1 }
      guard !paths.isEmpty else {
        guard let counterpart, agree(child, counterpart) else { return false }
        continue
      }
      let below = Comparison.below(paths, old.key(of: child))
      if below.contains(where: \.isEmpty) { continue }
      if let counterpart {
        let bothTables = old.tree[child].kind.isTable && new.tree[counterpart].kind.isTable
        let isSame = bothTables ? tablesAgree(child, counterpart, except: below) : agree(child, counterpart)
        guard isSame else { return false }
      } else {
        guard Comparison.isOnly(below, child, of: old) else { return false }
      }
    }
    guard matched < new.tree.children(of: b).count else { return true }
    for child in new.tree.children(of: b) {
      let key = new.key(of: child)
      guard old.child(key, of: a) == nil else { continue }
      let below = Comparison.below(paths, key)
      if below.contains(where: \.isEmpty) { continue }
      guard Comparison.isOnly(below, child, of: new) else { return false }
    }
    return true
  }

  private static func below(_ paths: [ArraySlice<String>], _ key: String) -> [ArraySlice<String>] {
    paths.compactMap { $0.first?.hasSameCodeUnits(as: key) == true ? $0.dropFirst() : nil }
  }

  /// Whether everything in a table is at or below some paths.
  private static func isOnly(
    _ paths: [ArraySlice<String>], _ id: DocumentIndex.ID, of document: TOMLDocument
  ) -> Bool {
    guard !paths.isEmpty, document.tree[id].kind.isTable else { return false }
    return document.tree.children(of: id).allSatisfy { child in
      let below = below(paths, document.key(of: child))
      return below.contains(where: \.isEmpty) || isOnly(below, child, of: document)
    }
  }
}

extension TOMLDocument {
  /// Returns the paths of the values that were added, removed or changed since another version of the document.
  ///
  /// Paths are those of values that are no tables, and of empty tables, first in the order of this document, then those
  /// that only `old` has.
  public func changedPaths(since old: TOMLDocument) -> [TOMLPath] {
    if bytes.isSameText(as: old.bytes) { return [] }
    let comparison = Comparison(old: old, new: self)
    var changed: [TOMLPath] = []
    var gone: [TOMLPath] = []
    comparison.appendChanges(DocumentIndex.root, DocumentIndex.root, to: &changed, &gone)
    return changed + gone
  }
}

extension Comparison {
  fileprivate func appendChanges(
    _ a: DocumentIndex.ID, _ b: DocumentIndex.ID, to changed: inout [TOMLPath], _ gone: inout [TOMLPath]
  ) {
    guard old.tree[a].kind.isTable, new.tree[b].kind.isTable else {
      guard !agree(a, b) else { return }
      let path = new.location(of: b).path
      let now = new.leafPaths(under: path)
      changed += now
      gone += old.leafPaths(under: path).filter { !now.contains($0) }
      return
    }
    let wasEmpty = old.tree[a].firstChild == DocumentIndex.none
    let isEmpty = new.tree[b].firstChild == DocumentIndex.none
    if wasEmpty != isEmpty, b != DocumentIndex.root {
      let path = new.location(of: b).path
      if wasEmpty { gone.append(path) } else { changed.append(path) }
    }
    var matched = 0
    // Usually both have the same keys in the same order.
    var next = old.tree[a].firstChild
    var child = new.tree[b].firstChild
    while true {
      matched += skipSame(&next, &child)
      guard child != DocumentIndex.none else { break }
      defer { child = new.tree[child].next }
      let before: DocumentIndex.ID?
      if next != DocumentIndex.none, hasSameKeyBytes(next, child) {
        before = next
      } else {
        before = old.child(new.key(of: child), of: a)
      }
      if let before {
        matched += 1
        next = old.tree[before].next
        appendChanges(before, child, to: &changed, &gone)
      } else {
        changed += new.leafPaths(under: new.location(of: child).path)
      }
    }
    var missing = old.tree.children(of: a).count - matched
    var following = new.tree[b].firstChild
    for child in old.tree.children(of: a) where missing > 0 {
      if following != DocumentIndex.none, hasSameKeyBytes(child, following) {
        following = new.tree[following].next
      } else if let counterpart = new.child(old.key(of: child), of: b) {
        following = new.tree[counterpart].next
      } else {
        missing -= 1
        gone += old.leafPaths(under: old.location(of: child).path)
      }
    }
  }
}
