import AppSettings
import ArgumentParser
import SettingsTools

struct ListVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Print all keys and values.",
    discussion: """
      Prints one line for each key, as 'key = value' with the value that the app reads, as TOML, in the order of the \
      file. For an app with a schema, the keys that have their defaults follow. A value that the app cannot use is \
      reported on standard error, with --json as "problem". Secrets are not shown; use 'get' to print one. Exits \
      1 if there is nothing at and below PREFIX.

      Without TARGET, or with --all, prints the keys of all apps: the app's id precedes each line, and with -0 each \
      record; with --json each object has it as "app".

      With -0, each record is the key, a newline, the value as 'get' prints it, and a NUL byte. A secret is its key \
      alone, without the newline.

      EXAMPLES
        settings-cli list
        settings-cli list org.example.editor
        settings-cli list org.example.editor editor --origin
        settings-cli list ./settings.toml --names
        settings-cli list org.example.editor -0 | xargs -0 -n 1 echo
        settings-cli list ./settings.toml --json
      """)

  @OptionGroup var apps: AppsArgument
  @Argument(help: "Only the keys at and below this one.", completion: .custom(Candidates.keys)) var prefix: String?
  @Flag(
    name: [.long, .customLong("show-origin")], help: "Add the layer, file and line that each value comes from.")
  var origin = false
  @Flag(help: "Only the values in the file that is written: the user's, or the active profile.") var changed = false
  @Flag(help: "Print only the keys.") var names = false
  @Flag(name: .customShort("0"), help: "End each record with a NUL byte, and print values as 'get' does.")
  var endsWithNUL = false
  @Flag(help: "Print a JSON array of objects, like those of 'get --json'; with --names, of strings.") var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try checkAlternatives(("--json", json), ("-0", endsWithNUL))
    try checkAlternatives(("--origin", origin), (names ? "--names" : "-0", names || endsWithNUL))
  }

  func answer() throws {
    TrialNote.noteAbandoned()
    var list = KeyList(
      hasOrigin: origin, onlyChanged: changed, onlyNames: names, endsWithNUL: endsWithNUL, isJSON: json)
    if let target = try apps.named {
      try list.add(target, below: try prefix.map(KeyArgument.parse))
      return list.end()
    }
    list.namesApps = true
    let status = try AllApps.each(apps.layer.layer, "list") { try list.add($0) }
    list.end()
    if list.isEmpty, status == nil { Output.note("No app has settings or a schema here.") }
    if let status { throw ToolError(status) }
  }
}

/// Keys and their values, as `list` prints them.
struct KeyList {
  var hasOrigin = false
  var onlyChanged = false
  var onlyNames = false
  var endsWithNUL = false
  var isJSON = false
  /// Whether the keys of several apps are listed, so that each line begins with the app.
  var namesApps = false
  private(set) var elements: [String] = []
  private(set) var isEmpty = true

  /// Prints the keys of a target.
  ///
  /// - Throws: ``ToolError`` with status 1 if there are none at and below a prefix, 3 if the schema does not have that.
  mutating func add(_ target: Target, below prefix: TOMLPath? = nil) throws {
    let snapshot = try target.open().snapshot
    let schema = target.schema
    var paths = schema.paths(below: prefix ?? .root, in: snapshot)
    if onlyChanged { paths.removeAll { schema.origin(of: $0, in: snapshot).layer != snapshot.ownLayer } }
    if !isJSON { schema.warnOfUnusable(at: prefix ?? .root, in: snapshot) }
    if !paths.isEmpty { isEmpty = false }
    let app = namesApps ? target.name : nil
    if isJSON {
      elements += paths.map { path in
        guard onlyNames else { return Shown.record(path, in: snapshot, schema, redacting: true, app: app).text }
        return JSONText.quoted(label(app) + path.description)
      }
    } else if onlyNames || endsWithNUL {
      let used = onlyNames ? paths : paths.filter { schema.usedValue(of: $0, in: snapshot) != nil }
      let records = try used.map { try onlyNames ? $0.description : record(of: $0, in: snapshot, schema) }
      for record in records { Output.line(label(app) + record, terminator: endsWithNUL ? "\0" : "\n") }
    } else {
      show(paths, in: snapshot, schema, app)
    }
    if paths.isEmpty, let prefix {
      if isJSON { end() }
      throw try target.missing(prefix, in: snapshot)
    }
    if paths.isEmpty, !namesApps, let absence = target.absence(of: .root, in: snapshot) { Output.note(absence) }
  }

  /// Prints what comes after the last key.
  func end() {
    if isJSON { Output.line("[" + elements.joined(separator: ",\n ") + "]") }
  }

  private func label(_ app: String?) -> String { app.map { "\($0) " } ?? "" }

  private func show(_ paths: [TOMLPath], in snapshot: SettingsSnapshot, _ schema: SchemaLookup, _ app: String?) {
    let terminal = Terminal.output
    // Aligned for a person; scripts get single spaces.
    let width = terminal.isTerminal ? min(32, paths.map { $0.description.count }.max() ?? 0) : 0
    for path in paths {
      guard let value = schema.usedValue(of: path, in: snapshot) else { continue }
      var line = app == nil ? "" : terminal.styled(terminal.shown(label(app)), .dim)
      line += Shown.line(
        path, schema.isSecret(path, value) ? nil : value, Shown.text(value, at: path, in: snapshot, schema),
        keyWidth: width)
      if hasOrigin { line += Shown.origin(of: path, in: snapshot, schema) }
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
      throw ToolError(
        .invalidValue, "Cannot print '\(path)' with -0: its value has the character U+0000. Use --json instead.")
    }
    return "\(path)\n\(text)"
  }
}
