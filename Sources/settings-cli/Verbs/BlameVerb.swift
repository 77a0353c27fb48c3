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
    let text = HistoryText(schema)
    let document = opened.snapshot.userDocument
    var shown: Set<TOMLPath> = []
    var objects: [JSONObject] = []
    for found in try opened.store.blame(path.map(schema.places)) {
      let secret =
        text.secret(at: found.path)
        ?? (found.isSecret || schema.isSecret(found.path, document[found.path]) ? found.path : nil)
      let path = secret ?? found.path
      guard shown.insert(path).inserted else { continue }
      if json {
        objects.append(text.json(path, secret == nil ? document[path] : .string(Shown.redacted), found.entry))
      } else {
        let line = Shown.line(path, secret == nil ? document[path] : nil, document.lineText(at: path) ?? "")
        let note = found.entry.map { text.summary(of: $0) } ?? "older than the history"
        Output.text(line + Terminal.output.styled("  # ", .dim) + note + "\n")
      }
    }
    if json { Output.line(JSONObject.lines(objects)) }
    guard shown.isEmpty else { return }
    guard let path else { return target.noteNothingSet(in: opened.snapshot) }
    try schema.checkKnown(path)
    throw ToolError(.noValue)
  }
}
