import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct GetVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print the value of a key.",
    usage: """
      settings-cli get TARGET KEY [--toml] [--json] [--origin] [--layers] [-0] [--default VALUE]
      settings-cli get TARGET [--json] [--origin] [-0]
      settings-cli get TARGET [KEY] --digest
      """,
    discussion: """
      Prints the value that the app reads: a string as it is, anything else as TOML. Without a usable value in any \
      file, that is the default of the app's schema; a table has what the app reads for fields that the files lack. \
      A value that the app cannot use is reported on standard error, with --json as "problem". Exits 1 if the key has no \
      value, 3 if the schema does not have the key.

      Without KEY, prints all keys and values, as 'list' does. --origin adds the layer, file and line of the value, and \
      --layers prints the values that it hides, too.

      --digest prints what 'set', 'unset', 'batch' and 'import' take for --if-unchanged. Without KEY that is the \
      SHA-256 of the file's bytes, or 'absent' if there is no file. With KEY it is KEY, a colon, and the SHA-256 of \
      what 'get --toml' prints, or 'absent'.

      EXAMPLES
        settings-cli get org.example.editor editor.font-size
        settings-cli get ./settings.toml theme --default light
        settings-cli get org.example.editor theme --json
        settings-cli get org.example.editor theme --origin
        settings-cli get ./settings.toml --digest
        settings-cli get org.example.editor theme --layers
      """)

  /// The form of the value.
  enum Form: String, EnumerableFlag {
    case toml, json

    static func help(for form: Self) -> ArgumentHelp? {
      switch form {
      case .toml: "Print the value as TOML: strings are quoted."
      case .json: "Print a JSON object: key, value, layer, file, line, isDefault, isLocked, problem."
      }
    }
  }

  @OptionGroup var target: TargetArgument
  @Argument(help: "The dotted key.", completion: .custom(Candidates.keys)) var key: String?
  @Option(
    name: .customLong("default"), parsing: .unconditional,
    help: ArgumentHelp("The text to print if the key has no value.", valueName: "value"))
  var fallback: String?
  @Flag var form: Form?
  @Flag(
    name: [.long, .customLong("show-origin")],
    help: "Print the value as TOML, with the layer, file and line that it comes from.")
  var origin = false
  @Flag(help: "Print the value of each layer: one a line, the highest first, with its place and what hides it.")
  var layers = false
  @Flag(name: .customShort("0"), help: "End the value with a NUL byte, not a newline.") var endsWithNUL = false
  @Flag(help: "Print the digest of the value, or without KEY of the file, for --if-unchanged.") var digest = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if key == nil, !digest, let option = layers ? "--layers" : fallback.map({ _ in "--default" }) {
      throw ValidationError("Missing KEY: \(option) is about one key. Usage: settings-cli get TARGET KEY")
    }
    if digest, layers || origin || form != nil || fallback != nil {
      throw ValidationError("--digest cannot be combined with --toml, --json, --origin, --layers or --default.")
    }
    if layers, fallback != nil { throw ValidationError("--layers cannot be combined with --default.") }
    if layers, form == .toml { throw ValidationError("--layers prints TOML by itself; omit --toml.") }
    if key == nil {
      try checkAlternatives((form == .json ? "--json" : "--origin", form == .json || origin), ("-0", endsWithNUL))
    }
  }

  private var terminator: String { endsWithNUL ? "\0" : "\n" }

  func answer() throws {
    let target = try Target(target)
    if digest { return Output.line(try Self.digest(of: target, key).text, terminator: terminator) }
    guard let key else {
      var list = KeyList(hasOrigin: origin, endsWithNUL: endsWithNUL, isJSON: form == .json)
      try list.add(target)
      return list.end()
    }
    if layers { return try answerWithLayers(target, key) }
    try Self.answer(target, key, form, withOrigin: origin, default: fallback, terminator: terminator)
  }

  private static func digest(of target: Target, _ key: String?) throws -> Digest {
    guard let key else {
      let bytes = try SettingsFile(path: target.location().file).read().bytes
      if bytes == nil { try target.checkNotEndOfAnother() }
      return Digest(of: bytes)
    }
    let path = try KeyArgument.parse(key)
    let snapshot = try target.open(mayBeUnknown: true).snapshot
    try target.schema.checkKnown(path)
    return Digest(of: path, in: snapshot, target.schema)
  }

  static func answer(
    _ target: Target, _ key: String, _ form: Form? = nil, withOrigin: Bool = false, default fallback: String? = nil,
    terminator: String = "\n"
  ) throws {
    let path = try KeyArgument.parse(key)
    let snapshot = try target.open(mayBeUnknown: fallback != nil).keepOpen().snapshot
    let schema = target.schema
    let used = schema.usedValue(of: path, in: snapshot)
    // A JSON object has the problem in itself.
    if form != .json || used == nil { schema.warnOfUnusable(at: path, in: snapshot) }
    guard let found = used else {
      guard let fallback else { throw try target.missing(path, in: snapshot) }
      Output.line(fallback, terminator: terminator)
      return
    }
    let (value, secrets) = schema.withoutSecrets(found, at: path)
    if !secrets.isEmpty {
      let names = secrets.map { "'\($0)'" }.joined(separator: ", ")
      Output.warning("Left out because they are or may contain secrets: \(names). To print a secret, name its key.")
    }
    guard let value else { throw ToolError(.noValue) }
    if form == .json {
      Output.line(Shown.record(path, in: snapshot, schema).text, terminator: terminator)
    } else {
      let show = form == .toml || withOrigin ? Shown.text : Shown.bare
      let origin = withOrigin ? Shown.origin(of: path, in: snapshot, schema) : ""
      Output.text(Terminal.output.shown(show(value, path, snapshot, schema)) + origin + terminator)
    }
  }

  private func answerWithLayers(_ target: Target, _ key: String) throws {
    let path = try KeyArgument.parse(key)
    let snapshot = try target.open().snapshot
    let schema = target.schema
    var values = schema.values(at: path, in: snapshot)
    // Among them may be a value above the path, which hides the one there.
    let there = values.filter { schema.names(of: path).contains($0.path) }
    // A field that the files lack may have a default of its own, or none although the whole value has one.
    let isSet = there.contains { [.used, .merged].contains($0.state) }
    let standard = isSet ? schema.defaultValue(at: path) : schema.usedValue(of: path, in: snapshot)
    if let standard {
      let used = there.first { $0.state == .used }
      let isMerged = schema.key(around: path) == nil && used?.value.table != nil
      values.append(
        LayerValue(
          layer: SettingsLayer(.default), path: path, value: standard, position: nil,
          state: used.map { isMerged ? .merged : .hidden(by: $0.layer, at: nil) } ?? .used))
    }
    let isThere = standard != nil || !there.isEmpty
    if !isThere || form != .json { schema.warnOfUnusable(at: path, in: snapshot) }
    if isThere, form == .json {
      Output.line(JSONObject.lines(values.map { Shown.record($0, schema) }), terminator: terminator)
    } else if isThere {
      let lock = schema.origin(of: path, in: snapshot).lock
      for line in Shown.layers(of: path, values, schema, lock: lock) { Output.text(line + terminator) }
    }
    // With the status of 'get', also where none of them takes effect, which they say.
    guard schema.usedValue(of: path, in: snapshot) == nil else { return }
    do {
      throw try target.missing(path, in: snapshot)
    } catch let error as ToolError where isThere {
      throw ToolError(error.status)
    }
  }
}
