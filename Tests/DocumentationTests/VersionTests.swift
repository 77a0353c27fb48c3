import Testing
import TestSupport

/// What says which version this is agrees.
struct VersionTests {
  @Test func `settings-cli has the version that the changelog begins with`() throws {
    let home = ScratchHome()
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["--version"], environment: home.environment)
    let versions = try Document("CHANGELOG.md").lines.compactMap { $0.wholeMatch(of: /## (\d+\.\d+\.\d+) - .+/)?.1 }
    let newest = try #require(versions.first)
    #expect(result.output == "settings-cli \(newest)\n")
  }

  @Test func `the security policy supports the newest minor version`() throws {
    let versions = try Document("CHANGELOG.md").lines.compactMap { $0.wholeMatch(of: /## (\d+\.\d+)\.\d+ - .+/)?.1 }
    let newest = try #require(versions.first)
    #expect(try Document("SECURITY.md").lines.contains { $0.hasPrefix("| \(newest).x | yes |") })
  }

  @Test func `the badge names the Swift release that the manifest needs`() throws {
    let first = try #require(try Repository.lines(of: "Package.swift").first)
    let version = try #require(first.wholeMatch(of: #/// swift-tools-version: (\d+\.\d+)/#)?.1)
    #expect(
      try Repository.lines(of: ".github/badges/swift.svg").contains {
        $0.contains("<title>Swift: \(version) or later<")
      })
  }
}
