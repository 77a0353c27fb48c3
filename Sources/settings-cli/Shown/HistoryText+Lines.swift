import AppSettings
import AppSettingsSchema
import Glibc
import SettingsTools

extension HistoryText {
  /// Who made a change, when and why, and whether it is undone: `#12 2026-11-23 09:30:00 set by org.example.editor`.
  func summary(of entry: SettingsHistoryEntry) -> String {
    var who = entry.actor.name.map { " by \($0)" } ?? ""
    if let user = entry.actor.user, user != Int(getuid()) { who += " as user \(user)" }
    let why = entry.reason.rawValue + (entry.reversed.map { " of #\($0)" } ?? "")
    return Terminal.output.styled("#\(entry.id)", .yellow) + " \(Moment.text(entry.time)) \(why)"
      + Terminal.output.shown(who)
      + (entry.isUndone ? ", undone" : "") + (entry.isUnrecorded ? ", not recorded yet" : "")
  }

  /// An entry and its changes, a line each.
  func lines(of entry: SettingsHistoryEntry, at paths: [TOMLPath]?) -> [String] {
    let (shown, others) = changes(of: entry, at: paths)
    var lines = [summary(of: entry)]
    lines += shown.map { change in
      Self.line(of: change.path, from: change.old, to: change.new, isHidden: change.isHidden, isLong: change.isLong)
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
      Self.line(
        of: edit.path, from: plan.view.userDocument[edit.path], to: edit.value, isHidden: secret(at: edit.path) != nil)
    }
  }

  /// The line for a change of a value.
  static func line(
    of path: TOMLPath, from old: TOMLValue?, to new: TOMLValue?, isHidden: Bool = false, isLong: Bool = false
  ) -> String {
    let terminal = Terminal.output
    func text(_ value: TOMLValue?) -> String {
      if let value { return Shown.styled(value, Shown.short(value)) }
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
