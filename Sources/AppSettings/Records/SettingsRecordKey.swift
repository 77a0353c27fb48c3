import SettingsTOML

/// The requirements for a record: `Codable` for its fields, `Identifiable` for its id.
public typealias SettingsRecord = Codable & Identifiable & Sendable

/// A key that names a table of records: any number of values of one type, each with an id.
///
/// Each record is a table of its own, whose key is the record's id:
///
/// ```swift
/// struct Profile: Codable, Identifiable, Sendable {
///   var id: String
///   var region = "eu"
/// }
/// extension SettingsKeys {
///   static let profiles = SettingsRecordKey<Profile>("profiles", "Where to connect to.")
/// }
/// settings[.profiles]["work"] = Profile(id: "work", region: "us")   // [profiles.work] region = "us"
/// ```
///
/// An id is a string, a UUID, an integer, or a value of another type that can be the key of a dictionary
/// (``SettingsSerializable``) or is `LosslessStringConvertible`. The field `id` is not stored, because the table's key
/// holds it; a type with such a field reads it from the key. A file may contain the field, but then it must match the
/// key.
///
/// Records have no default: a record that is in no file does not exist. Read and write records with
/// ``SettingsStore/subscript(_:)-(SettingsRecordKey<Record>)``.
///
/// The user's file can change single fields of a record in an administrator's file, but cannot remove the record.
public final class SettingsRecordKey<Record: SettingsRecord>: AnySettingsKey,
  @unchecked Sendable  // it has only constants and a locked cache
where Record.ID: Sendable {
  let coding: RecordCoding<Record>
  let cache = RecordCache<Record>()

  init(name: String, ids: RecordIDCoding<Record.ID>, over fallback: Record?, details: [SettingsKeyDetail<Never>]) {
    precondition(
      !details.contains { if case .formerNames = $0.statement { true } else { false } },
      "Invalid settings key '\(name)': a key of records has no former names. Rename the table by a migration.")
    coding = RecordCoding(ids: ids, fallback: fallback)
    super.init(name: name, details.compactMap(\.statement))
  }

  package override func check(_ value: TOMLValue) throws(SettingsValueError) {
    guard case .table(let table) = value else { throw SettingsValueError(expected: expected, found: value) }
    for (text, stored) in table {
      do throws(SettingsValueError) {
        _ = try coding.read(stored, at: text)
      } catch {
        throw error.under(text)
      }
    }
  }

  package override var expected: String { "a table with a table for each record" }

  package override var schemaType: SchemaType {
    func type<Same: SettingsSerializable>(_ type: Same.Type) -> SchemaType { type.settingsBridge.schemaType() }
    let ids = (Record.ID.self as? any SettingsSerializable.Type).flatMap { SchemaType.ids(type($0)) }
    let record = coding.recordType
    var type = SchemaType.records(record?.fields, ids: ids)
    type.isOpen = record?.isOpen == true
    return type
  }
}

extension SettingsRecordKey where Record.ID: SettingsSerializable {
  /// Makes a key of records.
  ///
  /// ```swift
  /// static let servers = SettingsRecordKey<Server>("servers", over: Server(), "Where to connect to.")
  /// ```
  ///
  /// - Parameters:
  ///   - name: The dotted path of the table for the records.
  ///   - fallback: A record whose fields complete stored records that lack required ones, so that a new release can add
  ///     a property. Its id does not matter.
  ///   - details: A description, a group, whether the records are secret.
  public convenience init(
    _ name: some SettingsKeyName, over fallback: Record? = nil, _ details: SettingsKeyDetail<Never>...
  ) {
    self.init(
      name: name.description, ids: RecordIDCoding(serializable: Record.ID.self), over: fallback, details: details)
  }
}

extension SettingsRecordKey where Record.ID: LosslessStringConvertible {
  /// Makes a key of records whose ids are written as their descriptions.
  ///
  /// - Parameters:
  ///   - name: The dotted path of the table for the records.
  ///   - fallback: A record whose fields complete stored records that lack required ones.
  ///   - details: A description, a group, whether the records are secret.
  @_disfavoredOverload  // an id that has a bridge is written by it
  public convenience init(
    _ name: some SettingsKeyName, over fallback: Record? = nil, _ details: SettingsKeyDetail<Never>...
  ) {
    self.init(name: name.description, ids: RecordIDCoding(lossless: Record.ID.self), over: fallback, details: details)
  }
}
