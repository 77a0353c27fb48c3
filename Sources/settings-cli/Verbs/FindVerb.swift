import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct FindVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find keys of all apps by their names, descriptions and values.",
    discussion: """
      Prints a line 'app key = value' for each key in which every WORD occurs: in its name, in its description, or in \
      its value. If a description has a WORD, it follows after '#'. Case does not matter. If nothing has the words as \
      typed, keys with similar words are printed, and a message says so. The values of secrets are neither searched \
      nor shown.

      Exits 1 if nothing is found. An app whose settings cannot be read is named on standard error.

      EXAMPLES
        settings-cli find font
        settings-cli find font size
        settings-cli find proxy --json
      """)

  @Argument(help: ArgumentHelp("What to search for.", valueName: "word")) var words: [String]
  @Flag(help: "All apps, which are searched in any case.") var all = false
  @Flag(help: "Print a JSON array of objects: app, key, value, description, matched.") var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if words.contains("") { throw ValidationError("A WORD must not be empty.") }
  }

  func answer() throws {
    for word in words { try Arguments.checkText(word, "WORD") }
    var entries: [FoundKey] = []
    _ = try AllApps.each(.own, "search") { entries += try Self.entries(of: $0) }
    var found = entries.compactMap { $0.match(words) { text, word in text.contains(word) } }
    if found.isEmpty {
      found = entries.compactMap { $0.match(words, Self.isSimilar) }
      if !found.isEmpty { Output.note("Nothing has \(Self.quoted(words)). These are similar:") }
    }
    Output.list(found, asJSON: json, \.json, \.line)
    if found.isEmpty {
      throw ToolError(.noValue, Terminal.error.isTerminal ? "Nothing has \(Self.quoted(words))." : nil)
    }
  }

  private static func quoted(_ words: [String]) -> String { words.map { "'\($0)'" }.joined(separator: " and ") }

  /// Whether a text has a word that a typo may separate from another.
  private static func isSimilar(_ text: String, _ word: String) -> Bool {
    text.contains(word)
      || Suggestion.nearest(
        to: word, among: text.split { !$0.isLetter && !$0.isNumber }.lazy.map(String.init)) != nil
  }

  /// The keys of an app, with what is searched.
  private static func entries(of target: Target) throws -> [FoundKey] {
    let schema = target.schema
    let opened = try target.openUnread()
    opened.load()
    for problem in opened.store.currentProblems where [.unparsable, .io, .readOnly].contains(problem.code) {
      Output.warning("Cannot search all of '\(target.name)': \(problem.message)")
    }
    let snapshot = opened.snapshot
    var paths = schema.paths(in: snapshot)
    let known = Set(paths)
    paths += schema.keys.map(\.path).filter { !known.contains($0) }
    return paths.map { path in
      let used = schema.usedValue(of: path, in: snapshot)
      let isSecret = schema.isSecret(path, used)
      let value = isSecret ? nil : used
      return FoundKey(
        app: target.name, path: path, value: value,
        text: value.map { Shown.text($0, at: path, in: snapshot, schema) },
        bare: value.map { Shown.bare($0, at: path, in: snapshot, schema) } ?? "",
        isSecret: isSecret && used != nil,
        summary: schema.key(path)?.summary ?? "")
    }
  }
}

/// A key of an app.
private struct FoundKey {
  let app: String
  let path: TOMLPath
  /// `nil` also for a secret.
  let value: TOMLValue?
  let text: String?
  let bare: String
  let isSecret: Bool
  let summary: String
  /// What the words were found in.
  var places: [String] = []

  /// The key with what matched; `nil` if a word is in none of its texts.
  func match(_ words: [String], _ hasWord: (String, String) -> Bool) -> FoundKey? {
    let texts = [("name", path.description), ("description", summary), ("value", bare)].map { ($0, $1.lowercased()) }
    var found: Set<String> = []
    for word in words.map({ $0.lowercased() }) {
      let places = texts.filter { hasWord($0.1, word) }.map(\.0)
      guard !places.isEmpty else { return nil }
      found.formUnion(places)
    }
    var match = self
    match.places = texts.map(\.0).filter(found.contains)
    return match
  }

  var line: String {
    let terminal = Terminal.output
    var line = terminal.styled(terminal.shown(app), .dim) + " "
    if value != nil || isSecret {
      line += Shown.line(path, value, text ?? "")
    } else {
      line += terminal.styled(terminal.shown(path.description), .cyan)
    }
    guard places.contains("description") else { return line }
    let words = summary.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return line + terminal.styled("  # \(terminal.shown(words))", .dim)
  }

  var json: JSONObject {
    [
      "app": .text(app), "key": .text(path.description),
      "value": .value(isSecret ? .string(Shown.redacted) : value), "description": .text(summary),
      "matched": .texts(places),
    ]
  }
}
