import Foundation
import Testing

@testable import SettingsTOML

/// What holds for every document and every edit, tried on documents made at random from fixed seeds.
struct PropertyTests {
  /// More of them with `PROPERTY_SEEDS=5000`.
  static let seeds: [UInt64] = Array(
    0..<(ProcessInfo.processInfo.environment["PROPERTY_SEEDS"].flatMap(UInt64.init) ?? 50))

  /// Makes an edit; `nil` if it cannot be made. A fault of the editor is an issue.
  static func attempt(_ what: String, _ text: String, _ edit: () throws -> Bool) -> Bool? {
    do {
      return try edit()
    } catch let error as TOMLEditError {
      if error.code == .internalInconsistency { Issue.record("\(what): \(error)\n---\n\(text)") }
      return nil
    } catch {
      Issue.record("\(what): \(error)\n---\n\(text)")
      return nil
    }
  }

  @Test(arguments: seeds) func `a generated document is read, and its values written and read again`(seed: UInt64)
    throws
  {
    var generator = Generator(seed: seed)
    let text = generator.document()
    let document = try TOMLDocument(parsing: text)
    #expect(document.text == text)
    var copy = TOMLDocument()
    try copy.set(.table(document.root), at: .root)
    #expect(copy.root == document.root)
    for path in document.leafPaths() { #expect(document[path] == document.root[path: path]) }
    #expect(try TOMLValue(parsing: TOMLValue.table(document.root).tomlText) == .table(document.root))
  }

  @Test(arguments: seeds) func `a set value is got, and setting the old text restores the document`(seed: UInt64) throws
  {
    var generator = Generator(seed: seed &+ 1_000)
    let before = try TOMLDocument(parsing: generator.document())
    for _ in 0..<6 {
      let path = generator.path(in: before)
      let value = generator.value()
      var document = before
      guard
        let changed = PropertyTests.attempt(
          "set \(path) = \(value.tomlText)", before.text,
          {
            try document.set(value, at: path)
          })
      else { continue }
      #expect(document[path] == value)
      #expect(changed == (before[path] != value))
      if !changed { #expect(document.bytes == before.bytes) }
      guard let id = before.find(path), before.isBody(id),
        before.tree[id].kind.rawValue >= IndexNode.Kind.string.rawValue
      else { continue }
      let range = Int(before.tree[id].start)..<Int(before.tree[id].end)
      #expect(document.bytes.starts(with: before.bytes[..<range.lowerBound]))
      #expect(document.bytes.reversed().starts(with: before.bytes[range.upperBound...].reversed()))
      try document.set(literal: String(decoding: before.bytes[range], as: UTF8.self), at: path)
      #expect(document.bytes == before.bytes, "\(path) = \(value.tomlText)")
    }
  }

  @Test(arguments: seeds) func `removing an inserted key restores the document`(seed: UInt64) throws {
    var generator = Generator(seed: seed &+ 2_000)
    let before = try TOMLDocument(parsing: generator.document())
    for _ in 0..<6 {
      let path = generator.path(in: before).parent.appending("inserted")
      guard before.isTable(at: path.parent) else { continue }
      // An inline table's blanks are its own, and an implicit table stays when it has got a header.
      guard
        before.childKeys(of: path.parent)?.isEmpty == false
          || before.find(path.parent).map({ before.tree[$0].kind }) != .inline
      else { continue }
      if let id = before.find(path.parent), before.tree[id].kind == .implicit { continue }
      var document = before
      guard PropertyTests.attempt("insert \(path)", before.text, { try document.set(1, at: path) }) != nil else {
        continue
      }
      let text = document.text
      try document.remove(at: path)
      #expect(document.text == before.text, "\(path) inserted as\n\(text)")
    }
  }

  @Test(arguments: seeds) func `removing leaves the other lines as they are`(seed: UInt64) throws {
    var generator = Generator(seed: seed &+ 3_000)
    let before = try TOMLDocument(parsing: generator.document())
    for _ in 0..<6 {
      let path = generator.path(in: before)
      var document = before
      guard PropertyTests.attempt("remove \(path)", before.text, { try document.remove(at: path) }) == true else {
        continue
      }
      #expect(!document.contains(path))
      guard let id = before.find(path), before.inlineTable(around: id) == nil else { continue }
      // What is left is a subsequence of the lines that were there.
      let mark = before.lines.textStart
      guard document.bytes.count > mark else { continue }
      var rest = before.bytes[mark...].split(separator: Byte.newline, omittingEmptySubsequences: false)[...]
      var lines = document.bytes[mark...].split(separator: Byte.newline, omittingEmptySubsequences: false)
      // Behind the newline at the end: the last line, which had none, may be gone.
      if lines.last?.isEmpty == true { lines.removeLast() }
      for line in lines {
        let line = line.last == Byte.carriageReturn ? line.dropLast() : line
        rest = rest.drop { ($0.last == Byte.carriageReturn ? $0.dropLast() : $0) != line }
        guard rest.popFirst() != nil else {
          Issue.record("removing \(path) changed the line \(String(decoding: line, as: UTF8.self)) of\n\(before.text)")
          break
        }
      }
    }
  }

  @Test(arguments: seeds) func `a moved value is the same, and moving it back too`(seed: UInt64) throws {
    var generator = Generator(seed: seed &+ 4_000)
    let before = try TOMLDocument(parsing: generator.document())
    for _ in 0..<6 {
      let source = generator.path(in: before)
      let destination = generator.path(in: before).parent.appending("moved")
      var document = before
      guard
        PropertyTests.attempt(
          "move \(source) to \(destination)", before.text,
          {
            try document.move(from: source, to: destination)
          }) == true
      else { continue }
      #expect(document[destination] == before[source])
      let comments = { (document: TOMLDocument) in document.bytes.count { $0 == Byte.hash } }
      // Arrays of tables that come to be inline are written anew, without the comments within their values.
      let hasElements = before.find(source).map {
        before.headers(under: $0).contains { before.tree[$0].kind == .element }
      }
      if hasElements == false {
        #expect(
          comments(document) >= comments(before), "\(source) to \(destination)\n\(before.text)\n---\n\(document.text)")
      }
      guard
        PropertyTests.attempt(
          "move \(destination) back to \(source)", document.text,
          {
            try document.move(from: destination, to: source)
          }) == true
      else { continue }
      #expect(document[source] == before[source])
    }
  }

  @Test(arguments: seeds) func `the index mended in place is that of the text`(seed: UInt64) throws {
    var generator = Generator(seed: seed &+ 5_000)
    var document = try TOMLDocument(parsing: generator.document())
    for _ in 0..<12 {
      let path = generator.path(in: document)
      let value = generator.value()
      let before = document.text
      let (what, edit): (String, (inout TOMLDocument) throws -> Bool) =
        switch Int.random(in: 0..<10, using: &generator.random) {
        case 0..<3: ("removing", { try $0.remove(at: path) })
        case 3 where !path.isRoot:
          ("renaming", { try $0.move(from: path, to: path.parent.appending("n-\(before.count)")) })
        case 4:
          (
            "adding at the top",
            { document in
              try document.setAtTop("v", value)
              return true
            }
          )
        default: ("setting", { try $0.set(value, at: path) })
        }
      let done = TOMLDocument.$checksEdits.withValue(false) {
        PropertyTests.attempt("\(what) \(path)", before) { try edit(&document) }
      }
      guard done == true else { continue }
      let fresh = try TOMLDocument(parsing: document.bytes)
      #expect(document.root == fresh.root, "\(what) \(path) in\n\(before)")
      #expect(PropertyTests.shape(document) == PropertyTests.shape(fresh), "\(what) \(path) in\n\(before)")
    }
  }

  @Test(arguments: seeds) func `edits made together are those made one by one`(seed: UInt64) throws {
    var generator = Generator(seed: seed &+ 6_000)
    let before = try TOMLDocument(parsing: generator.document())
    var single = before
    var together = before
    try together.edit { together in
      for _ in 0..<8 {
        let path = generator.path(in: single)
        let value: TOMLValue? = generator.chance(30) ? nil : generator.value()
        let one = try? value.map { try single.set($0, at: path) } ?? single.remove(at: path)
        let other = try? value.map { try together.set($0, at: path) } ?? together.remove(at: path)
        #expect(one == other)
        #expect(single.bytes == together.bytes)
      }
    }
    #expect(single.bytes == together.bytes)
  }

  /// All that an index says, in the order of the tree.
  static func shape(_ document: TOMLDocument) -> [String] {
    func lines(_ id: DocumentIndex.ID, _ level: Int) -> [String] {
      let node = document.tree[id]
      let line = "\(level) \(node.kind) \(node.keyStart)-\(node.keyEnd) \(node.start)-\(node.end) \(node.isPlain)"
      return [line] + document.tree.children(of: id).flatMap { lines($0, level + 1) }
    }
    return lines(DocumentIndex.root, 0)
  }
}
