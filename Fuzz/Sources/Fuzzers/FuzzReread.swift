@testable import SettingsTOML

/// A text that is read from a document that it is nearly means what it means when all of it is read: after changes by
/// others, with the change in one value or anywhere.
func fuzzReread(_ input: [UInt8]) {
  guard input.count > 24 else { return }
  var choices = Choices(input[..<24])
  guard var known = try? TOMLDocument(parsing: Array(input[24...])) else { return }
  // One change after the other, each read from what was read before.
  for _ in 0..<4 {
    var text = known.bytes
    switch choices.next(3) {
    case 0: damage(&text, &choices)
    case 1: replaceValue(in: &text, of: known, &choices)
    default:
      var edited = known
      guard (try? edited.set(value(of: known, &choices), at: path(in: known, &choices))) != nil else { continue }
      text = edited.bytes
    }
    let fresh = try? TOMLDocument(parsing: text)
    guard let (document, changed) = known.reread(text) else {
      if let fresh { known = fresh }
      continue
    }
    guard let fresh else { preconditionFailure("read, and cannot be read") }
    precondition(!document.isMended)
    expectIndex(of: document, toBeThatOf: fresh)
    precondition(fresh.changedPaths(since: known) == (changed.map { [$0] } ?? []))
    known = document
  }
}

/// Puts other text into the place of a value.
private func replaceValue(in text: inout [UInt8], of document: TOMLDocument, _ choices: inout Choices) {
  let values = document.tree.nodes.filter { $0.kind.rawValue >= IndexNode.Kind.string.rawValue && $0.kind != .removed }
  guard !values.isEmpty else { return }
  let node = choices.pick(values)
  var literal = Array(text[Int(node.start)..<Int(node.end)])
  switch choices.next(4) {
  case 0: damage(&literal, &choices)
  case 1: literal = Array(value(of: document, &choices).tomlText.utf8)
  default:
    let literals = [
      "1e-9223372036854775808", "'''\nx'''", "\"\"\"a\\\n  b\"\"\"", "1979-05-27 07:32", "07:32:00.1", "0b1", "+inf",
      "1 # c",
      "1\n[a]", "\"\\u0000\"", "{}", "[ 1,\n]", "1, 2", "''''''", "-nan",
    ]
    literal = Array(choices.pick(literals).utf8)
  }
  text.replaceSubrange(Int(node.start)..<Int(node.end), with: literal)
}
