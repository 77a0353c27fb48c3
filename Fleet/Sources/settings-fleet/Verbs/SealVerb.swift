import AppSettingsSchema
import ArgumentParser
import SettingsFleet
import SettingsTOML
import SettingsTools

struct SealVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "seal",
    abstract: "Set a secret, so that only the machines it is for can read it.",
    discussion: """
      Reads the value from standard input, without the last newline; a terminal does not show it. It is checked with the \
      app's schema, sealed for each key in 'sealing-keys' of your settings, and stored in the document. A machine that \
      has one of these keys writes the value to /var/lib/app-settings/fleet-secrets/APP/KEY, from where a service gets it \
      as a credential of systemd. A machine that has none refuses the document.

      EXAMPLES
        pass show relay/db | settings-fleet seal org.example.relay db.password
        settings-fleet seal org.example.relay db.password --group web --for web
        settings-fleet seal --remove org.example.relay db.password
      """)

  @Argument(help: "The app.") var app: String
  @Argument(help: "The key, which the app's schema has as a secret.") var key: String
  // A value that is given by mistake must not be in a message.
  @Argument(help: .hidden) var more: [String] = []
  @OptionGroup var place: PlaceOptions
  @OptionGroup var unsigned: UnsignedOption
  @OptionGroup var new: CreateOption
  @Flag(help: "Remove the sealed value.") var remove = false
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "Seal only for the keys in 'sealing-keys' with this comment or id. Can be repeated.", valueName: "comment"))
  var recipients: [String] = []

  func answer(in context: Context) async throws {
    let document = try place.document(of: app)
    guard more.isEmpty, !key.contains("=") else {
      throw Failure(
        .usage,
        "Give the value on standard input: other users can see arguments, and shells keep them in their histories.")
    }
    let path: TOMLPath
    do {
      path = try TOMLPath(parsing: key)
    } catch {
      throw Failure(.usage, "Invalid key '\(key)': \(error)")
    }
    if remove { return try await removeValue(at: path, of: document, in: context) }
    let keys = try chosen(from: try context.settings.sealingKeys())
    let (name, newest) = try secretName(of: path, in: workspace(in: context))
    let most = SealedValue.longestSecret
    // One more is too long, and another one may be the newline at the end.
    let secret = try HiddenInput.secret(asking: "Value of '\(name)': ", upTo: most + 2)
    guard secret.count <= most else { throw Failure(SealedValue.Failure.tooLong, sealing: name) }
    try check(secret, of: name, in: workspace(in: context))
    let value: SealedValue
    do throws(SealedValue.Failure) {
      value = try SealedValue(sealing: secret, as: name, in: document, for: keys)
    } catch {
      throw Failure(error, sealing: name)
    }
    try await editor(of: document, in: context).change(because: "seal") { workspace in
      if let text = try workspace.text(of: document.scope), try Workspace.version(of: text) < newest {
        // Like every other change: the new version of the document begins with the newer release of the app.
        let answer = try await workspace.run("migrate", [], on: document.scope)
        guard answer.status == 0 else { return answer }
      }
      try workspace.edit(document.scope) { text in
        if text.bytes.isEmpty, newest > 1 { try text.set(.integer(Int64(newest)), at: ["settings-version"]) }
        try text.set(literal: value.literal, at: place(of: name))
      }
      return .silent
    }
  }

  private func editor(of document: FleetDocument, in context: Context) throws -> DocumentEditor {
    try DocumentEditor(
      context: context, document: document, acceptsUnsigned: unsigned.acceptUnsigned, creates: new.create)
  }

  /// One for each use: none is left where a person ends the command in place of typing the value.
  private func workspace(in context: Context) throws -> Workspace {
    try Workspace(app: app, command: context.command(), environment: context.environment)
  }

  private func place(of name: SecretName) -> TOMLPath {
    TOMLPath([SealedSecrets.table] + name.description.split(separator: ".").map(String.init))
  }

  private func removeValue(at path: TOMLPath, of document: FleetDocument, in context: Context) async throws {
    let place = TOMLPath([SealedSecrets.table]).appending(path)
    try await editor(of: document, in: context).change(because: "seal") { workspace in
      try workspace.edit(document.scope) { text in
        guard try text.remove(at: place) else {
          throw Failure(.noValue, "'\(document)' has no sealed value of '\(path)'.")
        }
        // The tables that only the value has needed.
        var table = place.parent
        while !table.isRoot, text.childKeys(of: table)?.isEmpty == true {
          try text.remove(at: table)
          table = table.parent
        }
      }
      return .silent
    }
  }

  private func chosen(from keys: [SealingKey]) throws -> [SealingKey] {
    guard !keys.isEmpty else {
      throw Failure(
        .invalidValue,
        "There is nobody to seal for: list the machines' public keys in 'sealing-keys' of 'settings-fleet'. "
          + "'settings-fleet key --sealing FILE' makes a key.")
    }
    for recipient in recipients where !keys.contains(where: { $0.comment == recipient || $0.id == recipient }) {
      throw Failure(.usage, "No key in 'sealing-keys' has the comment or id '\(recipient)'.")
    }
    return recipients.isEmpty ? keys : keys.filter { recipients.contains($0.comment) || recipients.contains($0.id) }
  }

  // MARK: The schema

  /// The secret's present name, and the version that the app reads.
  private func secretName(of path: TOMLPath, in workspace: Workspace) throws -> (SecretName, Int) {
    guard let newest = try workspace.newestVersion() else {
      throw Failure(
        .unknown,
        "'\(app)' has no schema here, which says what is a secret and what it needs. Install the app's schema, or seal "
          + "where the app is installed.")
    }
    let (facts, present) = try workspace.using(.all) { opened in
      (try opened.facts(below: "\(path)"), "\(opened.schema.key(path)?.path ?? path)")
    }
    guard let setting = facts.first(where: { $0.key == present }) else {
      throw Failure(.invalidValue, "Cannot seal '\(path)': it is a table. Name one of its keys.")
    }
    guard setting.isSecret else {
      throw Failure(
        .invalidValue,
        "Cannot seal '\(present)': the schema of '\(app)' does not mark it as a secret, so that apps would not "
          + "read it as a credential. Use 'settings-fleet set'.")
    }
    guard let components = try? TOMLPath(parsing: present).components, let name = SecretName(components) else {
      throw Failure(.invalidValue, "Cannot seal '\(present)'. \(SecretName.rule)")
    }
    return (name, newest)
  }

  /// Refuses what `settings-cli set` would refuse.
  private func check(_ secret: [UInt8], of name: SecretName, in workspace: Workspace) throws {
    guard !secret.isEmpty else {
      throw Failure(.invalidValue, "Cannot seal '\(name)': standard input is empty. Nothing was written.")
    }
    guard let text = String(validating: secret, as: UTF8.self) else {
      throw Failure(.invalidValue, "Cannot seal '\(name)': standard input is not UTF-8. Nothing was written.")
    }
    _ = try workspace.using(.all) { try $0.apply([.set("\(name)", to: text)], isDryRun: true) }
  }
}

extension Failure {
  fileprivate init(_ failure: SealedValue.Failure, sealing name: SecretName) {
    let reason =
      switch failure {
      case .tooLong: "a secret can have at most \(SealedValue.longestSecret) bytes"
      case .unusableKey(let id): "the key \(id) in 'sealing-keys' cannot be used"
      default: "it cannot be sealed"
      }
    self.init(.invalidValue, "Cannot seal '\(name)': \(reason). Nothing was written.")
  }
}

extension SealedValue {
  /// The value in a document: a line for each recipient.
  fileprivate var literal: String {
    guard texts.count > 1 else { return TOMLValue.array(texts.map { .string($0) }).tomlText }
    return "[\n" + texts.map { "  \(TOMLValue.string($0).tomlText),\n" }.joined() + "]"
  }
}

extension Workspace {
  /// Changes a document's text.
  fileprivate func edit(_ scope: DocumentScope, _ change: (inout TOMLDocument) throws -> Void) throws {
    do {
      var document = try TOMLDocument(parsing: try text(of: scope) ?? [])
      try change(&document)
      try put(document.bytes, as: scope)
    } catch let error as TOMLSyntaxError {
      throw Failure(error)
    } catch let error as TOMLEditError {
      throw Failure(.invalidValue, "\(error)")
    }
  }
}
