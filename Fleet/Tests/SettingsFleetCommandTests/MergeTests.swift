import Foundation
import SettingsFleet
import Testing

@testable import settings_fleet

struct MergeTests {
  /// Merges an edit into a document's present text, and gives what that makes of it.
  private func merged(_ base: String, _ edited: String, into present: String) throws -> String? {
    let workspace = try Workspace(
      app: "org.example.editor", command: SettingsCommand(environment: ["SETTINGS_CLI": "/bin/false"]),
      environment: ["XDG_DATA_DIRS": "/none"])
    try workspace.put(Array(present.utf8), as: .all)
    let failure = #expect(throws: Failure.self) {
      _ = try workspace.merge(Array(base.utf8), Array(edited.utf8), into: .all)
      throw Failure(status: 0)
    }
    let text = try workspace.text(of: .all).map { String(decoding: $0, as: UTF8.self) }
    guard let failure, failure.status != 0 else { return text }
    #expect(text == present)
    throw failure
  }

  @Test func `an edit is made on what others have stored meanwhile`() throws {
    #expect(try merged("a = 1\nb = 1\n", "a = 1\nb = 2 # why\n", into: "a = 3\nb = 1\n") == "a = 3\nb = 2 # why\n")
    #expect(try merged("a = 1\n", "a = 2\n", into: "a = 1\n") == "a = 2\n")
    #expect(try merged("", "a = 1\n", into: "b = 1\n") == "a = 1\nb = 1\n")
    #expect(try merged("a = 1\nb = 1\n", "b = 1\n", into: "a = 1\nb = 2\n") == "b = 2\n")
  }

  @Test func `a merged text is stored with a key that the schema lacks, and a warning`() throws {
    let share = FileManager.default.temporaryDirectory.path + "/settings-fleet-tests-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: share) }
    try FileManager.default.createDirectory(atPath: share + "/app-settings", withIntermediateDirectories: true)
    let schema = "app = \"org.example.editor\"\n[keys.a]\ntype = \"integer\"\n"
    try Data(schema.utf8).write(to: URL(fileURLWithPath: share + "/app-settings/org.example.editor.toml"))
    let workspace = try Workspace(
      app: "org.example.editor", command: SettingsCommand(environment: ["SETTINGS_CLI": "/bin/false"]),
      environment: ["XDG_DATA_DIRS": share, "XDG_DATA_HOME": "/none"])
    try workspace.put(Array("a = 2\n".utf8), as: .all)
    let answer = try workspace.merge(Array("a = 1\n".utf8), Array("a = 1\nb = 1\n".utf8), into: .all)
    #expect(try workspace.text(of: .all) == Array("a = 2\nb = 1\n".utf8))
    #expect(answer.status == 0 && answer.messages.hasPrefix("settings-fleet: warning: Unknown key 'b'."), "\(answer)")
  }

  @Test func `what both have changed, and what does not parse, is refused`() {
    let conflict = #expect(throws: Failure.self) { try merged("a = 1\n", "a = 2\n", into: "a = 3\n") }
    #expect(
      conflict?.status == 9 && conflict?.message?.hasSuffix("\n  a: yours is 2, theirs is 3") == true
        && conflict?.message?.contains("'fleet:org.example.editor/all'") == true, "\(conflict as Any)")
    let broken = #expect(throws: Failure.self) { try merged("a = 1\n", "a =\n", into: "a = 3\n") }
    #expect(broken?.status == 6 && broken?.message?.contains("text:1:") == true, "\(broken as Any)")
  }
}
