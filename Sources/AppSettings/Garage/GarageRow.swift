import FoundationEssentials
import SettingsTOML

/// Which record: its type's name and its id; without an id one of the objects that are known by what they are.
struct GarageKey: Sendable, CustomStringConvertible {
  var name: String
  var id: String?

  var description: String { id.map { "\(name) \(TOMLValue.quoted($0, limit: 80))" } ?? name }
}

/// One record as a garage works with it: its object's fields, and what the garage notes of it.
struct GarageRow: Sendable, Equatable {
  var fields: TOMLTable
  /// Keys that begin with `settings-`, as they are stored; ones that this release does not know stay.
  var notes = TOMLTable()

  static let reservedPrefix = "settings-"
  static let statusKey = "settings-sync"
  static let sealKey = "settings-sealed"

  init(_ fields: TOMLTable = TOMLTable()) { self.fields = fields }

  var status: Garage.SyncStatus {
    get { Self.status(notes[Self.statusKey]) }
    set { notes[Self.statusKey] = newValue == .undetermined ? nil : .string(newValue.rawValue) }
  }

  static func status(_ stored: TOMLValue?) -> Garage.SyncStatus {
    guard case .string(let text)? = stored else { return .undetermined }
    return Garage.SyncStatus(rawValue: text) ?? .undetermined
  }
}

/// How rows are stored: fields and notes in one table, sealed if there is a cipher.
struct GarageFormat: Sendable {
  let cipher: GarageCipher?
  /// What an error calls the file.
  let file: String

  /// The row of a stored table.
  ///
  /// - Throws: ``SettingsError`` `sealedRecord`.
  func row(_ stored: TOMLTable, of key: GarageKey) throws(SettingsError) -> GarageRow {
    var row = GarageRow(stored)
    guard stored.contains(where: { $0.key.utf8.first == 0x73 && $0.key.hasPrefix(GarageRow.reservedPrefix) }) else {
      return row
    }
    // In the order of the file, so that nothing seems to have moved.
    row.fields = TOMLTable()
    for (name, value) in stored {
      if !name.hasPrefix(GarageRow.reservedPrefix) {
        row.fields[name] = value
      } else if name.dropFirst(GarageRow.reservedPrefix.count).hasPrefix(GarageRow.reservedPrefix) {
        row.fields[String(name.dropFirst(GarageRow.reservedPrefix.count))] = value
      } else if name != GarageRow.sealKey {
        row.notes[name] = value
      }
    }
    guard let sealed = stored[GarageRow.sealKey] else { return row }
    guard row.fields.isEmpty else {
      throw failure(
        key, "it has fields beside what is sealed, '\(row.fields.keys[0])' for one, which is not how it was sealed")
    }
    row.fields = try open(sealed, key)
    return row
  }

  /// The table to store of a row.
  func table(_ row: GarageRow, of key: GarageKey) throws(SettingsError) -> TOMLTable {
    var table = TOMLTable()
    if let cipher {
      table[GarageRow.sealKey] = .string(try seal(row.fields, key, cipher))
    } else {
      for (name, value) in row.fields {
        table[name.hasPrefix(GarageRow.reservedPrefix) ? GarageRow.reservedPrefix + name : name] = value
      }
    }
    for (name, value) in row.notes { table[name] = value }
    return table
  }

  private func seal(_ fields: TOMLTable, _ key: GarageKey, _ cipher: GarageCipher) throws(SettingsError) -> String {
    do {
      let sealed = try cipher.seal(Array(TOMLValue.table(fields).tomlText.utf8), Self.context(of: key))
      return cipher.name + ":" + Data(sealed).base64EncodedString()
    } catch {
      throw SettingsError(
        .sealedRecord, "Cannot seal \(key): \(cipher.name) failed. Nothing was written.", cause: "\(error)", file: file)
    }
  }

  private func open(_ sealed: TOMLValue, _ key: GarageKey) throws(SettingsError) -> TOMLTable {
    guard case .string(let text) = sealed, let colon = text.firstIndex(of: ":"),
      let bytes = Data(base64Encoded: String(text[text.index(after: colon)...]))
    else { throw failure(key, "what is sealed is not as it was written") }
    let name = text[..<colon]
    guard let cipher else {
      throw failure(
        key, "it is sealed with \(name), and this garage has no cipher. Open it with 'cipher:'", isWhole: true)
    }
    guard cipher.name == name else {
      throw failure(key, "it is sealed with \(name), and this garage's cipher is \(cipher.name)")
    }
    let plain: [UInt8]
    do {
      plain = try cipher.open(Array(bytes), Self.context(of: key))
    } catch {
      throw failure(
        key, "the key is another one, or the record was cut, changed, or moved here from another type or id",
        cause: "\(error)")
    }
    guard case .table(let fields)? = try? TOMLValue(parsing: String(decoding: plain, as: UTF8.self)) else {
      throw failure(key, "what is sealed is no record")
    }
    return fields
  }

  private func failure(
    _ key: GarageKey, _ reason: String, cause: String? = nil, isWhole: Bool = false
  ) -> SettingsError {
    SettingsError(
      .sealedRecord, "Cannot open \(key) in '\(file)': \(reason).\(isWhole ? "" : " The record is unchanged.")",
      cause: cause, file: file)
  }

  /// What is authenticated with a record, so that none can be passed off as another: lengths keep the parts apart.
  private static func context(of key: GarageKey) -> [UInt8] {
    var bytes = Array("app-settings garage 1".utf8)
    for part in [key.name, key.id ?? ""] {
      withUnsafeBytes(of: UInt64(part.utf8.count).littleEndian) { bytes += $0 }
      bytes += part.utf8
    }
    return bytes + [key.id == nil ? 0 : 1]
  }
}
