import Testing
import TestSupport

struct QuickStartTests {
  @Test func `the quick start says what its comments say, and leaves a file`() throws {
    let home = ScratchHome()
    let result = try ChildProcess.run(
      ChildProcess.product("documentation-quick-start"), [], environment: home.environment)
    #expect(result.error == "")
    #expect(result.output == "system\nthe font has 26 points\nthe font has 12 points\n")
    #expect(result.status == 0)
    let text = home.text(of: home.path + "/config/org.example.editor/settings.toml")
    #expect(
      text == """
        theme = "dark"
        recent-files = ["/tmp/a", "/tmp/b"]

        [editor]

        """)
  }
}
