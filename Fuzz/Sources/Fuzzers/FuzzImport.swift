@testable import AppSettings
@testable import AppSettingsImport

/// Imports any bytes. The first byte chooses the form, and the second the existing settings; the rest is the file to
/// import. Either the import fails and changes nothing, or the settings hold what it reports, in text that can be read.
func fuzzImport(_ input: [UInt8]) {
  guard input.count > 2 else { return }
  let formats = SettingsImportFormat.allCases
  let format = formats[Int(input[0]) % formats.count]
  guard var document = try? TOMLDocument(parsing: present[Int(input[1]) % present.count]) else {
    preconditionFailure("what is present has to parse")
  }
  let before = document
  var rules = SettingsImportRules()
  if input[1] & 0x80 != 0 { rules.isReplacing = true }
  let report: SettingsImportReport
  do throws(SettingsError) {
    report = try SettingsImporting.take(Array(input[2...]), of: "fuzz", as: format, by: rules, into: &document)
  } catch {
    precondition(error.code == .unparsable && !error.message.isEmpty, "\(error)")
    precondition(document.bytes == before.bytes)
    return
  }
  guard let fresh = try? TOMLDocument(parsing: document.bytes) else { preconditionFailure("it cannot be read") }
  precondition(fresh.root == document.root)
  let root = document.root
  for skipped in report.skipped { precondition(!skipped.reason.isEmpty) }
  for taken in report.taken {
    guard let value = root[path: taken.key] else { preconditionFailure("'\(taken.key)' was taken and is not there") }
    checkVariable(value, at: taken.key)
  }
  if report.taken.isEmpty, !before.bytes.isEmpty { precondition(document.bytes == before.bytes) }
}

private let present = ["", "a = 1\n[b]\nc = 'x' # c\n", "a.b = 1\nc = { d = 1 }\n\n[[e]]\nf = 1\n"]

/// A variable of a value is read back as that value, of that key.
private func checkVariable(_ value: TOMLValue, at path: TOMLPath) {
  guard !EnvironmentForm.text(of: value).utf8.contains(0) else { return }
  let line = EnvironmentForm.lines(value, at: path, name: EnvironmentForm.name(of: path, app: "org.example.fuzz"))
  var document = TOMLDocument()
  let report = try? SettingsImporting.take(
    Array(line.utf8), of: "fuzz", as: .environment, by: SettingsImportRules(), into: &document)
  // What is too large for one import, or reserved, is not for another one.
  guard let report, report.skipped.isEmpty else { return }
  precondition(document.root[path: path] == value, line)
}
