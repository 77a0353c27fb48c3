package import AppSettings
import Synchronization

/// The settings of an app, or a file, opened as tools show and change them: with what the app's schema says of them, which
/// keys are secrets, and who has locked what.
///
/// `settings-cli` is a view of it, and so can be an app's own dialog. The settings page starts the command.
public struct OpenedSettings: Sendable {
  package let target: Target
  package let store: SettingsStore
  /// What the app's schema says; without one, every question has an answer, too.
  package let schema: SchemaLookup
  private let told: ToldProblems

  package init(_ target: Target, _ store: SettingsStore, _ schema: SchemaLookup) {
    (self.target, self.store, self.schema, told) = (target, store, schema, ToldProblems())
  }

  /// The values of all files, as they were read last.
  package var snapshot: SettingsSnapshot { store.snapshot }

  /// The path of the file that is written.
  public var file: String { store.location?.file ?? "" }

  // MARK: Reading

  /// Reads the files, which the first access does otherwise, and writes a pending migration where that is due.
  package func load() {
    store.core.load()
    if !store.core.onlyReads { tellProblems(where: \.isLoss) }
  }

  /// Reads again what has changed, without waiting for a notice.
  package func look() {
    store.core.look()
    store.core.lookAround()
  }

  /// The bytes of the file that is written; `nil` without a file.
  package func readText() throws -> [UInt8]? { try store.core.readText() }

  /// Throws if the file is of a newer release. A version that cannot be told can be corrected.
  package func checkNotNewer() throws {
    if case .newer? = try? store.migrationStatus() { _ = try store.previewMigration() }
  }

  // MARK: Writing

  /// Makes edits in one write.
  ///
  /// - Parameters:
  ///   - check: Gets the file's present content; throws to leave it as it is.
  ///   - edits: Returns the edits, from the present values; runs under the file's lock.
  /// - Returns: Whether the text has changed.
  /// - Throws: ``ToolError``, or what the closures throw.
  @discardableResult package func commit(
    checking check: ([UInt8]?) throws -> Void = { _ in }, making edits: (SettingsSnapshot) throws -> [Edit]
  ) throws -> Bool {
    try writing { try store.core.commit(checking: check, making: edits) }
  }

  /// Replaces the whole text in one write, after a backup.
  ///
  /// - Parameters:
  ///   - reason: The backup's name.
  ///   - text: Returns the new text for the present one; `nil` for no file. Runs under the file's lock.
  @discardableResult package func replaceText(
    backingUp reason: String, with text: ([UInt8]?) throws -> [UInt8]?
  ) throws -> (hasChanged: Bool, backup: SettingsBackup?) {
    let outcome = try writing { try store.core.commit(backingUp: reason) { try text($0) } }
    return (outcome.hasChanged, outcome.backup)
  }

  /// Runs what writes. Says what the write could not keep of the file, and what helps where it lacks permission.
  package func writing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      let result = try body()
      tellProblems(where: \.isLoss)
      return result
    } catch let error as SettingsError where error.code == .readOnly {
      throw ToolError(error, at: store.location)
    }
  }

  /// Says what is wrong with the files, once.
  package func tellProblems(where isIncluded: (SettingsProblem) -> Bool = { _ in true }) {
    for problem in store.currentProblems where isIncluded(problem) && told.insert(problem) {
      target.warn(problem.message)
    }
  }

  /// Says that the values shown are those after a migration that is not written yet.
  package func tellPending() {
    guard store.core.onlyReads, store.core.isWriteDue,
      // A failed migration is not shown, and has been reported.
      !store.currentProblems.contains(where: { $0.code == .migrationFailed })
    else { return }
    var versions = "the import into a new file"
    if case .pending(let migrations)? = try? store.migrationStatus() {
      versions = migrations.map { "\($0.version) '\($0.name)'" }.joined(separator: ", ")
    }
    target.note(
      "Pending: \(versions). Values are shown as they will be; to write them, run 'settings-cli migrate \(target.words)'."
    )
  }
}

/// The problems of settings that were told.
private final class ToldProblems: Sendable {
  // Protects them: a watch tells them on another thread.
  private let problems = Mutex<[SettingsProblem]>([])

  /// Returns whether it was not told yet.
  func insert(_ problem: SettingsProblem) -> Bool {
    problems.withLock { problems in
      guard !problems.contains(problem) else { return false }
      problems.append(problem)
      return true
    }
  }
}
