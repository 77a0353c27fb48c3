import Foundation
import Testing
import TestSupport

struct QuickStartTests {
  @Test(arguments: ["documentation-quick-start", "documentation-quick-start-top-level"])
  func `the quick start prints what its comments say, and leaves a file`(_ product: String) throws {
    let home = ScratchHome()
    let result = try ChildProcess.run(ChildProcess.product(product), [], environment: home.environment)
    #expect(result.error == "")
    #expect(result.output == "system\nthe font has 26 points\nthe font has 12 points\n")
    #expect(result.status == 0)
    let text = home.text(of: home.path + "/config/org.example.editor/settings.toml")
    #expect(
      text == """
        theme = "dark"
        recent-files = ["/tmp/a", "/tmp/b"]

        """)
  }

  @Test func `in main dot swift the quick start has no main function and no await`() throws {
    var isInMain = false
    var expected: [String] = []
    for line in try Repository.lines(of: "Tests/QuickStart/Main/Editor.swift") {
      switch line {
      case "@main", "struct Editor {": continue
      case "  static func main() async throws {": isInMain = true
      case "  }" where isInMain, "}" where isInMain: continue
      default:
        expected.append(isInMain ? line.dropFirst(4).replacingOccurrences(of: "try await ", with: "try ") : line)
      }
    }
    #expect(isInMain)
    #expect(try Repository.lines(of: "Tests/QuickStart/TopLevel/main.swift") == expected)
  }
}
