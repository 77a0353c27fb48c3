import Foundation
import Testing
import TestSupport

/// A home with an app that has a schema, and the command in it.
struct SchemaHome {
  let home = ScratchHome()
  let app = "org.example.test"

  static let schema = """
    app = "org.example.test"

    [groups.editor]
    description = "How texts are shown."

    [keys.theme]
    type = "string"
    choices = ["light", "dark"]
    default = "light"
    description = "Colours."

    [keys."editor.font-size"]
    type = "integer"
    minimum = 6
    maximum = 72
    default = 12
    description = "Size of the font, in points."
    group = "editor"
    formerly = ["font_size"]

    [keys."editor.wrap"]
    type = "boolean"
    default = true

    [keys."sync.token"]
    type = "string"
    secret = true
    description = "What the server gave."

    [keys.host]
    type = "string"
    computed-default = true

    [keys.hosts]
    type = "records"
    fields = { port = { type = "integer", minimum = 1 }, name = { type = "string" } }

    """

  var schemaFile: String { home.path + "/data/app-settings/\(app).toml" }
  var systemFile: String { home.path + "/etc/xdg/\(app)/settings.toml" }
  var file: String { home.file }

  init() throws { try home.write(Self.schema, to: schemaFile) }

  /// Writes the user's settings, as the command makes them: for no one else.
  func write(_ text: String) throws {
    try home.write(text)
    chmod(home.file, 0o600)
  }

  func run(_ arguments: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, directory: home.path)
  }

  /// What a run prints that has to succeed.
  @discardableResult
  func done(_ arguments: String...) throws -> String {
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, directory: home.path)
    #expect(result.status == 0, "\(arguments): \(result)")
    return result.output
  }

  /// A text with the times in it replaced by `TIME`.
  static func timeless(_ text: String) -> String {
    text.replacing(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, with: "TIME")
  }

  /// What a process says and how it ends.
  static func answer(_ output: String, _ error: String = "", status: Int32 = 0) -> ChildProcess.Result {
    ChildProcess.Result(status: status, output: output, error: error)
  }
}

/// A JSON text's value.
func json(_ text: String) throws -> Any {
  try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
}
