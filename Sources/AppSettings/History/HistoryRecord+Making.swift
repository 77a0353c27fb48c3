import SettingsTOML

extension HistoryRecord {
  /// Whether a file is as it was after this record, with the same text.
  func isOf(_ stamp: FileStamp, keptAs kept: KeptText) -> Bool {
    file.map { $0.stamp.isUntouched(stamp) && $0.keptSize == kept.bytes.count } ?? false
  }

  /// A record of what another program has changed.
  static func outside(
    _ number: Int, from former: [UInt8], to kept: KeptText, _ keys: KnownKeys, in segment: Int, at time: Int64
  ) -> HistoryRecord {
    let old = KeptText.document(of: former)
    return HistoryRecord(
      number: number, time: Int(time / 1_000_000), actor: Actor(), reason: SettingsHistoryEntry.Reason.outside.rawValue,
      changes: changes(from: old, to: kept.document, at: nil, keys), text: TextChange(from: former, to: kept.bytes),
      segment: segment, followsUnparsed: old == nil, isUnparsed: kept.isUnparsed)
  }

  /// The values that differ between two texts as they are kept; none if one of them did not parse.
  static func changes(
    from old: TOMLDocument?, to new: TOMLDocument?, at paths: [TOMLPath]?, _ keys: KnownKeys
  ) -> [Change] {
    guard let old, let new else { return [] }
    func value(_ value: TOMLValue?, _ path: TOMLPath) -> Value {
      guard let value else { return .absent }
      if keys.mayBeSecret(path) || value.holds(Redaction.placeholder) { return .hidden }
      let text = value.tomlText
      return text.utf8.count > mostShown ? .long : .text(text)
    }
    var secrets: Set<TOMLPath> = []
    return (paths ?? new.changedPaths(since: old).outermost).compactMap { path in
      var path = path
      if keys.isSecret(path) {
        if let secret = keys.secret(around: path) {
          // The names in a secret are a part of it.
          path = secret
        } else {
          // Of a table in a sealed garage, the kept texts have the name alone.
          while path.components.count > 1, old[path] == nil, new[path] == nil { path = path.parent }
        }
        guard secrets.insert(path).inserted else { return nil }
      }
      let (before, after) = (old[path], new[path])
      let change = Change(path: path, old: value(before, path), new: value(after, path))
      // A write of something that is not kept is a change, too.
      return before == after && (paths == nil || change.new != .hidden) ? nil : change
    }
  }
}
