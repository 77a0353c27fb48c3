/// `git config` on a file: a lock file beside it, and a rename.
final class GitConfig: System {
  static let title = "git config"
  static let id = "git"
  static let isInProcess = false
  static var unavailable: String? { isInstalled("git") ? nil : "git is not installed" }

  let home: Home
  init(home: Home) { self.home = home }

  var file: String { home.path + "/config/faults/config" }

  var environment: [String: String] {
    home.environment.merging(["GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"]) { $1 }
  }

  func prepare() throws {
    Files.makeDirectory(Files.directory(of: file))
    let lines = Fixture.bystanderKeys.map { "\t\($0) = \(Fixture.bystanders[$0]!)\n" }
    Files.write("[fault]\n" + lines.joined(), to: file)
  }

  func values(in bytes: [UInt8]) -> [String: Int]? { valuesOfLines(bytes, section: "[fault]") }

  func set(_ key: String, _ value: Int) -> Bool {
    Child.run(
      ["git", "config", "--file", file, "fault.\(key)", String(value)], environment: environment, leadsGroup: false
    ).code == 0
  }

  func get(_ key: String) -> Int? {
    let end = Child.run(
      ["git", "config", "--file", file, "--get", "fault.\(key)"], environment: environment, leadsGroup: false)
    return end.text.split(separator: "\n").first.flatMap { Int($0) }
  }
}
