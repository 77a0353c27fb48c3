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
