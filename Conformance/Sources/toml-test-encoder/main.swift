// toml-test's encoder: tagged JSON on standard input, TOML on standard output; 1 if the input has no TOML form.
import Foundation
import SettingsTOML
import TaggedJSON

let input = [UInt8](FileHandle.standardInput.readDataToEndOfFile())
do {
  guard case .table(let table) = Tagged.value(try JSON(parsing: input)) else { throw JSONError() }
  var document = TOMLDocument()
  try document.set(.table(table), at: .root)
  FileHandle.standardOutput.write(Data(document.bytes))
} catch {
  FileHandle.standardError.write(Data("toml-test-encoder: \(error)\n".utf8))
  exit(1)
}
