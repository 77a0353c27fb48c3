import Glibc
import SettingsFleet

extension Workspace {
  /// Makes an edit of one text on another one, as `settings-cli edit` merges what others have changed meanwhile.
  ///
  /// - Parameters:
  ///   - base: What the edit was made on.
  ///   - edited: What it made of that.
  /// - Returns: What the command said. It fails with status 9 or asks nobody where both have changed one key.
  func merge(_ base: [UInt8], _ edited: [UInt8], into scope: DocumentScope) async throws -> SettingsCommand.Answer {
    let current = try text(of: scope) ?? []
    if current == base {
      try put(edited, as: scope)
      return SettingsCommand.Answer(status: 0, output: [], messages: "")
    }
    try put(base, as: scope)
    // An editor that others have been faster than.
    let script = """
      #!/bin/sh
      set -e
      cat \(Self.quoted(scratchFile("others"))) >\(Self.quoted(path(of: scope)))
      cat \(Self.quoted(scratchFile("edited"))) >"$1"
      """
    do {
      try File.put(current, at: scratchFile("others"))
      try File.put(edited, at: scratchFile("edited"))
      try File.put(Array(script.utf8), at: scratchFile("editor"), mode: 0o700)
    } catch {
      throw Failure(.io, error.description)
    }
    let answer = try await run(
      "edit", [], on: scope, adding: ["EDITOR": Self.quoted(scratchFile("editor")), "VISUAL": ""])
    if answer.status != 0 { try put(current, as: scope) }
    return answer
  }

  /// A path as a word of a shell.
  private static func quoted(_ path: String) -> String { "'" + path.replacing("'", with: "'\\''") + "'" }
}
