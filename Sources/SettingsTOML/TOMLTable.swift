/// The keys and values of a table, in the order in which they were first set.
///
/// Equality ignores the order, as TOML does. Look-up by key is O(1) on average; removal is O(n).
public struct TOMLTable: Sendable {
  /// The keys, in order.
  public private(set) var keys: [String] = []
  private var values: [String: TOMLValue] = [:]

  /// Makes an empty table.
  public init() {}

  /// The number of keys.
  public var count: Int { keys.count }

  /// Whether there are no keys.
  public var isEmpty: Bool { keys.isEmpty }

  /// The value of a key; setting `nil` removes the key, setting a new key appends it.
  public subscript(key: String) -> TOMLValue? {
    get { values[key] }
    set {
      if let newValue {
        if values.updateValue(newValue, forKey: key) == nil { keys.append(key) }
      } else if values.removeValue(forKey: key) != nil {
        keys.removeAll { $0 == key }
      }
    }
  }

  /// The value below this table at a path; `nil` if any component is absent or its parent is not a table.
  public subscript(path path: TOMLPath) -> TOMLValue? {
    var current = TOMLValue.table(self)
    for component in path.components {
      guard case .table(let table) = current, let next = table[component] else { return nil }
      current = next
    }
    return current
  }
}

extension TOMLTable: Hashable {
  public static func == (lhs: TOMLTable, rhs: TOMLTable) -> Bool {
    guard lhs.count == rhs.count else { return false }
    return lhs.keys.allSatisfy { key in
      guard let a = lhs.values[key], let b = rhs.values[key] else { return false }
      return a == b
    }
  }

  public func hash(into hasher: inout Hasher) {
    // The order must not count: combine commutatively.
    var sum = 0
    for (key, value) in values {
      var element = Hasher()
      element.combine(key)
      element.combine(value)
      sum &+= element.finalize()
    }
    hasher.combine(keys.count)
    hasher.combine(sum)
  }
}

extension TOMLTable: Sequence, ExpressibleByDictionaryLiteral {
  /// Iterates over the pairs in order.
  public func makeIterator() -> AnyIterator<(key: String, value: TOMLValue)> {
    var index = 0
    return AnyIterator {
      guard index < keys.count else { return nil }
      defer { index += 1 }
      return (keys[index], values[keys[index]]!)
    }
  }

  /// Makes a table; the last of two equal keys wins.
  public init(dictionaryLiteral elements: (String, TOMLValue)...) {
    for (key, value) in elements { self[key] = value }
  }
}
