import AppSettings
import ArgumentParser

struct ListVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Print all keys and values.",
    discussion: """
      Prints one line for each key, as 'key = value' with the value that the app reads, as TOML, in the order of the \
      file. For an app with a schema, the keys that have their defaults follow. A value that the app cannot use is \
      reported on standard error, with --json as "problem". Secrets are not shown; use 'get' to print one. Exits \
      1 if there is nothing at and below PREFIX.

      With -0, each record is the key, a newline, the value as 'get' prints it, and a NUL byte. A secret is its key \
      alone, without the newline.

      EXAMPLES
        settings-cli list org.example.editor
        settings-cli list org.example.editor editor --origin
        settings-cli list ./settings.toml --names
        settings-cli list org.example.editor -0 | xargs -0 -n 1 echo
        settings-cli list ./settings.toml --json
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "Only the keys at and below this one.", completion: .custom(Candidates.keys)) var prefix: String?
  @Flag(help: "Add the layer, file and line that each value comes from.") var origin = false
  @Flag(help: "Only the values in the file that is written: the user's, or the active profile.") var changed = false
  @Flag(help: "Print only the keys.") var names = false
  @Flag(name: .customShort("0"), help: "End each record with a NUL byte, and print values as 'get' does.")
  var endsWithNUL = false
  @Flag(help: "Print a JSON array of objects, like those of 'get --json'; with --names, of strings.") var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if json, endsWithNUL { throw ValidationError("Use either --json or -0, not both.") }
    if origin, endsWithNUL || names {
      throw ValidationError("Use either --origin or \(names ? "--names" : "-0"), not both.")
    }
  }

  func answer() throws {
    TrialNote.noteAbandoned()
    let prefix = try prefix.map(KeyArgument.parse)
    let target = try Target(target)
    let snapshot = try target.open().snapshot
    let schema = target.schema
    var paths = schema.paths(below: prefix ?? .root, in: snapshot)
    if changed { paths.removeAll { schema.origin(of: $0, in: snapshot).layer != snapshot.ownLayer } }
    if !json { schema.warnOfUnusable(at: prefix ?? .root, in: snapshot) }
    if json {
      let elements = paths.map {
        names ? JSONText.quoted($0.description) : Shown.record($0, in: snapshot, schema, redacting: true)
      }
      Output.line("[" + elements.joined(separator: ",\n ") + "]")
    } else if names || endsWithNUL {
      let used = names ? paths : paths.filter { schema.usedValue(of: $0, in: snapshot) != nil }
      let records = try used.map { try names ? $0.description : record(of: $0, in: snapshot, schema) }
      for record in records { Output.line(record, terminator: endsWithNUL ? "\0" : "\n") }
    } else {
      show(paths, in: snapshot, schema)
    }
    if paths.isEmpty, let prefix {
      try schema.checkKnown(prefix)
      throw Failure(.noValue)
    }
  }

  private func show(_ paths: [TOMLPath], in snapshot: SettingsSnapshot, _ schema: SchemaLookup) {
    // Aligned for a person; scripts get single spaces.
    let width = Terminal.output.isTerminal ? min(32, paths.map { $0.description.count }.max() ?? 0) : 0
    for path in paths {
      guard let value = schema.usedValue(of: path, in: snapshot) else { continue }
      var line = Shown.line(
        path, schema.isSecret(path, value) ? nil : value, Shown.text(value, at: path, in: snapshot, schema),
        keyWidth: width)
      if origin {
        line += Terminal.output.styled(
          "  # \(Terminal.output.shown(Shown.place(of: path, in: snapshot, schema)))", .dim)
      }
      Output.text(line + "\n")
    }
  }

  /// The record of a key for -0, without its end. A key has no newline: it would be escaped.
  private func record(of path: TOMLPath, in snapshot: SettingsSnapshot, _ schema: SchemaLookup) throws -> String {
    guard let value = schema.usedValue(of: path, in: snapshot), !schema.isSecret(path, value) else {
      return path.description
    }
    let text = Shown.bare(value, at: path, in: snapshot, schema)
    guard !text.utf8.contains(0) else {
      throw Failure(
        .invalidValue, "Cannot print '\(path)' with -0: its value has the character U+0000. Use --json instead.")
    }
    return "\(path)\n\(text)"
  }
}
