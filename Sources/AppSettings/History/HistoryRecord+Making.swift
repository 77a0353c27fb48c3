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
    let values = (KeptValues(old), KeptValues(kept.document))
    return HistoryRecord(
      number: number, time: Int(time / 1_000_000), actor: Actor(), reason: SettingsHistoryEntry.Reason.outside.rawValue,
      changes: changes(of: values, at: nil, keys), text: TextChange(from: former, to: kept.bytes),
      segment: segment, followsUnparsed: old == nil, isUnparsed: kept.isUnparsed)
  }

  /// The values that differ between two texts; none if one of them did not parse.
  ///
  /// - Parameters:
  ///   - texts: The two texts.
  ///   - paths: The only paths at which they can differ; `nil` to find them.
  ///   - keys: The keys that decide which values are shown.
  ///   - leaveOutMore: Whether the texts leave out tables of which the keys say only that a part is secret.
  static func changes(
    of texts: (old: KeptValues, new: KeptValues), at paths: [TOMLPath]?, _ keys: KnownKeys, leaveOutMore: Bool = false
  ) -> [Change] {
    guard let old = texts.old.document, let new = texts.new.document else { return [] }
    func value(_ value: TOMLValue?, _ path: TOMLPath) -> Value {
      guard let value else { return .absent }
      if keys.mayBeSecret(path) || value.holds(Redaction.placeholder) { return .hidden }
      let text = value.tomlText
      return text.utf8.count > mostShown ? .long : .text(text)
    }
    /// The table around a path that is left out as a whole.
    func table(around path: TOMLPath) -> TOMLPath? {
      path.parent.prefixes.first { table in
        [old, new].contains { !$0.isTable(at: table) && $0[table] == .string(Redaction.placeholder) }
      }
    }
    /// What stands in a record for a path of which a part is not kept; `nil` for the path itself.
    func whole(_ path: TOMLPath) -> TOMLPath? {
      // The names in a secret are a part of it; of a table in a sealed garage, the name is kept.
      let secret = keys.isSecret(path) ? keys.secret(around: path) ?? TOMLPath([path.components[0]]) : nil
      if leaveOutMore, let table = table(around: secret ?? path) { return table }
      if let secret { return secret }
      guard path.components.count > 1, path.components.last == Redaction.placeholder,
        [texts.old[path], texts.new[path]].contains(.string(Redaction.placeholder))
      else { return nil }
      // It stands for the content of an array of tables.
      return path.parent
    }
    var areWhole = false
    var places = (paths ?? new.changedPaths(since: old).outermost).map { path in
      guard let whole = whole(path) else { return path }
      areWhole = true
      return whole
    }
    // A write may have several edits of one path, and several paths may be in one secret.
    if areWhole || paths.map({ $0.count > 1 }) ?? false {
      var seen: Set<TOMLPath> = []
      places.removeAll { !seen.insert($0).inserted }
    }
    if areWhole { places = places.outermost }
    return places.compactMap { path in
      let (before, after) = (texts.old[path], texts.new[path])
      let change = Change(path: path, old: value(before, path), new: value(after, path))
      // A change of something that is not kept is one, too, where it is known.
      let isKnown = paths != nil || texts.old.isWhole && texts.new.isWhole
      return before == after && !(isKnown && change.new == .hidden) ? nil : change
    }
  }
}

/// The values of a text as they are kept.
struct KeptValues {
  /// The text, whole or as it is kept; `nil` if it did not parse.
  let document: TOMLDocument?
  /// What decides which values are not kept; `nil` where something stands for those already.
  private let keys: KnownKeys?

  var isWhole: Bool { keys != nil }

  /// - Parameter kept: The document of a text as it is kept.
  init(_ kept: TOMLDocument?) { (document, keys) = (kept, nil) }

  /// - Parameter whole: The document of a whole text.
  init(whole: TOMLDocument, _ keys: KnownKeys, _ migrations: SettingsMigrations) {
    (document, self.keys) = (whole, keys.adapted(to: whole, migrations))
  }

  /// The value at a path, with what stands for those in it that are not kept.
  ///
  /// The time depends on the value, not on the size of the text.
  subscript(path: TOMLPath) -> TOMLValue? {
    guard let value = document?[path] else { return nil }
    return keys.map { $0.kept(value, at: path) } ?? value
  }
}
