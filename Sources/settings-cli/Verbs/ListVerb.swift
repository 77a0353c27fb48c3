import AppSettings
import ArgumentParser

struct ListVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Print all keys and values.",
    discussion: """
      Prints one line for each key, as 'key = value' with the value as TOML, in the order of the file. For an app \
      with a schema, the keys that have their defaults follow. Secrets are not shown; use 'get' to print one. Exits \
      1 if there is nothing at and below PREFIX.

      EXAMPLES
        settings-cli list org.example.editor
        settings-cli list org.example.editor editor --origin
        settings-cli list ./settings.toml --json
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "Only the keys at and below this one.", completion: .custom(Candidates.keys)) var prefix: String?
  @Flag(help: "Add the layer, file and line that each value comes from.") var origin = false
  @Flag(help: "Only the values in the user's file.") var changed = false
  @Flag(help: "Print a JSON array of objects, like those of 'get --json'.") var json = false
  @OptionGroup var common: CommonOptions

  func answer() throws {
    let prefix = try prefix.map(KeyArgument.parse)
    let target = Target(target)
    let snapshot = try target.open().snapshot
    let schema = target.schema
    var paths = schema.paths(below: prefix ?? .root, in: snapshot)
    if changed { paths.removeAll { schema.origin(of: $0, in: snapshot).layer != snapshot.ownLayer } }
    if json {
      Output.line(
        "[" + paths.map { Shown.record($0, in: snapshot, schema, redacting: true) }.joined(separator: ",\n ") + "]")
    } else {
      // Aligned for a person; scripts get single spaces.
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
