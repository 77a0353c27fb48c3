extension TOMLDocument {
  /// Where a value in one element of an array of tables with headers is, or for the root the element's header; `nil` if
  /// it is missing, or the array is written in brackets.
  package func position(of path: TOMLPath, inElement index: Int, of array: TOMLPath) -> TOMLPosition? {
    guard let id = find(Location(array).appending(index: index).appending(path.components)) else { return nil }
    return bytes.withUnsafeBufferPointer { TOMLPosition(of: Int(tree[id].start), in: $0) }
  }

  /// Sets a value in one table of an array of tables or inline tables.
  ///
  /// ```swift
  /// try document.set(8080, at: ["port"], inElement: 1, of: ["servers"])    // in the second [[servers]]
  /// ```
  ///
  /// - Parameters:
  ///   - value: The value to set.
  ///   - path: The path of the value within the element.
  ///   - index: The number of the element, from 0.
  ///   - array: The path of the array.
  ///   - leavesComments: Whether the comments that would go with the old value are put above the new one.
  /// - Returns: `true` if the text changed.
  /// - Throws: ``TOMLEditError``, with ``TOMLEditError/Code/noElement(_:)`` if there is no such element. The document
  ///   is unchanged.
  @discardableResult
  package mutating func set(
    _ value: TOMLValue, at path: TOMLPath, inElement index: Int, of array: TOMLPath,
    leavingComments leavesComments: Bool = false
  ) throws(TOMLEditError) -> Bool {
    try TOMLDocument.checkDepth(of: value, at: array.appending(path))
    var items = try items(of: array)
    let table = try tableElement(index, of: array, in: items)
    items[index] = .table(try TOMLDocument.setting(value, at: path.components[...], in: table, array))
    guard let id = find(array), tree[id].kind == .arrayOfTables else {
      return try set(.array(items), at: array, leavingComments: leavesComments)
    }
    return try checked(.set(array, .array(items))) { draft throws(TOMLEditError) in
      try draft.setUnchecked(
        value, at: Location(array).appending(index: index).appending(path.components), leavingComments: leavesComments)
    }
  }

  /// Removes a value from one table of an array of tables or inline tables.
  ///
  /// - Parameter heir: A value of the same element that gets the comments, if the array's tables have headers.
  /// - Returns: `true` if there was a value.
  /// - Throws: ``TOMLEditError``. The document is unchanged.
  @discardableResult
  package mutating func remove(
    at path: TOMLPath, inElement index: Int, of array: TOMLPath, leavingCommentsTo heir: TOMLPath? = nil
  ) throws(TOMLEditError) -> Bool {
    guard !path.isRoot else { return try removeElement(index, of: array) }
    var items = try items(of: array)
    var table = try tableElement(index, of: array, in: items)
    guard table[path: path] != nil else { return false }
    if let id = find(array), tree[id].kind == .arrayOfTables {
      let place = Location(array).appending(index: index)
      return try checked(.editElement(array, index, path)) { draft throws(TOMLEditError) in
        try draft.removeUnchecked(
          at: place.appending(path.components), leavingCommentsTo: heir.map { place.appending($0.components) })
      }
    }
    table.set(nil, at: path.components[...])
    items[index] = .table(table)
    return try set(.array(items), at: array)
  }

  /// Renames or moves a key within one table of an array of tables or inline tables.
  ///
  /// Comments move along if the array's tables have headers.
  ///
  /// - Returns: `false` if there is nothing at `source`.
  /// - Throws: ``TOMLEditError``, with ``TOMLEditError/Code/exists(_:)`` if `destination` has a value. The document is
  ///   unchanged.
  @discardableResult
  package mutating func move(
    from source: TOMLPath, to destination: TOMLPath, inElement index: Int, of array: TOMLPath
  ) throws(TOMLEditError) -> Bool {
    var items = try items(of: array)
    var table = try tableElement(index, of: array, in: items)
    guard !source.isRoot, source != destination, let value = table[path: source] else { return false }
    try TOMLDocument.checkDepth(of: value, at: array.appending(destination))
    guard !destination.isRelated(to: source), table[path: destination] == nil else {
      throw TOMLEditError(
        .exists(destination),
        "Cannot move '\(source)' to '\(destination)' in an element of '\(array)': there is a value already.")
    }
    table.set(nil, at: source.components[...])
    items[index] = .table(try TOMLDocument.setting(value, at: destination.components[...], in: table, array))
    if let id = find(array), tree[id].kind == .arrayOfTables {
      let place = Location(array).appending(index: index)
      let isDone = try? checked(.set(array, .array(items))) { draft throws(TOMLEditError) in
        try draft.moveUnchecked(
          from: place.appending(source.components), to: place.appending(destination.components))
      }
      if isDone == true { return true }
    }
    return try set(.array(items), at: array)
  }

  /// Edits the members of a table or an array of tables in one element of an array of tables. The documents that `body`
  /// gets have them at `path` in a table at `array`.
  ///
  /// - Returns: `false`, with nothing changed, if one of them has no text of its own.
  /// - Throws: What `body` throws. The document is unchanged.
  package mutating func editMembers(
    of path: TOMLPath, inElement index: Int, of array: TOMLPath, _ body: (TOMLMember, inout TOMLDocument) throws -> Void
  ) throws -> Bool {
    let location = Location(array).appending(index: index).appending(path.components)
    guard let id = find(location), tree[id].kind.isTable || tree[id].kind == .arrayOfTables else { return false }
    var items = try items(of: array)
    let table = try tableElement(index, of: array, in: items)
    var draft = self
    let left = try draft.editMembers(
      at: location,
      as: { value in
        items[index] = .table(try TOMLDocument.setting(value, at: path.components[...], in: table, array))
        return .set(array, .array(items))
      }, body)
    guard left.isEmpty else { return false }
    self = draft
    return true
  }

  /// Adds a table to the end of an array of tables, which is created if it is missing.
  ///
  /// - Throws: ``TOMLEditError``. The document is unchanged.
  public mutating func append(_ table: TOMLTable, to array: TOMLPath) throws(TOMLEditError) {
    let items = contains(array) ? try items(of: array) : []
    try set(.array(items + [.table(table)]), at: array)
  }

  /// Removes one element of an array.
  ///
  /// An array of `[[name]]` tables disappears with its last element, because TOML has no header for an empty one.
  /// Another array stays, as `[]`.
  ///
  /// - Returns: Always `true`; a missing element throws.
  /// - Throws: ``TOMLEditError``, with ``TOMLEditError/Code/noElement(_:)`` if there is no such element. The document
  ///   is unchanged.
  @discardableResult
  public mutating func removeElement(_ index: Int, of array: TOMLPath) throws(TOMLEditError) -> Bool {
    var items = try items(of: array)
    try TOMLDocument.check(index, of: array, in: items)
    items.remove(at: index)
    guard let id = find(array), tree[id].kind == .arrayOfTables else { return try set(.array(items), at: array) }
    return try checked(items.isEmpty ? .remove(array) : .set(array, .array(items))) { draft throws(TOMLEditError) in
      try draft.removeUnchecked(at: Location(array).appending(index: index))
    }
  }

  private func items(of array: TOMLPath) throws(TOMLEditError) -> [TOMLValue] {
    guard let value = self[array] else {
      throw TOMLEditError(.noElement(array), "There is no array '\(array)'.")
    }
    guard case .array(let items) = value else {
      throw TOMLEditError(.noElement(array), "'\(array)' is \(value.kindName), not an array.")
    }
    return items
  }

  private static func check(_ index: Int, of array: TOMLPath, in items: [TOMLValue]) throws(TOMLEditError) {
    guard !items.indices.contains(index) else { return }
    throw TOMLEditError(.noElement(array), "'\(array)' has no element \(index); it has \(items.count).")
  }

  private func tableElement(
    _ index: Int, of array: TOMLPath, in items: [TOMLValue]
  ) throws(TOMLEditError) -> TOMLTable {
    try TOMLDocument.check(index, of: array, in: items)
    guard case .table(let table) = items[index] else {
      throw .notATable(array, found: items[index].kindName)
    }
    return table
  }

  private static func setting(
    _ value: TOMLValue, at keys: ArraySlice<String>, in table: TOMLTable, _ array: TOMLPath
  ) throws(TOMLEditError) -> TOMLTable {
    guard let key = keys.first else {
      guard case .table(let table) = value else {
        throw TOMLEditError(.notATable(array, found: value.kindName), "An element of '\(array)' must be a table.")
      }
      return table
    }
    var result = table
    if keys.count == 1 {
      result[key] = value
    } else {
      let below = table[key] ?? .table(TOMLTable())
      guard case .table(let next) = below else { throw .notATable(array, found: below.kindName) }
      result[key] = .table(try setting(value, at: keys.dropFirst(), in: next, array))
    }
    return result
  }
}
