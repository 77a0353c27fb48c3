import FoundationEssentials
import SettingsFleet
import SettingsTOML

/// Whether this machine can accept a document.
///
/// It does what an app and an administrator would meet: the text parses, the app's schema accepts each value, and the
/// text is not newer than the app. A secret is refused unless it is sealed, since a mirrored file can be read by everyone
/// on the machine.
struct DocumentCheck {
  let command: SettingsCommand
  /// A directory of the mirror's own.
  let staging: String

  /// - Parameter keys: What opens the sealed values, whose plain ones are checked then; `nil` to check only their form.
  /// - Returns: What is wrong; `nil` if nothing is.
  /// - Throws: ``Failure`` if it cannot be found out, because `settings-cli` cannot run or the disk is full. This says
  ///   nothing about the document.
  func problem(
    of text: [UInt8], for document: FleetDocument, opening keys: [UnsealingKey]? = nil
  ) async throws -> FleetProblem? {
    let sealed: SealedSecrets
    var plain: [SecretName: [UInt8]] = [:]
    do throws(FleetProblem) {
      sealed = try SealedSecrets(of: text)
      if let keys { plain = try sealed.open(in: document, with: keys) }
    } catch {
      return error
    }
    let (app, scope) = (document.app, document.scope)
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
    // What is only a warning, such as a key that an older release does not know, is no reason to keep an old text.
    let serious = try findings(in: checked).filter { $0.severity == "error" || $0.exposesSecret }
    if let problem = (serious.first { $0.file == file } ?? serious.first)?.problem { return problem }
    return plain.isEmpty ? nil : try await problem(of: plain, sealed, for: app, in: directories)
  }

  /// Whether the app would take the plain values as its service's credentials, which they become.
  private func problem(
    of secrets: [SecretName: [UInt8]], _ sealed: SealedSecrets, for app: String,
    in directories: SettingsCommand.Directories
  ) async throws -> FleetProblem? {
    let credentials = staging + "/credentials"
    do {
      try File.makeDirectory(credentials)
      for (name, secret) in secrets { try File.put(SecretFiles.contents(secret), at: "\(credentials)/\(name)") }
    } catch {
      throw Failure(.io, error.description)
    }
    let checked = try await command.run(
      ["check", app, "--json"], in: directories, adding: ["CREDENTIALS_DIRECTORY": credentials])
    let serious = try findings(in: checked).filter { $0.severity == "error" }
    for entry in sealed.entries {
      guard let finding = serious.first(where: { $0.file == "\(credentials)/\(entry.name)" }) else { continue }
      return FleetProblem(
        .refused,
        finding.message.replacing("The credential", with: "The sealed value of '\(entry.name)'", maxReplacements: 1),
        line: entry.line, column: entry.column, key: "\(SealedSecrets.table).\(entry.name)")
    }
    return nil
  }

  private func findings(in answer: SettingsCommand.Answer) throws -> [Finding] {
    if answer.status == 0 { return [] }
    guard let findings = try? JSONDecoder().decode([Finding].self, from: Data(answer.output)) else {
      throw Failure(.io, "'settings-cli check' answered with status \(answer.status): \(answer.messages)")
    }
    return findings
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
        ? "'\(key!)' is a secret, and everyone on a machine can read a document. Seal it: 'settings-fleet seal'."
        : self.message
      return FleetProblem(
        kind == "newer-version" ? .newerVersion : .refused, message, line: line, column: column, key: key)
    }
  }
}
