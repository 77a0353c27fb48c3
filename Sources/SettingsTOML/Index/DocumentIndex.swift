/// One key, table or element of an array of tables: its place in the text and in the tree.
struct IndexNode: Sendable {
  enum Kind: UInt8, Sendable {
    /// Tables, by how they were defined.
    case root, header, implicit, dotted, inline
    /// An array of tables, whose children are its elements, and one of these.
    case arrayOfTables, element
    /// Values without children.
    case string, integer, float, boolean, offsetDateTime, localDateTime, localDate, localTime, array
    /// Removed from the document.
    case removed

    var isTable: Bool { rawValue <= Kind.inline.rawValue || self == .element }
  }

  enum KeyStyle: UInt8, Sendable {
    case bare, literal, basic
    /// A basic string with escapes: its bytes are not those of the key.
    case escaped
  }

  var parent: UInt32 = 0
  /// The next child of the same parent, in the order of first occurrence; 0 for none.
  var next: UInt32 = 0
  var firstChild: UInt32 = 0
  var lastChild: UInt32 = 0
  var hash: UInt32 = 0
  /// The key where it first occurs, quotes included.
  var keyStart: UInt32 = 0
  var keyEnd: UInt32 = 0
  /// The value. For header tables and elements the header with its brackets, for implicit tables the first header that
  /// names them, for dotted tables the first key that makes them one.
  var start: UInt32 = 0
  var end: UInt32 = 0
  var kind: Kind
  var keyStyle: KeyStyle = .bare
  /// Whether a string's value is exactly the bytes between the quotes.
  var isPlain = false
  /// The number of children with a key, up to `DocumentIndex.walkedCount`; one more once they are in the hash table.
  var keyedChildren: UInt8 = 0
}

/// The index of a document: nodes in one flat array. The children of a small table, which are near each other, are
/// found by a linear search; those of a larger one by parent and key in one hash table.
struct DocumentIndex: Sendable {
  typealias ID = UInt32

  var nodes: [IndexNode] = [IndexNode(kind: .root)]
  /// Hashes (upper half) and node numbers (lower half), open addressing; 0 is free, `removedSlot` was used.
  private(set) var slots: [UInt64] = []
  private var usedSlots = 0
  /// How many slots are made at first.
  private let firstSlotCount: Int
  /// The number of nodes of kind `removed`.
  private(set) var removedCount = 0

  static let root: ID = 0
  static let none: ID = 0
  private static let removedSlot = UInt64(UInt32.max)
  /// The largest number of children that are searched linearly.
  private static let walkedCount: UInt8 = 8
  /// The place of a new child that does not go into the hash table.
  private static let walked = -1

  /// Makes a tree with capacity for some nodes.
  init(expectedCount: Int = 0) {
    if expectedCount > 0 { nodes.reserveCapacity(expectedCount + 8) }
    firstSlotCount = max(32, expectedCount + expectedCount / 2)
  }

  @inline(__always)
  private static func slot(_ hash: UInt32, _ id: ID) -> UInt64 { UInt64(hash) << 32 | UInt64(id) }

  subscript(id: ID) -> IndexNode {
    @inline(__always) get { nodes[Int(id)] }
    @inline(__always) _modify { yield &nodes[Int(id)] }
  }

  /// Empties the tree for reuse.
  mutating func clear() {
    if slots.count > 64 && usedSlots * 8 < slots.count {
      slots = []
    } else if usedSlots > 0 {
      for index in slots.indices { slots[index] = 0 }
    }
    usedSlots = 0
    removedCount = 0
    nodes.removeAll(keepingCapacity: true)
    nodes.append(IndexNode(kind: .root))
  }

  @inline(__always)
  static func hash(_ key: UnsafePointer<UInt8>, count: Int, parent: ID) -> UInt32 {
    let seed = KeyHash.seed &+ UInt64(parent) &* 0xD6E8_FEB8_6659_FD93
    return UInt32(truncatingIfNeeded: KeyHash.of(key, count: count, seed: seed))
  }

  /// The first slot for a hash: the hash as a fraction of the table's size.
  @inline(__always)
  private static func firstSlot(_ hash: UInt32, _ count: Int) -> Int {
    Int(truncatingIfNeeded: (UInt64(hash) &* UInt64(truncatingIfNeeded: count)) >> 32)
  }

  @inline(__always)
  private static func nextSlot(_ slot: Int, _ count: Int) -> Int { slot + 1 == count ? 0 : slot + 1 }

  /// The child of a table with a key, or `none` with the slot for it.
  @inline(__always)
  func find(
    _ key: UnsafePointer<UInt8>, count: Int, hash: UInt32, parent: ID, in base: UnsafePointer<UInt8>
  ) -> (id: ID, slot: Int) {
    let keyedChildren = nodes[Int(parent)].keyedChildren
    if keyedChildren == 0 { return (DocumentIndex.none, DocumentIndex.walked) }
    if keyedChildren <= DocumentIndex.walkedCount {
      return (walk(key, count: count, hash: hash, parent: parent, in: base), DocumentIndex.walked)
    }
    return findSlot(key, count: count, hash: hash, parent: parent, in: base)
  }

  private func walk(
    _ key: UnsafePointer<UInt8>, count: Int, hash: UInt32, parent: ID, in base: UnsafePointer<UInt8>
  ) -> ID {
    nodes.withUnsafeBufferPointer { nodes in
      var id = nodes[Int(parent)].firstChild
      while id != DocumentIndex.none {
        let index = Int(id)
        if nodes[index].hash == hash, DocumentIndex.key(of: nodes[index], equals: key, count: count, in: base) { break }
        id = nodes[index].next
      }
      return id
    }
  }

  @inline(__always)
  private func findSlot(
    _ key: UnsafePointer<UInt8>, count: Int, hash: UInt32, parent: ID, in base: UnsafePointer<UInt8>
  ) -> (id: ID, slot: Int) {
    let size = slots.count
    var slot = DocumentIndex.firstSlot(hash, size)
    return slots.withUnsafeBufferPointer { slots in
      nodes.withUnsafeBufferPointer { nodes in
        while true {
          let entry = slots[slot]
          if entry == 0 { return (DocumentIndex.none, slot) }
          if entry >> 32 == UInt64(hash), entry != DocumentIndex.removedSlot {
            let id = ID(truncatingIfNeeded: entry)
            let node = nodes[Int(id)]
            if node.parent == parent, DocumentIndex.key(of: node, equals: key, count: count, in: base) {
              return (id, slot)
            }
          }
          slot = DocumentIndex.nextSlot(slot, size)
        }
      }
    }
  }

  @inline(__always)
  private static func key(
    of node: IndexNode, equals key: UnsafePointer<UInt8>, count: Int, in base: UnsafePointer<UInt8>
  ) -> Bool {
    if node.keyStyle == .escaped {
      return KeyText.decoded(node, in: base).elementsEqual(UnsafeBufferPointer(start: key, count: count))
    }
    let quotes = node.keyStyle == .bare ? 0 : 1
    let start = Int(node.keyStart) + quotes
    guard Int(node.keyEnd) - quotes - start == count else { return false }
    for index in 0..<count where base[start + index] != key[index] { return false }
    return true
  }

  /// Makes room for a new node. An index that is shared is copied by the next change: here, so that it is copied once.
  mutating func makeRoom() {
    nodes.append(IndexNode(kind: .removed))
    nodes.removeLast()
  }

  /// Adds a node as its parent's last child, at a place that `find` returned; `nil` for nodes without a key.
  @inline(__always)
  mutating func append(_ node: IndexNode, slot: Int?) -> ID {
    let id = ID(truncatingIfNeeded: nodes.count)
    nodes.append(node)
    nodes.withUnsafeMutableBufferPointer { nodes in
      let parent = Int(node.parent)
      let last = Int(nodes[parent].lastChild)
      if last == 0 { nodes[parent].firstChild = id } else { nodes[last].next = id }
      nodes[parent].lastChild = id
    }
    guard let slot else { return id }
    if slot == DocumentIndex.walked {
      let parent = Int(node.parent)
      nodes[parent].keyedChildren += 1
      if nodes[parent].keyedChildren > DocumentIndex.walkedCount { enterChildren(of: node.parent) }
    } else {
      slots[slot] = DocumentIndex.slot(node.hash, id)
      usedSlots += 1
      if usedSlots * 4 > slots.count * 3 { rehash() }
    }
    return id
  }

  /// Whether a node is found through the hash table.
  private func isInSlots(_ id: ID) -> Bool {
    let node = nodes[Int(id)]
    return node.kind != .removed && node.kind != .element
      && nodes[Int(node.parent)].keyedChildren > DocumentIndex.walkedCount
  }

  /// Enters the children of a table that has outgrown linear search into the hash table.
  private mutating func enterChildren(of parent: ID) {
    guard (usedSlots + Int(DocumentIndex.walkedCount) + 1) * 4 <= slots.count * 3 else { return rehash() }
    var child = self[parent].firstChild
    while child != DocumentIndex.none {
      enter(child)
      child = self[child].next
    }
  }

  private mutating func enter(_ id: ID) {
    let hash = self[id].hash
    var slot = DocumentIndex.firstSlot(hash, slots.count)
    while slots[slot] != 0 { slot = DocumentIndex.nextSlot(slot, slots.count) }
    slots[slot] = DocumentIndex.slot(hash, id)
    usedSlots += 1
  }

  private mutating func rehash() {
    let ids = nodes.indices.dropFirst().lazy.map { ID($0) }
    let count = ids.reduce(into: 0) { count, id in if isInSlots(id) { count += 1 } }
    slots = [UInt64](repeating: 0, count: max(slots.count, firstSlotCount, count * 3))
    usedSlots = 0
    for id in ids where isInSlots(id) { enter(id) }
  }

  /// Moves the last child of a table to its place in the order of the text.
  mutating func settleLastChild(of parent: ID) {
    let id = self[parent].lastChild
    let keyStart = self[id].keyStart
    var previous = DocumentIndex.none
    var child = self[parent].firstChild
    while child != id && self[child].keyStart < keyStart {
      previous = child
      child = self[child].next
    }
    guard child != id else { return }
    // `child` comes after the new node: unlink the new node from the end and put it before.
    var beforeLast = child
    while self[beforeLast].next != id { beforeLast = self[beforeLast].next }
    self[beforeLast].next = DocumentIndex.none
    self[parent].lastChild = beforeLast
    self[id].next = child
    if previous == DocumentIndex.none { self[parent].firstChild = id } else { self[previous].next = id }
  }

  /// Removes a node without children.
  mutating func remove(_ id: ID) {
    let parent = self[id].parent
    var previous = DocumentIndex.none
    var child = self[parent].firstChild
    while child != id {
      previous = child
      child = self[child].next
    }
    let next = self[id].next
    if previous == DocumentIndex.none { self[parent].firstChild = next } else { self[previous].next = next }
    if self[parent].lastChild == id { self[parent].lastChild = previous }
    if self[parent].keyedChildren > DocumentIndex.walkedCount { leaveSlot(id) } else { self[parent].keyedChildren -= 1 }
    self[id].kind = .removed
    removedCount += 1
  }

  private mutating func leaveSlot(_ id: ID) {
    var slot = DocumentIndex.firstSlot(self[id].hash, slots.count)
    while slots[slot] != 0 {
      if slots[slot] == DocumentIndex.slot(self[id].hash, id) {
        slots[slot] = DocumentIndex.removedSlot
        break
      }
      slot = DocumentIndex.nextSlot(slot, slots.count)
    }
  }

  /// Shifts everything after a splice of `removed` bytes at `at` by the difference in length.
  mutating func shift(at: Int, removed: Int, inserted: Int) {
    if inserted == removed { return }
    let delta = UInt32(truncatingIfNeeded: inserted - removed)
    let from = UInt32(at + removed)
    // A node that ends where bytes are inserted does not grow.
    let endsFrom = removed == 0 ? from + 1 : from
    nodes.withUnsafeMutableBufferPointer { nodes in
      for index in nodes.indices {
        nodes[index].keyStart &+= nodes[index].keyStart >= from ? delta : 0
        nodes[index].keyEnd &+= nodes[index].keyEnd >= endsFrom ? delta : 0
        nodes[index].start &+= nodes[index].start >= from ? delta : 0
        nodes[index].end &+= nodes[index].end >= endsFrom ? delta : 0
      }
      // The root has no place in the text.
      (nodes[0].keyStart, nodes[0].keyEnd, nodes[0].start, nodes[0].end) = (0, 0, 0, 0)
    }
  }

  /// The children of a node, in order.
  func children(of id: ID) -> Children { Children(nodes: nodes, id: self[id].firstChild) }

  struct Children: Sequence, IteratorProtocol {
    let nodes: [IndexNode]
    var id: ID

    var count: Int { reduce(0) { count, _ in count + 1 } }

    mutating func next() -> ID? {
      guard id != DocumentIndex.none else { return nil }
      defer { id = nodes[Int(id)].next }
      return id
    }
  }
}
