import AppSettings
import AppSettingsImport
import Foundation
import Testing
import TestSupport

/// What an import takes of files of git and KDE is what git's and KDE's own programs read of them.
struct PeerFormTests {
  let home = ScratchHome()

  private func program(_ name: String) -> String? {
    let path = "/usr/bin/" + name
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }

  private func take(_ text: String, as format: SettingsImportFormat) throws -> TOMLTable {
    var document = TOMLDocument()
    _ = try SettingsImporting.take(
      Array(text.utf8), of: "old", as: format, by: SettingsImportRules(), into: &document)
    return document.root
  }

  /// The values of a table as texts, each with its path.
  private func texts(of table: TOMLTable, at path: [String] = []) -> [[String]: [String]] {
    var result: [[String]: [String]] = [:]
    for (key, value) in table {
      switch value {
      case .table(let inner): result.merge(texts(of: inner, at: path + [key])) { first, _ in first }
      case .array(let items): result[path + [key]] = items.map { $0.scalarText ?? "" }
      default: result[path + [key]] = [value.scalarText ?? ""]
      }
    }
    return result
  }

  private static let gitTexts = [
    "[a]\nb = 1\nB = 2\n[A]\n\tc=x y\n", "[a \"S\\\"q\\\\x\"]\nk = v ; c\n[a]\nk = \" q \" # c\n",
    "[a]\nk = \"x;y\" z\n e = a\\tb\\nc\\\\ \\\"d\\\"\n", "[a]\nk = one \\\n  two\n l = \\\n\\\nx\n",
    "[a.b.C \"d\"]\nk = 1\n[a.b]\nk = 2\n", "\u{feff}[a]\r\nk = v\r\n[b]l=2\n",
    "[a]\nk =\nl=  \nm = \"\"\n n = \"a\"\"b\" \n",
    "[a]k=v[b]l=w\n", "[a]\nk = x\\", "[a \"x y.z\"] k-1 = #\n", "[a]\nk = x\\\r\ny\r\n", "k = 1\n[a]\nl = 2\n",
  ]

  @Test(arguments: gitTexts) func `git reads the same`(text: String) throws {
    guard let git = program("git") else { return print("git is not installed; its reading is not compared") }
    let file = home.path + "/config"
    try home.write(text, to: file)
    let result = try ChildProcess.run(git, ["config", "--file", file, "--list", "-z"], environment: home.environment)
    try #require(result.status == 0, "\(result)")
    var expected: [[String]: [String]] = [:]
    for entry in result.output.split(separator: "\0") {
      let parts = entry.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      let middle = name.dropFirst().dropLast().joined(separator: ".")
      let path = (name.prefix(1) + [middle] + name.dropFirst().suffix(1)).filter { !$0.isEmpty }
      expected[path, default: []].append(parts.count > 1 ? String(parts[1]) : "true")
    }
    #expect(texts(of: try take(text, as: .gitConfig)) == expected)
  }

  @Test(arguments: [
    "[a]\nk = \\x\n", "[a]\nk = \"x\n", "[a\nk = 1\n", "[a x]\n", "[a]\nk c\n", "[a]\n-k = 1\n", "[a \"b]\n",
  ]) func `git refuses the same`(text: String) throws {
    guard let git = program("git") else { return print("git is not installed; its reading is not compared") }
    let file = home.path + "/config"
    try home.write(text, to: file)
    let result = try ChildProcess.run(git, ["config", "--file", file, "--list"], environment: home.environment)
    #expect(result.status != 0)
    #expect(throws: SettingsError.self) { try take(text, as: .gitConfig) }
  }

  private static let kdeText = """
    top=1
    [A]
      key =  a b\\s
    tab=x\\ty\\nz\\\\
    list=one,two\\,three
    name=Files
    name[de]=Dateien
    twice=1
    twice=2
    lock[$i]=1
    lock=2
    gone=1
    gone[$d]
    home[$e]=$HOME/x and ${HOME} $$
    [A][B]
    a\\s1=x
    on=true
    [A][B][$i]
    other=2
    ; no = comment

    """

  @Test func `KDE reads the same`() throws {
    guard let kde = program("kreadconfig5") else { return print("kreadconfig5 is not installed; it is not compared") }
    let file = home.path + "/testrc"
    try home.write(Self.kdeText, to: file)
    var environment = home.environment
    environment["LC_ALL"] = "C"
    environment["HOME"] = ProcessInfo.processInfo.environment["HOME"]
    for (path, values) in texts(of: try take(Self.kdeText, as: .kconfig)) {
      let groups = path.count == 1 ? ["--group", "<default>"] : path.dropLast().flatMap { ["--group", $0] }
      let result = try ChildProcess.run(
        kde, ["--file", file] + groups + ["--key", path.last!], environment: environment)
      #expect(result.output == values[0] + "\n", "\(path)")
    }
    for key in ["gone", "none"] {
      let result = try ChildProcess.run(
        kde, ["--file", file, "--group", "A", "--key", key], environment: environment)
      #expect(result.output == "\n", "\(key)")
    }
  }
}
