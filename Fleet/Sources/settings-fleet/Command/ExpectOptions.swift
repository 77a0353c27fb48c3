import AppSettings
import ArgumentParser
import SettingsFleet

/// Which machines have to be there.
struct ExpectOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A host whose mirror has to be there, or a file with one a line, which has a '/' in its path, beside those in the "
        + "setting 'expected'. Can be repeated.", valueName: "host|file"), completion: .file())
  var expect: [String] = []

  /// The hosts that are set, and those that are named here.
  func hosts(in settings: FleetSettings) throws -> [String] {
    try settings.store[.expected]
      + expect.flatMap { name in
        // No host has a slash in its name.
        guard name.contains("/") else { return [name] }
        return String(decoding: try File.read(name, isTyped: true), as: UTF8.self).split(whereSeparator: \.isNewline)
          .map { $0.prefix { $0 != "#" }.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
      }
  }
}
