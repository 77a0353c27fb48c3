public import FoundationEssentials
public import SettingsTOML

/// The registry of an app's migrations: what each version of the stored representation changed.
///
/// Versions are integers that grow; a file without `settings-version` has version 1. On first access a store runs every
/// migration above the file's version, in order, in memory, and writes data and version together in one atomic write
/// after a backup. If any fails, nothing is written and the app runs on the old data, with the error reported.
///
/// ```swift
/// let migrations = SettingsMigrations {
///   Migration(2, "native tags") {
///     DecodeJSONString("tags")
///     Rename("colour", to: "theme.accent")
///   }
/// }
/// ```
public struct SettingsMigrations: Sendable {
  /// In the order of their versions.
  public let migrations: [Migration]
  /// With whose rights files are imported; `nil` for this process's own.
  package var importRights: UserRights?

  /// Makes a registry. Versions have to be 2 or more, each larger than the one before; anything else traps.
  public init(@SettingsMigrationsBuilder _ migrations: () -> [Migration]) {
    self.migrations = migrations()
    var last = 1
    for migration in self.migrations {
      precondition(
        migration.version > last,
        "Migration \(migration.version) '\(migration.name)' has to come after version \(last).")
      last = migration.version
    }
  }

  package init(migrations: [Migration]) { self.migrations = migrations }

  /// No migrations: the current version is 1.
  public static let none = SettingsMigrations {}

  /// The version that files have after the last migration.
  public var currentVersion: Int { migrations.last?.version ?? 1 }

  /// The migrations that a file of a version still needs.
  public func pending(from version: Int) -> [Migration] { migrations.filter { $0.version > version } }

  /// Runs what is pending, and sets the version, up to `target` if given.
  ///
  /// The text of the result has been read anew, and checked against all edits.
  ///
  /// - Parameter layer: Whose document it is, for errors.
  /// - Throws: ``SettingsError`` `migrationFailed`, with the version, the name and the cause. The document is unchanged.
  package func run(
    on document: inout TOMLDocument, upTo target: Int? = nil, of layer: SettingsLayer? = nil
  ) throws(SettingsError) {
    let version = try Self.version(of: document)
    let pending = pending(from: version).filter { $0.version <= target ?? Int.max }
    guard let last = pending.last else { return }
    var result = document
    var running = last
    do {
      // One check for all edits: each alone reads the whole text anew.
      try result.edit { draft in
        for migration in pending {
          running = migration
          try migration.run(on: &draft, importRights)
          // After each, so that the text is the one that migrating to each version in turn would leave.
          try SettingsFormat.setVersion(migration.version, in: &draft)
        }
      }
    } catch {
      throw failure(error, of: running, from: version, layer, position: { document.position(of: $0) })
    }
    document = result
  }

  private func failure(
    _ error: any Error, of migration: Migration, from version: Int, _ layer: SettingsLayer?,
    position: (TOMLPath) -> TOMLPosition?
  ) -> SettingsError {
    var cause = "\(error)"
    while cause.hasSuffix(".") { cause.removeLast() }
    let subject = layer?.file.map { "'\($0)'" } ?? "the settings"
    // What becomes of an administrator's file, its reader says.
    let consequence =
      layer?.kind == .system
      ? "" : " Nothing was written; the settings are used as they are in version \(version)."
    return SettingsError(
      .migrationFailed,
      "Cannot migrate \(subject) to version \(migration.version) '\(migration.name)': \(cause).\(consequence)",
      file: layer?.file,
      position: (error as? MigrationStepError).flatMap { position($0.path) })
  }

  /// The version that a document says it has.
  ///
  /// - Throws: ``SettingsError`` `migrationFailed` if the version is not a positive integer.
  package static func version(of document: TOMLDocument) throws(SettingsError) -> Int {
    switch document[SettingsFormat.versionPath] {
    case nil: return 1
    case .integer(let version)? where version >= 1: return Int(version)
    case let other?:
      throw SettingsError(
        .migrationFailed,
        "Cannot tell the version of the settings: 'settings-version' is \(other.errorDescription), but must be an "
          + "integer of at least 1. Correct that line.", position: document.position(of: SettingsFormat.versionPath))
    }
  }
}

/// One step in the history of a representation.
public struct Migration: Sendable {
  /// The version that a file has after it.
  public let version: Int
  /// An imperative phrase, never reused: "split name into first and last".
  public let name: String
  /// What it does.
  public let steps: [any MigrationStep]
  package var commitHook: (@Sendable (MigrationCommit) throws -> Void)?

  /// Makes a migration of declarative steps.
  public init(_ version: Int, _ name: String, @MigrationStepsBuilder _ steps: () -> [any MigrationStep]) {
    precondition(version >= 2, "Migration \(version) '\(name)': versions begin with 2, since 1 is a file without one.")
    self.version = version
    self.name = name
    self.steps = steps()
  }

  /// Makes a migration of code. It sees the document's values, never the app's types, so that it means the same in
  /// every later release.
  public init(_ version: Int, _ name: String, _ body: @escaping @Sendable (inout TOMLDocument) throws -> Void) {
    self.init(version, name) { RunCode(body) }
  }

  package init(version: Int, name: String, steps: [any MigrationStep]) {
    self.version = version
    self.name = name
    self.steps = steps
  }

  /// The same migration with something to do once its result is on disk: an effect outside the file.
  ///
  /// It is done at least once, by the process that wrote the file, or by the next that opens it if that one died
  /// in between; never for a file that is migrated in memory only. It should do no harm when repeated. What it throws
  /// is a problem, and it is tried again at the next start.
  ///
  /// ```swift
  /// Migration(3, "move the cache") { Remove("cache-path") }
  ///   .afterCommit { _ in removeOldCache() }
  /// ```
  public func afterCommit(_ body: @escaping @Sendable (MigrationCommit) throws -> Void) -> Migration {
    var result = self
    result.commitHook = body
    return result
  }

  package func run(on document: inout TOMLDocument, _ importRights: UserRights? = nil) throws {
    var scope = MigrationScope(document)
    scope.importRights = importRights
    document = TOMLDocument()
    defer { document = scope.document }
    try scope.run(steps)
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

  /// Makes one, for tests of a hook.
  public init(version: Int, name: String, file: String?) {
    self.version = version
    self.name = name
    self.file = file
  }
}

/// One thing that a migration does. It does nothing where its key is absent.
public protocol MigrationStep: Sendable {
  /// Changes the document. A throw makes the whole migration fail, with nothing written.
  func run(on document: inout TOMLDocument) throws
}

/// Why a step could not do its work.
public struct MigrationStepError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The key.
  public var path: TOMLPath
  /// A clause: what is wrong there.
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
  /// The migrations, in the order in which they are written.
  public static func buildBlock(_ migrations: Migration...) -> [Migration] { migrations }
}

/// Collects the steps of a migration.
@resultBuilder
public enum MigrationStepsBuilder {
  /// One step.
  public static func buildExpression(_ step: any MigrationStep) -> [any MigrationStep] { [step] }
  /// Several steps, as another function makes them.
  public static func buildExpression(_ steps: [any MigrationStep]) -> [any MigrationStep] { steps }
  /// The steps, in the order in which they run.
  public static func buildBlock(_ steps: [any MigrationStep]...) -> [any MigrationStep] { steps.flatMap { $0 } }
  /// The steps for each element of a sequence, in order.
  public static func buildArray(_ steps: [[any MigrationStep]]) -> [any MigrationStep] { steps.flatMap { $0 } }
}

/// Runs code on the document.
struct RunCode: MigrationStep {
  private let body: @Sendable (inout TOMLDocument) throws -> Void

  init(_ body: @escaping @Sendable (inout TOMLDocument) throws -> Void) { self.body = body }

  func run(on document: inout TOMLDocument) throws { try body(&document) }
}
