/// Replacing the elements of an array of tables.
extension TOMLDocument {
  /// Makes an array of tables hold some tables: equal elements stay, or change places with their comments; those between
  /// them are changed key by key, removed or inserted.
  mutating func setElements(_ tables: [TOMLTable], of array: Location) throws(TOMLEditError) -> Bool {
    guard let id = find(array), case .array(let items) = value(of: id) else { return false }
    var old = items.compactMap(\.table)
    guard old != tables else { return false }
    reorder(&old, like: tables, of: array)
    var end = (old: old.count, new: tables.count)
    // From the last to the first, so that earlier elements keep their numbers.
    for pair in ([(old: -1, new: -1)] + TOMLDocument.equalElements(old, tables)).reversed() {
      try replaceElements(pair.old + 1..<end.old, of: array, by: tables[pair.new + 1..<end.new])
      end = pair
    }
    return true
  }

  /// Gives the elements that are in other places of `tables` their order there. Each goes with the lines that removing it
  /// would remove; if these are not in one piece, all stay.
  private mutating func reorder(_ elements: inout [TOMLTable], like tables: [TOMLTable], of array: Location) {
    var pairs = TOMLDocument.equalElements(elements, tables)
    let (staying, found) = (Set(pairs.map(\.old)), Set(pairs.map(\.new)))
    var others: [TOMLTable: [Int]] = [:]
    for place in elements.indices.reversed() where !staying.contains(place) {
      others[elements[place], default: []].append(place)
    }
    for index in tables.indices where !found.contains(index) {
      if let place = others[tables[index]]?.popLast() { pairs.append((place, index)) }
    }
    guard pairs.count > staying.count, let id = find(array) else { return }
    let order = pairs.sorted { $0.new < $1.new }.map(\.old)
    let moves = zip(order.sorted(), order).filter { $0 != $1 }
    let nodes = Array(tree.children(of: id))
    let ends = valueEnds
    var ranges: [Int: Range<Int>] = [:]
    for (place, _) in moves {
      let blocks = merged(linesToRemove(of: nodes[place], ends))
      guard blocks.count == 1 else { return }
      ranges[place] = blocks[0].range
    }
    var (draft, result) = (self, elements)
    let splices = moves.map { place, source in
      result[place] = elements[source]
      var text = bytes[ranges[source]!]
      let lineBreak = lines.lineBreak(at: max(text.startIndex, text.endIndex - 1))
      if lines.isUnfinished(text.endIndex) {
        text += lineBreak
      } else if lines.isUnfinished(ranges[place]!.upperBound) {
        text = text.dropLast(lineBreak.count)
      }
      return Splice(ranges[place]!, text)
    }
    guard (try? draft.commit(splices)) != nil, let id = draft.find(array),
      draft.value(of: id) == .array(result.map { .table($0) })
    else { return }
    (self, elements) = (draft, result)
  }

  /// Pairs of equal elements, ascending in both.
  static func equalElements<T: Hashable>(_ old: [T], _ new: [T]) -> [(old: Int, new: Int)] {
    var prefix = 0
    while prefix < min(old.count, new.count), old[prefix] == new[prefix] { prefix += 1 }
    var suffix = 0
    while suffix < min(old.count, new.count) - prefix, old[old.count - 1 - suffix] == new[new.count - 1 - suffix] {
      suffix += 1
    }
    var places: [T: [Int]] = [:]
    for place in prefix..<old.count - suffix { places[old[place], default: []].append(place) }
    var pairs: [(old: Int, new: Int)] = []
    for index in prefix..<new.count - suffix {
      guard let found = places[new[index]] else { continue }
      // Of several equal ones the next, so that all of them may stay.
      let next = found.firstPlace { $0 > (pairs.last?.old ?? -1) }
      pairs.append((next < found.count ? found[next] : found[0], index))
    }
    return (0..<prefix).map { ($0, $0) } + ascending(pairs)
      + (0..<suffix).reversed().map { (old.count - 1 - $0, new.count - 1 - $0) }
  }

  /// The longest selection of pairs whose old numbers ascend; the new ones always do.
  private static func ascending(_ pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
    // By length: the last pair of such a sequence with the lowest number. And the pair before each pair.
    var ends: [Int] = []
    var previous: [Int?] = []
    for (index, pair) in pairs.enumerated() {
      let length = ends.firstPlace { pairs[$0].old >= pair.old }
      previous.append(length > 0 ? ends[length - 1] : nil)
      if length < ends.count { ends[length] = index } else { ends.append(index) }
    }
    var result: [(old: Int, new: Int)] = []
    var next = ends.last
    while let index = next {
      result.append(pairs[index])
      next = previous[index]
    }
    return result.reversed()
  }

  /// Changes elements one by one as far as both have some, and removes or inserts the rest.
  private mutating func replaceElements(
    _ range: Range<Int>, of array: Location, by tables: ArraySlice<TOMLTable>
  ) throws(TOMLEditError) {
    let common = min(range.count, tables.count)
    for (index, table) in zip(range, tables) {
      _ = try setUnchecked(.table(table), at: array.appending(index: index))
    }
    for index in range.dropFirst(common).reversed() { _ = try removeUnchecked(at: array.appending(index: index)) }
    for (offset, table) in tables.dropFirst(common).enumerated() {
      try insertElement(table, at: range.lowerBound + common + offset, of: array)
    }
  }

  private mutating func insertElement(
    _ table: TOMLTable, at index: Int, of array: Location
  ) throws(TOMLEditError) {
    guard let id = find(array), let previous = element(max(0, index - 1), of: id) else {
      throw .inconsistent("an array of tables is gone")
    }
    let lines = lines
    let writer = SectionWriter(prefix: headerPrefix(of: id), lineBreak: lines.lineBreak(at: bytes.count))
    let sections = writer.section(table, names: writer.prefix, isElement: true)
    if index == 0 {
      let header = lines.start(of: Int(tree[previous].start))
      let place = commentStart(above: header)
      let text = sections.flatMap { $0 + writer.lineBreak }
      try commit([Splice(place..<place, text)])
    } else {
      try insertSections(sections, under: previous)
    }
  }
}
