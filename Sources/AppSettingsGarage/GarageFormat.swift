import AppSettings
import FoundationEssentials
import Synchronization

/// How rows are stored: fields and notes in one table, sealed if there is a cipher.
struct GarageFormat: Sendable {
  /// Seals the records; without it they are plain text.
  var cipher: GarageCipher?
  /// Opens records that are to be sealed again with `cipher`.
  var former: GarageCipher?
  /// Whether a garage with a cipher reads plain records and seals them. They are an error otherwise.
  var sealsPlainRecords = false
  /// The name of the file in errors.
  var file: String
  /// A number that changes with each change of the cipher.
  private(set) var generation = 0
  private static let generations = Atomic<Int>(0)

  /// Gives the format a number that no other format has.
  mutating func renewGeneration() {
    generation = Self.generations.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Whether messages must not show the content of records.
  var hidesContent: Bool { cipher != nil }

  /// The row of a stored table.
  ///
  /// - Parameter position: Where the record is, for errors.
  /// - Throws: ``SettingsError`` `sealedRecord`.
  func row(
    _ stored: TOMLTable, of key: GarageKey, at position: @autoclosure () -> TOMLPosition?
  ) throws(SettingsError) -> GarageRow {
    var row = GarageRow(stored)
    if stored.contains(where: { $0.key.utf8.first == 0x73 && $0.key.hasPrefix(GarageRow.reservedPrefix) }) {
      // In the order of the file, so that nothing seems to have moved.
      row.fields = TOMLTable()
      for (name, value) in stored {
        if !name.hasPrefix(GarageRow.reservedPrefix) {
          row.fields[name] = value
        } else if !GarageRow.isNote(name) {
          row.fields[String(name.dropFirst(GarageRow.reservedPrefix.count))] = value
        } else if name != GarageRow.sealKey {
          row.notes[name] = value
        }
      }
    }
    guard let sealed = stored[GarageRow.sealKey] else {
      guard cipher == nil || sealsPlainRecords else { throw plainFailure(key, at: position()) }
      return row
    }
    guard row.fields.isEmpty else {
      throw failure(key, "it has plain fields besides its sealed text, which no sealing writes", at: position())
    }
    do {
      row.fields = try open(sealed, key)
    } catch {
      throw failure(key, error.reason, cause: error.cause, at: position())
    }
    return row
  }

  /// The table that stores a row.
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

  // MARK: Sealing

  private func seal(_ fields: TOMLTable, _ key: GarageKey, _ cipher: GarageCipher) throws(SettingsError) -> String {
    do {
      return try cipher.sealText(Array(TOMLValue.table(fields).tomlText.utf8), Self.context(of: key))
    } catch {
      throw SettingsError(
        .sealedRecord, "Cannot seal \(key): \(cipher.name) failed. Nothing was written.", cause: "\(type(of: error))",
        file: file)
    }
  }

  /// Why a sealed text cannot be opened.
  private struct OpenFailure: Error {
    var reason: String
    var cause: String?
  }

  private func open(_ sealed: TOMLValue, _ key: GarageKey) throws(OpenFailure) -> TOMLTable {
    guard case .string(let text) = sealed, let (name, bytes) = GarageCipher.parts(of: text) else {
      throw OpenFailure(reason: "its sealed text is damaged")
    }
    guard let cipher else {
      throw OpenFailure(reason: "it is sealed with \(name), and this garage has no cipher. Open it with 'cipher:'")
    }
    let ciphers = [cipher, former].compactMap { $0 }.filter { $0.name == name }
    guard !ciphers.isEmpty else {
      throw OpenFailure(reason: "it is sealed with \(name), and this garage's cipher is \(cipher.name)")
    }
    var cause: String?
    for cipher in ciphers {
      let plain: [UInt8]
      do {
        plain = try cipher.open(bytes, Self.context(of: key))
      } catch {
        // Without its message, which may say anything if the cipher is the app's own.
        cause = "\(type(of: error))"
        continue
      }
      guard case .table(let fields)? = try? TOMLValue(parsing: String(decoding: plain, as: UTF8.self)) else {
        throw OpenFailure(reason: "its sealed text does not hold a record")
      }
      return fields
    }
    throw OpenFailure(
      reason: "the key is different, or the record was cut, changed, or moved here from another type or id",
      cause: cause)
  }

  /// The data that is authenticated with a record, so that none can pass as another: lengths separate the parts.
  private static func context(of key: GarageKey) -> [UInt8] {
    var bytes = Array("app-settings garage 1".utf8)
    for part in [key.name, key.id ?? ""] {
      withUnsafeBytes(of: UInt64(part.utf8.count).littleEndian) { bytes += $0 }
      bytes += part.utf8
    }
    return bytes + [key.id == nil ? 0 : 1]
  }

  // MARK: Errors

  private func failure(
    _ key: GarageKey, _ reason: String, cause: String? = nil, at position: TOMLPosition?
  ) -> SettingsError {
    SettingsError(
      .sealedRecord, "Cannot open \(key) in '\(file)'\(Self.line(position)): \(reason). The record is unchanged.",
      cause: cause, file: file, position: position)
  }

  /// The error for a plain record in a sealed garage.
  func plainFailure(_ key: GarageKey, at position: TOMLPosition?) -> SettingsError {
    failure(
      key,
      "it is plain text, and the records of this garage are sealed. It was written without the key. Delete it, "
        + "or, if it is older than the sealing of the garage, open the garage once with 'sealsPlainRecords: true'",
      at: position)
  }

  static func line(_ position: TOMLPosition?) -> String { position.map { ", line \($0.line)" } ?? "" }
}

extension GarageCipher {
  /// The stored form of sealed bytes: the algorithm's name, a colon, and Base64.
  func sealText(_ plain: [UInt8], _ context: [UInt8]) throws -> String {
    name + ":" + Data(try seal(plain, context)).base64EncodedString()
  }

  /// The algorithm's name and the bytes; `nil` for a text that no cipher has written.
  static func parts(of text: String) -> (name: String, bytes: [UInt8])? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex,
      let data = Data(base64Encoded: String(text[text.index(after: colon)...]))
    else { return nil }
    let name = text[..<colon]
    // Messages show the name, so anything that is not a name is rejected: no cipher has written such a text.
    guard name.utf8.count <= 40, name.utf8.allSatisfy({ TOMLValue.isNameByte($0) }) else { return nil }
    return (String(name), Array(data))
  }
}

extension TOMLValue {
  /// Whether a byte may be part of a cipher's name.
  fileprivate static func isNameByte(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x27
  }
}
