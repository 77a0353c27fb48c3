import SettingsTOML

/// The representation version of the app as it is installed here.
struct AppVersion {
  let command: SettingsCommand

  /// - Returns: The highest version of the schema's migrations, at least 1; `nil` if there is no schema.
  /// - Throws: ``Failure`` if there is a schema that cannot be read.
  func newest(of app: String, in directories: SettingsCommand.Directories) async throws -> Int? {
    try await schema(of: app, in: directories).map(Self.newest)
  }

  /// The text of the app's schema; `nil` if there is none.
  func schema(of app: String, in directories: SettingsCommand.Directories) async throws -> [UInt8]? {
    let answer = try await command.run(["schema", app], in: directories)
    if answer.status == 3 { return nil }
    guard answer.status == 0 else {
      throw Failure(.invalidValue, "Cannot use the schema of '\(app)': \(answer.messages)")
    }
    return answer.output
  }

  static func newest(in schema: [UInt8]) throws -> Int {
    guard let schema = try? TOMLDocument(parsing: schema) else {
      throw Failure(.invalidValue, "Cannot use the schema: it does not parse.")
    }
    guard case .array(let migrations)? = schema[["migrations"]] else { return 1 }
    let versions = migrations.compactMap { migration -> Int? in
      guard case .integer(let version)? = migration.table?["version"] else { return nil }
      return Int(version)
    }
    return max(1, versions.max() ?? 1)
  }
}
