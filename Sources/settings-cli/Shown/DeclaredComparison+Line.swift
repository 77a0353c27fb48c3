import AppSettings
import SettingsTools

extension DeclaredComparison {
  /// In the form of `list --origin`.
  var line: String {
    let terminal = Terminal.output
    let place = Shown.place(declared.layer, declared.position)
    let former = isSecret ? Shown.redacted : declared.value.tomlText
    let note = isRedundant ? "redundant: the same as \(place)" : "in place of \(former) of \(place)"
    return Shown.line(path, isSecret ? nil : own.value, own.value.tomlText)
      + terminal.styled("  # \(terminal.shown(note))", .dim)
  }
}
