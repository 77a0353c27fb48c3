import Foundation
import Testing
import TestSupport

/// The table of other tools' commands in `docs/other-tools.md`: what is to be typed instead works, row after row.
///
/// The rows stand in the document as one types them. Only this test knows that an editor is to end at once, and that a
/// watch is to end at all.
struct PeerTableTests {
  private struct Row {
    let other: String
    let ours: String
  }

  private static let rows: [Row] = {
    let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../docs/other-tools.md")
    let text = (try? String(contentsOf: document, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      line.wholeMatch(of: /\| [a-z ]+ \| `(.*)` \| `(settings-cli .*)` \|/).map {
        Row(other: "\($0.1)", ours: "\($0.2)")
      }
    }
  }()

  @Test(arguments: ["org.example.test", "./settings.toml"])
  func `every row of the table of other tools does what it says`(_ target: String) throws {
    let home = ScratchHome()
    try home.write("theme = \"light\"\n")
    try home.write("theme = \"light\"\n", to: home.path + "/settings.toml")
    try home.write("[/]\nloaded=true\n", to: home.path + "/app.dconf")
    let list = "<plist version=\"1.0\"><dict><key>imported</key><integer>1</integer></dict></plist>"
    try home.write(list, to: home.path + "/app.plist")
    var environment = home.environment
    environment["PATH"] = ChildProcess.commandDirectory + ":" + environment["PATH", default: "/usr/bin:/bin"]
    environment["EDITOR"] = "true"
    #expect(Self.rows.count >= 30)
    let isApp = !target.contains("/")
    // A path has no other layers, and 'find' searches apps only.
    func isOfApps(_ row: Row) -> Bool {
      ["--system", "--layer ", " find "].contains { row.ours.contains($0) }
    }
    for row in Self.rows where isApp || !isOfApps(row) {
      var line = row.ours.replacingOccurrences(of: "APP", with: target)
      // The rows after it need the values.
      if line.contains(" --all") { line += " --dry-run" }
      if line.contains(" watch ") { line += " --timeout 0.2" }
      let result = try ChildProcess.shell(line, environment: environment, directory: home.path)
      #expect(result.status == 0, "\(line): \(result)")
      guard row.ours.contains(/settings-cli (get|list|describe|apps|watch APP [a-z])/) else { continue }
      #expect(!result.output.isEmpty, "\(line)")
    }
    let end = try ChildProcess.shell(
      "settings-cli list \(target)", environment: environment, directory: home.path)
    // By path, the table whose last key is removed stays.
    let emptied: [Substring] = isApp ? [] : ["g = {}"]
    #expect(
      end.output.split(separator: "\n").filter { $0 != "core.editor = \"vi\"" }.sorted()
        == ["c.b = [\"v\"]"] + emptied + ["imported = 1", "loaded = true", "names = [\"x\", \"v\"]"])
  }

  @Test func `a row of the table names the same key twice`() {
    for row in Self.rows {
      guard let match = row.ours.firstMatch(of: /settings-cli (?:get|set|unset|describe|watch) APP ([a-z.]+)/) else {
        continue
      }
      let parts = match.1.split(separator: ".")
      #expect(parts.allSatisfy { row.other.contains($0) }, "\(row.other) and \(row.ours)")
    }
  }
}
