import AppSettings
import FoundationEssentials

/// What reading or writing a garage's objects passes to the references in them.
enum GarageCoding {
  static let reading = CodingUserInfoKey(rawValue: "org.app-settings.garage.reading")!
  static let writing = CodingUserInfoKey(rawValue: "org.app-settings.garage.writing")!

  /// The reading that a decoder belongs to; `nil` outside a garage.
  static func reading(of decoder: any Decoder) -> GarageReading? {
    decoder.userInfo[reading] as? GarageReading
  }

  /// The writing that an encoder belongs to; `nil` outside a garage.
  static func writing(of encoder: any Encoder) -> GarageWriting? {
    encoder.userInfo[writing] as? GarageWriting
  }

  /// The text form of an id.
  ///
  /// - Throws: ``SettingsError`` `invalidKey` for an id without one.
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
  /// The complete date-time with an offset in a string, the way other programs write dates; or the number in a string
  /// with more digits than a floating-point number holds, as an import keeps it.
  fileprivate var valueInString: TOMLValue? {
    guard case .string(let text) = self, text.utf8.count > 15, let first = text.utf8.first,
      0x30...0x39 ~= first || first == UInt8(ascii: "-")
    else { return nil }
    if let number = Double(text) { return number.isFinite ? .float(number) : nil }
    guard let value = try? TOMLValue(parsing: text), case .offsetDateTime = value else { return nil }
    return value
  }

  /// The value with the part at a path replaced, in the coder's notation of paths; `nil` if there is no such part.
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

  /// Replaces the parts at a path, and at the same path in other elements of its arrays and entries of its
  /// dictionaries.
  ///
  /// - Parameter known: What the type knows of the value: its fields are not entries of a dictionary.
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
  /// What is known of a part, by its name in the coder's errors.
  fileprivate func part(_ name: String) -> KnownFields {
    switch self {
    case .whole: return .whole
    case .record(let parts), .entries(let parts, _): return parts[name] ?? .whole
    case .elements(let parts), .set(let parts, _):
      guard let index = Int(name.dropFirst().dropLast()), parts.indices.contains(index) else { return .whole }
      return parts[index]
    }
  }
}

extension GarageReading {
  /// Reads an object from an older form, in which dates and numbers with many digits are strings.
  ///
  /// Only the type can tell such a string from a text that looks like one: if it refuses the string, it gets the date or
  /// the number.
  ///
  /// - Returns: The object, and the fields from which it could be read.
  func convert<T: Decodable>(
    _ type: T.Type, _ fields: TOMLTable, _ key: GarageKey
  ) throws -> (object: T, fields: TOMLTable) {
    // Elements of an array and entries of a dictionary mostly have one type: replace all at once, because each round
    // reads the whole object.
    try convert(type, fields, key, inAll: true) ?? convert(type, fields, key, inAll: false)!
  }

  /// - Returns: `nil` if elements and entries were replaced together, and the type needs some of them unchanged.
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
