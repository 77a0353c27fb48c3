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
    if checked.status != 0 {
      guard
        let findings = try? JSONDecoder().decode([Finding].self, from: Data(checked.output)),
        // What the schema itself has is no fault of the document's.
        let finding = findings.first(where: { $0.severity == "error" && $0.file == file }) ?? findings.first
      else { throw Failure(.io, "'settings-cli check' answered with status \(checked.status): \(checked.messages)") }
      if finding.file == file || finding.file == nil { return finding.problem }
      if finding.kind != "schema" { return finding.problem }
    }
    return try await secret(in: text, for: app, as: scope, directories)
  }

  private func secret(
    in text: [UInt8], for app: String, as scope: DocumentScope, _ directories: SettingsCommand.Directories
  ) async throws -> FleetProblem? {
    let described = try await command.run(["describe", app, "--drop-in", scope.dropIn, "--json"], in: directories)
    guard described.status == 0, let keys = try? JSONDecoder().decode([Key].self, from: Data(described.output)) else {
      // Without a schema, no key is known to be secret.
      return nil
    }
    guard let key = keys.first(where: { $0.isSecret && $0.layer != "default" }) else { return nil }
    return FleetProblem(
      .refused,
      "'\(key.key)' is a secret, and everyone on a machine can read a document. Give secrets to services as credentials "
        + "of systemd.", line: key.line, key: key.key)
  }

  private struct Key: Decodable {
    var key: String
    var isSecret: Bool
    var layer: String
    var line: Int?
  }

  private struct Finding: Decodable {
    var file: String?
    var line: Int?
    var column: Int?
    var severity: String
    var kind: String
    var key: String?
    var message: String

    var problem: FleetProblem {
      FleetProblem(
        kind == "newer-version" ? .newerVersion : .refused, message, line: line, column: column, key: key)
    }
  }
}
