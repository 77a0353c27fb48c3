import AppSettings
import AppSettingsSchema
import SettingsFleet
import SettingsTOML

/// Whether this machine can accept a document.
///
/// It does what an app and an administrator would meet: the text parses, the app's schema accepts each value, and the
/// text is not newer than the app. A secret is refused unless it is sealed, since a mirrored file can be read by everyone
/// on the machine. The rules and the words are those of `settings-cli check`, whose code runs here: hundreds of documents
/// do not need a process each.
struct DocumentCheck: Sendable {
  let environment: [String: String]
  /// A directory of this process's own.
  let staging: String

  /// - Parameter keys: What opens the sealed values, whose plain ones are checked then; `nil` to check only their form.
  /// - Returns: What is wrong; `nil` if nothing is.
  /// - Throws: ``Failure`` if it cannot be found out, because the disk is full. This says nothing about the document.
  func problem(
    of text: [UInt8], for document: FleetDocument, opening keys: [UnsealingKey]? = nil
  ) throws -> FleetProblem? {
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
    var variables = directories.variables(over: environment)
    // What is only a warning, such as a key that an older release does not know, is no reason to keep an old text.
    let serious = try findings(app, variables) {
      try SettingsLocation(administratorsOf: app, dropIn: scope.dropIn, environment: $0)
    }.filter { $0.isError || $0.exposesSecret }
    if let problem = (serious.first { $0.file == file } ?? serious.first)?.problem { return problem }
    guard !plain.isEmpty else { return nil }
    let credentials = staging + "/credentials"
    variables["CREDENTIALS_DIRECTORY"] = credentials
    return try problem(of: plain, sealed, for: app, in: credentials, variables)
  }

  /// Whether the app would take the plain values as its service's credentials, which they become.
  private func problem(
    of secrets: [SecretName: [UInt8]], _ sealed: SealedSecrets, for app: String, in credentials: String,
    _ variables: [String: String]
  ) throws -> FleetProblem? {
    do {
      try File.makeDirectory(credentials)
      for (name, secret) in secrets { try File.put(SecretFiles.contents(secret), at: "\(credentials)/\(name)") }
    } catch {
      throw Failure(.io, error.description)
    }
    let serious = try findings(app, variables) { try SettingsLocation(app: app, environment: $0) }.filter(\.isError)
    for entry in sealed.entries {
      guard let finding = serious.first(where: { $0.file == "\(credentials)/\(entry.name)" }) else { continue }
      return FleetProblem(
        .refused,
        finding.message.replacing("The credential", with: "The sealed value of '\(entry.name)'", maxReplacements: 1),
        line: entry.line, column: entry.column, key: "\(SealedSecrets.table).\(entry.name)")
    }
    return nil
  }

  private func findings(
    _ app: String, _ variables: [String: String], at location: ([String: String]) throws -> SettingsLocation
  ) throws -> [SettingsFinding] {
    do {
      let place = try location(variables)
      do {
        let schema = try SettingsSchema.find(app: app, environment: variables)
        return SettingsCheck.findings(at: place, schema: schema)
      } catch let error as SettingsError {
        return [SettingsFinding(.schema, error.message, file: error.file ?? app, position: error.position)]
          + SettingsCheck.findings(at: place, schema: nil)
      }
    } catch {
      throw Failure(.io, (error as? SettingsError)?.message ?? "\(error)")
    }
  }
}

extension SettingsFinding {
  fileprivate var exposesSecret: Bool { kind == .permissions && key != nil }

  fileprivate var problem: FleetProblem {
    // The staged file has the rights of those that are mirrored.
    let message =
      exposesSecret
      ? "'\(key!)' is a secret, and everyone on a machine can read a document. Seal it: 'settings-fleet seal'."
      : self.message
    return FleetProblem(
      kind == .newerVersion ? .newerVersion : .refused, message, line: position?.line, column: position?.column,
      key: key?.description)
  }
}
