import Foundation
import TestSupport
import Testing

/// Setting and removing tables of which other layers have parts.
@Suite struct TableCommandTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  private func run(_ arguments: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, directory: home.path)
  }

  private func answer(_ output: String, status: Int32 = 0) -> ChildProcess.Result {
    ChildProcess.Result(status: status, output: output, error: "")
  }

  @Test func `a table is effective when each value in it is, whatever lower layers add`() throws {
    let system = home.path + "/etc/xdg/\(app)/settings.toml"
    try home.write("[w]\nwidth = 100\ninner = { a = 1, b = 2 }\n", to: system)
    #expect(try run("set", app, "w", "{height=3}") == answer(""))
    #expect(try run("get", app, "w.width") == answer("100\n"))
    #expect(try run("set", app, "w", "{inner={a=5}, width=1}") == answer(""))
    #expect(try run("get", app, "w") == answer("{ width = 1, inner = { a = 5, b = 2 } }\n"))
    #expect(try run("set", app, "w={}") == answer(""))
    #expect(try run("set", app, "w", "5", "--type", "integer") == answer(""))
    #expect(try run("get", app, "w") == answer("5\n"))
    // What lower layers give shows again.
    #expect(try run("unset", app, "w") == answer(""))
    #expect(try run("get", app, "w.inner") == answer("{ a = 1, b = 2 }\n"))
    #expect(try run("unset", app, "w") == answer("", status: 1))
  }

  @Test func `a table that a lock would change in part is refused, and one that leaves it is effective`() throws {
    let system = home.path + "/etc/xdg/\(app)/settings.toml"
    try home.write("settings-locked = [\"w.width\"]\n[w]\nwidth = 100\n", to: system)
    #expect(try run("set", app, "w", "{height=3, width=5}").status == 5)
    #expect(home.text() == nil)
    #expect(try run("set", app, "w", "{height=3, width=100}") == answer(""))
    #expect(try run("get", app, "w") == answer("{ width = 100, height = 3 }\n"))
    #expect(try run("unset", app, "w.width").status == 5)
  }
}
