import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct DescribeVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "describe",
    abstract: "Describe keys: their purpose, their values, and where these come from.",
    discussion: """
      Without KEY, describes all keys. For an app without a schema, and for a file, it describes what the files \
      hold. Secrets are not shown. Exits 1 if KEY has no value and no schema lists it, 3 if the app's schema does \
      not list it.

      --document prints one JSON object with all that a settings page shows, read at one moment: the file's text and \
      digest, every key with its place in the text, the layers, and what 'check' and 'migrate --dry-run' find. A text \
      that does not parse is no error there, but its "problem". '(not in the history)' stands for secret values, and \
      '# (not shown: N)' for other parts that may hold secrets; 'edit --text' puts them back.

      EXAMPLES
        settings-cli describe org.example.editor editor.font-size
        settings-cli describe org.example.editor --json
        settings-cli describe org.example.editor --document
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "The dotted key, or a table of keys.", completion: .custom(Candidates.keys)) var key: String?
  @Flag(help: "Print a JSON object, or without KEY an array of them.") var json = false
  @Flag(help: "Print a JSON object: the text, its keys and their places, the layers, the findings.")
  var document = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard document else { return }
    if key != nil { throw ValidationError("--document is for all keys: leave out KEY.") }
    if json { throw ValidationError("--document prints JSON by itself; omit --json.") }
  }

  func answer() throws {
    if document { return Output.line(try SettingsDocument.read(Target(target)).json) }
    TrialNote.noteAbandoned()
    let path = try key.map(KeyArgument.parse) ?? .root
    let target = try Target(target)
    let snapshot = try target.open().snapshot
    let schema = target.schema
    let descriptions = KeyDescription.paths(at: path, in: snapshot, schema)
      .map { KeyDescription($0, in: snapshot, schema) }
    if descriptions.isEmpty, !path.isRoot {
      try schema.checkKnown(path)
      throw ToolError(.noValue, "Nothing is known of '\(path)': it has no value, and no schema lists it.")
    }
    if descriptions.isEmpty, let absence = target.absence(of: .root, in: snapshot) { Output.note(absence) }
    if json {
      let objects = descriptions.map(\.json)
      let isOne = descriptions.count == 1 && schema.key(path)?.path ?? path == descriptions[0].path
      Output.line(isOne ? objects[0].text : JSONObject.lines(objects))
    } else {
      Output.text(descriptions.map(\.text).joined(separator: "\n"))
    }
  }
}
