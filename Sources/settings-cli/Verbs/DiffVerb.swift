import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct DiffVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show what the user's file changes, or compare it with another file.",
    usage: """
      settings-cli diff TARGET [FILE] [--backup] [--exit-code]
      settings-cli diff TARGET --declared [--json] [--exit-code]
      """,
    discussion: """
      Prints a unified diff, or nothing if there is no difference.

      Without FILE, compares values: those without the user's file (the schema's defaults and administrators' files) \
      with the present ones. With FILE or --backup, compares the texts, whether they parse or not: the other one \
      with the user's file. Secrets are not shown, only whether they changed.

      With --declared, prints a line for each value of the user's file that a declared file has, too: the value in \
      place of which it is used, or 'redundant' if both are the same. 'adopt' moves one into the declared file.

      While a profile is active, it takes the place of the user's file.

      EXAMPLES
        settings-cli diff org.example.editor
        settings-cli diff org.example.editor --backup
        settings-cli diff org.example.editor --declared
        settings-cli diff org.example.editor ./settings.toml.old --exit-code
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "A file to compare the user's file with.", completion: .file()) var file: String?
  @Flag(help: "Compare with the newest backup.") var backup = false
  @Flag(help: "Compare with the declared files, value by value.") var declared = false
  @Flag(
    help:
      "With --declared: print a JSON array of objects: key, value, line, declared, declaredFile, declaredLine, isRedundant."
  )
  var json = false
  @Flag(help: "Exit 1 if there is a difference.") var exitCode = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try checkAlternatives(("--declared", declared), ("--backup", backup), ("FILE", file != nil))
    if json, !declared { throw ValidationError("'--json' is for '--declared', which is missing.") }
  }

  func answer() throws {
    let target = try Target(target)
    if declared { return try compareWithDeclared(target) }
    let difference: String
    if backup {
      let opened = try target.openUnread()
      guard let backup = try opened.store.backups().first else {
        try target.checkKnown(opened)
        throw ToolError(.noValue, "There is no backup of '\(try target.location().file)'.")
      }
      difference = try Self.texts(backup.path, target)
    } else if let file {
      difference = try Self.texts(try SettingsLocation(file: Arguments.path(file)).file, target, typed: file)
    } else {
      difference = try Self.values(target)
    }
    Output.text(Shown.difference(difference))
    if !difference.isEmpty, exitCode { throw ToolError(.noValue) }
  }

  private func compareWithDeclared(_ target: Target) throws {
    let found = DeclaredComparison.all(in: try target.open().snapshot, target.schema)
    Output.list(found, asJSON: json, \.json, \.line)
    if exitCode, !found.isEmpty { throw ToolError(.noValue) }
  }

  private static func texts(_ other: String, _ target: Target, typed: String? = nil) throws -> String {
    let file = try target.location().file
    let old = try GivenFile.bytes(at: other, advice: typed.map { advice(for: $0, target) } ?? "")
    let new = try SettingsFile(path: file).read().bytes
    if new == nil { try target.checkKnown(target.openUnread()) }
    let texts = ShownTexts(old, new ?? [], target.schema)
    return UnifiedDiff.text(
      from: texts.old, to: texts.new, oldName: other, newName: new == nil ? "/dev/null" : file)
  }

  /// What was probably meant by a FILE that does not exist.
  private static func advice(for word: String, _ target: Target) -> String {
    if InstalledApp.isKnown(word) {
      return " For the file of that app, give its path, which 'settings-cli path \(word)' prints."
    }
    guard (try? EntryArgument.parse(word)) != nil || (try? Moment.parse(word)) != nil, let word = PathText.word(word)
    else { return "" }
    return " For an earlier text of the file, use 'settings-cli at \(target.words) \(word) --diff'."
  }

  private static func values(_ target: Target) throws -> String {
    let opened = try target.open()
    let now = opened.snapshot
    var without = now
    without.userDocument = TOMLDocument()
    let schema = target.schema
    // Both in one order, so that a changed value is not shown as moved.
    let before = schema.paths(in: without)
    let known = Set(before)
    var old = ""
    var new = ""
    for path in before + schema.paths(in: now).filter({ !known.contains($0) }) {
      let values = [without, now].map { schema.effectiveValue(of: path, in: $0) }
      let isSecret = values.contains { schema.isSecret(path, $0) }
      if let value = values[0] { old += "\(path) = \(isSecret ? Shown.redacted : value.tomlText)\n" }
      guard let value = values[1] else { continue }
      let changed = values[0] == nil || values[0] == value ? Shown.redacted : ShownTexts.another
      new += "\(path) = \(isSecret ? changed : value.tomlText)\n"
    }
    if old == new { target.noteNothingSet(in: now) }
    return UnifiedDiff.text(
      from: old, to: new, oldName: "defaults", newName: opened.file)
  }
}
