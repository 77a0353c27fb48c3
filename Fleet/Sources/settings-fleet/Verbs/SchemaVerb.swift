import AppSettings
import AppSettingsSchema
import ArgumentParser

struct SchemaVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the schema of this command's own settings, for settings-cli.")

  func run() throws {
    Output.bytes(Array(SettingsSchema(app: FleetSettings.app, keys: FleetSettings.keys).text.utf8))
  }
}
