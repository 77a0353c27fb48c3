import AppSettings
import SettingsFleet
import SettingsTools

extension ShownChange {
  /// One line: the key, the value before and the one after.
  var line: String { "\(path): \(shown(old)) -> \(shown(new))" }

  /// A value as people see it. Nobody reads a sealed one: its key and its end tell it from others.
  private func shown(_ value: String?) -> String {
    guard let value else { return "(none)" }
    guard path.components.first == SealedSecrets.table else { return value }
    return value.replacing(#/(v[0-9]+ [0-9a-f]{16}) [A-Za-z0-9+/=]{32,}([A-Za-z0-9+/=]{8})/#) { "\($0.1) …\($0.2)" }
  }
}
