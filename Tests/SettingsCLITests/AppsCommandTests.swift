import Foundation
import Testing
import TestSupport

struct AppsCommandTests {
  let home = ScratchHome()

  private func run(_ arguments: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(ChildProcess.product("settings-cli"), arguments, environment: home.environment)
  }

  @Test func `apps lists those with a schema or settings, and makes nothing`() throws {
    #expect(try run("apps") == SchemaHome.answer(""))
    #expect(try run("apps", "--json") == SchemaHome.answer("[]\n"))
    #expect(home.names(in: home.path).isEmpty)
    try home.write("", to: home.path + "/config/org.example.b/settings.toml")
    try home.write("", to: home.path + "/config/not-settings/other.toml")
    try home.write("", to: home.path + "/config/no app/settings.toml")
    try home.write("", to: home.path + "/data/app-settings/org.example.a.toml")
    try home.write("", to: home.path + "/usr/share/app-settings/org.example.c.toml")
    try home.write("", to: home.path + "/usr/share/app-settings/README")
    try home.write("", to: home.path + "/etc/xdg/org.example.d/settings.d/10.toml")
    try home.write("", to: home.path + "/etc/xdg/org.example.b/settings.toml")
    #expect(try run("apps") == SchemaHome.answer("org.example.a\norg.example.b\norg.example.c\norg.example.d\n"))
    let apps = try #require(try json(try run("apps", "--json").output) as? [[String: Any]])
    #expect(apps.map { $0["app"] as? String } == ["org.example.a", "org.example.b", "org.example.c", "org.example.d"])
    #expect(apps[0]["schema"] as? String == home.path + "/data/app-settings/org.example.a.toml")
    #expect(
      apps[0]["file"] is NSNull && apps[1]["file"] as? String == home.path + "/config/org.example.b/settings.toml")
    #expect(apps[1]["systemFiles"] as? [String] == [home.path + "/etc/xdg/org.example.b/settings.toml"])
    #expect(apps[3]["systemFiles"] as? [String] == [home.path + "/etc/xdg/org.example.d/settings.d/10.toml"])
  }

  @Test func `apps takes no target`() throws { #expect(try run("apps", "org.example.a").status == 2) }
}
