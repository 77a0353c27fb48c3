@testable import SettingsTOML

/// Ends the program unless a document's index is that of its text: kind, place and key of every node.
func expectIndex(of document: TOMLDocument, toBeThatOf fresh: TOMLDocument) {
  precondition(document.bytes == fresh.bytes && shape(document) == shape(fresh), "the index is not that of the text")
  precondition(document.root == fresh.root)
}

private func shape(_ document: TOMLDocument) -> [String] {
  func lines(_ id: DocumentIndex.ID, _ level: Int) -> [String] {
    let node = document.tree[id]
    let line = "\(level) \(node.kind) \(node.keyStart)-\(node.keyEnd) \(node.start)-\(node.end) \(node.isPlain)"
    return [line] + document.tree.children(of: id).flatMap { lines($0, level + 1) }
  }
  return lines(DocumentIndex.root, 0)
}

/// Changes a few bytes of a text, as someone else may, or an editor with a fault.
func damage(_ bytes: inout [UInt8], _ choices: inout Choices) {
  let at = choices.next(bytes.count + 1)
  switch choices.next(6) {
  case 0 where at < bytes.count: bytes[at] = choices.pick(Array("\n\"'[]{}=#.,a19:-_ \t\r\\e+\u{0}".utf8))
  case 1 where at < bytes.count: bytes.remove(at: at)
  case 2:
    let pieces = [
      "\n", "[a]\n", "a = 1\n", "\"\"\"", "'''", "#", ".", "1", "\"", " ", ", ", "[[a]]\n", "a.b = {}\n", "\r",
    ]
    bytes.insert(contentsOf: choices.pick(pieces).utf8, at: at)
  case 3:
    bytes.removeSubrange(at..<min(bytes.count, at + 1 + choices.next(32)))
  case 4:
    // A piece of the text itself, in another place.
    let from = choices.next(bytes.count + 1)
    bytes.insert(contentsOf: Array(bytes[from..<min(bytes.count, from + 1 + choices.next(32))]), at: at)
  default:
    let other = choices.next(bytes.count + 1)
    if at < bytes.count, other < bytes.count { bytes.swapAt(at, other) }
  }
}

/// A path of a document, one above it, or one next to it.
func path(in document: TOMLDocument, _ choices: inout Choices) -> TOMLPath {
  let leaves = document.leafPaths()
  guard !leaves.isEmpty else { return ["new"] }
  let leaf = leaves[choices.next(leaves.count)]
  switch choices.next(7) {
  case 0: return leaf.parent.isRoot ? leaf : leaf.parent
  case 1: return leaf.parent.appending("new")
  case 2: return leaf.parent.appending(["n w", "x"])
  case 3: return leaf.appending("x")
  default: return leaf
  }
}

/// A value to set: of any kind, or one that the document has.
func value(of document: TOMLDocument, _ choices: inout Choices) -> TOMLValue {
  switch choices.next(10) {
  case 0: return .integer(Int64(choices.next(256)))
  case 1: return "it's\n\"\"\" \\ \u{1}é"
  case 2: return .float(.nan)
  case 3: return ["x": 1, "y y": ["z": true]]
  case 4: return [1, 2, 3]
  case 5: return [["x": 1], ["x": 2]]
  case 6: return [:]
  case 7: return ""
  default:
    let leaves = document.leafPaths()
    return leaves.isEmpty ? [] : document[leaves[choices.next(leaves.count)]] ?? []
  }
}
