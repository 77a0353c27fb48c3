@testable import SettingsTOML

/// Every edit does what it says, or is refused; never is one found to have come out wrong.
func fuzzEdit(_ input: [UInt8]) {
  guard input.count > 12 else { return }
  var choices = Choices(input[..<12])
  guard let document = try? TOMLDocument(parsing: Array(input[12...])) else { return }
  var edited = document
  if choices.next(2) == 0 {
    for _ in 0..<2 { edit(&edited, &choices) }
  } else {
    editTogether(&edited, &choices)
  }
  checkChanges(from: document, to: edited)
  // An index that was mended in place is that of the text.
  guard let fresh = try? TOMLDocument(parsing: edited.bytes) else { preconditionFailure("it cannot be read") }
  precondition(fresh.root == edited.root && fresh.leafPaths() == edited.leafPaths())
  for path in fresh.leafPaths() { precondition(fresh.position(of: path) == edited.position(of: path), "\(path)") }
}

/// Edits made together are those made one by one.
private func editTogether(_ document: inout TOMLDocument, _ choices: inout Choices) {
  var single = document
  do {
    try document.edit { together in
      var others = choices
      for _ in 0..<2 {
        edit(&single, &choices)
        edit(&together, &others)
        precondition(single.bytes == together.bytes)
      }
    }
  } catch {
    preconditionFailure("\(error)")
  }
  precondition(single.bytes == document.bytes)
}

/// The paths that are said to have changed are those whose values differ.
private func checkChanges(from old: TOMLDocument, to new: TOMLDocument) {
  let changed = Set(new.changedPaths(since: old))
  precondition(changed.isEmpty == (old.root == new.root))
  for path in Set(old.leafPaths() + new.leafPaths()) {
    precondition(changed.contains(path) == (old[path] != new[path]), "\(path)")
  }
}

private func edit(_ document: inout TOMLDocument, _ choices: inout Choices) {
  let before = document
  let source = path(in: document, &choices)
  do throws(TOMLEditError) {
    switch choices.next(5) {
    case 0:
      guard try document.remove(at: source) else { return }
      precondition(!document.contains(source))
    case 1:
      let destination = path(in: document, &choices)
      guard try document.move(from: source, to: destination) else { return }
      precondition(document[destination] == before[source] && !document.contains(source))
    case 2:
      try editElement(of: source, in: &document, &choices)
    default:
      let value = value(of: before, &choices)
      let isChanged = try document.set(value, at: source)
      precondition(document[source] == value && isChanged == (before[source] != value))
      if !isChanged { precondition(document.bytes == before.bytes) }
    }
  } catch {
    precondition(error.code != .internalInconsistency, "\(error)")
    precondition(document.bytes == before.bytes)
  }
}

/// Edits of an array's elements are those of a Swift array.
private func editElement(
  of array: TOMLPath, in document: inout TOMLDocument, _ choices: inout Choices
) throws(TOMLEditError) {
  guard case .array(var items) = document[array] else { return }
  let index = choices.next(items.count)
  switch choices.next(4) {
  case 0:
    try document.append(["x": 1], to: array)
    items.append(["x": 1])
  case 1:
    guard try document.removeElement(index, of: array) else { return }
    items.remove(at: index)
  case 2:
    try document.set(2, at: ["x"], inElement: index, of: array)
    guard var table = items[index].table else { preconditionFailure("a key was set in what is no table") }
    table["x"] = 2
    items[index] = .table(table)
  default:
    guard var table = items.isEmpty ? nil : items[index].table, let key = table.keys.first else { return }
    guard try document.move(from: TOMLPath([key]), to: ["moved"], inElement: index, of: array) else { return }
    table["moved"] = table[key]
    table[key] = nil
    items[index] = .table(table)
  }
  // An array of tables that has none left is not there: TOML has no header for it.
  precondition(document[array] == .array(items) || items.isEmpty && !document.contains(array))
}
