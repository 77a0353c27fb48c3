/// The keys and values of a table, in the order in which they were first set.
///
/// Keys are compared by code points, as TOML requires: `é` as one scalar and as `e` with an accent are two keys.
/// Equality ignores the order. A look-up by key takes O(1) on average, a removal O(n).
public struct TOMLTable: Sendable {
  struct Entry: Sendable {
    var key: String
    var value: TOMLValue
  }

  /// The pairs, in order.
  private(set) var entries: [Entry] = []
  /// Positions in `entries` plus one by key hash, open addressing; empty while a linear search is fast enough.
  private var slots: [UInt32] = []

  private static let walkedCount = 8

  /// Makes an empty table.
  public init() {}

  /// Makes a table from entries whose keys are known to differ.
  init(distinct entries: [Entry]) {
    self.entries = entries
    if entries.count > TOMLTable.walkedCount { index() }
  }

  /// The number of keys.
  public var count: Int { entries.count }

  /// Whether there are no keys.
  public var isEmpty: Bool { entries.isEmpty }

  /// The keys, in order.
  public var keys: [String] { entries.map(\.key) }

  /// The value of a key, or `nil` if it is missing. Setting `nil` removes the key; setting a new key appends it.
  public subscript(key: String) -> TOMLValue? {
    get {
      guard let position = position(of: key) else { return nil }
      return entries[position].value
    }
    set {
      if let position = position(of: key) {
        if let newValue {
          entries[position].value = newValue
        } else {
          entries.remove(at: position)
          if !slots.isEmpty { index() }
        }
      } else if let newValue {
        entries.append(Entry(key: key, value: newValue))
        if !slots.isEmpty && entries.count * 2 <= slots.count {
          insertSlot(entries.count - 1)
        } else if entries.count > TOMLTable.walkedCount {
          index()
        }
      }
    }
  }

  /// The value at a path below this table, or `nil` if a component is missing or its parent is not a table.
  package subscript(path path: TOMLPath) -> TOMLValue? {
    var current = TOMLValue.table(self)
    for component in path.components {
      guard case .table(let table) = current, let next = table[component] else { return nil }
      current = next
    }
    return current
  }

  /// Sets the value at a path below this table, whose tables are made, or removes it if it is `nil`.
  package mutating func set(_ value: TOMLValue?, at components: ArraySlice<String>) {
    guard let first = components.first else { return }
    if components.count == 1 {
      self[first] = value
    } else if case .table(var table)? = self[first] {
      // Removed from the parent while it changes; otherwise each edit would copy the whole table.
      self[first] = .boolean(false)
      table.set(value, at: components.dropFirst())
      self[first] = .table(table)
    } else if value != nil {
      var table = TOMLTable()
      table.set(value, at: components.dropFirst())
      self[first] = .table(table)
    }
  }

  private func position(of key: String) -> Int? {
    if slots.isEmpty {
      for position in entries.indices where entries[position].key.hasSameCodeUnits(as: key) { return position }
      return nil
    }
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: KeyHash.of(key)) & mask
    while slots[slot] != 0 {
      let position = Int(slots[slot]) - 1
      if entries[position].key.hasSameCodeUnits(as: key) { return position }
      slot = (slot + 1) & mask
    }
    return nil
  }

  private mutating func index() {
    guard entries.count > TOMLTable.walkedCount else {
      slots = []
      return
    }
    var size = 32
    while size < entries.count * 2 { size *= 2 }
    slots = [UInt32](repeating: 0, count: size)
    for position in entries.indices { insertSlot(position) }
  }

  private mutating func insertSlot(_ position: Int) {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: KeyHash.of(entries[position].key)) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = UInt32(truncatingIfNeeded: position + 1)
  }
}

extension TOMLTable: Hashable {
  /// Compares keys and values, ignoring their order.
  public static func == (lhs: TOMLTable, rhs: TOMLTable) -> Bool {
    lhs.pairs(with: rhs) { $0.isEqual(to: $1, level: 1) }
  }

  /// Whether both have the same keys, and a condition holds for the two values of each key.
  func pairs(with other: TOMLTable, _ isPair: (TOMLValue, TOMLValue) -> Bool) -> Bool {
    guard count == other.count else { return false }
    for (position, entry) in entries.enumerated() {
      let counterpart = other.entries[position]
      if entry.key.hasSameCodeUnits(as: counterpart.key) {
        guard isPair(entry.value, counterpart.value) else { return false }
      } else {
        guard let value = other[entry.key], isPair(entry.value, value) else { return false }
      }
    }
    return true
  }

  /// Hashes keys and values, ignoring their order.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(entries.count)
    hash(into: &hasher, level: 0)
  }

  func hash(into hasher: inout Hasher, level: Int) {
    // The order must not matter: combine commutatively.
    var sum = 0
    for entry in entries {
      var element = Hasher()
      element.combine(codeUnitsOf: entry.key)
      entry.value.hash(into: &element, level: level + 1)
      sum &+= element.finalize()
    }
    hasher.combine(sum)
  }
}

extension TOMLTable: Sequence, ExpressibleByDictionaryLiteral {
  /// An iterator over the pairs of a table, in order.
  public struct Iterator: IteratorProtocol, Sendable {
    private var rest: [Entry].Iterator

    fileprivate init(_ entries: [Entry]) { rest = entries.makeIterator() }

    /// Returns the next pair.
    public mutating func next() -> (key: String, value: TOMLValue)? {
      rest.next().map { ($0.key, $0.value) }
    }
  }

  /// Returns an iterator over the pairs, in order.
  public func makeIterator() -> Iterator { Iterator(entries) }

  /// The number of keys.
  public var underestimatedCount: Int { entries.count }

  /// Makes a table. Of two equal keys the last one wins.
  public init(dictionaryLiteral elements: (String, TOMLValue)...) {
    for (key, value) in elements { self[key] = value }
  }
}
