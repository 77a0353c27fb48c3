import AppSettings
import AppSettingsTesting
import FoundationEssentials
import Testing
import TestSupport

struct AssertMigrationsTests {
  let home = ScratchHome()

  private let migrations = [
    Migration(2, "rename colour", [.rename("colour", to: "color")]),
    Migration(3, "seconds to milliseconds", [.convert("delay", .scaled(by: 1000))]),
  ]

  private func failures(_ migrations: [Migration], notRepeatable: Set<Int> = [3]) -> [String] {
    do {
      try assertMigrations(migrations, golden: home.path, notRepeatable: notRepeatable)
      return []
    } catch {
      return (error as? MigrationAssertionFailure)?.failures ?? ["\(error)"]
    }
  }

  private func goldens() throws {
    try home.write("# one\ncolour = \"red\"\ndelay = 2\n", to: home.path + "/v1.toml")
    try home.write("settings-version = 2\ncolor = \"red\"\n", to: home.path + "/v2.toml")
    try home.write("settings-version = 3\ncolor = \"red\"\n", to: home.path + "/v3.toml")
    try home.write(
      "settings-version = 3\n# one\ncolor = \"red\"\ndelay = 2000\n", to: home.path + "/v1.expected.toml")
    try home.write("settings-version = 3\ncolor = \"red\"\n", to: home.path + "/v2.expected.toml")
    try home.write("settings-version = 3\ncolor = \"red\"\n", to: home.path + "/v3.expected.toml")
  }

  @Test func `a history that is what it was passes`() throws {
    try goldens()
    #expect(failures(migrations).isEmpty, "\(failures(migrations))")
  }

  @Test func `a shipped migration that was edited fails with the difference`() throws {
    try goldens()
    let edited = [
      Migration(2, "rename colour", [.rename("colour", to: "theme")]),
      Migration(3, "seconds to milliseconds", [.convert("delay", .scaled(by: 1000))]),
    ]
    let failures = failures(edited)
    #expect(failures.count == 1 && failures[0].contains("-color = \"red\"\n+theme = \"red\""), "\(failures)")
  }

  @Test func `a version without its file, and a file without its result, fail`() throws {
    try goldens()
    try FileManager.default.removeItem(atPath: home.path + "/v2.toml")
    try FileManager.default.removeItem(atPath: home.path + "/v1.expected.toml")
    let failures = failures(migrations)
    #expect(failures.count == 2)
    #expect(
      failures.contains { $0.contains("v2.toml") } && failures.contains { $0.contains("SETTINGS_RECORD_GOLDEN=1") })
  }

  @Test func `a migration that changes its own output fails, unless that is known`() throws {
    try goldens()
    let failures = failures(migrations, notRepeatable: [])
    #expect(failures.count == 1 && failures[0].contains("changes its own output"))
  }

  @Test func `a migration that fails on an empty document fails`() throws {
    try goldens()
    let demanding = [
      Migration(2, "rename colour", [.rename("colour", to: "color")]),
      Migration(3, "seconds to milliseconds") { document in
        guard document.contains(["color"]) else { throw MigrationStepError(path: ["color"], reason: "it is absent") }
        guard case .integer(let delay)? = document[["delay"]] else { return }
        try document.set(.integer(delay * 1000), at: ["delay"])
      },
    ]
    let failures = failures(demanding)
    #expect(failures.count == 1 && failures[0].contains("fails on an empty document"), "\(failures)")
  }
}
