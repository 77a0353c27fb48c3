import Foundation
import Testing
import TestSupport

/// The table of other tools' commands in `docs/cli.md`: what is to be typed instead works, row after row.
struct PeerTableTests {
  @Test(arguments: ["org.example.test", "./settings.toml"])
  func `every row of the table of other tools does what it says`(_ target: String) throws {
    let home = ScratchHome()
    try home.write("theme = \"dark\"\n")
    try home.write("theme = \"dark\"\n", to: home.path + "/settings.toml")
    try home.write("loaded = true\n", to: home.path + "/file")
    let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../docs/cli.md")
    let rows = try String(contentsOf: document, encoding: .utf8).split(separator: "\n").compactMap { line in
      line.wholeMatch(of: /\| [a-z ]+ \| `.*` \| `(.*settings-cli .*)` \|/).map { String($0.1) }
    }
    #expect(rows.count >= 20)
    var environment = home.environment
    environment["PATH"] = ChildProcess.builtProducts + ":" + environment["PATH", default: "/usr/bin:/bin"]
    for row in rows {
      let line = row.replacingOccurrences(of: "APP", with: target)
      let result = try ChildProcess.shell(line, environment: environment, directory: home.path)
      #expect(result.status == 0, "\(line): \(result)")
      guard row.contains("settings-cli get ") || row.contains("settings-cli list ") else { continue }
      #expect(!result.output.isEmpty, "\(line)")
    }
    let end = try ChildProcess.shell(
      "settings-cli list \(target)", environment: environment, directory: home.path)
    #expect(
      end.output.split(separator: "\n").sorted()
        == ["a.b = true", "g = {}", "list = [\"x\", \"v\", \"w\"]", "loaded = true", "theme = \"dark\""])
  }
}
