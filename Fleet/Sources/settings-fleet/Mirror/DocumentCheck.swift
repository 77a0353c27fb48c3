import FoundationEssentials
import SettingsFleet
import SettingsTOML

/// Whether this machine can accept a document.
///
/// It does what an app and an administrator would meet: the text parses, the app's schema accepts each value, and the
/// text is not newer than the app. A secret is refused, since a mirrored file can be read by everyone on the machine.
struct DocumentCheck {
  let command: SettingsCommand
  /// A directory of the mirror's own.
  let staging: String

  /// - Parameter app: Its id, which names a directory and has to be valid.
  /// - Returns: What is wrong; `nil` if nothing is.
  /// - Throws: ``Failure`` if it cannot be found out, because `settings-cli` cannot run or the disk is full. This says
  ///   nothing about the document.
  func problem(of text: [UInt8], for app: String, as scope: DocumentScope) async throws -> FleetProblem? {
    let directories = SettingsCommand.Directories(
      system: staging + "/config", state: staging + "/state", home: staging + "/home")
    let directory = "\(directories.system)/\(app)/settings.d"
    let file = "\(directory)/\(scope.fileName)"
    defer { File.removeDirectory(staging) }
    do {
      // What a killed process left.
      File.removeDirectory(staging)
      try File.makeDirectory(directory, mode: 0o755)
      try File.put(text, at: file, mode: 0o644)
    } catch {
      throw Failure(.io, error.description)
    }
    let checked = try await command.run(["check", app, "--drop-in", scope.dropIn, "--json"], in: directories)
    if checked.status == 0 { return nil }
    guard let findings = try? JSONDecoder().decode([Finding].self, from: Data(checked.output)) else {
      throw Failure(.io, "'settings-cli check' answered with status \(checked.status): \(checked.messages)")
    }
    // What is only a warning, such as a key that an older release does not know, is no reason to keep an old text.
    let serious = findings.filter { $0.severity == "error" || $0.exposesSecret }
    return (serious.first { $0.file == file } ?? serious.first)?.problem
  }

  private struct Finding: Decodable {
    var file: String?
    var line: Int?
    var column: Int?
    var severity: String
    var kind: String
    var key: String?
    var message: String

    var exposesSecret: Bool { kind == "permissions" && key != nil }

    var problem: FleetProblem {
      // The staged file has the rights of those that are mirrored.
      let message =
        exposesSecret
        ? "'\(key!)' is a secret, and everyone on a machine can read a document. Give secrets to services as "
          + "credentials of systemd." : self.message
      return FleetProblem(
        kind == "newer-version" ? .newerVersion : .refused, message, line: line, column: column, key: key)
    }
  }
}
