import AppSettings
import FoundationEssentials

/// What a reading or writing of a garage's objects hands down to the references in them.
enum GarageCoding {
  static let reading = CodingUserInfoKey(rawValue: "org.app-settings.garage.reading")!
  static let writing = CodingUserInfoKey(rawValue: "org.app-settings.garage.writing")!

  /// The reading that a decoder is part of; `nil` outside a garage.
  static func reading(of decoder: any Decoder) -> GarageReading? {
    decoder.userInfo[reading] as? GarageReading
  }

  /// The writing that an encoder is part of; `nil` outside a garage.
  static func writing(of encoder: any Encoder) -> GarageWriting? {
    encoder.userInfo[writing] as? GarageWriting
  }

  /// The text of an id.
  ///
  /// - Throws: ``SettingsError`` `invalidKey` for an id that has none.
  static func text(of id: Any, _ type: Any.Type) throws(SettingsError) -> String {
    switch id {
    case let id as String: return id
    case let id as UUID: return id.uuidString
    case let id as any LosslessStringConvertible: return String(describing: id)
    case let id as any RawRepresentable: return try text(of: id.rawValue, type)
    default:
      throw SettingsError(
        .invalidKey,
        "Cannot use the id of '\(type)': it is of type '\(Swift.type(of: id))', but must be a String, a UUID, an "
          + "integer or anything else that is LosslessStringConvertible. Declare an 'id'.")
    }
  }
}

extension TOMLValue {
  /// The date-time in a string that is one in full, with an offset, as others write dates; or the number in one that has
  /// more digits than a floating-point number, as an import keeps it.
  fileprivate var valueInString: TOMLValue? {
    guard case .string(let text) = self, text.utf8.count > 15, let first = text.utf8.first,
      0x30...0x39 ~= first || first == UInt8(ascii: "-")
    else { return nil }
    if let number = Double(text) { return number.isFinite ? .float(number) : nil }
    guard let value = try? TOMLValue(parsing: text), case .offsetDateTime = value else { return nil }
    return value
  }

  /// The value with the part at a path replaced, as the errors of the coder give paths; `nil` if there is no such part.
  fileprivate func replacing(_ path: ArraySlice<String>, _ change: (TOMLValue) -> TOMLValue?) -> TOMLValue? {
    guard let first = path.first else { return change(self) }
    switch self {
    case .table(var table):
      guard let new = table[first]?.replacing(path.dropFirst(), change) else { return nil }
      table[first] = new
      return .table(table)
    case .array(var items):
      guard let index = Int(first.dropFirst().dropLast()), items.indices.contains(index),
        let new = items[index].replacing(path.dropFirst(), change)
      else { return nil }
      items[index] = new
      return .array(items)
    default: return nil
    }
  }

  /// Replaces the parts at a path, and at the paths that have other elements of the same arrays, or other entries of the
  /// same dictionaries, in them.
  ///
  /// - Parameter known: What the type knows of the value: where that is fields, others are none of its entries.
  fileprivate mutating func replaceInAll(
    _ path: ArraySlice<String>, _ known: KnownFields, _ change: (TOMLValue) -> TOMLValue?
  ) {
    guard let first = path.first else {
      if let new = change(self) { self = new }
      return
    }
    let (rest, part) = (path.dropFirst(), known.part(first))
    switch self {
    case .table(var table):
      let isRecord = if case .record = known { true } else { false }
      for key in isRecord ? [first] : table.keys {
        guard var value = table[key] else { continue }
        value.replaceInAll(rest, part, change)
        table[key] = value
      }
      self = .table(table)
    case .array(var items):
      for index in items.indices { items[index].replaceInAll(rest, part, change) }
      self = .array(items)
    default: return
    }
  }
}

extension KnownFields {
  /// What is known of a part, by the name that the errors of the coder give it.
  fileprivate func part(_ name: String) -> KnownFields {
    switch self {
    case .whole: return .whole
    case .record(let parts), .entries(let parts): return parts[name] ?? .whole
    case .elements(let parts, _):
      guard let index = Int(name.dropFirst().dropLast()), parts.indices.contains(index) else { return .whole }
      return parts[index]
    }
  }
}

extension GarageReading {
  /// Reads an object out of an older form, where dates and numbers of many digits are strings.
  ///
  /// Only the type can tell such a string from a text that happens to look like one: where it refuses a string that is
  /// a date or a number, it gets that.
  ///
  /// - Returns: The object, and the fields as it could be read from.
  func convert<T: Decodable>(
    _ type: T.Type, _ fields: TOMLTable, _ key: GarageKey
  ) throws -> (object: T, fields: TOMLTable) {
    // Elements of an array and entries of a dictionary mostly have one type: all at once, as each round reads the whole
    // object.
    try convert(type, fields, key, inAll: true) ?? convert(type, fields, key, inAll: false)!
  }

  /// - Returns: `nil` if elements and entries were replaced together, and the type wants some of it as it was.
  private func convert<T: Decodable>(
    _ type: T.Type, _ fields: TOMLTable, _ key: GarageKey, inAll: Bool
  ) throws -> (object: T, fields: TOMLTable)? {
    var value = TOMLValue.table(fields)
    while true {
      do {
        return (try read(type, value, key), value.table ?? fields)
      } catch let error as SettingsValueError {
        guard var next = value.replacing(error.path[...], { $0.valueInString }) else {
          if inAll, value != .table(fields) { return nil }
          throw describe(error, type, key)
        }
        if inAll, let table = value.table {
          next.replaceInAll(error.path[...], knownFields(of: type, in: table)) { $0.valueInString }
        }
        value = next
      }
    }
  }
}
