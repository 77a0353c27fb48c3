/// The parts of a written value that its type knows. They are found by having the type read what it has just written.
///
/// They decide what happens to existing values in the file. A field that the type does not know stays when the value is
/// written. A field that it knows and did not write (an optional that is now `nil`) is removed.
package indirect enum KnownFields: Sendable {
  /// Everything: the new value replaces the old one.
  case whole
  /// A record with these fields; other fields belong to someone else.
  case record([String: KnownFields])
  /// A dictionary: its entries are exactly those written.
  case entries([String: KnownFields])
  /// An array, with the known parts of each element; an array without an order keeps the order in the file.
  case elements([KnownFields], isOrdered: Bool)

  /// Adds the parts of `stored` that the type does not know to `written`.
  package func merge(_ written: TOMLValue, over stored: TOMLValue) -> TOMLValue {
    if case .whole = self { return written }
    if written == stored { return written }
    switch (self, written, stored) {
    case (.record(let fields), .table(var merged), .table(let old)):
      for (key, value) in old {
        if let new = merged[key] {
          merged[key] = (fields[key] ?? .whole).merge(new, over: value)
        } else if fields[key] == nil {
          merged[key] = value
        }
      }
      return .table(merged)
    case (.entries(let fields), .table(var merged), .table(let old)):
      for (key, value) in old {
        if let new = merged[key] { merged[key] = (fields[key] ?? .whole).merge(new, over: value) }
      }
      return .table(merged)
    case (.elements(let known, let isOrdered), .array(let new), .array(let old)):
      return .array(
        isOrdered ? KnownFields.merge(new, known, inOrderOver: old) : KnownFields.merge(new, known, asSetOver: old))
    default:
      return written
    }
  }

  fileprivate var hasParts: Bool { if case .whole = self { false } else { true } }

  /// Removes the parts that the type knows from a stored value, and records in it that become empty.
  func remove(from stored: TOMLValue) -> TOMLValue {
    guard case .record(let fields) = self, case .table(var table) = stored else { return .table(TOMLTable()) }
    for (key, known) in fields {
      guard let value = table[key] else { continue }
      var rest: TOMLTable?
      if case .record = known { rest = known.remove(from: value).table }
      table[key] = rest.flatMap { $0.isEmpty ? nil : .table($0) }
    }
    return .table(table)
  }

  /// Finds the old element for each new one. Equal elements at both ends are matched first. The rest are matched by
  /// position if both sides have the same number (elements changed in place), or else by equality (elements moved).
  private static func merge(
    _ new: [TOMLValue], _ known: [KnownFields], inOrderOver old: [TOMLValue]
  ) -> [TOMLValue] {
    var pairs = ElementPairs(new: new, known: known, old: old)
    var result = new
    var start = 0
    while start < new.count, start < old.count, pairs.isSame(start, start) {
      result[start] = old[start]
      start += 1
    }
    var (newEnd, oldEnd) = (new.count, old.count)
    while newEnd > start, oldEnd > start, pairs.isSame(newEnd - 1, oldEnd - 1) {
      newEnd -= 1
      oldEnd -= 1
      result[newEnd] = old[oldEnd]
    }
    if newEnd == oldEnd {
      for index in start..<newEnd { result[index] = pairs.merged(index, index) }
    } else if (newEnd - start) * (oldEnd - start) <= ElementPairs.limit {
      var left = Array(start..<oldEnd)
      for index in start..<newEnd {
        guard let match = left.firstIndex(where: { pairs.isSame(index, $0) }) else { continue }
        result[index] = old[left.remove(at: match)]
      }
    }
    return result
  }

  /// Keeps the old elements that are still in the set, in their order, and appends the new ones.
  private static func merge(_ new: [TOMLValue], _ known: [KnownFields], asSetOver old: [TOMLValue]) -> [TOMLValue] {
    var pairs = ElementPairs(new: new, known: known, old: old)
    var indices: [TOMLValue: Int] = [:]
    for (index, value) in new.enumerated() { indices[value] = index }
    // Equal elements are found at once; those with unknown fields must be compared with every other element.
    let equal = old.map { indices.removeValue(forKey: $0) }
    let differing = equal.count { $0 == nil }
    var left = indices.values.sorted()
    let canCompare = differing * left.count <= ElementPairs.limit
    var result: [TOMLValue] = []
    for (oldIndex, value) in old.enumerated() {
      if equal[oldIndex] == nil {
        guard canCompare, let match = left.firstIndex(where: { pairs.isSame($0, oldIndex) }) else { continue }
        left.remove(at: match)
      }
      result.append(value)
    }
    return result + left.map { new[$0] }
  }
}

/// The pairs of new and old elements of an array. Each is merged at most once: if each pass merged it again, the work
/// would multiply with every level of nested arrays.
private struct ElementPairs {
  let new: [TOMLValue]
  let known: [KnownFields]
  let old: [TOMLValue]
  private var cache: [Int: TOMLValue] = [:]

  /// The number of pairs that may be compared to find moved elements.
  static let limit = 10_000

  init(new: [TOMLValue], known: [KnownFields], old: [TOMLValue]) {
    self.new = new
    self.known = known
    self.old = old
  }

  /// Returns a new element with the parts of an old one that its type does not know.
  mutating func merged(_ newIndex: Int, _ oldIndex: Int) -> TOMLValue {
    guard newIndex < known.count, known[newIndex].hasParts else { return new[newIndex] }
    let pair = newIndex * old.count + oldIndex
    if let merged = cache[pair] { return merged }
    let merged = known[newIndex].merge(new[newIndex], over: old[oldIndex])
    cache[pair] = merged
    return merged
  }

  /// Whether an old and a new element are equal in the parts that the type knows.
  mutating func isSame(_ newIndex: Int, _ oldIndex: Int) -> Bool { merged(newIndex, oldIndex) == old[oldIndex] }
}
