/// Proves that an index patched in place matches the text, by parsing only the changed sections.
///
/// A text is a list of sections, each from one header to the next. A parser that reaches a header carries over one
/// thing from what it has read: which tables and keys exist, and of which kind. Let two texts be equal except for a
/// stretch of whole sections in each, and let the index be right for the old one. Then it is right for the new one if
///
/// 1. the stretch begins where a section does, and what follows it begins a line (`init`, `endsAtLine`);
/// 2. the stretch alone is valid TOML, and the index has exactly its nodes there (`changes(in:)`);
/// 3. every node outside the stretch is unchanged, apart from its offset (`removedNodes`);
/// 4. no new node has the key of another child of its table, and each is allowed in that table, wherever else the table
///    has keys (`areOnlyOnes`, `canBeAdded`); arrays of tables do not change.
///
/// By 3 and 4 a parser of the new text reaches each section with the tables and keys of the old text, except for some
/// that are gone, which forbid nothing, and some that are new, which nothing there collides with. By 2 it reads the
/// stretch as it was read alone. If a premise does not hold, the whole text is parsed. Debug builds do both and
/// compare, as `fuzz-proof` does.
extension TOMLDocument {
  /// Returns the paths of the values that were added, changed or removed since another document, from which this one
  /// was made by edits in place; `nil` if only parsing the whole text can decide that.
  ///
  /// A path of ``changedPaths(since:)`` that is missing here is that of a table that was empty, or is now.
  package func provenChanges(since old: TOMLDocument) -> [TOMLPath]? {
    guard isMended, !old.isMended, let proof = SectionProof(old: old, new: self) else { return nil }
    return proof.changes()
  }

  /// Whether parsing the whole text gives the paths that were proven.
  package func agrees(with proven: [TOMLPath], since old: TOMLDocument) -> Bool {
    guard let read = try? TOMLDocument(parsing: bytes) else { return false }
    let all = Set(read.changedPaths(since: old))
    return read.root == root && Set(proven).isSubset(of: all)
      && all.subtracting(proven).allSatisfy { old.isTable(at: $0) || read.isTable(at: $0) }
  }

  /// Marks the index as matching the text.
  package mutating func noteProven() { isMended = false }
}

/// The sections of two texts that differ, as one stretch of each.
private struct SectionProof {
  private let old: TOMLDocument
  private let new: TOMLDocument
  private let oldCount: Int
  /// Where the stretch begins in both, and where it ends in each.
  private let start: UInt32
  private let oldEnd: UInt32
  private let newEnd: UInt32
  /// Where the stretch is in the new text.
  private let places: Range<UInt32>

  /// - Returns: `nil` if so much has changed that parsing the whole text is as fast.
  init?(old: TOMLDocument, new: TOMLDocument) {
    let (prefix, suffix) = Scan.commonEnds(old.bytes, new.bytes)
    let firstSame = old.bytes.count - suffix
    var (start, end) = (0, old.bytes.count)
    old.tree.nodes.withUnsafeBufferPointer { nodes in
      for node in nodes where node.kind == .header || node.kind == .element {
        let place = Int(node.start)
        // The bracket must be in the part that is the same.
        if place < prefix { start = max(start, place) }
        if place >= firstSame { end = min(end, place) }
      }
    }
    let newEnd = end + new.bytes.count - old.bytes.count
    guard start <= end, newEnd >= start, (newEnd - start) * 4 <= new.bytes.count || newEnd - start <= 4096
    else { return nil }
    self.old = old
    self.new = new
    oldCount = old.tree.nodes.count
    (self.start, oldEnd, self.newEnd) = (UInt32(start), UInt32(end), UInt32(newEnd))
    places = self.start..<self.newEnd
  }

  func changes() -> [TOMLPath]? {
    guard endsAtLine, let (removed, touched) = removedNodes() else { return nil }
    guard let stretch = try? TOMLDocument(parsing: Array(new.bytes[Int(start)..<Int(newEnd)])),
      let changed = changes(in: stretch, touching: touched)
    else { return nil }
    guard !removed.isEmpty else { return changed }
    // Only the values that are gone: a table is removed with its contents.
    let values = removed.filter { !old.tree[$0].kind.isTable || old.tree[$0].firstChild == DocumentIndex.none }
    let gone = values.map { old.location(of: $0).path }
    // A value that was removed and added again may be unchanged.
    let again = Set(gone).intersection(changed)
    return changed.filter { !again.contains($0) || old[$0] != new[$0] } + gone.filter { !again.contains($0) }
  }

  /// Whether what follows the stretch still begins a line.
  private var endsAtLine: Bool {
    if newEnd == new.bytes.count { return true }
    var at = Int(newEnd)
    while at > start, Byte.isBlank(new.bytes[at - 1]) { at -= 1 }
    return at == start || new.bytes[at - 1] == Byte.newline
  }

  // MARK: What is outside of the stretch

  /// Compares the old nodes with the new index: those outside the stretch must be unchanged, apart from their offsets.
  ///
  /// - Returns: The removed nodes, all of them in the stretch, and how many of the new index have their value or their
  ///   key in it; `nil` if something else changed.
  private func removedNodes() -> (removed: [DocumentIndex.ID], touched: Int)? {
    guard new.tree.nodes.count >= oldCount else { return nil }
    var removed: [DocumentIndex.ID] = []
    var touched = 0
    let isKept = old.tree.nodes.withUnsafeBufferPointer { before in
      new.tree.nodes.withUnsafeBufferPointer { after in
        for index in before.indices {
          let (a, b) = (before[index], after[index])
          if b.kind == .removed {
            if a.kind == .removed { continue }
            guard a.kind != .root, a.kind != .arrayOfTables, a.kind != .element, isInStretch(a.start),
              isInStretch(a.keyStart)
            else { return false }
            removed.append(DocumentIndex.ID(index))
            continue
          }
          guard a.kind == b.kind && a.isPlain == b.isPlain || canChange(a, into: b), isInPlace(a, b),
            hasSameRelations(index, before, after)
          else { return false }
          if index > 0, isTouched(b) { touched += 1 }
        }
        for node in after[oldCount...] where node.kind != .removed && isTouched(node) { touched += 1 }
        return true
      }
    }
    return isKept ? (removed, touched) : nil
  }

  private func isInStretch(_ place: UInt32) -> Bool { start <= place && place < oldEnd }

  /// Whether a node may have another value now.
  private func canChange(_ a: IndexNode, into b: IndexNode) -> Bool {
    func isValue(_ kind: IndexNode.Kind) -> Bool { kind.rawValue >= IndexNode.Kind.string.rawValue && kind != .removed }
    return isValue(a.kind) && isValue(b.kind) && isInStretch(a.start)
  }

  /// Whether a node is where it was, or was in the stretch and still is.
  @inline(__always)
  private func isInPlace(_ a: IndexNode, _ b: IndexNode) -> Bool {
    let delta = newEnd &- oldEnd
    if a.kind == .root {
      return b.start == a.start && b.end == a.end && b.keyStart == a.keyStart && b.keyEnd == a.keyEnd
    }
    func isKept(_ x: UInt32, _ y: UInt32) -> Bool {
      x < start ? y == x : x >= oldEnd ? y == x &+ delta : places.contains(y)
    }
    func isEndKept(_ x: UInt32, _ y: UInt32) -> Bool {
      x <= start ? y == x : x > oldEnd ? y == x &+ delta : start <= y && y <= newEnd
    }
    return isKept(a.start, b.start) && isKept(a.keyStart, b.keyStart) && isEndKept(a.end, b.end)
      && isEndKept(a.keyEnd, b.keyEnd)
  }

  /// Whether a node has the same key, parent and neighbours, apart from new and removed nodes.
  @inline(__always)
  private func hasSameRelations(
    _ index: Int, _ before: UnsafeBufferPointer<IndexNode>, _ after: UnsafeBufferPointer<IndexNode>
  ) -> Bool {
    let (a, b) = (before[index], after[index])
    func remaining(_ id: DocumentIndex.ID) -> DocumentIndex.ID {
      var id = id
      while id != DocumentIndex.none, after[Int(id)].kind == .removed { id = before[Int(id)].next }
      return id
    }
    guard a.parent == b.parent, a.hash == b.hash, a.keyStyle.rawValue == b.keyStyle.rawValue,
      after[Int(b.parent)].kind != .removed,
      b.next >= oldCount ? after[Int(b.next)].parent == b.parent : b.next == remaining(a.next),
      b.firstChild >= oldCount ? after[Int(b.firstChild)].parent == index : b.firstChild == remaining(a.firstChild)
    else { return false }
    if b.lastChild == a.lastChild, b.lastChild == DocumentIndex.none || after[Int(b.lastChild)].kind != .removed {
      return true
    }
    guard b.lastChild != DocumentIndex.none else { return b.firstChild == DocumentIndex.none }
    let last = after[Int(b.lastChild)]
    return last.parent == index && last.next == DocumentIndex.none && last.kind != .removed
  }

  // MARK: The stretch

  /// Compares the parsed stretch with the index, under keys that occur nowhere else.
  ///
  /// - Returns: The paths of new and changed values; `nil` unless the index has exactly the parsed nodes.
  private func changes(in stretch: TOMLDocument, touching expected: Int) -> [TOMLPath]? {
    // First, because finding a path follows the links that this checks.
    guard areOnlyOnes(DocumentIndex.ID(oldCount)..<DocumentIndex.ID(new.tree.nodes.count)) else { return nil }
    var changed: [TOMLPath] = []
    var (found, added) = (0, 0)
    // The node in the new index for each node of the stretch.
    var ids = [DocumentIndex.root]
    ids.reserveCapacity(stretch.tree.nodes.count)
    for index in stretch.tree.nodes.indices.dropFirst() {
      let read = stretch.tree.nodes[index]
      guard let id = counterpart(of: read, in: stretch, under: ids[Int(read.parent)]), matches(read, new.tree[id])
      else { return nil }
      ids.append(id)
      let node = new.tree[id]
      if isTouched(node) { found += 1 }
      let isChanged: Bool
      if Int(id) >= oldCount {
        guard places.contains(node.start), places.contains(node.keyStart),
          canBeAdded(read, under: stretch.tree[read.parent], id)
        else { return nil }
        added += 1
        isChanged = !read.kind.isTable || read.firstChild == DocumentIndex.none
      } else {
        guard hasSameKey(id) else { return nil }
        isChanged = !read.kind.isTable && differs(id)
      }
      if isChanged { changed.append(new.location(of: id).path) }
    }
    // And nothing else.
    return found == expected && added == new.tree.nodes.count - oldCount ? changed : nil
  }

  private func counterpart(of read: IndexNode, in stretch: TOMLDocument, under parent: DocumentIndex.ID)
    -> DocumentIndex.ID?
  {
    guard new.tree[parent].kind.isTable else { return nil }
    return stretch.withBase { base in
      if read.keyStyle == .escaped { return new.child(KeyText.string(read, in: base), of: parent) }
      let quotes = read.keyStyle == .bare ? 0 : 1
      let key = base + Int(read.keyStart) + quotes
      let count = Int(read.keyEnd) - Int(read.keyStart) - 2 * quotes
      let hash = DocumentIndex.hash(key, count: count, parent: parent)
      let id = new.withBase { new.tree.find(key, count: count, hash: hash, parent: parent, in: $0).id }
      return id == DocumentIndex.none ? nil : id
    }
  }

  /// Whether an old node's key is unchanged.
  private func hasSameKey(_ id: DocumentIndex.ID) -> Bool {
    let (a, b) = (old.tree[id], new.tree[id])
    let x = old.bytes[Int(a.keyStart)..<Int(a.keyEnd)]
    return x.elementsEqual(new.bytes[Int(b.keyStart)..<Int(b.keyEnd)])
  }

  /// Whether a node's value or its key is in the stretch.
  private func isTouched(_ node: IndexNode) -> Bool { places.contains(node.start) || places.contains(node.keyStart) }

  /// Whether a node matches what was parsed in the stretch.
  private func matches(_ read: IndexNode, _ node: IndexNode) -> Bool {
    guard read.kind != .arrayOfTables, read.kind != .element else { return false }
    if places.contains(node.start) {
      guard read.kind == node.kind, read.isPlain == node.isPlain, read.start + start == node.start,
        read.end + start == node.end
      else { return false }
    } else {
      // Named here, while its header is in another section, or that section names it first.
      guard read.kind == .implicit, node.kind == .implicit || node.kind == .header else { return false }
    }
    guard places.contains(node.keyStart) else { return true }
    return read.keyStyle == node.keyStyle && read.keyStart + start == node.keyStart
      && read.keyEnd + start == node.keyEnd
  }

  /// Whether a new node is allowed in its table, wherever else that table has keys.
  private func canBeAdded(_ read: IndexNode, under readParent: IndexNode, _ id: DocumentIndex.ID) -> Bool {
    let parent = new.tree[new.tree[id].parent].kind
    switch read.kind {
    case .header, .implicit: return parent == .root || parent == .header || parent == .implicit
    default: return readParent.kind == parent && (parent != .root || start == 0)
    }
  }

  private func differs(_ id: DocumentIndex.ID) -> Bool {
    let (a, b) = (old.tree[id], new.tree[id])
    let hasSameText =
      a.kind == b.kind && old.bytes[Int(a.start)..<Int(a.end)].elementsEqual(new.bytes[Int(b.start)..<Int(b.end)])
    return !hasSameText && old.value(of: id) != new.value(of: id)
  }

  /// Whether no other child has the key of a new node, and each is in its parent's list of children.
  ///
  /// This checks all nodes and does not use the hash table, so that a defect there cannot hide itself.
  private func areOnlyOnes(_ added: Range<DocumentIndex.ID>) -> Bool {
    if added.isEmpty { return true }
    // Numbers of the tables that have new keys, from 1.
    var numbers = [UInt32](repeating: 0, count: new.tree.nodes.count)
    var families: [Family] = []
    for id in added {
      let node = new.tree[id]
      let parent = Int(node.parent)
      if numbers[parent] == 0 {
        families.append(Family(parent: node.parent))
        numbers[parent] = UInt32(families.count)
      }
      guard node.kind != .removed, families[Int(numbers[parent]) - 1].hashes.insert(node.hash).inserted
      else { return false }
    }
    for id in added where numbers[Int(id)] == 0 && new.tree[id].firstChild != DocumentIndex.none { return false }
    return new.tree.nodes.withUnsafeBufferPointer { nodes in
      // The root is not its own child, although it is its own parent.
      for index in nodes.indices.dropFirst() where numbers[Int(nodes[index].parent)] != 0 {
        let node = nodes[index]
        guard node.kind != .removed else { continue }
        let number = Int(numbers[Int(node.parent)]) - 1
        families[number].count += 1
        if index < oldCount, families[number].hashes.contains(node.hash) { return false }
      }
      return families.allSatisfy { $0.isWhole(in: nodes) }
    }
  }

  /// The children of a table: how many, and the hashes of the new keys.
  private struct Family {
    let parent: DocumentIndex.ID
    var hashes = Hashes()
    var count = 0

    /// Whether all of them are in one list.
    func isWhole(in nodes: UnsafeBufferPointer<IndexNode>) -> Bool {
      var child = nodes[Int(parent)].firstChild
      var last = DocumentIndex.none
      for _ in 0..<count {
        guard child != DocumentIndex.none, nodes[Int(child)].parent == parent else { return false }
        last = child
        child = nodes[Int(child)].next
      }
      return child == DocumentIndex.none && nodes[Int(parent)].lastChild == last
    }
  }

  /// A set that answers most questions with one bit.
  private struct Hashes {
    private var all: Set<UInt32> = []
    private var bits: UInt64 = 0

    mutating func insert(_ hash: UInt32) -> (inserted: Bool, memberAfterInsert: UInt32) {
      bits |= 1 << UInt64(hash % 64)
      return all.insert(hash)
    }

    func contains(_ hash: UInt32) -> Bool { bits & 1 << UInt64(hash % 64) != 0 && all.contains(hash) }
  }
}
