import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct UnsetVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "unset",
    abstract: "Remove the values of keys from the user's file.",
    usage: """
      settings-cli unset TARGET KEY ...
      settings-cli unset TARGET --all
      """,
    discussion: """
      The values of lower layers and defaults take effect again. A table is removed with everything in it. All keys \
      are removed in one write, or none. Exits 1 if none of them was in the file. A value that has no effect because an \
      administrator has locked its key can be removed, too. An entry is not removed if the app would not accept the \
      table without it (status 4).

      A table of an app's file goes with its last key. In a file by its path a table with a header of its own stays, \
      empty, since other programs may need it; --prune removes it.

      --all removes every key, after a backup, and prints what it removed and the path of the backup. Reserved keys, \
      such as settings-version, stay, and so do keys that an administrator has locked, and comments that are set off \
      by a blank line or begin the file. If nothing else is left in an app's file, the file is removed, so that 'apps' \
      does not list the app for it.

      EXAMPLES
        settings-cli unset org.example.editor editor.font-size
        settings-cli unset ./settings.toml plugins theme
        settings-cli unset ./settings.toml plugins --dry-run
        settings-cli unset org.example.editor --all
        settings-cli unset org.example.editor theme --layer user
      """,
    aliases: ["reset"])

  @OptionGroup var target: TargetArgument
  @Argument(help: ArgumentHelp("The dotted keys.", valueName: "key"), completion: .custom(Candidates.keys))
  var keys: [String] = []
  @Flag(help: "Remove every key, after a backup.") var all = false
  @OptionGroup var pruning: PruneOption
  @OptionGroup var change: ChangeOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try checkAlternatives(("--all", all), ("KEY", !keys.isEmpty))
    if all, try change.guarded().expected.contains(where: { $0.key != nil }) {
      throw ValidationError("With --all, --if-unchanged takes the digest of the file.")
    }
    if !all, keys.isEmpty { throw ValidationError("Missing KEY. To remove every key, use --all.") }
  }

  func answer() throws {
    let target = try Target(target)
    let guarded = try change.guarded()
    guard all else { return try Self.answer(target, keys: keys, prunes: pruning.prune, guarded) }
    try Self.removeAll(from: target.open(isForWriting: true), guarded)
  }

  static func answer(
    _ target: Target, keys: [String], prunes: Bool = false, _ guarded: GuardedChange = GuardedChange()
  ) throws {
    let paths = try keys.map { try path($0, after: keys[0], of: target) }
    let opened = try target.open(isForWriting: true)
    let schema = opened.schema
    let before = opened.snapshot
    let keepsTables = target.keepsTables(prunes: prunes)
    let outcome = try opened.make(guarded) { view in
      let changes = paths.map { (path: $0, value: TOMLValue?.none) }
      let edits = schema.edits(storing: changes, in: view)
      guard edits.contains(where: { view.userDocument.contains($0.path) }) else {
        for path in paths { if let error = schema.lockError(of: path, in: view, isRemoval: true) { throw error } }
        for path in paths { try schema.checkKnown(path) }
        let names = paths.map { "'\($0)'" }.joined(separator: ", ")
        throw ToolError(
          .noValue, Terminal.error.isTerminal ? "\(names): '\(opened.file)' has no value to remove." : nil)
      }
      if let refusal = schema.refusals(of: changes, in: view).first { throw refusal.error(of: refusal.paths[0]) }
      return edits.keepingTables(keepsTables)
    }
    if outcome.show() { return }
    for path in paths where schema.names(of: path).contains(where: before.userDocument.contains) {
      guard let lock = schema.origin(of: path, in: before).lock else { continue }
      Output.note("Removed your own value of '\(path)', which had no effect: it is locked by \(lock.place).")
    }
    opened.warnOfLacks(around: paths)
    // What was found is gone; a typo beside it would not be noticed.
    for path in paths where !schema.names(of: path).contains(where: before.userDocument.contains) {
      do { try schema.checkKnown(path) } catch { Output.warning(ToolError(any: error).description) }
    }
  }

  private static func path(_ key: String, after first: String, of target: Target) throws -> TOMLPath {
    do {
      return try KeyArgument.parse(key)
    } catch var failure as ToolError {
      // An element of an array, as other tools take it.
      if key != first {
        let words = "\(PathText.word(target.name) ?? "TARGET") \(first)"
        failure.message? += " To remove an element, use 'settings-cli set \(words) --remove VALUE'."
      }
      throw failure
    }
  }

  private static func removeAll(from opened: OpenedSettings, _ guarded: GuardedChange) throws {
    let removal = try opened.removeAll(guarded)
    if let difference = removal.difference {
      guard removal.hasChanged else { throw ToolError(.noValue) }
      return Output.text(Shown.difference(difference))
    }
    Output.noteStored()
    if removal.count > 0 || removal.hasChanged {
      Output.line("removed: \(removal.count) \(removal.count == 1 ? "key" : "keys")")
    }
    for path in removal.kept { Output.line("kept: \(path) (locked)") }
    if let backup = removal.backup { Output.path(backup.path, after: "backup: ") }
    if !removal.hasChanged { throw ToolError(.noValue) }
  }
}
