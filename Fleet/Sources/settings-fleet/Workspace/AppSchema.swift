import AppSettings
import AppSettingsSchema

/// An app's schema, as it is installed here.
enum AppSchema {
  /// - Returns: The schema; `nil` if there is none.
  /// - Throws: ``Failure`` if there is one that cannot be used.
  private static func find(
    _ app: String, in directories: SettingsCommand.Directories, _ environment: [String: String]
  ) throws -> SettingsSchema? {
    do {
      return try SettingsSchema.find(app: app, environment: directories.variables(over: environment))
    } catch let error as SettingsError {
      throw Failure(.invalidValue, "Cannot use the schema of '\(app)': \(error.message)")
    }
  }

  /// The highest representation version that the app reads; `nil` without a schema, which takes any.
  ///
  /// - Throws: ``Failure`` if there is a schema that cannot be used.
  static func newest(
    of app: String, in directories: SettingsCommand.Directories, _ environment: [String: String]
  ) throws -> Int? {
    try facts(of: app, in: directories, environment)?.version
  }

  /// The highest representation version that the app reads, and the schema's text; `nil` without a schema.
  ///
  /// - Throws: ``Failure`` if there is a schema that cannot be used.
  static func facts(
    of app: String, in directories: SettingsCommand.Directories, _ environment: [String: String]
  ) throws -> (version: Int, text: [UInt8])? {
    guard let schema = try find(app, in: directories, environment) else { return nil }
    do {
      return (schema.migrations.currentVersion, try schema.file.flatMap { try File.readIfThere($0) } ?? [])
    } catch {
      throw Failure(.io, "\(error)")
    }
  }
}
