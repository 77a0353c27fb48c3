package import SettingsTOML

/// The records of a table at one moment: those that can be read, in the order of the file.
package struct RecordListing<Record: Sendable>: Sendable {
  package struct Entry: Sendable {
    /// The key of the record's table.
    package let text: String
    package let record: Record
    private let decoded: DecodedRecord

    init(_ text: String, _ decoded: DecodedRecord, _ record: Record) {
      self.text = text
      self.record = record
      self.decoded = decoded
    }

    /// What the record was decoded from.
    package var stored: TOMLValue { decoded.stored }

    /// Whether both come of one decoding, so that nothing has to be compared.
    package func isSame(as other: Entry) -> Bool { decoded === other.decoded }
  }

  /// The records themselves.
  package private(set) var records: [Record] = []
  private var sources: [(text: String, decoded: DecodedRecord)] = []
  /// What cannot be read, by the paths of the tables; the path of all if that is no table.
  var failures: [(path: TOMLPath, error: SettingsValueError)] = []

  package var indices: Range<Int> { records.indices }

  package subscript(index: Int) -> Entry { Entry(sources[index].text, sources[index].decoded, records[index]) }

  /// The key of a record's table.
  package func text(at index: Int) -> String { sources[index].text }

  mutating func reserveCapacity(_ count: Int) {
    records.reserveCapacity(count)
    sources.reserveCapacity(count)
  }

  mutating func append(_ text: String, _ decoded: DecodedRecord, _ record: Record) {
    records.append(record)
    sources.append((text, decoded))
  }

  mutating func replace(at index: Int, _ decoded: DecodedRecord, _ record: Record) {
    records[index] = record
    sources[index].decoded = decoded
  }
}

/// What one table was when it was decoded. On the heap, so that finding it copies a reference.
///
/// Apart from what it was decoded to, so that the cache's own work is the same for all types of records.
class DecodedRecord: @unchecked Sendable {  // it and its one subclass have constants only
  let stored: TOMLValue

  init(stored: TOMLValue) { self.stored = stored }
}

/// What became of one table: a record or an error.
final class Decoded<Record: Sendable>: DecodedRecord, @unchecked Sendable {  // as above
  let record: Record?
  let error: SettingsValueError?

  init(stored: TOMLValue, record: Record) {
    self.record = record
    error = nil
    super.init(stored: stored)
  }

  init(stored: TOMLValue, error: SettingsValueError) {
    record = nil
    self.error = error
    super.init(stored: stored)
  }
}

/// A listing with what it takes to bring it up to date.
final class ListedRecords<Record: Sendable>: Sendable {
  /// All tables, those that cannot be read too, in the order of the file.
  let items: [(text: String, decoded: Decoded<Record>)]
  let listing: RecordListing<Record>
  /// The state of the store that it is of.
  let position: RecentChanges.Position
  /// Whether each key is its id's own text, so that no two of them can be one id.
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
