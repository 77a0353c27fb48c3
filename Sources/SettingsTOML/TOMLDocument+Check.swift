/// What an edit was to do.
enum Change {
  case set(TOMLPath, TOMLValue)
  case remove(TOMLPath)
  case move(TOMLPath, TOMLPath)
  /// The removal of a path in an element of an array of tables.
  case editElement(TOMLPath, Int, TOMLPath)
}

extension TOMLDocument {
  /// Checks an edit by reading its text anew, or the sections that it changed: it parses, the changed path has the
  /// value asked for, and every other path has the value it had.
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
      else { throw .inconsistent("an element of '\(array)' came out otherwise") }
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
    guard comparison.tablesAgree(Tree.root, Tree.root, except: paths.map { $0.components[...] }) else {
      throw .inconsistent("another key than '\(paths[0])' would change")
    }
  }

  private func isTableOrAbsent(_ path: TOMLPath) -> Bool { find(path).map { tree[$0].kind.isTable } ?? true }

  /// Makes sure that the index is that of the text.
  ///
  /// - Returns: The paths of the values that have changed, if the changed sections tell; `nil` if all was read anew.
  mutating func prove(since old: TOMLDocument) throws(TOMLEditError) -> [TOMLPath]? {
    let changed = provenChanges(since: old)
    if changed == nil { try readAnew() } else { noteProven() }
    return changed
  }

  /// Makes the index of the text again.
  private mutating func readAnew() throws(TOMLEditError) {
    do throws(TOMLSyntaxError) {
      tree = try TOMLDocument.index(bytes)
      isMended = false
    } catch {
      throw .unreadable(error)
    }
  }

  /// Whether one table is the other without a path; tables that were only there for it may be gone too.
  private static func isRemoval(of keys: ArraySlice<String>, from old: TOMLTable, _ new: TOMLTable) -> Bool {
    var keys = keys
    while !keys.isEmpty {
      if removing(keys, from: old) == new { return true }
      guard let above = old[path: TOMLPath(Array(keys.dropLast()))]?.table, above.count == 1 else { return false }
      keys = keys.dropLast()
    }
    return false
  }
}

/// Compares two documents without making their values.
struct Comparison {
  let old: TOMLDocument
  let new: TOMLDocument
  private let oldBase: [UInt8]
  private let newBase: [UInt8]

  init(old: TOMLDocument, new: TOMLDocument) {
    self.old = old
    self.new = new
    oldBase = old.bytes
    newBase = new.bytes
  }

  /// Whether two nodes have equal values.
  func agree(_ a: Tree.ID, _ b: Tree.ID) -> Bool {
    let x = old.tree[a]
    let y = new.tree[b]
    if x.kind.isTable { return y.kind.isTable && tablesAgree(a, b, except: []) }
    if x.kind == .arrayOfTables || y.kind == .arrayOfTables {
      guard x.kind == y.kind else { return old.value(of: a) == new.value(of: b) }
      var next = y.firstChild
      for element in old.tree.children(of: a) {
        guard next != Tree.none, tablesAgree(element, next, except: []) else { return false }
        next = new.tree[next].next
      }
      return next == Tree.none
    }
    if x.kind == y.kind, hasSameBytes(Int(x.start)..<Int(x.end), Int(y.start)..<Int(y.end)) { return true }
    return !y.kind.isTable && old.value(of: a) == new.value(of: b)
  }

  private func hasSameBytes(_ x: Range<Int>, _ y: Range<Int>) -> Bool {
    guard x.count == y.count else { return false }
    return oldBase.withUnsafeBufferPointer { a in
      newBase.withUnsafeBufferPointer { b in
        var offset = 0
        while offset < x.count, a[x.lowerBound + offset] == b[y.lowerBound + offset] { offset += 1 }
        return offset == x.count
      }
    }
  }

  func oldKey(_ id: Tree.ID) -> String { old.withBase { KeyText.string(old.tree[id], in: $0) } }

  func newKey(_ id: Tree.ID) -> String { new.withBase { KeyText.string(new.tree[id], in: $0) } }

  func hasSameKeyBytes(_ a: Tree.ID, _ b: Tree.ID) -> Bool {
    let x = old.tree[a]
    let y = new.tree[b]
    return hasSameBytes(Int(x.keyStart)..<Int(x.keyEnd), Int(y.keyStart)..<Int(y.keyEnd))
  }

  /// Whether two tables are equal but for some paths.
  ///
  /// A table that has nothing but what is excepted may also be absent.
  func tablesAgree(_ a: Tree.ID, _ b: Tree.ID, except paths: [ArraySlice<String>]) -> Bool {
    var matched = 0
    // Most often both have the same keys in the same order.
    var next = new.tree[b].firstChild
    for child in old.tree.children(of: a) {
      let counterpart: Tree.ID?
      if next != Tree.none, hasSameKeyBytes(child, next) {
        counterpart = next
        next = new.tree[next].next
      } else {
        counterpart = new.child(oldKey(child), of: b)
        if let counterpart { next = new.tree[counterpart].next }
      }
      if counterpart != nil { matched += 1 }
      guard !paths.isEmpty else {
        guard let counterpart, agree(child, counterpart) else { return false }
        continue
      }
      let below = Comparison.below(paths, oldKey(child))
      if below.contains(where: \.isEmpty) { continue }
      if let counterpart {
        let bothTables = old.tree[child].kind.isTable && new.tree[counterpart].kind.isTable
        let isSame = bothTables ? tablesAgree(child, counterpart, except: below) : agree(child, counterpart)
        guard isSame else { return false }
      } else {
        guard Comparison.isOnly(below, child, of: old, oldKey) else { return false }
      }
    }
    guard matched < new.tree.children(of: b).reduce(0, { count, _ in count + 1 }) else { return true }
    for child in new.tree.children(of: b) {
      let key = newKey(child)
      guard old.child(key, of: a) == nil else { continue }
      let below = Comparison.below(paths, key)
      if below.contains(where: \.isEmpty) { continue }
      guard Comparison.isOnly(below, child, of: new, newKey) else { return false }
    }
    return true
  }

  private static func below(_ paths: [ArraySlice<String>], _ key: String) -> [ArraySlice<String>] {
    paths.compactMap { $0.first?.hasSameCodeUnits(as: key) == true ? $0.dropFirst() : nil }
  }

  /// Whether a table has nothing but what is at some paths below it.
  private static func isOnly(
    _ paths: [ArraySlice<String>], _ id: Tree.ID, of document: TOMLDocument, _ key: (Tree.ID) -> String
  ) -> Bool {
    guard !paths.isEmpty, document.tree[id].kind.isTable else { return false }
    return document.tree.children(of: id).allSatisfy { child in
      let below = below(paths, key(child))
      return below.contains(where: \.isEmpty) || isOnly(below, child, of: document, key)
    }
  }
}
