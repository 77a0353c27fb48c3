import ArgumentParser
import SettingsTools

/// The options of verbs that change a file with edits.
struct ChangeOptions: ParsableArguments {
  @Flag(help: "Only show the change, as a unified diff.") var dryRun = false
  @OptionGroup var condition: UnchangedOption

  /// Throws if a digest is given, which is one file's, for all apps.
  func checkTarget(of apps: AppsArgument) throws {
    try apps.needTarget(for: condition.ifUnchanged.first.map { _ in "--if-unchanged" })
  }

  func guarded() throws -> GuardedChange { GuardedChange(isDryRun: dryRun, expected: try condition.digests()) }
}

/// The option of verbs that write if nothing has changed.
struct UnchangedOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only write if the file, or a key's value, still has this digest of 'get --digest'. Otherwise exit 9.",
      valueName: "digest"))
  var ifUnchanged: [String] = []

  /// - Throws: `ValidationError` for a digest that is not one.
  func validate() throws { _ = try digests() }

  func digests() throws -> [Digest] { try ifUnchanged.map { text in try validated { try Digest(text) } } }
}

/// The option of verbs that may remove the last key of a table.
struct PruneOption: ParsableArguments {
  @Flag(help: "Also remove tables of the file at PATH that this leaves empty. Those of an app go in any case.")
  var prune = false
}

extension Target {
  /// Whether tables that become empty stay: in the file of an app an empty table means nothing, in another one it may.
  func keepsTables(prunes: Bool) -> Bool { isFile && !prunes }
}

/// Runs a check of what was typed, whose failure is one of the command line.
func validated<Result>(_ check: () throws -> Result) throws -> Result {
  do {
    return try check()
  } catch let failure as ToolError where failure.status == .usage {
    throw ValidationError(failure.message ?? "")
  }
}

/// Throws if two of some words exclude each other, and both are given.
func checkAlternatives(_ words: (name: String, isGiven: Bool)...) throws {
  let given = words.filter(\.isGiven).map(\.name)
  if given.count > 1 { throw ValidationError("Use either \(given[0]) or \(given[1]), not both.") }
}

extension Target {
  /// Throws if a word is a path, where only an app will do.
  ///
  /// - Parameter subject: What takes an app's id.
  static func checkIsApp(_ word: String, for subject: String, advice: String = "") throws {
    guard Target(word).isFile else { return }
    throw ValidationError("\(subject) takes an app's id, not the path '\(word)'.\(advice)")
  }
}
