extension TOMLDocument {
  /// Sets a value and changes only its bytes.
  ///
  /// A value that replaces another keeps the rest of the line, comment and spacing included, and where possible the old
  /// value's quotes, number base or line breaks. A new key goes after the last key of its table and follows the style
  /// of its neighbour. A missing table gets a header after its nearest relative. A table that replaces a table is set
  /// key by key: equal values stay untouched, and keys that the new table lacks are removed.
  ///
  /// ```swift
  /// try document.set("dark", at: ["editor", "theme"])
  /// ```
  ///
  /// - Parameters:
  ///   - value: The value to set.
  ///   - path: The path of the value. Missing tables along the path are created.
  /// - Returns: `true` if the text changed, `false` if the value was already equal.
  /// - Throws: ``TOMLEditError``. The document is unchanged.
  @discardableResult
  public mutating func set(_ value: TOMLValue, at path: TOMLPath) throws(TOMLEditError) -> Bool {
    try set(value, at: path, leavingComments: false)
  }

  /// - Parameter leavesComments: Whether the comments that would go with the old value are put above the new one.
  @discardableResult
  package mutating func set(
    _ value: TOMLValue, at path: TOMLPath, leavingComments leavesComments: Bool
  ) throws(TOMLEditError) -> Bool {
    try TOMLDocument.checkDepth(of: value, at: path)
    let isSingle =
      !TOMLDocument.hasHeader(value)
      && find(path).map { isLine($0) && !(leavesComments && mayLoseComments($0)) } != false
    return try checked(.set(path, value), isSingle: isSingle) { draft throws(TOMLEditError) in
      try draft.setUnchecked(value, at: Location(path), leavingComments: leavesComments)
    }
  }

  /// Sets a value in the notation given: `0x1F`, `'C:\dir'`, or an array with lines and comments.
  ///
  /// - Parameters:
  ///   - literal: One TOML value, inserted unchanged.
  ///   - path: The path of the value. A table at that path is replaced.
  /// - Returns: `true` if the text changed.
  /// - Throws: ``TOMLSyntaxError`` if `literal` is not a value, or ``TOMLEditError`` as ``set(_:at:)`` does. The
  ///   document is unchanged in both cases.
  @discardableResult
  package mutating func set(literal: String, at path: TOMLPath) throws -> Bool {
    let value = try TOMLValue(parsing: literal)
    guard !path.isRoot else {
      throw TOMLEditError(.invalidKey(path), "Cannot set the root of a document to a text. Set its keys.")
    }
    let text = Array(literal.utf8).trimmingBlanks
    return try checked(.set(path, value)) { draft throws(TOMLEditError) in
      if let id = draft.find(path), draft.isLine(id) {
        let range = Int(draft.tree[id].start)..<Int(draft.tree[id].end)
        guard !draft.bytes[range].elementsEqual(text) else { return false }
        try draft.commit([Splice(range, text)])
      } else {
        _ = try draft.removeUnchecked(at: Location(path))
        let (table, rest) = try draft.nearestTable(to: Location(path))
        try draft.insertLine(Insertion(text: text), under: table, rest)
      }
      return true
    }
  }

  /// Removes the value or table at a path, with its comments.
  ///
  /// A key's line is removed together with its trailing comment and the comment lines directly above it. Comments set
  /// off by a blank line stay, and so does the header of a table that becomes empty. A table is removed with those
  /// below.
  ///
  /// - Returns: `true` if there was a value.
  /// - Throws: ``TOMLEditError``. The document is unchanged.
  @discardableResult
  public mutating func remove(at path: TOMLPath) throws(TOMLEditError) -> Bool {
    try checked(.remove(path), isSingle: true) { draft throws(TOMLEditError) in
      try draft.removeUnchecked(at: Location(path))
    }
  }

  /// Removes a value or table, and puts its comments above another value, if there is one for them.
  package mutating func remove(at path: TOMLPath, leavingCommentsTo heir: TOMLPath?) throws(TOMLEditError) -> Bool {
    try checked(.remove(path)) { draft throws(TOMLEditError) in
      try draft.removeUnchecked(at: Location(path), leavingCommentsTo: heir.map { Location($0) })
    }
  }

  /// Renames or moves a key or a whole table, with its comments.
  ///
  /// - Parameters:
  ///   - source: The path of the value or table.
  ///   - destination: The new path.
  /// - Returns: `false` if there is nothing at `source`.
  /// - Throws: ``TOMLEditError``, with ``TOMLEditError/Code/exists(_:)`` if `destination` has a value. The document is
  ///   unchanged.
  @discardableResult
  public mutating func move(from source: TOMLPath, to destination: TOMLPath) throws(TOMLEditError) -> Bool {
    guard contains(source), source != destination else { return false }
    guard !source.isRoot, !destination.hasPrefix(source) else {
      throw TOMLEditError(.invalidKey(destination), "Cannot move '\(source)' into itself, to '\(destination)'.")
    }
    guard !contains(destination), !source.hasPrefix(destination) else {
      throw TOMLEditError(
        .exists(destination), "Cannot move '\(source)' to '\(destination)': it has a value already. Remove that first.")
    }
    let isSingle = find(source).map { isRename(of: $0, at: source, to: destination) } ?? false
    return try checked(.move(source, destination), isSingle: isSingle) { draft throws(TOMLEditError) in
      try draft.moveUnchecked(from: Location(source), to: Location(destination))
    }
  }

  /// Makes an edit on a copy, and keeps it if it passes the check.
  ///
  /// - Parameter isSingle: Whether the edit is a single change of the bytes, made completely or not at all.
  mutating func checked(
    _ change: Change, isSingle: Bool = false, _ edit: (inout TOMLDocument) throws(TOMLEditError) -> Bool
  ) throws(TOMLEditError) -> Bool {
    if recorded != nil {
      if isSingle {
        guard try edit(&self) else { return false }
      } else {
        var draft = self
        guard try edit(&draft) else { return false }
        self = draft
      }
      recorded?.append(change)
      return true
    }
    var draft = self
    guard try edit(&draft) else { return false }
    if TOMLDocument.checksEdits { try draft.check(change, since: self) }
    self = draft
    return true
  }

  /// Whether edits are checked. Benchmarks turn it off for a task to measure the edit alone.
  @_spi(Benchmarks) @TaskLocal public static var checksEdits = true

  // MARK: - Setting

  /// Rejects a value that no document can hold, before doing work that grows with its depth.
  static func checkDepth(of value: TOMLValue, at path: TOMLPath) throws(TOMLEditError) {
    // An innermost array or table may be one level below the last key.
    let left = maximumDepth + 1 - path.components.count
    guard left < 0 || value.isNested(deeperThan: left) else { return }
    let shown = path.components.count > 8 ? "\(path.prefix(8))…" : "\(path)"
    throw TOMLEditError(
      .tooLarge,
      "Cannot set '\(shown)': its keys and its value are more than \(maximumDepth) levels deep. Nest them less.")
  }

  /// Rejects a value with a date or a time that TOML has no text for.
  static func checkDates(in value: TOMLValue, at path: @autoclosure () -> TOMLPath) throws(TOMLEditError) {
    guard let kind = value.unrepresentableKind else { return }
    let path = path()
    throw TOMLEditError(
      .unrepresentable(path), "Cannot set '\(path)': the value holds \(kind) that is not in the calendar or clock.")
  }

  mutating func setUnchecked(
    _ value: TOMLValue, at path: Location, leavingComments leavesComments: Bool = false
  ) throws(TOMLEditError) -> Bool {
    try TOMLDocument.checkDates(in: value, at: path.path)
    guard !path.isRoot else {
      guard case .table(let table) = value else {
        throw TOMLEditError(
          .invalidKey(path.path), "Cannot set the root of a document to \(value.kindName), only to a table.")
      }
      return try setTable(table, at: path)
    }
    if let id = find(path) { return try replace(id, at: path, with: value, leavesComments) }
    try insert(value, at: path)
    return true
  }

  private mutating func setTable(_ table: TOMLTable, at path: Location) throws(TOMLEditError) -> Bool {
    var isChanged = false
    // Add new keys first, while their neighbours exist: some tables disappear with their last key.
    for entry in table.entries where try setUnchecked(entry.value, at: path.appending(entry.key)) { isChanged = true }
    for key in find(path).map(childKeys(of:)) ?? [] where table[key] == nil {
      if try removeUnchecked(at: path.appending(key)) { isChanged = true }
    }
    if table.isEmpty, !path.isRoot, find(path) == nil {
      try insert(.table(table), at: path)
      isChanged = true
    }
    return isChanged
  }

  private mutating func replace(
    _ id: DocumentIndex.ID, at path: Location, with value: TOMLValue, _ leavesComments: Bool
  ) throws(TOMLEditError) -> Bool {
    let node = tree[id]
    if node.kind.isTable, case .table(let table) = value { return try setTable(table, at: path) }
    if node.kind == .arrayOfTables, case .array(let items) = value, !items.isEmpty,
      items.allSatisfy({ $0.table != nil })
    {
      return try setElements(items.compactMap(\.table), of: path)
    }
    let comments = leavesComments && mayLoseComments(id) ? allComments(of: id) : []
    switch node.kind {
    case .root, .header, .implicit, .arrayOfTables, .element:
      _ = try removeUnchecked(at: path)
      try insert(value, at: path)
    case .dotted: try replaceDotted(id, with: value)
    case .inline: try commit([Splice(Int(node.start)..<Int(node.end), value.tomlText.utf8)])
    default:
      guard self.value(of: id) != value else { return false }
      let old = Array(bytes[Int(node.start)..<Int(node.end)])
      try replaceValue(id, StyledText.text(value, like: old, lineBreak: lines.lineBreak(at: Int(node.start))))
    }
    if !comments.isEmpty, let id = find(path) {
      var kept = allComments(of: id).reduce(into: [:]) { $0[$1, default: 0] += 1 }
      let lost = comments.filter { comment in
        kept[comment, default: 0] -= 1
        return kept[comment, default: 0] < 0
      }
      try insertComments(lost, above: id, isOfTable: false)
    }
    return true
  }

  /// Whether a node is the value of one key line or inline member.
  private func isLine(_ id: DocumentIndex.ID) -> Bool { isBody(id) && tree[id].kind != .dotted }

  /// Whether another value in a node's place could take comments away: beside and above a key line, they stay.
  private func mayLoseComments(_ id: DocumentIndex.ID) -> Bool {
    !isLine(id) || bytes[Int(tree[id].start)..<Int(tree[id].end)].contains(Byte.hash)
  }

  /// Replaces the first of the dotted keys that make up a table with a value, and removes the others.
  private mutating func replaceDotted(_ id: DocumentIndex.ID, with value: TOMLValue) throws(TOMLEditError) {
    let leaves = bodyLeaves(under: id)
    guard let first = leaves.first else { throw .inconsistent("a dotted table has no keys") }
    let firstNode = tree[first]
    let separator = bytes[Int(firstNode.keyEnd)..<Int(firstNode.start)]
    let replacement = Array(separator) + Array(value.tomlText.utf8)
    let path = location(of: id)
    let before = self
    var draft = self
    for leaf in leaves.dropFirst().reversed() { try draft.removeNode(at: before.location(of: leaf)) }
    for section in tree.children(of: id) where !before.isBody(section) {
      try draft.removeNode(at: before.location(of: section))
    }
    guard let dotted = draft.find(path) else { throw .inconsistent("a dotted table is gone") }
    let leaf = draft.bodyLeaves(under: dotted)[0]
    let range = draft.dottedKey(of: dotted, in: leaf).upperBound..<Int(draft.tree[leaf].end)
    try draft.commit([Splice(range, replacement)])
    self = draft
  }

  private mutating func removeNode(at path: Location) throws(TOMLEditError) { _ = try removeUnchecked(at: path) }
}
