import AppSettings
import ArgumentParser

struct ListVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Print all keys and values.",
    discussion: """
      One line for each key, as 'key = value' with the value as TOML, in the order of the file; then, for an app \
      with a schema, the keys that have their defaults. Secrets are not shown: 'get' prints one. Exits 1 if \
      there is nothing at and below PREFIX.

      EXAMPLES
        settings-cli list org.example.editor
        settings-cli list org.example.editor editor --origin
        settings-cli list ./settings.toml --json
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "Only the keys at and below this one.", completion: .custom(Candidates.keys)) var prefix: String?
  @Flag(help: "Say after each value which layer, file and line it comes from.") var origin = false
  @Flag(help: "Only what the user's file says, not administrators' files or defaults.") var changed = false
  @Flag(help: "Print a JSON array of objects, as 'get --json' prints them.") var json = false
  @OptionGroup var common: CommonOptions

  func answer() throws {
    let prefix = try prefix.map(KeyArgument.parse)
    let target = Target(target)
    let snapshot = try target.open().snapshot
    let schema = target.schema
    var paths = schema.paths(below: prefix ?? .root, in: snapshot)
    if changed { paths.removeAll { schema.origin(of: $0, in: snapshot).layer.kind != .user } }
    if json {
      Output.line(
        "[" + paths.map { Shown.record($0, in: snapshot, schema, redacting: true) }.joined(separator: ",\n ") + "]")
    } else {
      // Aligned for a person: a script gets single spaces.
      let width = Terminal.output.isTerminal ? min(32, paths.map { $0.description.count }.max() ?? 0) : 0
      for path in paths {
        guard let value = schema.effectiveValue(of: path, in: snapshot) else { continue }
        var line = Shown.line(path, schema.isSecret(path) ? nil : value, keyWidth: width)
        if origin {
          line += Terminal.output.styled(
            "  # \(Terminal.output.shown(Shown.place(of: path, in: snapshot, schema)))", .dim)
        }
        Output.text(line + "\n")
      }
    }
    if paths.isEmpty, let prefix {
      try schema.checkKnown(prefix)
      throw Failure(.noValue)
    }
  }
}
