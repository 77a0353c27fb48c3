import Foundation
import Testing
import TestSupport

/// The forms of `list` for scripts.
struct ListCommandTests {
  let test: SchemaHome

  init() throws {
    test = try SchemaHome()
    try test.write("host = \"two\\nlines\"\n[editor]\nfont-size = 14\n\"a b\" = [1]\n[sync]\ntoken = \"hunter2\"\n")
  }

  @Test func `names are printed one a line, with NUL, and as JSON`() throws {
    let names = ["host", "editor.font-size", "editor.\"a b\"", "sync.token", "theme", "editor.wrap"]
    #expect(try test.run("list", test.app, "--names").output == names.map { $0 + "\n" }.joined())
    #expect(try test.run("list", test.app, "--names", "-0").output == names.map { $0 + "\0" }.joined())
    #expect(try json(test.run("list", test.app, "--names", "--json").output) as? [String] == names)
    #expect(
      try test.run("list", test.app, "editor", "--names", "--changed").output == "editor.font-size\neditor.\"a b\"\n")
  }

  @Test func `with -0 a record is the key, a newline and the value, and a secret its key alone`() throws {
    #expect(
      try test.run("list", test.app, "-0")
        == SchemaHome.answer(
          "host\ntwo\nlines\0editor.font-size\n14\0editor.\"a b\"\n[1]\0sync.token\0theme\nlight\0editor.wrap\ntrue\0"))
    try test.home.write("a = \"x\\u0000y\"\n", to: test.home.path + "/z.toml")
    let refused = try test.run("list", "./z.toml", "-0")
    #expect(refused.status == 4 && refused.output.isEmpty && refused.error.contains("U+0000"))
  }

  @Test func `forms that exclude each other are refused`() throws {
    for options in [["--json", "-0"], ["--origin", "-0"], ["--origin", "--names"]] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), ["list", test.app] + options, environment: test.home.environment)
      #expect(result.status == 2 && result.error.contains("not both"), "\(options)")
    }
  }
}
