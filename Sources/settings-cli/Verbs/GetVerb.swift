import AppSettings

enum GetVerb: Verb {
  static let name = "get"
  static let syntax = Syntax(
    summary: "Print the value of a key.",
    operands: [.target, .key()],
    options: [
      .value("default", "VALUE", "What to print if the key has no value."),
      .flag("toml", "Print the value as TOML: strings are quoted."),
      .flag("json", "Print a JSON object: key, value, layer, file, line, isDefault, isLocked."),
      .flag("0", "End the value with a NUL byte, not a newline."),
    ],
    details: """
      Prints the bare value: a string as it is, anything else as TOML. While no file has
      one, that is the default of the app's schema. Exits 1 if the key has no value, 3 if
      the schema does not have the key.
      """,
    examples: [
      "settings-cli get org.example.editor editor.font-size",
      "settings-cli get ./settings.toml theme --default light",
      "settings-cli get org.example.editor theme --json",
    ])

  static func run(_ arguments: Arguments) throws {
    try arguments.exclude("toml", "json")
    let path = try KeyArgument.parse(arguments.operands[1])
    let fallback = arguments.value("default")
    let target = Target(arguments)
    let snapshot = try target.open(mayBeUnknown: fallback != nil).snapshot
    let schema = target.schema
    let terminator = arguments.has("0") ? "\0" : "\n"
    guard let value = schema.effectiveValue(of: path, in: snapshot) else {
      guard let fallback else {
        try schema.checkKnown(path)
        throw Failure(.noValue, hint(path, snapshot))
      }
      Output.line(fallback, terminator: terminator)
      return
    }
    if arguments.has("json") {
      Output.line(Shown.record(path, in: snapshot, schema), terminator: terminator)
    } else {
      Output.line(arguments.has("toml") ? value.tomlText : Shown.bare(value), terminator: terminator)
    }
  }

  /// For a person, a key that is like this one; a script has the status.
  private static func hint(_ path: TOMLPath, _ snapshot: SettingsSnapshot) -> String? {
    guard Terminal.error.isTerminal else { return nil }
    let keys = SchemaLookup(schema: nil).paths(in: snapshot).map(\.description)
    return Suggestion.nearest(to: path.description, among: keys).map { "'\(path)' has no value. Did you mean '\($0)'?" }
  }
}
