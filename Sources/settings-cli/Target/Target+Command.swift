import AppSettings
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
