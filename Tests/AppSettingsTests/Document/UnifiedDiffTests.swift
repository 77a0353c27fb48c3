import AppSettings
import Foundation
import Testing
import TestSupport

/// Differences of texts: correct whatever the texts, and never slow.
struct UnifiedDiffTests {
  static let patch = "/usr/bin/patch"
  static let hasPatch = FileManager.default.isExecutableFile(atPath: patch)

  /// What patch(1) makes of a text by a difference.
  private func patched(_ old: String, by difference: String, in home: ScratchHome) throws -> String? {
    try home.write(old, to: home.path + "/file")
    try home.write(difference, to: home.path + "/difference")
    let result = try ChildProcess.run(
      Self.patch, ["--quiet", "--batch", "--force", "--binary", "file", "difference"], environment: home.environment,
      directory: home.path)
    return result.status == 0 ? home.text(of: home.path + "/file") ?? "" : nil
  }

  private func lines(_ count: Int, of kinds: Int, _ random: inout SystemRandomNumberGenerator) -> [String] {
    (0..<count).map { _ in "line \(Int.random(in: 0..<kinds, using: &random))" }
  }

  private func text(_ lines: [String], _ end: String) -> String {
    lines.isEmpty ? "" : lines.joined(separator: "\n") + end
  }

  @Test(.enabled(if: hasPatch, "patch(1) is not installed"))
  func `a difference makes the one text of the other`() throws {
    let home = ScratchHome()
    var random = SystemRandomNumberGenerator()
    for round in 0..<60 {
      let kinds = [2, 5, 40, 100_000][round % 4]
      let old = lines(Int.random(in: 0..<80, using: &random), of: kinds, &random)
      var new = round % 3 == 0 ? lines(Int.random(in: 0..<80, using: &random), of: kinds, &random) : old
      for _ in 0..<Int.random(in: 0..<8, using: &random) where round % 3 != 0 && !new.isEmpty {
        let at = Int.random(in: 0..<new.count, using: &random)
        if Bool.random(using: &random) { new.remove(at: at) } else { new.insert("new \(round)", at: at) }
      }
      let (before, after) = (text(old, ["\n", ""].randomElement()!), text(new, ["\n", ""].randomElement()!))
      let difference = UnifiedDiff.text(from: before, to: after, oldName: "file", newName: "file")
      #expect(difference.isEmpty == (before == after))
      guard !difference.isEmpty else { continue }
      #expect(try patched(before, by: difference, in: home) == after, "\(difference)")
    }
  }

  @Test func `each part says from which line on it is, in both texts`() {
    let old = (1...20).map { "line \($0)" }
    var new = old
    new.remove(at: 18)
    new.insert(contentsOf: ["new", "new"], at: 1)
    let difference = UnifiedDiff.text(from: text(old, "\n"), to: text(new, "\n"), oldName: "a", newName: "b")
    let places = difference.split(separator: "\n").filter { $0.hasPrefix("@@") }
    #expect(places == ["@@ -1,4 +1,6 @@", "@@ -16,5 +18,4 @@"])
  }

  @Test(.enabled(if: hasPatch, "patch(1) is not installed"))
  func `texts of thousands of unlike lines are compared at once`() throws {
    let home = ScratchHome()
    let old = (0..<20_000).map { "key\($0) = \($0)" }
    // None in common; all in common, in any order; few kinds of lines.
    let others = [
      (0..<20_000).map { "other\($0) = \($0)" }, old.shuffled(), (0..<20_000).map { "key\($0 % 7) = \($0 % 7)" },
    ]
    for new in others {
      let difference = UnifiedDiff.text(
        from: text(old, "\n"), to: text(new, "\n"), oldName: "file", newName: "file")
      #expect(try patched(text(old, "\n"), by: difference, in: home) == text(new, "\n"))
    }
  }

  @Test func `a difference is the shortest one, as far as the texts are alike`() {
    let old = (0..<1000).map { "line \($0)\n" }
    var new = old
    new.remove(at: 900)
    new.insert("more\n", at: 500)
    new[3] = "other\n"
    let difference = UnifiedDiff.text(from: old.joined(), to: new.joined(), oldName: "a", newName: "b")
    #expect(difference.split(separator: "\n").filter { "+-".contains($0.first!) }.count == 2 + 4)
    #expect(
      difference.hasPrefix("--- a\n+++ b\n@@ -1,7 +1,7 @@\n line 0\n line 1\n line 2\n-line 3\n+other\n line 4\n"))
  }
}
