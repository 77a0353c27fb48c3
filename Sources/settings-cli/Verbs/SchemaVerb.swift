import AppSettings

enum SchemaVerb: Verb {
  static let name = "schema"
  static let syntax = Syntax(
    summary: "Print what an app says of its settings, in several forms.",
    operands: [
      .init("TARGET", .one, .target, "An app's id, or the path of a schema file: anything with a '/'.")
    ],
    options: [
      .flag("json-schema", "Print a JSON Schema (draft 4), for editors that check TOML with one."),
      .flag("commented-defaults", "Print a settings file with every key commented out at its default."),
      .flag("markdown", "Print the keys as a Markdown document."),
    ],
    details: """
      Without an option, the schema file is printed as it is. One that is wrong in itself
      is refused with its place. Exits 3 if there is none.
      """,
    examples: [
      "settings-cli schema org.example.editor",
      "settings-cli schema org.example.editor --json-schema > editor.schema.json",
      "settings-cli schema org.example.editor --commented-defaults > settings.toml",
      "settings-cli schema ./org.example.editor.toml --markdown",
    ])

  static func run(_ arguments: Arguments) throws {
    try arguments.exclude("json-schema", "commented-defaults", "markdown")
    let schema = try schema(of: Target(arguments))
    let text: String
    if arguments.has("json-schema") {
      text = schema.jsonSchema
    } else if arguments.has("commented-defaults") {
      text = schema.commentedDefaults
    } else if arguments.has("markdown") {
      text = schema.markdown
    } else {
      let bytes = try schema.file.flatMap { try SettingsFile(path: $0).read().bytes }
      text = bytes.map { String(decoding: $0, as: UTF8.self) } ?? schema.text
    }
    Output.line(text, terminator: "")
  }

  private static func schema(of target: Target) throws -> SettingsSchema {
    if target.isFile {
      if let schema = try SettingsSchema.read(target.location().file) { return schema }
      throw Failure(.unknown, "There is no schema file '\(target.name)'.")
    }
    if let schema = try target.fileSchema() { return schema }
    try AppName.checkKnown(target.name)
    let places = try SettingsSchema.searchPath(app: target.name, environment: nil)
    throw Failure(
      .unknown,
      "There is no schema for '\(target.name)': the app writes one to \(places.map { "'\($0)'" }.joined(separator: " or "))."
    )
  }
}
