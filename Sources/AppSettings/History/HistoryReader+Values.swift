import SettingsTOML

/// What a history says of one value.
extension HistoryReader {
  /// Whether a record has changed a value at or below one of some paths.
  ///
  /// A change of a table around the path is one of the path if it added, removed or changed the value there, or if the
  /// history leaves that value out, so that nobody can tell.
  func hasChanged(_ record: HistoryRecord, at paths: [TOMLPath]) -> Bool {
    record.changes.contains { change in
      paths.contains { path in
        if change.path.hasPrefix(path) { return true }
        guard path.hasPrefix(change.path) else { return false }
        let rest = TOMLPath(Array(path.components.dropFirst(change.path.components.count)))
        switch (change.old, change.new) {
        case (.hidden, _), (_, .hidden), (.long, _), (_, .long):
          let texts = try? (text(before: record.number), text(after: record.number))
          guard let texts, let old = KeptText.document(of: texts.0), let new = KeptText.document(of: texts.1),
            !knownKeys.isSecret(path)
          else { return true }
          return old[path] != new[path] || old[path]?.holds(Redaction.placeholder) == true
        default: return change.old.value(at: rest) != change.new.value(at: rest)
        }
      }
    }
  }

  /// The newest text before the entry with a number that parses, as it is kept.
  ///
  /// So undoing a change that repaired a broken text compares with the last text that had values.
  ///
  /// - Throws: ``SettingsError`` `noHistory`.
  func parsedText(before number: Int) throws(SettingsError) -> [UInt8] {
    var bytes = try text(before: number)
    var number = number
    while bytes.isSameText(as: KeptText.unparsed), number > 1 {
      number -= 1
      bytes = try text(before: number)
    }
    return bytes
  }
}

extension HistoryRecord.Value {
  /// A value in it; `nil` if it has none there.
  fileprivate func value(at path: TOMLPath) -> TOMLValue? {
    guard case .text(let text) = self, case .table(let table)? = try? TOMLValue(parsing: text) else { return nil }
    return table[path: path]
  }
}

extension [TOMLPath] {
  /// Those that are not below another one: a table that becomes a value, or the other way, is one change.
  var outermost: [TOMLPath] {
    let all = Set(self)
    return filter { path in
      !(1..<Swift.max(1, path.components.count)).contains {
        all.contains(TOMLPath([String](path.components.prefix($0))))
      }
    }
  }
}
