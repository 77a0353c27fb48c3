import Foundation
import Testing
import TestSupport

/// `docs/cli.md` is the reference: whatever the command takes is in it.
struct ReferenceTests {
  @Test func `the reference tells of every verb and of every option in its verb's section`() throws {
    let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../docs/cli.md")
    let text = try String(contentsOf: document, encoding: .utf8)
    var sections: [String: String] = [:]
    for section in text.components(separatedBy: "\n## `").dropFirst() {
      sections[String(section.prefix { $0 != " " && $0 != "`" })] = section
    }
    let dump = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["--experimental-dump-help"], environment: ScratchHome().environment)
    let command = try #require((try json(dump.output) as? [String: Any])?["command"] as? [String: Any])
    let verbs = try #require(command["subcommands"] as? [[String: Any]]).filter { $0["shouldDisplay"] as? Bool == true }
    var options = 0
    for verb in verbs {
      let name = try #require(verb["commandName"] as? String)
      if name == "help" { continue }
      let section = try #require(sections[name], "'\(name)' has no section")
      sections[name] = nil
      for argument in verb["arguments"] as? [[String: Any]] ?? [] {
        for option in argument["names"] as? [[String: String]] ?? [] {
          let (kind, option) = (option["kind"], option["name"] ?? "")
          // What every verb has is told once.
          if ["help", "h", "version", "color", "system", "drop-in"].contains(option) { continue }
          options += 1
          let word = (kind == "short" ? "-" : "--") + option
          #expect(section.contains("`\(word)") || section.contains(" \(word)"), "'\(name) \(word)' is not told of")
        }
      }
    }
    #expect(options > 30)
    #expect(sections.isEmpty, "There is no verb \(sections.keys)")
  }
}
