@testable import SettingsTOML

/// What the changed sections prove of edits is what reading all of the text finds, also where an editor with a fault has
/// put wrong bytes into the text, or wrong places into the index.
func fuzzProof(_ input: [UInt8]) {
  guard input.count > 24 else { return }
  var choices = Choices(input[..<24])
  guard let before = try? TOMLDocument(parsing: Array(input[24...])) else { return }
  let isDamaged = choices.next(3) > 0
  var paths: [TOMLPath] = []
  func change(_ draft: inout TOMLDocument) {
    var choices = choices
    paths = []
    for _ in 0...choices.next(3) { paths += edit(&draft, &choices) }
    // Where nothing was edited, there is nothing to be checked.
    guard isDamaged, draft.recorded?.isEmpty == false else { return }
    if choices.next(3) > 0 {
      damage(&draft.bytes, &choices)
    } else {
      damageIndex(of: &draft, &choices)
    }
    draft.isMended = true
  }
  var draft = before
  guard (try? draft.editUnchecked(change)) != nil else { return }
  if let proven = draft.provenChanges(since: before) { compare(draft, since: before, proven) }

  // And so with the check that goes by it.
  var checked = before
  guard (try? checked.edit(change)) != nil else {
    precondition(checked.bytes == before.bytes)
    return
  }
  guard let fresh = try? TOMLDocument(parsing: checked.bytes) else {
    preconditionFailure("checked, and cannot be read")
  }
  expectIndex(of: checked, toBeThatOf: fresh)
  for path in fresh.changedPaths(since: before) {
    precondition(paths.contains { $0.hasPrefix(path) || path.hasPrefix($0) }, "\(path) changed")
  }
}

private func compare(_ draft: TOMLDocument, since before: TOMLDocument, _ proven: [TOMLPath]) {
  guard let fresh = try? TOMLDocument(parsing: draft.bytes) else { preconditionFailure("proven, and cannot be read") }
  expectIndex(of: draft, toBeThatOf: fresh)
  // A table that was or is empty is one of the changes there, and at an edit's path or above it.
  let all = Set(fresh.changedPaths(since: before))
  precondition(Set(proven).isSubset(of: all))
  precondition(all.subtracting(proven).allSatisfy { before.isTable(at: $0) || fresh.isTable(at: $0) })
}

/// Makes an edit, in place where that is possible.
///
/// - Returns: The paths that it is about.
private func edit(_ draft: inout TOMLDocument, _ choices: inout Choices) -> [TOMLPath] {
  let path = path(in: draft, &choices)
  let value = value(of: draft, &choices)
  switch choices.next(8) {
  case 0:
    if (try? draft.remove(at: path)) == true, choices.next(2) == 0 { try? draft.removeEmptied(above: [path]) }
    return [path]
  case 1:
    let key = "m\(choices.next(100))"
    _ = try? draft.move(from: path, to: path.parent.appending(key))
    return [path, path.parent.appending(key)]
  case 2:
    let key = "n\(choices.next(100))"
    guard draft[path] == nil || draft.isTable(at: path), !draft.contains(path.appending(key)) else { return [] }
    try? draft.appendTables([(key, ["a": 1, "b": [true, "x"], "c": ["d": value]])], under: path)
    return [path.appending(key)]
  case 3:
    let table = draft.isTable(at: path) ? path : path.parent
    guard !table.isRoot else { return [] }
    try? draft.removeAll(at: [table])
    return [table]
  case 4:
    try? draft.setAtTop("settings-version", value.table == nil ? value : 1)
    return [["settings-version"]]
  default:
    _ = try? draft.set(value, at: path)
    return [path]
  }
}

private func damageIndex(of draft: inout TOMLDocument, _ choices: inout Choices) {
  let node = choices.next(draft.tree.nodes.count)
  let amount = UInt32(1 + choices.next(4))
  switch choices.next(5) {
  case 0: draft.tree.nodes[node].end &+= amount
  case 1: draft.tree.nodes[node].start &+= amount
  case 2: draft.tree.nodes[node].keyEnd &+= amount
  case 3: draft.tree.nodes[node].keyStart &+= amount
  default: draft.tree.nodes[node].isPlain.toggle()
  }
}
