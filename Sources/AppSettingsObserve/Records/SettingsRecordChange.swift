public import AppSettings
internal import SettingsTOML

/// A change of the records under a key at one moment: the inserted, updated and removed records.
///
/// A renamed record counts as one removed and one inserted. A record that can no longer be read counts as removed, and
/// is inserted again when its text is corrected.
public struct SettingsRecordChange<Record: SettingsRecord>: Sendable where Record.ID: Sendable {
  /// A record before and after a change.
  public struct Update: Sendable {
    /// The record's id.
    package var id: Record.ID { new.id }
    /// The record delivered last, or the one at the start of the stream.
    public package(set) var old: Record
    /// The record now.
    public package(set) var new: Record
  }

  /// The records that are new, in the order of the file.
  public package(set) var inserted: [Record] = []
  /// The existing records with changed values, in the order of the file.
  public package(set) var updated: [Update] = []
  /// The records that no longer exist, with their last values, in their last order.
  public package(set) var removed: [Record] = []
  /// Who made the change. If a slow reader gets several changes as one, this is who made the last of them.
  public package(set) var origin: SettingsChangeOrigin
}

extension SettingsRecordChange.Update: Equatable where Record: Equatable {}
extension SettingsRecordChange: Equatable where Record: Equatable {}

extension RecordListing where Record: SettingsRecord, Record.ID: Sendable {
  /// The difference from an older listing; `nil` if there is none.
  func changes(since old: RecordListing, by origin: SettingsChangeOrigin) -> SettingsRecordChange<Record>? {
    var change = SettingsRecordChange<Record>(origin: origin)
    var known: [ExactKey: Entry] = [:]
    // Most records usually keep their place. Only the others are searched for by their keys.
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

  /// Whether both listings have the same records in the same order.
  func isSame(as other: RecordListing) -> Bool {
    indices == other.indices
      && indices.allSatisfy { has(other.text(at: $0), at: $0) && self[$0].hasSameRecord(as: other[$0]) }
  }
}

extension RecordListing.Entry {
  /// Whether the values are equal; for a type without `Equatable`, whether the stored values are.
  func hasSameRecord(as other: Self) -> Bool {
    isSame(as: other)
      || ValueComparison()(record, other.record, orElse: stored == other.stored) ?? (stored == other.stored)
  }
}

extension SettingsRecordChange: CustomStringConvertible {
  /// The ids of the inserted, updated and removed records, and who made the change:
  /// `inserted: work; removed: home, office (outside)`.
  public var description: String {
    let parts = [
      ("inserted", inserted.map { "\($0.id)" }), ("updated", updated.map { "\($0.id)" }),
      ("removed", removed.map { "\($0.id)" }),
    ]
    let shown = parts.filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.joined(separator: ", "))" }
    return "\(shown.joined(separator: "; ")) (\(origin))"
  }
}
