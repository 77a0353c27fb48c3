public import AppSettings
import FoundationEssentials

/// Checks that a history of migrations still gives the results of its released versions.
///
/// The directory has one file for each released version, `v1.toml`, `v2.toml`…, as that release left it, and next to
/// each the migrated text, `v1.expected.toml`. A failure shows the difference. Run the test once with
/// `SETTINGS_RECORD_GOLDEN=1` to write missing expected texts, review them, and commit them: they are frozen then. When
/// you add a migration, remove them, record them again, and review the difference.
///
/// ```swift
/// @Test func `migrations stay what they were`() throws {
///   try assertMigrations(appMigrations, golden: fixtures + "/migrations")
/// }
/// ```
///
/// It checks
/// - each file, byte for byte, and that the result needs no further migration;
/// - each intermediate version: stopping there and continuing gives the same bytes as one run;
/// - each migration on an empty document, on which it must not fail;
/// - each migration on its own output, which it must not change again.
///
/// Steps run as in the app. They read nothing outside the directory, except with `.importFile`. Hooks do not run.
///
/// - Parameters:
///   - migrations: The history.
///   - directory: The directory of the files.
///   - shipped: The versions that must have a file; by default 1 and each version of the history.
///   - notRepeatable: Versions that change their own output, such as those that scale a number.
/// - Throws: ``MigrationAssertionFailure`` with all failures.
public func assertMigrations(
  _ migrations: [Migration], golden directory: String, shipped: [Int]? = nil, notRepeatable: Set<Int> = []
) throws {
  var check = MigrationCheck(
    migrations: SettingsMigrations(migrations), directory: directory, notRepeatable: notRepeatable)
  for version in shipped ?? [1] + migrations.map(\.version) { check.golden(version) }
  check.empty()
  if !check.failures.isEmpty { throw MigrationAssertionFailure(failures: check.failures) }
}

/// The failures that ``assertMigrations(_:golden:shipped:notRepeatable:)`` found.
public struct MigrationAssertionFailure: Error, CustomStringConvertible {
  /// Each failure as a sentence and, for a text, the difference.
  public let failures: [String]

  /// All failures in one text.
  public var description: String {
    "\(failures.count == 1 ? "A migration is" : "\(failures.count) migrations are") not what was shipped:\n"
      + failures.joined(separator: "\n")
  }
}

private struct MigrationCheck {
  let migrations: SettingsMigrations
  let directory: String
  let notRepeatable: Set<Int>
  var failures: [String] = []

  mutating func golden(_ version: Int) {
    let path = "\(directory)/v\(version).toml"
    guard let data = FileManager.default.contents(atPath: path) else {
      failures.append("There is no '\(path)': put a file there as version \(version) left it.")
      return
    }
    do {
      let old = try TOMLDocument(parsing: Array(data))
      let found = try SettingsMigrations.version(of: old)
      guard found == version else {
        failures.append("'\(path)' says that it is version \(found).")
        return
      }
      var new = old
      try migrations.run(on: &new)
      compare(new, toExpectedOf: path)
      guard try migrations.pending(from: SettingsMigrations.version(of: new)).isEmpty else {
        failures.append("'\(path)' still needs migrations after all have run.")
        return
      }
      try prefixes(of: old, to: new, path: path)
      try outputs(of: old, path: path)
    } catch {
      failures.append("'\(path)': \(error)")
    }
  }

  private mutating func compare(_ new: TOMLDocument, toExpectedOf path: String) {
    let expected = String(path.dropLast(5)) + ".expected.toml"
    guard let data = FileManager.default.contents(atPath: expected) else {
      guard ProcessFacts.variable("SETTINGS_RECORD_GOLDEN") == "1" else {
        failures.append(
          "There is no '\(expected)': run the test once with SETTINGS_RECORD_GOLDEN=1, review what it writes, and "
            + "commit it.")
        return
      }
      do {
        try Data(new.bytes).write(to: URL(filePath: expected))
      } catch {
        failures.append("Cannot write '\(expected)': \(error)")
      }
      return
    }
    let difference = UnifiedDiff.text(
      from: String(decoding: data, as: UTF8.self), to: new.text, oldName: expected, newName: "\(path), migrated now")
    if !difference.isEmpty { failures.append("The result of '\(path)' has changed:\n\(difference)") }
  }

  /// Migrates to each intermediate version, and then on to the newest.
  private mutating func prefixes(of old: TOMLDocument, to new: TOMLDocument, path: String) throws {
    for migration in migrations.migrations {
      var document = old
      try migrations.run(on: &document, upTo: migration.version)
      document = try TOMLDocument(parsing: document.bytes)
      try migrations.run(on: &document)
      guard document.bytes != new.bytes else { continue }
      let difference = UnifiedDiff.text(
        from: new.text, to: document.text, oldName: "all at once", newName: "after stopping at \(migration.version)")
      failures.append("'\(path)' gives another result after stopping at version \(migration.version):\n\(difference)")
    }
  }

  /// Runs each migration on its own output.
  private mutating func outputs(of old: TOMLDocument, path: String) throws {
    var document = old
    for migration in try migrations.pending(from: SettingsMigrations.version(of: old)) {
      try migration.run(on: &document)
      guard !notRepeatable.contains(migration.version) else { continue }
      var again = document
      do {
        try migration.run(on: &again)
      } catch {
        failures.append(
          "'\(path)': migration \(migration.version) '\(migration.name)' fails on its own output: \(error)")
        continue
      }
      guard again.bytes != document.bytes else { continue }
      let difference = UnifiedDiff.text(from: document.text, to: again.text, oldName: "once", newName: "twice")
      failures.append(
        "'\(path)': migration \(migration.version) '\(migration.name)' changes its own output:\n\(difference)")
    }
  }

  mutating func empty() {
    for migration in migrations.migrations {
      do {
        var document = TOMLDocument()
        try migration.run(on: &document)
      } catch {
        failures.append(
          "Migration \(migration.version) '\(migration.name)' fails on an empty document, where it has nothing to do: "
            + "\(error)")
      }
    }
  }
}
