import SettingsFleet

/// The apps as they are installed here, as far as their schemas say it. They are read again after ``forget()``.
actor InstalledApps {
  private let command: SettingsCommand
  private let directories: SettingsCommand.Directories
  private var known: [String: InstalledApp] = [:]

  init(command: SettingsCommand, directories: SettingsCommand.Directories) {
    (self.command, self.directories) = (command, directories)
  }

  func forget() { known = [:] }

  func facts(of apps: some Sequence<String>) async throws -> [String: InstalledApp] {
    for app in apps where known[app] == nil {
      let schema = try await AppVersion(command: command).schema(of: app, in: directories)
      known[app] = InstalledApp(
        version: try schema.map(AppVersion.newest), stamp: schema.map { TextDigest(of: $0).hex } ?? "",
        release: "settings-fleet \(Version.text)")
    }
    return known
  }
}
