import Foundation
import Testing
import TestSupport

/// What the command says about mistakes that people make: the whole message and the status, mistake by mistake.
///
/// `Fixtures/mistakes.txt` has the commands, each with what it prints (lines of standard error begin with `! `) and its
/// status. Add a line `$ COMMAND` for a new mistake. With `RECORD_SNAPSHOTS=1` in the environment the answers are
/// written again; read the difference, and judge each message: what failed, where, why, and what to do.
///
/// Each command runs in a home of its own, where `$FILE` is the user's file, `$SYSTEM` an administrator's, `$SCHEMA` the
/// schema, and `nobody COMMAND` runs a command without root's rights.
struct MistakeTests {
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures/mistakes.txt")

  private struct Mistake {
    var command: String
    /// What it says, as in the file.
    var answer: String
    var errors: [Substring] { answer.split(separator: "\n").filter { $0.hasPrefix("! ") }.map { $0.dropFirst(2) } }
    var status: Int { Int(answer.split(separator: "\n").last?.dropFirst(5) ?? "") ?? -1 }
  }

  /// The headings, and the mistakes below each.
  private static func sections() throws -> [(heading: String, mistakes: [Mistake])] {
    var sections: [(heading: String, mistakes: [Mistake])] = []
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("# ") {
        sections.append((String(line), []))
      } else if line.hasPrefix("$ ") {
        sections[sections.count - 1].mistakes.append(Mistake(command: String(line.dropFirst(2)), answer: ""))
      } else {
        let last = sections[sections.count - 1].mistakes.count - 1
        sections[sections.count - 1].mistakes[last].answer += line + "\n"
      }
    }
    return sections
  }

  @Test func `each mistake has the answer that was judged`() throws {
    let isRecording = ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1"
    var text = ""
    for (heading, mistakes) in try Self.sections() {
      text += "\(text.isEmpty ? "" : "\n")\(heading)\n"
      for mistake in mistakes {
        // Where nobody's rights can be taken, the rest still has to be as it was.
        let answer = try Self.answer(to: mistake.command) ?? mistake.answer
        text += "\n$ \(mistake.command)\n\(answer)"
        if !isRecording { #expect(answer == mistake.answer, "\(heading): \(mistake.command)") }
      }
    }
    if isRecording { try Data(text.utf8).write(to: Self.file) }
  }

  @Test func `each answer is short, in whole sentences, and without the library's words`() throws {
    let all = try Self.sections().flatMap(\.mistakes)
    #expect(all.count > 100)
    for mistake in all where mistake.status > 1 {
      let first = mistake.errors.first { $0.hasPrefix("settings-cli: ") } ?? mistake.answer.split(separator: "\n")[0]
      let isSentence = first.hasSuffix(".") || first.hasSuffix("?") || first.contains("Usage: ")
      #expect(isSentence, "\(mistake.command): \(first)")
      #expect(first.count < 420 && !first.contains("Please"), "\(mistake.command): \(first)")
      for word in ["<", "OVERVIEW", "argument", "flag", "Optional(", "nil", "SettingsError"] {
        #expect(!mistake.answer.contains(word), "\(mistake.command): \(word)")
      }
      for word in ["Cannot", "Nothing was written", "Did you mean", "Usage:"] {
        #expect(first.components(separatedBy: word).count < 3, "\(mistake.command) says '\(word)' twice: \(first)")
      }
      let words = first.split(separator: " ")
      #expect(!zip(words, words.dropFirst()).contains { $0 == $1 }, "\(mistake.command): \(first)")
    }
  }

  // MARK: Running

  private static let schema = """
    app = "org.example.test"

    [keys.theme]
    type = "string"
    choices = ["light", "dark"]
    default = "light"
    description = "Colours of the windows."

    [keys."editor.font-size"]
    type = "integer"
    minimum = 6
    maximum = 72
    default = 12

    [keys."editor.wrap"]
    type = "boolean"
    default = true

    [keys.recent]
    type = "array"
    elements = { type = "string" }

    [keys."sync.token"]
    type = "string"
    secret = true

    [keys.hosts]
    type = "records"
    fields = { port = { type = "integer", minimum = 1 }, region = { type = "string" } }

    [keys.window]
    type = "table"
    fields = { width = { type = "integer", required = true }, title = { type = "string" } }

    [keys.profiles]
    type = "table"
    elements = { type = "table", fields = { region = { type = "string" } } }

    [keys.plugins]
    type = "array"
    elements = { type = "table", fields = { name = { type = "string" } } }

    [[migrations]]
    version = 2
    name = "name the colour"
    steps = [{ rename = "tint", to = "theme" }]

    """

  private static let user = "settings-version = 2\ntheme = \"dark\"\n\n[editor]\nfont-size = 14\n"

  /// - Returns: `nil` if a command cannot run without root's rights here.
  private static func answer(to command: String) throws -> String? {
    let home = ScratchHome()
    let app = "org.example.test"
    var environment = home.environment
    environment["PATH"] = ChildProcess.commandDirectory + ":" + environment["PATH", default: "/usr/bin:/bin"]
    let (system, schemaFile) = (
      "\(home.path)/etc/xdg/\(app)/settings.toml", "\(home.path)/data/app-settings/\(app).toml"
    )
    environment.merge(["FILE": home.file, "SYSTEM": system, "SCHEMA": schemaFile]) { $1 }
    try home.write(schema, to: schemaFile)
    try home.write(user)
    try home.write("", to: system)
    try home.write("editor.font-size = 14\n", to: home.path + "/some.toml")
    try home.write("[view]\nsize = 20\n", to: home.path + "/old.ini")
    chmod(home.file, 0o600)
    chmod(system, 0o644)
    let drop = "setpriv --reuid=65534 --regid=65534 --clear-groups"
    if command.contains("nobody "), geteuid() == 0 {
      let probe = try ChildProcess.shell(
        "chown -R 65534:65534 . && \(drop) settings-cli --version", environment: environment, directory: home.path)
      guard probe.status == 0 else { return nil }
    }
    let nobody = geteuid() == 0 ? "nobody() { \(drop) \"$@\"; }" : "nobody() { \"$@\"; }"
    let result = try ChildProcess.run(
      "/bin/sh", ["-c", "umask 022; \(nobody)\n\(command)"], environment: environment, input: "", directory: home.path)
    let errors = result.error.split(separator: "\n").map { "! \($0)\n" }.joined()
    let output = result.output.split(separator: "\n").map { $0 + "\n" }.joined()
    return (output + errors + "exit \(result.status)\n").replacingOccurrences(of: home.path, with: "~")
      .replacing(/@(os|arch|host)=[^\/]+\//) { "@\($0.1)=HERE/" }
      .replacing(/settings-edit-[A-Za-z0-9]{6}/, with: "settings-edit-XXXXXX")
      .replacing(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, with: "TIME")
  }
}
