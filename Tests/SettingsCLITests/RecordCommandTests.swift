import Foundation
import Testing
import TestSupport

/// Records, as the command sees them: tables like any other.
struct RecordCommandTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  private func run(_ arguments: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, directory: home.path)
  }

  @Test func `get and set reach a field of a record, and list all of them`() throws {
    try home.write("[servers.work]\nregion = \"us\"  # c\n\n[servers.\"eu.west\"]\nregion = \"eu\"\nport = 80\n")
    #expect(try run("get", app, "servers.work.region").output == "us\n")
    #expect(try run("get", app, "servers.\"eu.west\".port").output == "80\n")
    #expect(try run("get", app, "servers.none.port").status == 1)
    let list = try run("list", app, "servers")
    #expect(list.status == 0)
    #expect(
      list.output == """
        servers.work.region = "us"
        servers."eu.west".region = "eu"
        servers."eu.west".port = 80

        """)
    #expect(try run("set", app, "servers.work.region", "ap").status == 0)
    #expect(try run("unset", app, "servers.\"eu.west\"").status == 0)
    #expect(home.text() == "[servers.work]\nregion = \"ap\"  # c\n")
  }
}
