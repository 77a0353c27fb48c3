import AppSettings
import AppSettingsSchema
import ArgumentParser

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
      administrator has locked its key can be removed, too.

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
    if all, !keys.isEmpty { throw ValidationError("Use either --all or KEY, not both.") }
    if all, try change.guarded().expected.contains(where: { $0.key != nil }) {
      throw ValidationError("With --all, --if-unchanged takes the digest of the file.")
    }
    if !all, keys.isEmpty { throw ValidationError("Missing KEY. To remove every key, use --all.") }
  }

  func answer() throws {
    let paths = try keys.map(path)
    let target = try Target(target)
    let guarded = try change.guarded()
    let store = try target.open(isForWriting: true, writesLater: !guarded.isPlain)
    let schema = target.schema
    if all { return try Self.removeAll(from: store, target, guarded) }
    let before = store.snapshot
    let changed = try guarded.make(in: store, schema) { view in
      pruning.applied(to: schema.edits(storing: paths.map { ($0, nil) }, in: view), of: target)
    }
    if changed {
      if guarded.isDryRun { return }
      for path in paths where schema.names(of: path).contains(where: before.userDocument.contains) {
        guard let lock = schema.origin(of: path, in: before).lock else { continue }
        Output.note("Removed your own value of '\(path)', which had no effect: it is locked by \(lock.place).")
      }
      schema.warnOfLacks(around: paths, in: store.snapshot)
      return
    }
    for path in paths { if let error = schema.removalError(of: path, in: before) { throw error } }
    for path in paths { try schema.checkKnown(path) }
    let names = paths.map { "'\($0)'" }.joined(separator: ", ")
    throw Failure(
      .noValue,
      Terminal.error.isTerminal ? "\(names): '\(store.location?.file ?? "")' has no value to remove." : nil)
  }

  private func path(_ key: String) throws -> TOMLPath {
    do {
      return try KeyArgument.parse(key)
    } catch var failure as Failure {
      // An element of an array, as other tools take it.
      if key != keys[0] {
        failure.message? += " To remove an element, use 'settings-cli set \(target.target) \(keys[0]) --remove VALUE'."
      }
      throw failure
    }
  }

  private static func removeAll(from store: SettingsStore, _ target: Target, _ guarded: GuardedChange) throws {
    let schema = target.schema
    // Another file may be needed as it is: a profile that is active, or what another program reads.
    let mayGo = !target.isFile && store.location?.personal?.profile == nil
    var before = TOMLDocument()
    var after = TOMLDocument()
    func text(without bytes: [UInt8]?) throws -> [UInt8]? {
      try guarded.checkFile(of: store)(bytes)
      before = try bytes.map { try TOMLDocument(parsing: $0) } ?? TOMLDocument()
      after = before
      try after.edit { document in
        for key in before.keys {
          let parts = schema.unlocked(before[key], in: store.snapshot) { schema.names(of: key.appending($0)) }
          for part in parts { try document.remove(at: key.appending(part.part)) }
        }
      }
      return bytes == nil || mayGo && after.isAsNew ? nil : after.bytes
    }
    if guarded.isDryRun {
      let bytes = try store.core.readText()
      let new = try text(without: bytes)
      guard new != bytes else { throw Failure(.noValue) }
      return GuardedChange.show(bytes, new, in: store, schema)
    }
    let outcome = try store.core.commit(backingUp: "before-unset") { try text(without: $0) }
    Output.noteStored()
    if mayGo, after.isAsNew { store.location?.removeEmptyDirectories() }
    func entries(_ document: TOMLDocument) -> Set<TOMLPath> {
      Set(document.keys.flatMap { document.leafPaths(under: $0) }.map { schema.key(around: $0)?.path ?? $0 })
    }
    let kept = entries(after)
    let count = entries(before).subtracting(kept).count
    if count > 0 || outcome.hasChanged { Output.line("removed: \(count) \(count == 1 ? "key" : "keys")") }
    for path in kept.map(\.description).sorted() { Output.line("kept: \(path) (locked)") }
    if let backup = outcome.backup { Output.path(backup.path, after: "backup: ") }
    if !outcome.hasChanged { throw Failure(.noValue) }
  }
}

extension TOMLDocument {
  /// Whether nothing is in it but its version.
  fileprivate var isAsNew: Bool {
    comments.isEmpty && (childKeys(of: .root) ?? []).allSatisfy { $0 == SettingsFormat.versionPath.components[0] }
  }

  /// The paths of the root keys that are not reserved.
  fileprivate var keys: [TOMLPath] {
    (childKeys(of: .root) ?? []).filter { !$0.hasPrefix("settings-") }.map { [$0] }
  }
}
