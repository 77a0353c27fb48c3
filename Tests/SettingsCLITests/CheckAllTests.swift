import Foundation
import Testing
import TestSupport

/// `check --all`.
struct CheckAllTests {
  @Test func `all apps are checked, and the gravest finding decides the status`() throws {
    let test = try SchemaHome()
    #expect(try test.run("check", "--all") == SchemaHome.answer(""))
    let other = test.home.path + "/config/org.example.other/settings.toml"
    try test.write("thme = 1\n")
    #expect(try test.run("check", "--all").status == 3)
    try test.home.write("a = = 1\n", to: other)
    let result = try test.run("check", "--all")
    #expect(result.status == 6)
    #expect(result.output.contains("\(other):1:5: error: ") && result.output.contains("\(test.file):1:8: warning: "))
    let findings = try json(test.run("check", "--all", "--json").output) as? [[String: Any]]
    #expect(findings?.compactMap { $0["file"] as? String } == [other, test.file])
    try test.home.write("keys = 1\n", to: test.home.path + "/data/app-settings/org.example.third.toml")
    #expect(try test.run("check", "--all").output.contains("org.example.third.toml:"))
  }

  @Test func `an app that no command takes does not keep the others from being checked and searched`() throws {
    let test = try SchemaHome()
    try test.write("thme = 1\n")
    // A person has made it.
    let mistaken = test.home.path + "/config/settings.toml/settings.toml"
    try test.home.write("thme = 2\n", to: mistaken)
    let checked = try test.run("check", "--all")
    #expect(checked.status == 7)
    #expect(checked.output.contains("\(mistaken): error: 'settings.toml' is not an app's id."), "\(checked)")
    #expect(checked.output.contains("\(test.file):1:8: warning: Unknown key 'thme'"))
    let found = try test.run("find", "thme")
    #expect(found.status == 0 && found.output == "\(test.app) thme = 1\n", "\(found)")
    #expect(found.error.contains("Cannot search 'settings.toml'"))
  }

  @Test func `a target beside --all is refused, and without either all are checked`() throws {
    let test = try SchemaHome()
    try test.write("thme = 1\n")
    #expect(try test.run("check", test.app, "--all").status == 2)
    #expect(try test.run("check", "--all", "--schema", "x").status == 2)
    #expect(try test.run("check") == test.run("check", "--all"))
  }
}
