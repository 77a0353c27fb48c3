import SettingsTools

/// A dialog for the settings of any app, in a terminal: `SettingsTools` knows the keys, their types and choices, what is
/// stored where, and what can be taken back. With a toolkit, each line is a row, and each command a button.
@MainActor
final class Dialog {
  private let settings: OpenedSettings
  private let loop = MainLoop()
  private let window = Window()
  private var rows: [SettingFacts] = []

  init(app: String) throws {
    let (loop, window) = (loop, window)
    settings = try OpenedSettings(app: app) { message in
      loop.post { window.show("\(message.isWarning ? "warning" : "note"): \(message.text)") }
    }
  }

  func run() {
    let (settings, loop) = (settings, loop)
    // Changes by anybody: another window, 'settings-cli', an editor. They come on another thread, and are posted.
    let changes = settings.changes()
    let following = Task.detached { [self] in
      for await keys in changes { loop.post { [self] in report { try show(keys) } } }
    }
    report { try showAll() }
    loop.run(onLine: { [self] in answer($0) }, afterRound: {})
    following.cancel()
  }

  // MARK: Showing

  private func showAll() throws(ToolError) {
    rows = try settings.facts()
    for (index, setting) in rows.enumerated() { window.show(line(setting, index + 1)) }
    for finding in settings.findings() { window.show("\(finding.severity): \(finding.message)") }
    window.show(
      "NUMBER VALUE sets, NUMBER ? explains, NUMBER - resets; u undoes, r redoes, h shows the history, q quits")
  }

  private func show(_ keys: Set<String>) throws(ToolError) {
    rows = try settings.facts()
    for (index, setting) in rows.enumerated() where keys.contains(setting.key) { window.show(line(setting, index + 1)) }
  }

  private func line(_ setting: SettingFacts, _ number: Int) -> String {
    let name = setting.description ?? setting.key
    let marks = [setting.isLocked ? "locked" : nil, setting.isDefault ? "default" : nil, setting.problem]
    let notes = marks.compactMap(\.self).joined(separator: ", ")
    return "\(number). \(name) \(setting.text)" + (notes.isEmpty ? "" : " (\(notes))")
  }

  /// What a person reads before they change a setting.
  private func explain(_ setting: SettingFacts) {
    window.show("   \(setting.key): needs \(setting.needs ?? "any value")")
    if let choices = setting.choices { window.show("   one of: \(choices.joined(separator: ", "))") }
    if let value = setting.defaultValue { window.show("   default: \(value)") }
    if let reason = setting.lockReason { window.show("   locked: \(reason)") }
    for layer in setting.layers {
      window.show("   \(layer.layer) \(layer.file ?? ""): \(layer.value ?? "(secret)"), \(layer.state)")
    }
  }

  // MARK: Commands

  private func answer(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    switch words.first {
    case nil: break
    case "q": loop.end()
    case "u": report { window.show("undone: \(describe(try settings.undo()))") }
    case "r": report { window.show("redone: \(describe(try settings.redo()))") }
    case "h":
      report {
        for entry in try settings.history(limit: 10) { window.show("#\(entry.number) \(describe(entry))") }
      }
    case let first?:
      guard let number = Int(first), rows.indices.contains(number - 1) else {
        return window.show("There is no setting '\(first)'.")
      }
      change(rows[number - 1], words.count > 1 ? words[1] : "?")
    }
  }

  private func change(_ setting: SettingFacts, _ text: String) {
    report {
      switch text {
      case "?": explain(setting)
      case "-": try settings.apply([.unset(setting.key)])
      default:
        for problem in try settings.apply([.set(setting.key, to: text)]).problems.values { window.show(problem) }
      }
    }
  }

  private func describe(_ entry: HistoryFacts) -> String {
    let changes = entry.changes.map { change in
      change.isHidden ? "\(change.key)" : "\(change.key) \(change.old ?? "none") -> \(change.new ?? "none")"
    }
    return "\(entry.reason) \(changes.joined(separator: ", "))"
  }

  /// Runs a command, and shows why it failed: the message says what to do.
  private func report(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      window.show("\(error)")
    }
  }
}
