/// The parts of a written value that its type knows. They are found by having the type read what it has just written.
///
/// They decide what happens to existing values in the file. A field that the type does not know stays when the value is
/// written. A field that it knows and did not write (an optional that is now `nil`) is removed.
package indirect enum KnownFields: Sendable {
  /// Everything: the new value replaces the old one.
  case whole
  /// A record with these fields; other fields belong to someone else.
  case record([String: KnownFields])
  /// A dictionary: its entries are exactly those written. A stored key may be written in another way than its own.
  case entries([String: KnownFields], ownKey: (@Sendable (String) -> String?)? = nil)
  /// An array, with the known parts of each element.
  case elements([KnownFields])
  /// An array without an order, which keeps the order in the file. Its elements there may be written in other ways than
  /// their own: `forms` returns the new element that each stands for.
  case set([KnownFields], forms: @Sendable ([TOMLValue]) -> [TOMLValue?])

  /// Adds the parts of `stored` that the type does not know to `written`, and leaves the parts as they are stored whose
  /// value is the same.
  ///
  /// For a record whose type knows only `port`, writing `port = 81` over `port = 80, note = "x"` gives
  /// `port = 81, note = "x"`.
  ///
  /// - Parameter own: The stored value as its type would write it; `nil` to compare with what is stored.
  /// - Returns: The value to store; `stored` itself if nothing has changed.
  package func merge(_ written: TOMLValue, over stored: TOMLValue, own: TOMLValue? = nil) -> TOMLValue {
    if own == written || written == stored { return stored }
    switch (self, written, stored) {
    case (.record(let fields), .table(var merged), .table(let old)):
      for (key, value) in old {
        if let new = merged[key] {
          merged[key] = (fields[key] ?? .whole).merge(new, over: value, own: own?.table?[key])
        } else if fields[key] == nil {
          merged[key] = value
        }
      }
      // A field that the file lacks, such as one with a default, is not written either while it is the same.
      for (key, value) in own?.table ?? TOMLTable() where old[key] == nil && merged[key] == value { merged[key] = nil }
      return .table(merged)
    case (.entries(let fields, let ownKey), .table(var merged), .table(let old)):
      for (key, value) in old {
        let name = ownKey?(key) ?? key
        guard let new = merged[name] else { continue }
        let entry = (fields[name] ?? .whole).merge(new, over: value, own: own?.table?[name])
        if key == name || old[name] != nil {
          merged[name] = entry
        } else if own != nil {
          merged[name] = nil
          merged[key] = entry
        }
      }
      return .table(merged)
    case (.elements(let known), .array(let new), .array(let old)):
      return .array(KnownFields.merge(new, known, inOrderOver: old, own: own?.elements(of: old)))
    case (.set(let known, let forms), .array(let new), .array(let old)):
      return .array(KnownFields.merge(new, known, asSetOver: old, own == nil ? nil : forms))
    case (.whole, .table(var merged), .table(let old)):
      guard let own = own?.table else { return written }
      for (key, value) in old {
        if let new = merged[key], let own = own[key] { merged[key] = merge(new, over: value, own: own) }
      }
      return .table(merged)
    case (.whole, .array(let new), .array(let old)):
      guard let own = own?.elements(of: old) else { return written }
      return .array(KnownFields.merge(new, [], inOrderOver: old, own: own))
    default:
      return written
    }
  }

  /// Whether the value may have parts that the type does not know.
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

  /// Finds the old element for each new one. Equal elements at both ends, and at the same position if both sides have the
  /// same number, are matched first, then equal ones elsewhere (elements moved). Of the same number on both sides, the
  /// rest are matched by position (elements changed in place).
  private static func merge(
    _ new: [TOMLValue], _ known: [KnownFields], inOrderOver old: [TOMLValue], own: [TOMLValue]?
  ) -> [TOMLValue] {
    var pairs = ElementPairs(new: new, known: known, old: old, own: own)
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
    var (rest, left) = (Array(start..<newEnd), Array(start..<oldEnd))
    let isInPlace = newEnd == oldEnd
    if isInPlace {
      for index in rest { result[index] = pairs.merged(index, index) }
      rest.removeAll { result[$0] == old[$0] }
      guard rest.count > 1 else { return result }
      left = rest
    }
    guard rest.count * left.count <= ElementPairs.limit else { return result }
    for index in rest {
      guard let match = left.firstIndex(where: { pairs.isSame(index, $0) }) else { continue }
      result[index] = old[left.remove(at: match)]
      rest.removeAll { $0 == index }
    }
    // What another element has taken along is not this one's.
    if isInPlace { for index in rest where !left.contains(index) { result[index] = new[index] } }
    return result
  }

  /// Keeps the old elements that are still in the set, in their order, and appends the new ones. Of several that are
  /// equal to the type, such as two forms of an accent, all stay.
  private static func merge(
    _ new: [TOMLValue], _ known: [KnownFields], asSetOver old: [TOMLValue],
    _ forms: (@Sendable ([TOMLValue]) -> [TOMLValue?])?
  ) -> [TOMLValue] {
    var pairs = ElementPairs(new: new, known: known, old: old, own: nil)
    var indices: [TOMLValue: Int] = [:]
    for (index, value) in new.enumerated() { indices[value] = index }
    // Equal elements are found at once; those with unknown fields must be compared with every other element.
    var equal = old.map { indices.removeValue(forKey: $0) }
    let others = old.indices.filter { equal[$0] == nil }
    if !others.isEmpty, let found = forms?(others.map { old[$0] }) {
      var kept = Set(old.indices.lazy.filter { equal[$0] != nil }.map { old[$0] })
      var places: [TOMLValue: Int] = [:]
      for (index, value) in new.enumerated() { places[value] = index }
      for (index, form) in zip(others, found) {
        guard let form, let place = places[form], kept.insert(old[index]).inserted else { continue }
        equal[index] = place
        indices[form] = nil
      }
    }
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
///
/// Elements are compared by the parts that their type knows, so one with an unknown field is found again. If more than
/// 10,000 pairs would have to be compared to find moved elements, these are written as new ones.
private struct ElementPairs {
  let new: [TOMLValue]
  let known: [KnownFields]
  let old: [TOMLValue]
  /// The old elements as their type would write them, if known.
  let own: [TOMLValue]?
  fileprivate var cache: [Int: TOMLValue] = [:]

  /// The number of pairs that may be compared to find moved elements.
  static let limit = 10_000

  /// Returns a new element with the parts of an old one that its type does not know.
  mutating func merged(_ newIndex: Int, _ oldIndex: Int) -> TOMLValue {
    let known = newIndex < known.count ? known[newIndex] : .whole
    if let own, own[oldIndex] == new[newIndex] { return old[oldIndex] }
    guard known.hasParts || own != nil else { return new[newIndex] }
    let pair = newIndex * old.count + oldIndex
    if let merged = cache[pair] { return merged }
    let merged = known.merge(new[newIndex], over: old[oldIndex], own: own?[oldIndex])
    cache[pair] = merged
    return merged
  }

  /// Whether an old and a new element are equal in the parts that the type knows.
  mutating func isSame(_ newIndex: Int, _ oldIndex: Int) -> Bool { merged(newIndex, oldIndex) == old[oldIndex] }
}

extension TOMLValue {
  /// The elements of an array that has as many as another.
  fileprivate func elements(of other: [TOMLValue]) -> [TOMLValue]? {
    guard case .array(let elements) = self, elements.count == other.count else { return nil }
    return elements
  }
}
