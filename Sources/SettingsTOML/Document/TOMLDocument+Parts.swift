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
    guard let id = find(path) else { return nil }
    return index.position(of: offset(of: id, part[...], isKey: isKey), in: bytes)
  }

  private func offset(of id: DocumentIndex.ID, _ part: some Collection<String>, isKey: Bool) -> Int {
    var id = id
    var rest = part[...]
    while let component = rest.first {
      if tree[id].kind.isTable, let child = child(component, of: id) {
        id = child
      } else if let element = Self.index(component).flatMap({ element($0, of: id) }) {
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
  private func offset(inArrayAt start: Int, _ part: some Collection<String>, isKey: Bool) -> Int {
    guard let index = part.first.flatMap(Self.index), let items = InlineItems(bytes, open: start)?.items,
      items.indices.contains(index)
    else { return start }
    let (item, rest) = (items[index], part.dropFirst())
    guard let component = rest.first else { return item.lowerBound }
    if bytes[item.lowerBound] == Byte.openBracket { return offset(inArrayAt: item.lowerBound, rest, isKey: isKey) }
    guard bytes[item.lowerBound] == Byte.openBrace else { return item.lowerBound }
    for member in InlineItems(bytes, open: item.lowerBound)?.items ?? [] {
      // The key may have several parts, and the value any of its own.
      guard let line = try? TOMLDocument(parsing: Array(bytes[member])), let id = line.find([component]) else {
        continue
      }
      return member.lowerBound + line.offset(of: id, rest.dropFirst(), isKey: isKey)
    }
    return item.lowerBound
  }

  private static func index(_ component: String) -> Int? {
    guard component.utf8.first == Byte.openBracket, component.utf8.last == Byte.closeBracket else { return nil }
    return Int(component.dropFirst().dropLast())
  }
}
