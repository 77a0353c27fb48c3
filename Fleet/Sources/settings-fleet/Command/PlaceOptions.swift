import ArgumentParser
import SettingsFleet

/// Which document of an app.
struct PlaceOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The document of this group.", valueName: "name")) var group: String?
  @Option(help: ArgumentHelp("The document of this machine.", valueName: "name")) var host: String?

  func validate() throws {
    if group != nil, host != nil { throw ValidationError("Use one of --group and --host.") }
  }

  func document(of app: String) throws -> FleetDocument {
    try Self.document(of: app, group: group, host: host)
  }

  static func document(of app: String, group: String?, host: String?) throws -> FleetDocument {
    var words = [app]
    if let group { words += ["--group", group] }
    if let host { words += ["--host", host] }
    return try DocumentWords(words).document
  }
}
