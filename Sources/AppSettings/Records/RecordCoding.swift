import SettingsTOML

/// Converts records to tables and back: as their type is stored, except for the id, which is the table's key.
struct RecordCoding<Record: SettingsRecord>: Sendable where Record.ID: Sendable {
  /// The name of the field for the id, in types that have one.
  static var idField: String { "id" }

  let ids: RecordIDCoding<Record.ID>
  /// How the type is stored by itself.
  let bridge: SettingsBridge<Record>
  private let fallback: Record?

  /// A ``SettingsSerializable`` type is stored by its bridge, any other by its `Codable` conformance.
  init(ids: RecordIDCoding<Record.ID>, fallback: Record?) {
    func own<Same: SettingsSerializable>(_ type: Same.Type) -> SettingsBridge<Record>? {
      type.settingsBridge as? SettingsBridge<Record>
    }
    self.ids = ids
    self.fallback = fallback
    bridge = (Record.self as? any SettingsSerializable.Type).flatMap { own($0) } ?? .codable
  }

  /// The stored form of the record whose fields complete others, without its id.
  var storedFallback: TOMLTable? {
    guard let fallback, case .table(var table)? = try? bridge.write(fallback) else { return nil }
    if let stored = table[Self.idField], ids.isID(stored, fallback.id) { table[Self.idField] = nil }
    return table
  }

  /// The type of a record with its fields, without the id; `nil` if no fields are known.
  var recordType: SchemaType? {
    guard let text = fallback.flatMap({ try? ids.text($0.id) }) ?? ids.sample else { return nil }
    var type = bridge.schemaType(sample: addingID(text, to: .table(storedFallback ?? TOMLTable())))
    type.fields?.removeAll { $0.name == Self.idField }
    type.complete(with: storedFallback.map { .table($0) })
    return type.fields?.isEmpty == false ? type : nil
  }

  // MARK: Reading

  /// Makes the record of a table.
  ///
  /// - Parameter text: The table's key.
  /// - Throws: ``SettingsValueError`` if a field cannot be read, or the table has another id than its key.
  func read(_ stored: TOMLValue, at text: String) throws(SettingsValueError) -> Record {
    do {
      let id = try ids.id(text)
      guard case .table(var table) = stored else { throw SettingsValueError(expected: "a table", found: stored) }
      let own = table[Self.idField]
      if own == nil { table[Self.idField] = ids.stored(id) }
      let record = try bridge.read(.table(table)) { fallback }
      guard record.id == id else { throw contradiction(of: record, to: text, own) }
      return record
    } catch {
      throw SettingsValueError(wrapping: error, expected: bridge.expected, found: stored)
    }
  }

  private func shown(_ record: Record) -> String {
    "a record with the id \(TOMLValue.quoted((try? ids.text(record.id)) ?? "\(record.id)"))"
  }

  private func contradiction(of record: Record, to text: String, _ own: TOMLValue?) -> SettingsValueError {
    let (expected, reason) = ("the id of the table's key", "it is \(TOMLValue.quoted(text))")
    if let own, ids.isID(own, record.id) {
      return SettingsValueError(expected: expected, found: own, reason: reason).under(Self.idField)
    }
    return SettingsValueError(expected: expected, foundText: shown(record), reason: reason)
  }

  // MARK: Writing

  /// A key for one record, for work on that record alone.
  func key(_ text: String, of records: AnySettingsKey) -> SettingsKey<Record?> {
    let core = OneRecordCore(self, text)
    return SettingsKey(
      path: records.path.appending(text), partOf: records, bridge: SettingsBridge<Record>(core).optional)
  }

  /// Makes the table of a record.
  ///
  /// - Parameter text: The table's key.
  fileprivate func write(_ record: Record, at text: String) throws -> TOMLValue? {
    let id = try ids.id(text)
    guard record.id == id else {
      throw SettingsValueError(
        expected: "a record with the id of its key", foundText: shown(record), reason: TOMLValue.quoted(text))
    }
    guard let written = try bridge.write(record) else {
      throw SettingsValueError(expected: "a record that is stored as a table", foundText: "nil")
    }
    guard case .table(var table) = written else {
      throw SettingsValueError(expected: "a record that is stored as a table", found: written)
    }
    if let stored = table[Self.idField], ids.isID(stored, id) { table[Self.idField] = nil }
    return .table(table)
  }

  fileprivate func addingID(_ text: String, to stored: TOMLValue) -> TOMLValue {
    guard case .table(var table) = stored, table[Self.idField] == nil, let id = try? ids.id(text) else { return stored }
    table[Self.idField] = ids.stored(id)
    return .table(table)
  }

  /// Leaves the right id in the table, so that the file keeps it.
  fileprivate func removingWrongID(_ text: String, from stored: TOMLValue) -> TOMLValue {
    guard case .table(var table) = stored, let found = table[Self.idField], let id = try? ids.id(text),
      !ids.isID(found, id)
    else { return stored }
    table[Self.idField] = nil
    return .table(table)
  }
}

/// How the record with one id is stored.
private final class OneRecordCore<Record: SettingsRecord>: BridgeCore where Record.ID: Sendable {
  private let coding: RecordCoding<Record>
  private let text: String
  private var core: any BridgeCore<Record> { coding.bridge.core }

  init(_ coding: RecordCoding<Record>, _ text: String) {
    self.coding = coding
    self.text = text
  }

  var expectation: Expectation { core.expectation }
  var mergesTables: Bool { core.mergesTables }
  var knowsParts: Bool { core.knowsParts }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Record { try coding.read(stored, at: text) }

  func write(_ value: Record, _ context: BridgeContext) throws -> TOMLValue? { try coding.write(value, at: text) }

  func knownFields(of written: TOMLValue, _ context: BridgeContext) -> KnownFields {
    let known = core.knownFields(of: coding.addingID(text, to: written), context)
    guard case .record(var fields) = known else { return known }
    // It is up to the file whether it has the id.
    fields[RecordCoding<Record>.idField] = nil
    return .record(fields)
  }

  func withoutOldForm(_ stored: TOMLValue) -> TOMLValue {
    coding.removingWrongID(text, from: core.withoutOldForm(stored))
  }
}
