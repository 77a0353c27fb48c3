/// Which parts of a written value its type knows, found by having the type read what it has just written.
///
/// It decides what becomes of what is in the file already: a field that the type does not know stays when the value is
/// written, one that it knows and did not write (an optional that is now `nil`) goes.
package indirect enum KnownFields: Sendable {
  /// All of it: the new value replaces the old one.
  case whole
  /// A record with these fields; others are somebody else's.
  case record([String: KnownFields])
  /// A dictionary: its entries are just those written.
  case entries([String: KnownFields])
  /// An array, with what is known of each element; one that has no order keeps the one in the file.
  case elements([KnownFields], isOrdered: Bool)

  /// Puts what `stored` has and the type does not know into `written`.
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

  /// Takes the parts that the type knows out of a stored value; records within it that become empty go too.
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

  /// Finds the old element of each new one: from both ends as long as they say the same, then, if as many are left on
  /// both sides, by position (elements changed in place), else by what they say (elements moved).
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

  /// Keeps the old elements that are still there where they are, and puts the others behind them.
  private static func merge(_ new: [TOMLValue], _ known: [KnownFields], asSetOver old: [TOMLValue]) -> [TOMLValue] {
    var pairs = ElementPairs(new: new, known: known, old: old)
    var indices: [TOMLValue: Int] = [:]
    for (index, value) in new.enumerated() { indices[value] = index }
    // Those that are equal are found at once; those with unknown fields have to be compared with each.
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

/// The pairs of new and old elements of an array, merged at most once each: done anew in each of several passes, the
/// work would multiply with every level of arrays in arrays.
private struct ElementPairs {
  let new: [TOMLValue]
  let known: [KnownFields]
  let old: [TOMLValue]
  private var cache: [Int: TOMLValue] = [:]

  /// How many pairs may be compared for the sake of elements that have moved.
  static let limit = 10_000

  init(new: [TOMLValue], known: [KnownFields], old: [TOMLValue]) {
    self.new = new
    self.known = known
    self.old = old
  }

  /// A new element with what an old one has and its type does not know.
  mutating func merged(_ newIndex: Int, _ oldIndex: Int) -> TOMLValue {
    guard newIndex < known.count, known[newIndex].hasParts else { return new[newIndex] }
    let pair = newIndex * old.count + oldIndex
    if let merged = cache[pair] { return merged }
    let merged = known[newIndex].merge(new[newIndex], over: old[oldIndex])
    cache[pair] = merged
    return merged
  }

  /// Whether an old element says the same as a new one, in the parts that the type knows.
  mutating func isSame(_ newIndex: Int, _ oldIndex: Int) -> Bool { merged(newIndex, oldIndex) == old[oldIndex] }
}
