import AppSettings
import AppSettingsSchema
import ArgumentParser

struct GetVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print the value of a key.",
    discussion: """
      Prints the bare value: a string as it is, anything else as TOML. While no file has one, that is the \
      default of the app's schema; a table has what the app reads for fields that the files lack. Exits 1 if the key has no value, 3 if the schema does not have the key.

      EXAMPLES
        settings-cli get org.example.editor editor.font-size
        settings-cli get ./settings.toml theme --default light
        settings-cli get org.example.editor theme --json
      """)

  /// The form of the value.
  enum Form: String, EnumerableFlag {
    case toml, json

    static func help(for form: Self) -> ArgumentHelp? {
      switch form {
      case .toml: "Print the value as TOML: strings are quoted."
      case .json: "Print a JSON object: key, value, layer, file, line, isDefault, isLocked."
      }
    }
  }

  @OptionGroup var target: TargetArgument
  @Argument(help: "The dotted key.", completion: .custom(Candidates.keys)) var key: String
  @Option(
    name: .customLong("default"), parsing: .unconditional,
    help: ArgumentHelp("The text to print if the key has no value.", valueName: "value"))
  var fallback: String?
  @Flag var form: Form?
  @Flag(name: .customShort("0"), help: "End the value with a NUL byte, not a newline.") var endsWithNUL = false
  @OptionGroup var common: CommonOptions

  func answer() throws {
    try Self.answer(Target(target), key, form, default: fallback, terminator: endsWithNUL ? "\0" : "\n")
  }

  static func answer(
    _ target: Target, _ key: String, _ form: Form? = nil, default fallback: String? = nil, terminator: String = "\n"
  ) throws {
    let path = try KeyArgument.parse(key)
    let snapshot = try target.open(mayBeUnknown: fallback != nil).snapshot
    let schema = target.schema
    guard let found = schema.usedValue(of: path, in: snapshot) else {
      guard let fallback else {
        try schema.checkKnown(path)
        throw Failure(.noValue, hint(path, snapshot))
      }
      Output.line(fallback, terminator: terminator)
      return
    }
    let (value, secrets) = schema.withoutSecrets(found, at: path)
    if !secrets.isEmpty {
      let names = secrets.map { "'\($0)'" }.joined(separator: ", ")
      Output.warning("Left out because they are or may contain secrets: \(names). To print a secret, name its key.")
    }
    guard let value else { throw Failure(.noValue) }
    if form == .json {
      Output.line(Shown.record(path, in: snapshot, schema), terminator: terminator)
    } else {
      let show = form == .toml ? Shown.text : Shown.bare
      Output.line(show(value, path, snapshot, schema), terminator: terminator)
    }
  }

  /// For a person, a similar key; a script has the status.
  private static func hint(_ path: TOMLPath, _ snapshot: SettingsSnapshot) -> String? {
    guard Terminal.error.isTerminal else { return nil }
    let keys = SchemaLookup(schema: nil).paths(in: snapshot).map(\.description)
    return Suggestion.nearest(to: path.description, among: keys).map { "'\(path)' has no value. Did you mean '\($0)'?" }
  }
}
