extension TOMLDocument {
  /// Makes several edits as one: either all of them or none.
  ///
  /// The document is checked once, after the last edit, so many edits of a large document take a fraction of the time.
  ///
  /// ```swift
  /// try document.edit { document in
  ///   for (path, value) in values { try document.set(value, at: path) }
  /// }
  /// ```
  ///
  /// - Parameter body: Edits a draft of the document. If it throws, the document is unchanged.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or ``TOMLEditError`` with ``TOMLEditError/Code/internalInconsistency``. The document
  ///   is unchanged in both cases.
  public mutating func edit<R>(_ body: (inout TOMLDocument) throws -> R) throws -> R {
    let old = self
    var draft = self
    draft.recorded = []
    let result = try body(&draft)
    let changes = draft.recorded ?? []
    draft.recorded = recorded
    if recorded != nil {
      draft.recorded?.append(contentsOf: changes)
    } else if !changes.isEmpty, TOMLDocument.checksEdits {
      try draft.check(changes, since: old)
    }
    self = draft
    return result
  }

  /// Checks many edits by parsing the text again, or the sections that they changed: it is valid TOML, each changed
  /// path has the value last set, and no path has changed except at, above or below one of these.
  private mutating func check(_ changes: [Change], since old: TOMLDocument) throws(TOMLEditError) {
    let proven = try prove(since: old)
    var edited = PathTree()
    for change in changes.reversed() {
      // A later edit says nothing about this path.
      switch change {
      case .set(let path, let value) where !edited.touches(path):
        guard self[path] == value else { throw .inconsistent("'\(path)' did not get its value") }
      case .remove(let path) where !edited.touches(path):
        guard !contains(path) else { throw .inconsistent("'\(path)' is still there") }
      case .move(let source, let destination) where !edited.touches(source) && !edited.touches(destination):
        guard !contains(source), contains(destination) else {
          throw .inconsistent("'\(source)' did not get to '\(destination)'")
        }
      default: break
      }
      for path in change.paths { edited.insert(path) }
    }
    for path in proven ?? changedPaths(since: old) where !edited.touches(path) {
      throw .inconsistent("'\(path)' would change, although no edit changed it")
    }
  }
}

extension Change {
  /// The paths that may change.
  var paths: [TOMLPath] {
    switch self {
    case .set(let path, _), .remove(let path): [path]
    case .move(let source, let destination): [source, destination]
    case .editElement(let array, _, _): [array]
    }
  }
}
