// toml-test's decoder: TOML on standard input, tagged JSON on standard output; 1 if the input is not TOML.
import Foundation
import SettingsTOML
import TaggedJSON

let input = [UInt8](FileHandle.standardInput.readDataToEndOfFile())
do throws(TOMLSyntaxError) {
  print(Tagged.text(.table(try TOMLDocument(parsing: input).root)))
} catch {
  FileHandle.standardError.write(Data((error.formatted(file: "stdin") + "\n").utf8))
  exit(1)
}
