/// What is known of a key of records, for tools: the command line, a JSON Schema, documentation.
package struct RecordFacts: Sendable, Hashable {
  /// What a record's id is written as in its table's key.
  package enum IDKind: String, Sendable, Hashable {
    case string, integer, uuid
    /// A text that only the app can tell from others.
    case text
  }

  /// The name of the records' type.
  package var record: String
  /// The name of the type of their ids.
  package var id: String
  /// What ids are.
  package var idKind: IDKind
  /// The fields of the record that others are completed from, without its id, as they are stored; `nil` if there is
  /// none.
  package var fields: TOMLTable?

  package init(record: String, id: String, idKind: IDKind, fields: TOMLTable? = nil) {
    self.record = record
    self.id = id
    self.idKind = idKind
    self.fields = fields
  }
}
