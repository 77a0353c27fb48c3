import SettingsTOML
import Testing

/// One edit of a whole text: what it was, what is done, what it is then.
struct EditCase: Sendable, CustomTestStringConvertible {
  let name: String
  let before: String
  let edit: @Sendable (inout TOMLDocument) throws -> Void
  let after: String

  init(
    _ name: String, _ before: String, _ edit: @escaping @Sendable (inout TOMLDocument) throws -> Void, _ after: String
  ) {
    self.name = name
    self.before = before
    self.edit = edit
    self.after = after
  }

  var testDescription: String { name }

  static func set(_ name: String, _ before: String, _ path: TOMLPath, _ value: TOMLValue, _ after: String) -> EditCase {
    EditCase(name, before, { try $0.set(value, at: path) }, after)
  }

  static func remove(_ name: String, _ before: String, _ path: TOMLPath, _ after: String) -> EditCase {
    EditCase(name, before, { try $0.remove(at: path) }, after)
  }

  static func move(
    _ name: String, _ before: String, _ source: TOMLPath, _ destination: TOMLPath, _ after: String
  ) -> EditCase {
    EditCase(name, before, { try $0.move(from: source, to: destination) }, after)
  }

  func run() throws {
    var document = try TOMLDocument(parsing: before)
    try edit(&document)
    #expect(document.text == after)
    // The index that the edit left is that of the text.
    let fresh = try TOMLDocument(parsing: after)
    #expect(document.root == fresh.root)
    #expect(document.changedPaths(since: fresh).isEmpty)
  }
}
