@testable import SettingsTOML

/// Any bytes either are refused with a place in them, or read, written and read again to the same values.
func fuzzParse(_ input: [UInt8]) {
  let document: TOMLDocument
  do throws(TOMLSyntaxError) {
    document = try TOMLDocument(parsing: input)
  } catch {
    precondition(error.position.byteOffset <= input.count && error.position.line >= 1 && error.position.column >= 1)
    precondition(!error.message.isEmpty && !error.formatted(file: "fuzz").isEmpty)
    return
  }
  precondition(document.bytes == input)
  let root = document.root
  for path in document.leafPaths() {
    precondition(document.contains(path) && document.position(of: path) != nil)
    guard let value = document[path] else { preconditionFailure("no value at \(path)") }
    precondition(root[path: path] == value)
    let text = try? TOMLPath(parsing: path.description)
    precondition(text == path)
  }
  let written = TOMLValue.table(root).tomlText
  // Values of a document that is almost too deep can be too deep on one line.
  guard let again = try? TOMLValue(parsing: written) else { return }
  precondition(again == .table(root))
  var copy = TOMLDocument()
  guard (try? copy.set(.table(root), at: .root)) != nil else { return }
  precondition(copy.root == root && copy.changedPaths(since: document).isEmpty)
}
