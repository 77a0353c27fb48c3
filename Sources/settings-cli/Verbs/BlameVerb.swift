import AppSettings
import ArgumentParser
import SettingsTools

struct BlameVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "blame",
    abstract: "Show who set each value of the user's file, and when.",
    discussion: """
      Prints one line for each value, in the order of the file: 'key = value', then the number, the time and the \
      author of its last change. Secrets are not shown. Exits 1 if there is no value at and below KEY.

      EXAMPLES
        settings-cli blame org.example.editor
        settings-cli blame org.example.editor editor
        settings-cli blame ./settings.toml theme --json
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "Only the keys at and below this one.", completion: .custom(Candidates.keys)) var key: String?
  @Flag(help: "Print a JSON array of objects: key, value, and the last change, or null.") var json = false
  @OptionGroup var common: CommonOptions

  func answer() throws {
    let path = try key.map(KeyArgument.parse)
    let target = try Target(target)
    let opened = try target.open()
    let schema = opened.schema
    let document = opened.snapshot.userDocument
    var seen: Set<TOMLPath> = []
    let found = try opened.store.blame(path.map(schema.places)).compactMap { found in
      let secret =
        schema.secret(at: found.path)
        ?? (found.isSecret || schema.isSecret(found.path, document[found.path]) ? found.path : nil)
      let path = secret ?? found.path
      let value = secret == nil ? document[path] : nil
      return seen.insert(path).inserted ? (path: path, value: value, isSecret: secret != nil, entry: found.entry) : nil
    }
    Output.list(
      found, asJSON: json,
      {
        [
          "key": .text($0.path.description), "value": .value($0.isSecret ? .string(Shown.redacted) : $0.value),
          "entry": .object($0.entry?.json),
        ]
      },
      {
        Shown.line($0.path, $0.value, document.lineText(at: $0.path) ?? "")
          + Terminal.output.styled("  # ", .dim) + ($0.entry?.summary ?? "older than the history")
      })
    guard found.isEmpty else { return }
    guard let path else { return target.noteNothingSet(in: opened.snapshot) }
    try schema.checkKnown(path)
    throw ToolError(.noValue)
  }
}
