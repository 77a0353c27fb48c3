public import AppSettings
internal import SettingsTOML

/// What became of the records under a key at one moment: which came, which are others now, and which are gone.
///
/// A record that was renamed is one that is gone and one that came. One that cannot be read any more is gone as well,
/// and comes back when its text is corrected.
public struct SettingsRecordChange<Record: SettingsRecord>: Sendable where Record.ID: Sendable {
  /// A record before and after.
  public struct Update: Sendable {
    /// The record's id.
    public var id: Record.ID { new.id }
    /// The record that was delivered last, or that there was when the stream began.
    public var old: Record
    /// The record now.
    public var new: Record

    /// Makes an update.
    public init(old: Record, new: Record) {
      self.old = old
      self.new = new
    }
  }

  /// The records that were not there before, in the order of the file.
  public var inserted: [Record]
  /// The records that were there and have other values now, in the order of the file.
  public var updated: [Update]
  /// The records that are not there any more, as they were last, in the order that they had.
  public var removed: [Record]
  /// Who made the change; of several that a slow reader gets as one, who made the last.
  public var origin: SettingsChangeOrigin

  /// Makes a change.
  public init(
    inserted: [Record] = [], updated: [Update] = [], removed: [Record] = [], origin: SettingsChangeOrigin
  ) {
    self.inserted = inserted
    self.updated = updated
    self.removed = removed
    self.origin = origin
  }
}

extension SettingsRecordChange.Update: Equatable where Record: Equatable {}
extension SettingsRecordChange.Update: Hashable where Record: Hashable {}
extension SettingsRecordChange: Equatable where Record: Equatable {}
extension SettingsRecordChange: Hashable where Record: Hashable {}

extension RecordListing where Record: SettingsRecord, Record.ID: Sendable {
  /// What differs from an older listing; `nil` if nothing does.
  func changes(since old: RecordListing, by origin: SettingsChangeOrigin) -> SettingsRecordChange<Record>? {
    var change = SettingsRecordChange<Record>(origin: origin)
    var known: [ExactKey: Entry] = [:]
    // Most often nearly all are where they were: only the others are looked for by their keys.
    for index in old.indices where !has(old.text(at: index), at: index) {
      known[ExactKey(old.text(at: index))] = old[index]
    }
    for index in indices {
      let entry = self[index]
      let before = old.has(entry.text, at: index) ? old[index] : known.removeValue(forKey: ExactKey(entry.text))
      guard let before else {
        change.inserted.append(entry.record)
        continue
      }
      if !entry.hasSameRecord(as: before) {
        change.updated.append(SettingsRecordChange.Update(old: before.record, new: entry.record))
      }
    }
    if !known.isEmpty {
      change.removed = old.indices.filter { known[ExactKey(old.text(at: $0))] != nil }.map { old.records[$0] }
    }
    return change.inserted.isEmpty && change.updated.isEmpty && change.removed.isEmpty ? nil : change
  }

  private func has(_ text: String, at index: Int) -> Bool {
    indices.contains(index) && self.text(at: index).hasSameCodeUnits(as: text)
  }

  /// Whether both have the same records in the same order.
  func isSame(as other: RecordListing) -> Bool {
    indices == other.indices
      && indices.allSatisfy { has(other.text(at: $0), at: $0) && self[$0].hasSameRecord(as: other[$0]) }
  }
}

extension RecordListing.Entry {
  /// Whether the values are the same; of a type that cannot tell, whether what is stored is.
  func hasSameRecord(as other: Self) -> Bool {
    isSame(as: other) || areEqual(record, other.record) ?? (stored == other.stored)
  }
}

extension SettingsRecordChange: CustomStringConvertible {
  /// The ids of what came, changed and went, and who made the change: `inserted: work; removed: home, office (outside)`.
  public var description: String {
    let parts = [
      ("inserted", inserted.map { "\($0.id)" }), ("updated", updated.map { "\($0.id)" }),
      ("removed", removed.map { "\($0.id)" }),
    ]
    let shown = parts.filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.joined(separator: ", "))" }
    return "\(shown.joined(separator: "; ")) (\(origin))"
  }
}
