public import SettingsTOML

/// An app's migrations, in the order of their versions.
package struct SettingsMigrations: Sendable {
  package let migrations: [Migration]
  /// The rights for importing files; `nil` for those of this process.
  package var importRights: UserRights?

  /// Checks that each version is larger than the one before; anything else traps.
  package init(_ migrations: [Migration]) {
    self.migrations = migrations
    var last = 1
    for migration in migrations {
      precondition(
        migration.version > last,
        "Migration \(migration.version) '\(migration.name)' must come after version \(last).")
      last = migration.version
    }
  }

  /// No migrations: the current version is 1.
  package static let none = SettingsMigrations([])

  /// The version of a file after the last migration.
  ///
  /// A new file gets this version. This release does not write files of a higher one.
  package var currentVersion: Int { migrations.last?.version ?? 1 }

  /// Returns the migrations that a file of a given version still needs.
  ///
  /// For the current version and newer ones, there are none.
  package func pending(from version: Int) -> [Migration] { migrations.filter { $0.version > version } }

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
      throw failure(error, of: running, from: version, layer, in: document)
    }
    document = result
  }

  /// The error for a failed migration, which names the file, the version, the migration and the reason.
  private func failure(
    _ error: any Error, of migration: Migration, from version: Int, _ layer: SettingsLayer?, in document: TOMLDocument
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
      position: (error as? MigrationStepError).flatMap { error in
        // Steps before may have moved it.
        sources(of: [error.place.path], from: version).lazy.compactMap {
          document.position(of: $0, part: error.place.part, by: LineIndex(of: document.bytes))
        }.first
      })
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

/// What one version of the stored form changed.
///
/// An app passes its migrations to the store, each with a larger version than the one before:
///
/// ```swift
/// let migrations = [
///   Migration(2, "native tags", [.decodeJSONString("tags"), .rename("colour", to: "theme.accent")]),
///   Migration(3, "split name into first and last", [.split("name", into: ["first", "last"], separator: " ")]),
/// ]
/// ```
///
/// A file without `settings-version` has version 1. On first access a store runs every migration above the file's
/// version, in order, in memory. It then makes a backup and writes data and version in one atomic write. If a migration
/// fails, nothing is written, the error is reported, and the app uses the old data.
///
/// Never change or remove a released migration: some files still need it. A file of a newer version is read as far as
/// possible and not written.
public struct Migration: Sendable {
  /// The version of a file after this migration.
  public let version: Int
  /// An imperative phrase, never reused: "split name into first and last".
  public let name: String
  /// The steps, in the order in which they run.
  package let steps: [MigrationStep]
  package var commitHook: (@Sendable (_ file: String?) throws -> Void)?

  /// Makes a migration from steps.
  ///
  /// - Parameters:
  ///   - version: The version of a file after it, at least 2; a smaller one traps.
  ///   - name: What it does, as an imperative phrase, which messages and `settings-cli migrate` show.
  ///   - steps: The steps, in order. If one fails, the file stays as it is.
  public init(_ version: Int, _ name: String, _ steps: [MigrationStep]) {
    precondition(
      version >= 2, "Migration \(version) '\(name)': versions begin with 2; a file without one has version 1.")
    self.init(version: version, name: name, steps: steps)
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
  ///
  /// - Parameter body: Gets the path of the settings file; `nil` for a store in memory.
  public func afterCommit(_ body: @escaping @Sendable (_ file: String?) throws -> Void) -> Migration {
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

/// The reason why a step failed. The store's error has the key's position in the file.
package struct MigrationStepError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What it is about.
  package let place: SettingsPart
  /// A clause that says what is wrong there.
  package let reason: String

  package init(at place: SettingsPart, reason: String) {
    self.place = place
    self.reason = reason
  }

  package init(path: TOMLPath, reason: String) { self.init(at: SettingsPart(path: path), reason: reason) }

  /// The place and the reason, as a clause.
  package var description: String { "at '\(place)', \(reason)" }
}
