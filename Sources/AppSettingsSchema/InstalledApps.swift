package import AppSettings

/// An app with settings files or a schema on this system.
package struct InstalledApp: Sendable, Hashable {
  /// The app's id.
  package var app: String
  /// The user's file, if it exists, or if this process may not see whether it does.
  package var file: String?
  /// The schema file that applies, if there is one.
  package var schema: String?
  /// The administrators' files, lowest layer first.
  package var systemFiles: [String] = []
  /// The person's declared files, lowest layer first, and then the profiles.
  package var personalFiles: [String] = []

  /// Whether there is nothing of the app.
  package var isUnknown: Bool { file == nil && schema == nil && systemFiles.isEmpty && personalFiles.isEmpty }

  /// Returns the apps with a schema or a settings file, by name.
  ///
  /// Administrators' directories that cannot be listed count as empty: they belong to someone else.
  ///
  /// - Throws: `SettingsError` if no home directory can be found, or the user's directory cannot be listed.
  package static func all(environment variables: [String: String]? = nil) throws -> [InstalledApp] {
    // The places of one app show those of all apps: `…/config/x/settings.toml`, `…/xdg/x`.
    let sample = try SettingsLocation(app: "x", profile: .none, environment: variables)
    let system = Syscalls()
    var names: Set<String> = []
    let userDirectory = sample.file.droppingLastBytes("/x/settings.toml".utf8.count)
    names.formUnion(try SettingsError.ofSystem("list", userDirectory) { try system.names(in: userDirectory) ?? [] })
    for directory in sample.systemDirectories.map({ $0.droppingLastBytes(2) }) {
      names.formUnion((try? system.names(in: directory.isEmpty ? "/" : directory)) ?? [])
    }
    for directory in sample.dataDirectories {
      let files = (try? system.names(in: directory + "/app-settings")) ?? []
      names.formUnion(files.filter { $0.endsBytewise(with: ".toml") }.map { $0.droppingLastBytes(5) })
    }
    return names.sorted().compactMap { name in
      guard let app = try? find(name, environment: variables, system) else { return nil }
      return app.isUnknown ? nil : app
    }
  }

  /// Returns the files of an app; each is absent if it does not exist.
  ///
  /// - Throws: `SettingsError` `invalidLocation` if the id is malformed.
  package static func find(
    _ app: String, environment variables: [String: String]? = nil, _ system: Syscalls = Syscalls()
  ) throws -> InstalledApp {
    let location = try SettingsLocation(app: app, profile: .none, environment: variables)
    func isThere(_ path: String, ifUnknown isKnown: Bool) -> Bool {
      do { return try system.status(at: path) != nil } catch { return isKnown }
    }
    func isThere(_ path: String) -> Bool { isThere(path, ifUnknown: false) }
    let systemFiles = SystemFiles.paths(of: location, system: system, problems: ProblemLog(logger: .silent))
    return InstalledApp(
      // A file that may be there is named: opening it says why it cannot be read.
      app: app, file: isThere(location.file, ifUnknown: true) ? location.file : nil,
      schema: try SettingsSchema.searchPath(app: app, environment: variables).first(where: isThere),
      systemFiles: systemFiles.filter(isThere), personalFiles: personalFiles(at: location, system))
  }

  /// Whether a word is the id of an app of which there is something.
  package static func isKnown(_ word: String) -> Bool { (try? find(word).isUnknown) == false }

  private static func personalFiles(at location: SettingsLocation, _ system: Syscalls) -> [String] {
    guard let personal = location.personal else { return [] }
    let declared = DeclaredFiles.paths(
      in: personal.declaredDirectory, system: system, names: { (try? system.names(in: $0)) ?? [] })
    guard let profiles = Profiles(of: location, system: system) else { return declared }
    return declared + ((try? profiles.names()) ?? []).map(profiles.file)
  }
}
