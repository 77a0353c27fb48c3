import AppSettings
import ArgumentParser

struct DiffVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show what the user's file changes, or how it differs from another.",
    discussion: """
      Prints a unified diff, or nothing if there is no difference.

      Without FILE, of the values: from those that there were without the user's file (the schema's defaults and \
      administrators' files) to those that there are. With FILE or --backup, of the texts, whether they parse or \
      not: from the other one to the user's file. Secrets are not shown, but that one is another than before.

      EXAMPLES
        settings-cli diff org.example.editor
        settings-cli diff org.example.editor --backup
        settings-cli diff org.example.editor ./settings.toml.old --exit-code
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "A file to compare the user's file with.", completion: .file()) var file: String?
  @Flag(help: "Compare with the newest backup.") var backup = false
  @Flag(help: "Exit 1 if there is a difference.") var exitCode = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if backup, file != nil { throw ValidationError("--backup and FILE exclude each other.") }
  }

  func answer() throws {
    let target = Target(target)
    let difference: String
    if backup {
      guard let backup = try target.openUnread().backups.first(where: { !$0.mayBeOfAnotherFile }) else {
        throw Failure(.noValue, "There is no backup of '\(try target.location().file)'.")
      }
      difference = try Self.texts(backup.path, target)
    } else if let file {
      difference = try Self.texts(try SettingsLocation(file: Arguments.path(file)).file, target)
    } else {
      difference = try Self.values(target)
    }
    Output.text(Shown.difference(difference))
    if !difference.isEmpty, exitCode { throw Failure(.noValue) }
  }

  private static func texts(_ other: String, _ target: Target) throws -> String {
    let file = try target.location().file
    guard let old = try SettingsFile(path: other).read().bytes else {
      throw Failure(.io, "Cannot read '\(other)': there is no such file.")
    }
    let new = try SettingsFile(path: file).read().bytes
    let texts = SecretTexts(old, new ?? [], target.schema.schema)
    return UnifiedDiff.text(
      from: texts.old, to: texts.new, oldName: other, newName: new == nil ? "/dev/null" : file)
  }

  private static func values(_ target: Target) throws -> String {
    let store = try target.open()
    let now = store.snapshot
    var without = now
    without.userDocument = TOMLDocument()
    let schema = target.schema
    // Both in one order, so that a value that only differs is not shown as moved.
    let before = schema.paths(in: without)
    let known = Set(before)
    var old = ""
    var new = ""
    for path in before + schema.paths(in: now).filter({ !known.contains($0) }) {
      let values = [without, now].map { schema.effectiveValue(of: path, in: $0) }
      let isSecret = schema.isSecret(path)
      if let value = values[0] { old += "\(path) = \(isSecret ? Shown.redacted : value.tomlText)\n" }
      guard let value = values[1] else { continue }
      let changed = values[0] == nil || values[0] == value ? Shown.redacted : SecretTexts.another
      new += "\(path) = \(isSecret ? changed : value.tomlText)\n"
    }
    return UnifiedDiff.text(
      from: old, to: new, oldName: "defaults", newName: store.location?.file ?? target.name)
  }
}
