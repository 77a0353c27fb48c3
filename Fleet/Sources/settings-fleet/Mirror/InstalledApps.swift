import SettingsFleet

/// The apps as they are installed here, as far as their schemas say it. They are read again after ``forget()``.
actor InstalledApps {
  private let command: SettingsCommand
  private let directories: SettingsCommand.Directories
  /// What else than the schema decides whether a text is taken: with another, one that was refused is tried again.
  private let circumstances: String
  private var known: [String: InstalledApp] = [:]

  /// - Parameter keys: The machine's keys for sealed values.
  init(command: SettingsCommand, directories: SettingsCommand.Directories, keys: [UnsealingKey]) {
    (self.command, self.directories) = (command, directories)
    circumstances = ([Version.text] + keys.map(\.id)).joined(separator: "+")
  }

  func forget() { known = [:] }

  func facts(of apps: some Sequence<String>) async throws -> [String: InstalledApp] {
    for app in apps where known[app] == nil {
      let schema = try await AppVersion(command: command).schema(of: app, in: directories)
      known[app] = InstalledApp(
        version: try schema.map(AppVersion.newest),
        stamp: "\(schema.map { TextDigest(of: $0).hex } ?? "")+\(circumstances)",
        release: "settings-fleet \(Version.text)")
    }
    return known
  }
}
