import AppSettings
import ArgumentParser

struct UnsetVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "unset",
    abstract: "Remove the values of keys from the user's file.",
    discussion: """
      The values of lower layers and defaults take effect again. A table is removed with everything in it. All keys \
      are removed in one write, or none. Exits 1 if none of them was in the file.

      EXAMPLES
        settings-cli unset org.example.editor editor.font-size
        settings-cli unset ./settings.toml plugins theme
        settings-cli unset ./settings.toml plugins --dry-run
      """,
    aliases: ["reset"])

  @OptionGroup var target: TargetArgument
  @Argument(help: ArgumentHelp("The dotted keys.", valueName: "key"), completion: .custom(Candidates.keys))
  var keys: [String]
  @OptionGroup var change: ChangeOptions
  @OptionGroup var common: CommonOptions

  func answer() throws {
    let paths = try keys.map(KeyArgument.parse)
    let target = Target(target)
    let guarded = try change.guarded()
    let store = try target.open(isForWriting: true, writesLater: !guarded.isPlain)
    let schema = target.schema
    for path in paths { if let error = schema.lockError(of: path, in: store.snapshot, isRemoval: true) { throw error } }
    let changed = try guarded.make(in: store, schema) { schema.edits(storing: paths.map { ($0, nil) }, in: $0) }
    if changed {
      if guarded.isDryRun { return }
      schema.warnOfLacks(around: paths, in: store.snapshot)
      return
    }
    for path in paths { try schema.checkKnown(path) }
    throw Failure(.noValue)
  }
}
