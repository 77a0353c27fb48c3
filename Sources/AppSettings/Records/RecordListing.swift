package import SettingsTOML

/// The readable records of a table at one moment, in the order of the file.
///
/// A later change makes another listing, which shares the unchanged results.
package struct RecordListing<Record: Sendable>: Sendable {
  package struct Entry: Sendable {
    /// The key of the record's table.
    package let text: String
    package let record: Record
    let decoded: DecodedRecord

    /// The value that the record was decoded from.
    package var stored: TOMLValue { decoded.stored }

    /// Whether both come from the same decoding, so that nothing has to be compared.
    package func isSame(as other: Entry) -> Bool { decoded === other.decoded }
  }

  /// The records themselves.
  package private(set) var records: [Record] = []
  private var sources: [(text: String, decoded: DecodedRecord)] = []
  /// What cannot be read, by the paths of the tables; the path of all records if that is not a table.
  var failures: [(path: TOMLPath, error: SettingsValueError)] = []

  package var indices: Range<Int> { records.indices }

  /// The record with an index, and the value that it was decoded from.
  package subscript(index: Int) -> Entry {
    Entry(text: sources[index].text, record: records[index], decoded: sources[index].decoded)
  }

  /// The key of a record's table.
  package func text(at index: Int) -> String { sources[index].text }

  mutating func reserveCapacity(_ count: Int) {
    records.reserveCapacity(count)
    sources.reserveCapacity(count)
  }

  /// Adds a record at the end.
  mutating func append(_ text: String, _ decoded: DecodedRecord, _ record: Record) {
    records.append(record)
    sources.append((text, decoded))
  }

  /// Replaces a record in its place.
  mutating func replace(at index: Int, _ decoded: DecodedRecord, _ record: Record) {
    records[index] = record
    sources[index].decoded = decoded
  }
}

/// The value of one table when it was decoded. On the heap, so that finding it copies a reference.
///
/// Without the decoded result, so that the cache does the same work for all types of records.
class DecodedRecord: @unchecked Sendable {  // it and its one subclass have constants only
  let stored: TOMLValue

  init(stored: TOMLValue) { self.stored = stored }
}

/// The result of decoding one table: a record or an error.
final class Decoded<Record: Sendable>: DecodedRecord, @unchecked Sendable {  // as above
  let record: Record?
  let error: SettingsValueError?

  init(stored: TOMLValue, record: Record? = nil, error: SettingsValueError? = nil) {
    self.record = record
    self.error = error
    super.init(stored: stored)
  }
}

/// A listing with the data for updating it.
final class ListedRecords<Record: Sendable>: Sendable {
  /// All tables, including unreadable ones, in the order of the file.
  let items: [(text: String, decoded: Decoded<Record>)]
  let listing: RecordListing<Record>
  /// The state of the store that it belongs to.
  let position: RecentChanges.Position
  /// Whether each key is its id's own text, so that no two of them can be the same id.
  let isPlain: Bool

  init(
    items: [(text: String, decoded: Decoded<Record>)], listing: RecordListing<Record>, position: RecentChanges.Position,
    isPlain: Bool
  ) {
    self.items = items
    self.listing = listing
    self.position = position
    self.isPlain = isPlain
  }
}
