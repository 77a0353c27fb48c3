import SettingsTOML

/// The first bytes choose edits, the rest is the document.
private struct Choices {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  mutating func next(_ limit: Int) -> Int { limit > 0 ? Int(bytes.popFirst() ?? 0) % limit : 0 }
}

/// Every edit does what it says, or is refused; never is one found to have come out wrong.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEdit(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 12 else { return 0 }
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  var choices = Choices(input[..<12])
  guard let document = try? TOMLDocument(parsing: Array(input[12...])) else { return 0 }
  var edited = document
  for _ in 0..<2 { edit(&edited, &choices) }
  return 0
}

private func edit(_ document: inout TOMLDocument, _ choices: inout Choices) {
  let before = document
  let source = path(in: document, &choices)
  do throws(TOMLEditError) {
    switch choices.next(4) {
    case 0:
      guard try document.remove(at: source) else { return }
      precondition(!document.contains(source))
    case 1:
      let destination = path(in: document, &choices)
      guard try document.move(from: source, to: destination) else { return }
      precondition(document[destination] == before[source] && !document.contains(source))
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

private func path(in document: TOMLDocument, _ choices: inout Choices) -> TOMLPath {
  let leaves = document.leafPaths()
  guard !leaves.isEmpty else { return ["new"] }
  let leaf = leaves[choices.next(leaves.count)]
  switch choices.next(6) {
  case 0: return leaf.parent.isRoot ? leaf : leaf.parent
  case 1: return leaf.parent.appending("new")
  case 2: return leaf.parent.appending(["n w", "x"])
  case 3: return leaf.appending("x")
  default: return leaf
  }
}

private func value(of document: TOMLDocument, _ choices: inout Choices) -> TOMLValue {
  switch choices.next(8) {
  case 0: return 5
  case 1: return "it's\n\"\"\" \\ \u{1}é"
  case 2: return .float(.nan)
  case 3: return ["x": 1, "y y": ["z": true]]
  case 4: return [1, 2, 3]
  case 5: return [["x": 1], ["x": 2]]
  case 6: return [:]
  default:
    let leaves = document.leafPaths()
    return leaves.isEmpty ? [] : document[leaves[choices.next(leaves.count)]] ?? []
  }
}
