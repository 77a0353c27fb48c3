import AppSettings
import AppSettingsSchema
import Glibc
import SettingsTools

extension SettingsHistoryEntry {
  /// Who made a change, when and why, and whether it is undone: `#12 2026-11-23 09:30:00 set by org.example.editor`.
  var summary: String {
    var who = actor.name.map { " by \($0)" } ?? ""
    if let user = actor.user, user != Int(getuid()) { who += " as user \(user)" }
    let why = reason.rawValue + (reversed.map { " of #\($0)" } ?? "")
    return Terminal.output.styled("#\(id)", .yellow) + " \(Moment.text(time)) \(why)" + Terminal.output.shown(who)
      + (isUndone ? ", undone" : "") + (isUnrecorded ? ", not recorded yet" : "")
  }
}

extension SchemaLookup {
  /// An entry and its changes, a line each.
  func lines(of entry: SettingsHistoryEntry, at paths: [TOMLPath]?) -> [String] {
    let (shown, others) = changes(of: entry, at: paths)
    var lines = [entry.summary]
    lines += shown.map { change in
      Shown.change(of: change.path, from: change.old, to: change.new, isHidden: change.isHidden, isLong: change.isLong)
    }
    if entry.isUnparsed {
      lines.append("  (a text that does not parse)")
    } else if entry.followsUnparsed {
      lines.append("  (replaced a text that did not parse)")
    } else if entry.changes.isEmpty {
      lines.append("  (only comments, the order or the notation)")
    }
    if others > 0 { lines.append("  and \(others) other value\(others == 1 ? "" : "s")") }
    return lines
  }

  /// What an undoing puts back, a line each.
  func lines(of plan: UndoPlan) -> [String] {
    plan.edits.map { edit in
      Shown.change(
        of: edit.path, from: plan.view.userDocument[edit.path], to: edit.value, isHidden: secret(at: edit.path) != nil)
    }
  }
}

extension Shown {
  /// The line for a change of a value.
  static func change(
    of path: TOMLPath, from old: TOMLValue?, to new: TOMLValue?, isHidden: Bool = false, isLong: Bool = false
  ) -> String {
    let terminal = Terminal.output
    func text(_ value: TOMLValue?) -> String {
      if let value { return styled(value, short(value)) }
      return terminal.styled(isLong ? "(long)" : "(none)", .dim)
    }
    // Which of the two is long is not recorded.
    let isUnknown = isLong && old == nil && new == nil
    let values =
      isHidden
      ? terminal.styled(Redaction.placeholder, .dim) : isUnknown ? text(nil) : "\(text(old)) -> \(text(new))"
    return "  \(terminal.styled(terminal.shown(path.description), .cyan)): \(values)"
  }
}
