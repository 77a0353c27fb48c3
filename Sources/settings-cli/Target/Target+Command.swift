import AppSettings
import AppSettingsSchema
import SettingsTools
import Synchronization

extension Target {
  /// The target that a word of the command line names.
  init(_ name: String, _ layer: Layer = .own) {
    let name = MeantApp.id(for: name)
    self.init(name, layer, path: Arguments.path(name), telling: Output.tell)
  }

  /// Whether `SETTINGS_CLI_SCHEMA` says that verbs need a schema that can be used even if they only read: a program that
  /// shows others what they print must not show what the schema would have named as a secret.
  static let needsSchema = ProcessFacts.variable("SETTINGS_CLI_SCHEMA") == "required"
}

extension Target {
  /// For a person, that there is no file, or no value at and below a path, and a similar key; `nil` for a script, which
  /// has the status.
  func absence(of path: TOMLPath, in snapshot: SettingsSnapshot) -> String? {
    guard Terminal.error.isTerminal else { return nil }
    if isFile, !snapshot.hasSettings, (try? SettingsFile(path: location().file).read().bytes) == nil {
      return "'\(name)' does not exist."
    }
    if path.components.isEmpty { return "'\(name)' has no values." }
    let keys = SchemaLookup(schema: nil).paths(in: snapshot).map(\.description)
    let similar = Suggestion.nearest(to: path.description, among: keys).map { " Did you mean '\($0)'?" } ?? ""
    return "'\(path)' has no value.\(similar)"
  }

  /// The failure for a path without a value.
  ///
  /// - Throws: ``ToolError`` with status 3 for one that the schema does not have.
  func missing(_ path: TOMLPath, in snapshot: SettingsSnapshot) throws -> ToolError {
    try schema.checkKnown(path)
    return ToolError(.noValue, absence(of: path, in: snapshot))
  }

  /// Says to a person that an answer about the own file is empty because nothing is set there.
  func noteNothingSet(in snapshot: SettingsSnapshot) {
    guard Terminal.error.isTerminal, !snapshot.userDocument.hasKey(where: { !SettingsFormat.isReserved($0) }),
      let file = try? location().file
    else { return }
    let exists = (try? SettingsFile(path: file).read().bytes) != nil
    Output.note("'\(isFile ? name : file)' \(exists ? "has no values" : "does not exist: nothing is set there").")
  }
}

extension OpenedSettings {
  // Protects the settings that stay open.
  private static let kept = Mutex<OpenedSettings?>(nil)

  /// Keeps them open until the process ends: to release them takes longer than to read a value.
  func keepOpen() -> OpenedSettings {
    Self.kept.withLock { $0 = self }
    return self
  }
}

extension SchemaLookup {
  /// Says on standard error what of the files at and below a path the app does not use.
  func warnOfUnusable(at path: TOMLPath, in snapshot: SettingsSnapshot) {
    for value in unusable(at: path, in: snapshot) { Output.warning(value.description) }
  }
}

extension ChangeOutcome {
  /// Prints what would change, if the change was only shown.
  ///
  /// - Returns: Whether it was only shown.
  @discardableResult func show() -> Bool {
    guard let difference else { return false }
    Output.text(Shown.difference(difference))
    return true
  }
}
