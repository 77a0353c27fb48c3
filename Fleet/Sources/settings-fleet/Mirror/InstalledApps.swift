import AppSettings
import struct AppSettingsSchema.SettingsSchema
import SettingsFleet
import Synchronization

/// The apps as they are installed here, as far as their schemas say it. They are read again after ``forget()``.
final class InstalledApps: Sendable {
  private let environment: [String: String]
  private let directories: SettingsCommand.Directories
  /// What else than the schema decides whether a text is taken: with another, one that was refused is tried again.
  private let circumstances: String
  /// Protects what is known.
  private let known = Mutex<[String: InstalledApp]>([:])

  /// - Parameter keys: The machine's keys for sealed values.
  init(environment: [String: String], directories: SettingsCommand.Directories, keys: [UnsealingKey]) {
    (self.environment, self.directories) = (environment, directories)
    circumstances = ([Version.text] + keys.map(\.id)).joined(separator: "+")
  }

  func forget() { known.withLock { $0 = [:] } }

  func facts(of apps: some Sequence<String>) -> [String: InstalledApp] {
    known.withLock { known in
      for app in apps where known[app] == nil { known[app] = facts(of: app) }
      return known
    }
  }

  /// A schema that cannot be used refuses the app's documents, and is no reason to leave out those of others.
  private func facts(of app: String) -> InstalledApp {
    var (version, stamp) = (Int?.none, "")
    do {
      if let schema = try SettingsSchema.find(app: app, environment: directories.variables(over: environment)) {
        let text = try schema.file.flatMap(File.readIfThere) ?? []
        (version, stamp) = (schema.migrations.currentVersion, TextDigest(of: text).hex)
      }
    } catch {
      stamp = TextDigest(of: Array("\(error)".utf8)).hex
    }
    return InstalledApp(version: version, stamp: "\(stamp)+\(circumstances)", release: Version.release)
  }
}
