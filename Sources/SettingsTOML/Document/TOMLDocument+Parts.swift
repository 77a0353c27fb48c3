// Finds the places of parts of a value: the index ends at arrays, whose items are scanned when they are asked for.

extension TOMLDocument {
  /// The position of a part of the value at a path, or of the innermost enclosing part that the text has.
  ///
  /// - Parameters:
  ///   - part: The way from the value to the part: keys of tables, and elements of arrays as `[3]`.
  ///   - isKey: Whether the key of the part is meant, and not its value.
  ///   - index: The index of this document's text.
  /// - Returns: `nil` if there is no value at the path.
  package func position(
    of path: TOMLPath, part: some Collection<String>, isKey: Bool = false, by index: LineIndex
  ) -> TOMLPosition? {
    var places = PartPlaces(in: self, by: index)
    return places.position(of: path, part: part, isKey: isKey)
  }
}

/// Finds many parts of one document. Each array is scanned once: for each part, it would take quadratic time.
package struct PartPlaces: Sendable {
  private let document: TOMLDocument
  private let index: LineIndex
  /// The items of arrays, by where these begin.
  private var items: [Int: [Range<Int>]] = [:]

  /// - Parameter index: The index of the document's text.
  package init(in document: TOMLDocument, by index: LineIndex) { (self.document, self.index) = (document, index) }

  /// Does the same as ``TOMLDocument/position(of:part:isKey:by:)``.
  package mutating func position(
    of path: TOMLPath, part: some Collection<String>, isKey: Bool = false
  ) -> TOMLPosition? {
    guard let id = document.find(path) else { return nil }
    return index.position(of: offset(of: id, part[...], isKey: isKey), in: document.bytes)
  }

  private mutating func offset(of id: DocumentIndex.ID, _ part: some Collection<String>, isKey: Bool) -> Int {
    let tree = document.tree
    var id = id
    var rest = part[...]
    while let component = rest.first {
      if tree[id].kind.isTable, let child = document.child(component, of: id) {
        id = child
      } else if let element = Self.index(component).flatMap({ document.element($0, of: id) }) {
        id = element
      } else if tree[id].kind == .array {
        return offset(inArrayAt: Int(tree[id].start), rest, isKey: isKey)
      } else {
        return Int(tree[id].start)
      }
      rest = rest.dropFirst()
    }
    return Int(isKey && tree[id].keyEnd > 0 ? tree[id].keyStart : tree[id].start)
  }

  /// - Parameter start: Where the array's bracket is.
  private mutating func offset(inArrayAt start: Int, _ part: some Collection<String>, isKey: Bool) -> Int {
    let bytes = document.bytes
    guard let index = part.first.flatMap(Self.index), let items = items(at: start), items.indices.contains(index) else {
      return start
    }
    let (item, rest) = (items[index], part.dropFirst())
    guard let component = rest.first else { return item.lowerBound }
    if bytes[item.lowerBound] == Byte.openBracket { return offset(inArrayAt: item.lowerBound, rest, isKey: isKey) }
    guard bytes[item.lowerBound] == Byte.openBrace else { return item.lowerBound }
    for member in self.items(at: item.lowerBound) ?? [] {
      // The key may have several parts, and the value any of its own.
      guard let line = try? TOMLDocument(parsing: Array(bytes[member])), let id = line.find([component]) else {
        continue
      }
      var places = PartPlaces(in: line, by: self.index)
      return member.lowerBound + places.offset(of: id, rest.dropFirst(), isKey: isKey)
    }
    return item.lowerBound
  }

  /// The items of an array, or the members of an inline table.
  private mutating func items(at start: Int) -> [Range<Int>]? {
    if let known = items[start] { return known }
    items[start] = InlineItems(document.bytes, open: start)?.items
    return items[start]
  }

  private static func index(_ component: String) -> Int? {
    guard component.utf8.first == Byte.openBracket, component.utf8.last == Byte.closeBracket else { return nil }
    return Int(component.dropFirst().dropLast())
  }
}
