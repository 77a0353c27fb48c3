import Foundation
import Testing
import TestSupport

/// The scripts that check documents find nothing.
struct ScriptTests {
  @Test(arguments: [
    ["blocks"],  // a page compiles as a reader pastes it, from its top to its end
    ["command-pages", "--check"],  // the command's reference is that of its help
    ["tics"],  // phrases that do not read as plain English
  ])
  func `a check of the documents finds nothing`(_ words: [String]) throws {
    var environment = ProcessInfo.processInfo.environment
    let program = ChildProcess.product("documentation-quick-start")
    environment["SETTINGS_BIN"] = (program as NSString).deletingLastPathComponent
    let result = try ChildProcess.run(
      Repository.root + "/Scripts/" + words[0], Array(words.dropFirst()), environment: environment)
    #expect(result.status == 0, "\(result.output)\(result.error)")
  }

  @Test func `the command's reference keeps lines that the help shows as they are`() throws {
    #expect(try Document("docs/cli-administration.md").lines.contains(#"{"unset": "theme"}"#))
    #expect(try Document("docs/cli-file.md").lines.contains { $0.contains("`EDITOR__FONT_SIZE='14'`") })
  }

  @Test(arguments: Repository.files(in: "docs", ending: ".md"))
  func `no guide has more than 500 lines`(_ path: String) throws {
    // The last line ends with a line break.
    #expect(try Repository.lines(of: path).count <= 501)
  }

  @Test func `the README has at most 9,000 bytes`() throws {
    #expect(try Repository.lines(of: "README.md").joined(separator: "\n").utf8.count <= 9_000)
  }

  @Test func `the guides have at most 55,000 words`() throws {
    // Without the design, which is for contributors, and the command's reference, which is made from its help.
    let guides = Repository.files(in: "docs", ending: ".md").filter {
      $0 != "docs/design.md" && !$0.hasPrefix("docs/cli")
    }
    let lines = try guides.flatMap(Repository.lines)
    #expect(lines.reduce(0) { $0 + $1.split(separator: " ").count } <= 55_000)
  }
}
