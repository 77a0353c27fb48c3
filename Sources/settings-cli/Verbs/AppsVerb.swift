import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct AppsVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "apps",
    abstract: "List the apps that have a schema or a settings file.",
    discussion: """
      Prints one id a line, sorted. Exits 0 even if there are none.

      EXAMPLES
        settings-cli apps
        settings-cli apps --json
        for app in $(settings-cli apps); do settings-cli check "$app"; done
      """)

  @Flag(help: "Print a JSON array of objects: app, file, schema, systemFiles, personalFiles.") var json = false
  @OptionGroup var common: CommonOptions

  func answer() throws {
    Output.list(
      try InstalledApp.all(), asJSON: json,
      { app in
        [
          "app": .text(app.app), "file": .text(app.file), "schema": .text(app.schema),
          "systemFiles": .texts(app.systemFiles), "personalFiles": .texts(app.personalFiles),
        ]
      }, { Terminal.output.shown($0.app) })
  }
}
