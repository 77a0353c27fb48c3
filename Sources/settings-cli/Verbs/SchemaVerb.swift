import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct SchemaVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print an app's schema, in several formats.",
    discussion: """
      Without an option, prints the schema file unchanged. An invalid schema is refused, with the place of the \
      error. Exits 3 if there is none.

      EXAMPLES
        settings-cli schema org.example.editor
        settings-cli schema org.example.editor --json-schema > editor.schema.json
        settings-cli schema org.example.editor --commented-defaults > settings.toml
        settings-cli schema ./org.example.editor.toml --markdown
      """)

  /// A form other than the schema file.
  enum Form: EnumerableFlag {
    case jsonSchema, commentedDefaults, markdown

    static func help(for form: Self) -> ArgumentHelp? {
      switch form {
      case .jsonSchema: "Print a JSON Schema (draft 4), for editors that check TOML."
      case .commentedDefaults: "Print a settings file with every key commented out at its default."
      case .markdown: "Print the keys as a Markdown document."
      }
    }
  }

  @Argument(
    help: "An app's id, or the path of a schema file, which contains a '/'.", completion: .custom(Candidates.targets))
  var target: String
  @Flag var form: Form?
  @OptionGroup var common: CommonOptions

  func answer() throws {
    let schema = try Self.schema(of: Target(target))
    let text: String
    switch form {
    case .jsonSchema: text = schema.jsonSchema
    case .commentedDefaults: text = schema.commentedDefaults
    case .markdown: text = schema.markdown
    case nil:
      let bytes = try schema.file.flatMap { try SettingsFile(path: $0).read().bytes }
      text = bytes.map { String(decoding: $0, as: UTF8.self) } ?? schema.text
    }
    Output.line(text, terminator: "")
  }

  private static func schema(of target: Target) throws -> SettingsSchema {
    if target.isFile {
      if let schema = try SettingsSchema.read(target.location().file) { return schema }
      throw ToolError(.unknown, "Cannot find the schema file '\(target.name)'.")
    }
    if let schema = try target.fileSchema() { return schema }
    try AppName.checkKnown(target.name)
    let places = try SettingsSchema.searchPath(app: target.name, environment: nil)
    throw ToolError(
      .unknown,
      "There is no schema for '\(target.name)': the app writes one to \(places.map { "'\($0)'" }.joined(separator: " or "))."
    )
  }
}
