import SettingsFleet

/// The apps as they are installed here, as far as their schemas say it. They are read again after ``forget()``.
actor InstalledApps {
  private let command: SettingsCommand
  private let directories: SettingsCommand.Directories
  private let keys: String
  private var known: [String: InstalledApp] = [:]

  /// - Parameter keys: The machine's keys for sealed values: with others, a text that was refused may be taken.
  init(command: SettingsCommand, directories: SettingsCommand.Directories, keys: [UnsealingKey]) {
    (self.command, self.directories) = (command, directories)
    self.keys = keys.map { "+" + $0.id }.joined()
  }

  func forget() { known = [:] }

  func facts(of apps: some Sequence<String>) async throws -> [String: InstalledApp] {
    for app in apps where known[app] == nil {
      let schema = try await AppVersion(command: command).schema(of: app, in: directories)
      known[app] = InstalledApp(
        version: try schema.map(AppVersion.newest), stamp: (schema.map { TextDigest(of: $0).hex } ?? "") + keys,
        release: "settings-fleet \(Version.text)")
    }
    return known
  }
}
