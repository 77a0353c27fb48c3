extension TOMLDocument {
  /// Checks an edit by parsing the text again, or the sections that it changed: it is valid TOML, the changed path has
  /// the value asked for, and every other path has its old value.
  mutating func check(_ change: Change, since old: TOMLDocument) throws(TOMLEditError) {
    let changed = try prove(since: old)
    let paths: [TOMLPath]
    switch change {
    case .set(let path, let value):
      paths = [path]
      guard self[path] == value else { throw .inconsistent("'\(path)' did not get its value") }
    case .remove(let path):
      paths = [path]
      guard !contains(path) else { throw .inconsistent("'\(path)' is still there") }
    case .move(let source, let destination):
      paths = [source, destination]
      guard !contains(source), self[destination] == old[source] else {
        throw .inconsistent("'\(source)' did not get to '\(destination)'")
      }
    case .editElement(let array, let index, let path):
      paths = [array]
      guard case .array(let before) = old[array], case .array(let after) = self[array], before.count == after.count,
        before.indices.allSatisfy({ $0 == index || before[$0] == after[$0] }),
        let oldTable = before[index].table, let newTable = after[index].table,
        TOMLDocument.isRemoval(of: path.components[...], from: oldTable, newTable)
      else { throw .inconsistent("an element of '\(array)' did not get its value") }
    }
    if paths.contains(.root) { return }
    if let changed {
      // A table above the path may have become empty, or got its first key.
      let isTouched = { path in
        paths.contains {
          path.hasPrefix($0) || $0.hasPrefix(path) && self.isTableOrAbsent(path) && old.isTableOrAbsent(path)
        }
      }
      guard changed.allSatisfy(isTouched) else {
        throw .inconsistent("another key than '\(paths[0])' would change")
      }
      return
    }
    let comparison = Comparison(old: old, new: self)
    guard comparison.tablesAgree(DocumentIndex.root, DocumentIndex.root, except: paths.map { $0.components[...] })
    else {
      throw .inconsistent("another key than '\(paths[0])' would change")
    }
  }

  private func isTableOrAbsent(_ path: TOMLPath) -> Bool { find(path).map { tree[$0].kind.isTable } ?? true }

  /// Makes sure that the index matches the text.
  ///
  /// - Returns: The paths of the values that have changed, or `nil` if the whole text was parsed again.
  mutating func prove(since old: TOMLDocument) throws(TOMLEditError) -> [TOMLPath]? {
    let changed = provenChanges(since: old)
    if changed == nil { try readAnew() } else { noteProven() }
    return changed
  }

  /// Parses the text and rebuilds its index.
  private mutating func readAnew() throws(TOMLEditError) {
    do throws(TOMLSyntaxError) {
      tree = try TOMLDocument.index(bytes)
      isMended = false
    } catch {
      throw .unreadable(error)
    }
  }

  /// Whether one table is the other without a path. Tables that existed only for that path may be gone too.
  private static func isRemoval(of keys: ArraySlice<String>, from old: TOMLTable, _ new: TOMLTable) -> Bool {
    var keys = keys
    while !keys.isEmpty {
      var rest = old
      rest.set(nil, at: keys)
      if rest == new { return true }
      guard let above = old[path: TOMLPath(Array(keys.dropLast()))]?.table, above.count == 1 else { return false }
      keys = keys.dropLast()
    }
    return false
  }
}
