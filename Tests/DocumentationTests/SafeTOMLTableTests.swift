import Foundation
import Testing
import TestSupport

/// The table of `docs/safe-toml.md` says what happens: every tool is run for every cell.
struct SafeTOMLTableTests {
  /// A tool, with commands of `sh` that change the file `$1`.
  struct Tool: Sendable {
    /// Its name in the table.
    let name: String
    /// Sets the font's size to 14.
    let change: String
    /// The same, but waits between reading and writing until something writes to the pipe `$2`; `nil` if it reads the
    /// file under a lock.
    var changeWaiting: String?
    /// Sets the theme to a word without quotes, as what the tool takes for a value.
    let spoil: String
    /// A file that has to be there.
    var need: String?
  }

  private static let before = "theme = \"light\"   # at night\n\n[editor]\nfont-size = 12  # points\nother = 1\n"
  private static let after = before.replacingOccurrences(of: "12", with: "14")

  private static func python(_ interpreter: String, _ body: String) -> String {
    "\(interpreter) -c '\nimport sys\np = sys.argv[1]\nt = open(p).read()\n\(body)\n' \"$@\""
  }

  private static let wait = "open(sys.argv[2]).read()\n"

  static let tools: [Tool] = [
    Tool(
      name: "`sed -i`", change: "sed -i 's/^font-size = [0-9]*/font-size = 14/' \"$1\"",
      changeWaiting:
        "export pipe=\"$2\"; sed -i -e '1e cat \"$pipe\"' -e 's/^font-size = [0-9]*/font-size = 14/' \"$1\"",
      spoil: "sed -i 's/\"light\"/dark/' \"$1\""),
    Tool(
      name: "shell, `printf … > file`",
      change: "text=$(sed 's/^font-size = [0-9]*/font-size = 14/' \"$1\"); printf '%s\\n' \"$text\" > \"$1\"",
      changeWaiting:
        "text=$(sed 's/^font-size = [0-9]*/font-size = 14/' \"$1\"); cat \"$2\"; printf '%s\\n' \"$text\" > \"$1\"",
      spoil: "text=$(sed 's/\"light\"/dark/' \"$1\"); printf '%s\\n' \"$text\" > \"$1\""),
    Tool(
      name: "`git config -f`", change: "git config -f \"$1\" editor.font-size 14",
      spoil: "git config -f \"$1\" ui.theme dark"),
    Tool(
      name: "Python, `open(file, \"w\")`",
      change: python("python3", "t = t.replace(\"= 12\", \"= 14\")\nopen(p, \"w\").write(t)"),
      changeWaiting: python("python3", "t = t.replace(\"= 12\", \"= 14\")\n\(wait)open(p, \"w\").write(t)"),
      spoil: python("python3", "t = t.replace(\"\\\"light\\\"\", \"dark\")\nopen(p, \"w\").write(t)")),
    Tool(
      name: "Python, `tomlkit` and `open(file, \"w\")`",
      change: python(
        "/usr/bin/python3",
        "import tomlkit\nd = tomlkit.parse(t)\nd[\"editor\"][\"font-size\"] = 14\nopen(p, \"w\").write(tomlkit.dumps(d))"
      ),
      changeWaiting: python(
        "/usr/bin/python3",
        "import tomlkit\nd = tomlkit.parse(t)\nd[\"editor\"][\"font-size\"] = 14\n\(wait)open(p, \"w\").write(tomlkit.dumps(d))"
      ),
      spoil: python(
        "/usr/bin/python3",
        "import tomlkit\nd = tomlkit.parse(t)\nd[\"theme\"] = \"dark\"\nopen(p, \"w\").write(tomlkit.dumps(d))"),
      need: "/usr/lib/python3/dist-packages/tomlkit"),
    Tool(
      name: "`settings-cli set`", change: "settings-cli set \"$1\" editor.font-size 14",
      spoil: "settings-cli set \"$1\" theme dark"),
  ]

  private let home = ScratchHome()
  private var file: String { home.path + "/app.toml" }
  private var environment: [String: String] {
    var environment = home.environment
    environment["PATH"] = ChildProcess.commandDirectory + ":" + environment["PATH", default: "/usr/bin:/bin"]
    return environment
  }

  @discardableResult
  private func sh(_ script: String, _ arguments: [String] = []) throws -> ChildProcess.Result {
    try ChildProcess.run(
      "/bin/sh", ["-c", script, "sh"] + (arguments.isEmpty ? [file] : arguments), environment: environment,
      directory: home.path)
  }

  private func begin() throws {
    for name in home.names(in: home.path) { try FileManager.default.removeItem(atPath: home.path + "/" + name) }
    try home.write(Self.before, to: file)
  }

  /// The rows of the table: the cells after the tool's name.
  private func row(of tool: Tool) throws -> [String] {
    let lines = try Document("docs/safe-toml.md").lines
    let line = try #require(lines.first { $0.hasPrefix("| \(tool.name) |") }, "\(tool.name)")
    return line.components(separatedBy: " | ").dropFirst().map { $0.replacing(" |", with: "") }
  }

  @Test(arguments: tools.filter { $0.need.map(FileManager.default.fileExists) ?? true })
  func `a tool does to a file what the table says`(_ tool: Tool) throws {
    let row = try row(of: tool)
    func expect(_ column: Int, _ found: Bool?, _ what: Comment) {
      // `nil`: it cannot be found out here.
      if let found { #expect(row[column] == (found ? "yes" : "no"), what) }
    }

    try begin()
    try sh(tool.change)
    expect(0, home.text(of: file) == Self.after, "keeps the rest: \(home.text(of: file) ?? "")")

    try begin()
    let link = home.path + "/link.toml"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "app.toml")
    try sh(tool.change, [link])
    let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == "app.toml"
    expect(1, isLink && home.text(of: file)?.contains("14") == true, "keeps a link")

    // A limit on the size of files is a disk that is full at once.
    try begin()
    try sh("ulimit -f 0; \(tool.change)")
    expect(2, home.text(of: file) == Self.before, "survives a full disk: \(home.text(of: file) ?? "")")

    try begin()
    expect(3, try syncs(tool), "syncs")
    try begin()
    expect(4, try losesNoEdit(tool), "loses no edit")

    try begin()
    try sh(tool.spoil)
    let isTOML =
      try ChildProcess.run(
        ChildProcess.product("settings-cli"), ["list", file], environment: environment
      ).status == 0
    expect(5, isTOML, "checks: \(home.text(of: file) ?? "")")
  }

  private func syncs(_ tool: Tool) throws -> Bool? {
    let trace = home.path + "/trace"
    let result = try sh("command -v strace && exec strace -f -e trace=fsync,fdatasync -o \(trace) true")
    guard result.status == 0 else { return nil }
    let script = home.path + "/change.sh"
    try home.write(tool.change + "\n", to: script)
    try sh("strace -f -e trace=fsync,fdatasync -o \(trace) sh \(script) \"$1\"")
    return home.text(of: trace)?.contains("sync(") == true
  }

  private func losesNoEdit(_ tool: Tool) throws -> Bool {
    guard let change = tool.changeWaiting else {
      // It has a lock: each of several that says it is done has done it.
      let command = tool.change.replacingOccurrences(of: "editor.font-size 14", with: "many.k$i 1")
      let result = try sh(
        "for i in 1 2 3 4 5 6 7 8; do (\(command) && echo \"k$i\") & done; wait")
      let text = home.text(of: file) ?? ""
      return result.output.split(separator: "\n").allSatisfy { text.contains("\($0) = 1") }
    }
    let pipe = home.path + "/pipe"
    guard mkfifo(pipe, 0o600) == 0 else { return true }
    // The pipe opens when the tool has read the file.
    try sh(
      "(\(change)) & exec 3> \"$2\"; sed 's/other = 1/other = 2/' \"$1\" > new; cat new > \"$1\"; exec 3>&-; wait",
      [file, pipe])
    return home.text(of: file)?.contains("other = 2") == true
  }

  @Test func `a line that is appended is in the last table`() throws {
    try begin()
    try sh("echo 'key = 1' >> \"$1\"")
    #expect(try sh("settings-cli get \"$1\" editor.key").output == "1\n")
  }
}
