public import FoundationEssentials
public import SettingsTOML

/// The registry of an app's migrations: what each version of the stored representation changed.
///
/// Versions are integers that grow; a file without `settings-version` has version 1. On first access a store runs every
/// migration above the file's version, in order, in memory. It then makes a backup and writes data and version in one
/// atomic write. If a migration fails, nothing is written, the error is reported, and the app uses the old data.
///
/// ```swift
/// let migrations = SettingsMigrations {
///   Migration(2, "native tags", [.decodeJSONString("tags"), .rename("colour", to: "theme.accent")])
/// }
/// ```
///
/// Never change or remove a released migration: some files still need it. A file of a newer version is read as far as
/// possible and not written.
public struct SettingsMigrations: Sendable {
  /// The migrations, in the order of their versions.
  public let migrations: [Migration]
  /// The rights for importing files; `nil` for those of this process.
  package var importRights: UserRights?

  /// Makes a registry. Versions must be 2 or more, each larger than the one before; anything else traps.
  public init(@SettingsMigrationsBuilder _ migrations: () -> [Migration]) {
    self.migrations = migrations()
    var last = 1
    for migration in self.migrations {
      precondition(
        migration.version > last,
        "Migration \(migration.version) '\(migration.name)' must come after version \(last).")
      last = migration.version
    }
  }

  package init(migrations: [Migration]) { self.migrations = migrations }

  /// No migrations: the current version is 1.
  public static let none = SettingsMigrations {}

  /// The version of a file after the last migration.
  ///
  /// A new file gets this version. This release does not write files of a higher one.
  public var currentVersion: Int { migrations.last?.version ?? 1 }

  /// Returns the migrations that a file of a given version still needs.
  ///
  /// For the current version and newer ones, there are none.
  public func pending(from version: Int) -> [Migration] { migrations.filter { $0.version > version } }

  /// Runs the pending migrations, up to version `target` if given, and sets the version.
  ///
  /// The resulting text is parsed again and checked against all edits.
  ///
  /// - Parameter layer: The layer of the document, for errors.
  /// - Throws: ``SettingsError`` `migrationFailed` with the version, the name and the cause. The document is unchanged.
  package func run(
    on document: inout TOMLDocument, upTo target: Int? = nil, of layer: SettingsLayer? = nil
  ) throws(SettingsError) {
    let version = try Self.version(of: document)
    let pending = pending(from: version).filter { $0.version <= target ?? Int.max }
    guard let last = pending.last else { return }
    var result = document
    var running = last
    do {
      // One check for all edits: each alone would parse the whole text.
      try result.edit { draft in
        for migration in pending {
          running = migration
          try migration.run(on: &draft, importRights)
          // After each, so that the text is the same as after migrating to each version in turn.
          try SettingsFormat.setVersion(migration.version, in: &draft)
        }
      }
    } catch {
      throw failure(error, of: running, from: version, layer, position: { document.position(of: $0) })
    }
    document = result
  }

  /// The error for a failed migration, which names the file, the version, the migration and the reason.
  private func failure(
    _ error: any Error, of migration: Migration, from version: Int, _ layer: SettingsLayer?,
    position: (TOMLPath) -> TOMLPosition?
  ) -> SettingsError {
    var cause = "\(error)"
    while cause.hasSuffix(".") { cause.removeLast() }
    let subject = layer?.file.map { "'\($0)'" } ?? "the settings"
    // The reader of a file that is only read reports what happens to it.
    let consequence =
      layer.map { [.system, .declared, .project].contains($0.kind) } == true
      ? "" : " Nothing was written; the settings are used as they are in version \(version)."
    return SettingsError(
      .migrationFailed,
      "Cannot migrate \(subject) to version \(migration.version) '\(migration.name)': \(cause).\(consequence)",
      file: layer?.file,
      position: (error as? MigrationStepError).flatMap { position($0.path) })
  }

  /// Returns the version in a document.
  ///
  /// - Throws: ``SettingsError`` `migrationFailed` if the version is not a positive integer.
  package static func version(of document: TOMLDocument, in file: String? = nil) throws(SettingsError) -> Int {
    switch document[SettingsFormat.versionPath] {
    case nil: return 1
    case .integer(let version)? where version >= 1: return Int(version)
    case let other?:
      throw SettingsError(
        .migrationFailed,
        "Cannot tell the version of \(file.map { "'\($0)'" } ?? "the settings"): 'settings-version' is "
          + "\(other.errorDescription), but must be an integer of at least 1. Correct that line.", file: file,
        position: document.position(of: SettingsFormat.versionPath))
    }
  }
}

/// One step in the history of a representation.
///
/// ```swift
/// Migration(2, "split name into first and last", [
///   .split("name", into: ["first", "last"], separator: " ")
/// ])
/// ```
public struct Migration: Sendable {
  /// The version of a file after this migration.
  public let version: Int
  /// An imperative phrase, never reused: "split name into first and last".
  public let name: String
  /// The steps, in the order in which they run.
  public let steps: [MigrationStep]
  package var commitHook: (@Sendable (MigrationCommit) throws -> Void)?

  /// Makes a migration from steps.
  ///
  /// - Parameters:
  ///   - version: The version of a file after it, at least 2; a smaller one traps.
  ///   - name: What it does, as an imperative phrase, which messages and `settings-cli migrate` show.
  ///   - steps: The steps, in order. If one fails, the file stays as it is.
  public init(_ version: Int, _ name: String, _ steps: [MigrationStep]) {
    precondition(
      version >= 2, "Migration \(version) '\(name)': versions begin with 2; a file without one has version 1.")
    self.version = version
    self.name = name
    self.steps = steps
  }

  /// Makes a migration from code. The code sees the document's values, never the app's types, so that it keeps its
  /// meaning in later releases.
  ///
  /// ```swift
  /// Migration(3, "count delays in milliseconds") { document in
  ///   guard case .integer(let seconds)? = document[["delay"]] else { return }
  ///   try document.set(.integer(seconds * 1000), at: ["delay"])
  /// }
  /// ```
  public init(_ version: Int, _ name: String, _ body: @escaping @Sendable (inout TOMLDocument) throws -> Void) {
    self.init(version, name, [.code(body)])
  }

  package init(version: Int, name: String, steps: [MigrationStep]) {
    self.version = version
    self.name = name
    self.steps = steps
  }

  /// Returns the migration with a side effect outside the file, which runs after its result is on disk.
  ///
  /// The side effect must be idempotent: it runs at least once, in the process that wrote the file or, if that died, in
  /// the next one that opens it. It does not run for a file that is migrated only in memory. An error that it throws is
  /// reported as a problem, and it runs again at the next start.
  ///
  /// ```swift
  /// Migration(3, "move the cache", [.remove("cache-path")])
  ///   .afterCommit { _ in removeOldCache() }
  /// ```
  public func afterCommit(_ body: @escaping @Sendable (MigrationCommit) throws -> Void) -> Migration {
    var result = self
    result.commitHook = body
    return result
  }

  /// Runs the steps on a document. The version is not set. If one throws, the document may have changed.
  package func run(on document: inout TOMLDocument, _ importRights: UserRights? = nil) throws {
    try MigrationScope.run(steps, on: &document, importRights)
  }
}

extension Migration: CustomStringConvertible {
  /// The version and the name: `2 'split name into first and last'`.
  public var description: String { "\(version) '\(name)'" }
}

/// What an ``Migration/afterCommit(_:)`` is told.
public struct MigrationCommit: Sendable, Hashable {
  /// The version that the migration led to.
  public var version: Int
  /// The migration's name.
  public var name: String
  /// The settings file; `nil` for a store in memory.
  public var file: String?

  /// Makes a value, for tests of a closure.
  public init(version: Int, name: String, file: String?) {
    self.version = version
    self.name = name
    self.file = file
  }
}

/// The reason why a step failed.
///
/// Throw it from the code of a step to name the key. The store's error then has the key's position in the file.
///
/// ```swift
/// throw MigrationStepError(path: ["delay"], reason: "the value is negative")
/// ```
public struct MigrationStepError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The key concerned.
  public var path: TOMLPath
  /// A clause that says what is wrong there.
  public var reason: String

  /// Makes an error.
  public init(path: TOMLPath, reason: String) {
    self.path = path
    self.reason = reason
  }

  /// The place and the reason, as a clause.
  public var description: String { "at '\(path)', \(reason)" }
}

extension MigrationStepError: LocalizedError {
  /// The key, and what is wrong there.
  public var errorDescription: String? { description }
}

/// Collects migrations.
@resultBuilder
public enum SettingsMigrationsBuilder {
  /// Returns the migrations, in the order in which they are written.
  public static func buildBlock(_ migrations: Migration...) -> [Migration] { migrations }
}
