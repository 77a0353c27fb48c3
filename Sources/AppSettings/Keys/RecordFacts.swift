/// The facts about a key of records, for tools: the command line, a JSON Schema, documentation.
package struct RecordFacts: Sendable, Hashable {
  /// The form of a record's id in the key of its table.
  package enum IDKind: String, Sendable, Hashable {
    /// The id's type is stored as a string, an integer or a UUID, so a tool can check an id by itself.
    case string, integer, uuid
    /// Text whose validity only the app can check.
    case text
  }

  /// The name of the records' type.
  package var record: String
  /// The name of the type of their ids.
  package var id: String
  /// The form of the ids.
  package var idKind: IDKind
  /// The stored fields of the record that completes others, without its id; `nil` if there is no such record.
  ///
  /// A stored record that lacks one of them reads as if it had the value here.
  package var fields: TOMLTable?
}
