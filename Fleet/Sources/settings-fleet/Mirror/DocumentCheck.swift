import AppSettings
import AppSettingsSchema
import SettingsFleet
import SettingsTOML
import SettingsTools

/// Whether this machine can accept a document.
///
/// It does what an app and an administrator would meet: the text parses, the app's schema accepts each value, the text is
/// not newer than the app, and what is meant to lock a key does. A secret is refused unless it is sealed, since a mirrored file can be read by everyone
/// on the machine. The rules and the words are those of `settings-cli check`, whose code runs here: hundreds of documents
/// do not need a process each.
struct DocumentCheck: Sendable {
  let environment: [String: String]
  /// A directory of this process's own.
  let staging: String

  /// - Parameters:
  ///   - keys: What opens the sealed values, whose plain ones are checked then; `nil` to check only their form.
  ///   - warn: Called with what is probably a mistake, and is no reason to refuse the text: a key or a lock that the app
  ///     does not have.
  /// - Returns: What is wrong; `nil` if nothing is.
  /// - Throws: An error if it cannot be found out, because the disk is full. This says nothing about the document.
  func problem(
    of text: [UInt8], for document: FleetDocument, opening keys: [UnsealingKey]? = nil,
    warning warn: (String) -> Void = { _ in }
  ) throws -> FleetProblem? {
    let sealed: SealedSecrets
    var plain: [SecretName: [UInt8]] = [:]
    do throws(FleetProblem) {
      sealed = try SealedSecrets(of: text)
      if let keys { plain = try sealed.open(in: document, with: keys) }
    } catch {
      return error
    }
    if let problem = lockProblem(in: text, of: document) { return problem }
    let (app, scope) = (document.app, document.scope)
    let directories = SettingsCommand.Directories(
      system: staging + "/config", state: staging + "/state", home: staging + "/home")
    let directory = "\(directories.system)/\(app)/settings.d"
    let file = "\(directory)/\(scope.fileName)"
    defer { File.removeDirectory(staging) }
    // What a killed process left.
    File.removeDirectory(staging)
    try File.makeDirectory(directory, mode: 0o755)
    try File.put(text, at: file, mode: 0o644)
    var variables = directories.variables(over: environment)
    // What is only a warning, such as a key that an older release does not know, is no reason to keep an old text.
    let found = try findings(app, .dropIn(scope.dropIn), variables)
    for finding in found where [.unknownKey, .formerName, .reserved].contains(finding.kind) {
      warn((finding.position.map { "line \($0.line): " } ?? "") + finding.message)
    }
    let serious = found.filter { $0.isError || $0.exposesSecret }
    if let finding = serious.first(where: { $0.file == file }) { return finding.problem }
    // The message names the other file, and where in it.
    if let problem = serious.first?.problem { return FleetProblem(problem.kind, problem.message, key: problem.key) }
    guard !plain.isEmpty else { return nil }
    let credentials = staging + "/credentials"
    variables["CREDENTIALS_DIRECTORY"] = credentials
    return try problem(of: plain, sealed, for: app, in: credentials, variables)
  }

  /// Why an entry of `settings-locked` locks nothing; `nil` if each is one.
  private func lockProblem(in text: [UInt8], of document: FleetDocument) -> FleetProblem? {
    guard let parsed = try? TOMLDocument(parsing: text) else { return nil }
    let locks = TextReader(migrations: .none, acceptsAnyVersion: true).locks(in: parsed, file: "\(document)")
    return locks.errors.first.map {
      FleetProblem(
        .refused, $0.message, line: $0.position?.line, column: $0.position?.column,
        key: "\(SettingsFormat.locksPath)")
    }
  }

  /// Whether the app would take the plain values as its service's credentials, which they become.
  private func problem(
    of secrets: [SecretName: [UInt8]], _ sealed: SealedSecrets, for app: String, in credentials: String,
    _ variables: [String: String]
  ) throws -> FleetProblem? {
    try File.makeDirectory(credentials)
    for (name, secret) in secrets { try File.put(SecretFiles.contents(secret), at: "\(credentials)/\(name)") }
    let serious = try findings(app, .own, variables).filter(\.isError)
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
    _ app: String, _ layer: Target.Layer, _ variables: [String: String]
  ) throws -> [SettingsFinding] {
    do {
      let target = Target(app, layer, environment: variables, telling: { _ in })
      var findings: [SettingsFinding] = []
      let schema = try target.schema(named: nil, &findings)
      return findings + (try target.findings(schema))
    } catch {
      throw Failure(.io, ToolError(any: error).description)
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
