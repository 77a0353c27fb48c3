import AppSettings
import AppSettingsSchema
import SettingsTools

extension KeyDescription {
  var text: String {
    let terminal = Terminal.output
    var lines = [terminal.styled(terminal.shown(path.description), .bold)]
    if let summary = key?.summary, !summary.isEmpty {
      lines += summary.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
        line.isEmpty ? "" : "  " + terminal.shown(String(line))
      }
      lines.append("")
    }
    func add(_ name: String, _ value: String?) {
      guard let value else { return }
      let padding = String(repeating: " ", count: 10 - name.count)
      lines.append("  " + terminal.styled(name, .dim) + padding + terminal.shown(value))
    }
    add("value", value.map(shown) ?? "none")
    add(
      "from", value == nil ? nil : origin.isDefault ? "the app's default" : Shown.place(origin.layer, origin.position))
    if let lock = origin.lock {
      let line = lock.position.map { ", line \($0.line)" } ?? ""
      add("locked", "by \(lock.layer.file ?? "an administrator")\(line)")
      add("reason", lock.reason.map(SettingsLock.line))
    }
    for other in values where other.state != .used {
      let name = other.path == path ? "" : "\(other.path) = "
      add(
        other.state.name,
        Shown.place(other.layer, other.position) + ": " + name
          + (schema.isSecret(other.path, other.value) ? Shown.redacted : other.value.tomlText))
    }
    add("default", defaultText)
    add("needs", expected)
    if let former = origin.formerName { add("stored as", "\(former), a former name") }
    if let key, !key.formerPaths.isEmpty {
      add("formerly", key.formerPaths.map(\.description).joined(separator: ", "))
    }
    if isSecret { add("secret", "yes") }
    if key?.needsRestart == true { add("restart", "the app reads it when it starts") }
    if !isKnown { add("note", "the app's schema does not list this key") }
    add("problem", problem)
    return lines.joined(separator: "\n") + "\n"
  }

  private var defaultText: String? {
    guard let key else { return nil }
    if let value = key.defaultValue { return shown(value) }
    if key.hasComputedDefault { return "computed by the app" }
    return key.isSecret ? nil : "none"
  }
}
