import AppSettings
import FoundationEssentials
import Synchronization

/// How rows are stored: fields and notes in one table, sealed if there is a cipher.
struct GarageFormat: Sendable {
  /// Seals what is written; without one, records are plain text.
  var cipher: GarageCipher?
  /// Opens what is to be sealed again with `cipher`.
  var former: GarageCipher?
  /// What becomes of plain records if there is a cipher.
  var plainRecords = Garage.PlainRecords.refuse
  /// What an error calls the file.
  var file: String
  /// Another number for each change of the cipher.
  private(set) var generation = 0
  private static let generations = Atomic<Int>(0)

  /// Gives the format a number that no other has.
  mutating func renewGeneration() {
    generation = Self.generations.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Whether no message may show what the records hold.
  var hidesContent: Bool { cipher != nil }

  /// The row of a stored table.
  ///
  /// - Parameter position: Where the record is, for an error.
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
      guard cipher == nil || plainRecords == .seal else { throw plainFailure(key, at: position()) }
      return row
    }
    guard row.fields.isEmpty else {
      throw failure(key, "it has plain fields beside what is sealed, which is not how it was sealed", at: position())
    }
    do {
      row.fields = try open(sealed, key)
    } catch {
      throw failure(key, error.reason, cause: error.cause, at: position())
    }
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

  /// Why something that is sealed cannot be opened.
  private struct OpenFailure: Error {
    var reason: String
    var cause: String?
  }

  private func open(_ sealed: TOMLValue, _ key: GarageKey) throws(OpenFailure) -> TOMLTable {
    guard case .string(let text) = sealed, let (name, bytes) = GarageCipher.parts(of: text) else {
      throw OpenFailure(reason: "what is sealed is not as it was written")
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
        // Not what it says: that may be anything, if the cipher is the app's own.
        cause = "\(type(of: error))"
        continue
      }
      guard case .table(let fields)? = try? TOMLValue(parsing: String(decoding: plain, as: UTF8.self)) else {
        throw OpenFailure(reason: "what is sealed is not a record")
      }
      return fields
    }
    throw OpenFailure(
      reason: "the key is another one, or the record was cut, changed, or moved here from another type or id",
      cause: cause)
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

  // MARK: Errors

  private func failure(
    _ key: GarageKey, _ reason: String, cause: String? = nil, at position: TOMLPosition?
  ) -> SettingsError {
    SettingsError(
      .sealedRecord, "Cannot open \(key) in '\(file)'\(Self.line(position)): \(reason). The record is unchanged.",
      cause: cause, file: file, position: position)
  }

  /// The error for a record that is not sealed and has to be.
  func plainFailure(_ key: GarageKey, at position: TOMLPosition?) -> SettingsError {
    failure(
      key,
      "it is plain text, and the records of this garage are sealed. Whoever put it there did not need the key. Delete it, "
        + "or, if it is from before the garage was sealed, open the garage once with 'plainRecords: .seal'",
      at: position)
  }

  static func line(_ position: TOMLPosition?) -> String { position.map { ", line \($0.line)" } ?? "" }
}

extension GarageCipher {
  /// What is written of something sealed: the algorithm's name, a colon, and Base64.
  func sealText(_ plain: [UInt8], _ context: [UInt8]) throws -> String {
    name + ":" + Data(try seal(plain, context)).base64EncodedString()
  }

  /// The algorithm's name and the bytes; `nil` of a text that no cipher has written.
  static func parts(of text: String) -> (name: String, bytes: [UInt8])? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex,
      let data = Data(base64Encoded: String(text[text.index(after: colon)...]))
    else { return nil }
    let name = text[..<colon]
    // The name appears in messages, so it must not be anything but a name: other text was not sealed by a cipher.
    guard name.utf8.count <= 40, name.utf8.allSatisfy({ TOMLValue.isNameByte($0) }) else { return nil }
    return (String(name), Array(data))
  }
}

extension TOMLValue {
  /// A letter, a digit, a dash or what else a cipher's name has in one word.
  fileprivate static func isNameByte(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x27
  }
}
