// Lets a `Codable` type have a field for any value. The settings coder stores the value as it is; other coders get the
// nearest form that they support.

extension TOMLValue: Codable {
  /// Reads any value: a boolean, an integer, a float, a string, an array or a table.
  ///
  /// With the settings decoder, dates and times keep their types; with others, such as JSON's, they are strings. An
  /// integer above `Int64.max` becomes a string of its digits, the form in which `UInt64` is stored.
  public init(from decoder: any Decoder) throws {
    if let value = decoder as? ValueDecoder, let stored = value.value {
      self = stored
      return
    }
    if var elements = try? decoder.unkeyedContainer() {
      var array: [TOMLValue] = []
      while !elements.isAtEnd { array.append(try elements.decode(TOMLValue.self)) }
      self = .array(array)
    } else if let fields = try? decoder.container(keyedBy: PathKey.self) {
      var table = TOMLTable()
      for key in fields.allKeys { table[key.stringValue] = try fields.decode(TOMLValue.self, forKey: key) }
      self = .table(table)
    } else {
      let single = try decoder.singleValueContainer()
      if let boolean = try? single.decode(Bool.self) {
        self = .boolean(boolean)
      } else if let integer = try? single.decode(Int64.self) {
        self = .integer(integer)
      } else if let large = try? single.decode(UInt64.self) {
        // The stored form of `UInt64`: a float would lose digits.
        self = .string(String(large))
      } else if let float = try? single.decode(Double.self) {
        self = .float(float)
      } else {
        self = .string(try single.decode(String.self))
      }
    }
  }

  /// Writes the value. The settings encoder stores it as it is; other coders get dates and times as strings.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? ValueEncoder {
      encoder.result = .value(self)
      return
    }
    switch self {
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .table(let table):
      var container = encoder.container(keyedBy: PathKey.self)
      for (key, value) in table { try container.encode(value, forKey: PathKey(stringValue: key)) }
    default:
      var container = encoder.singleValueContainer()
      switch self {
      case .boolean(let boolean): try container.encode(boolean)
      case .integer(let integer): try container.encode(integer)
      case .float(let float): try container.encode(float)
      case .string(let string): try container.encode(string)
      default: try container.encode(tomlText)
      }
    }
  }
}

extension TOMLTable: Codable {
  /// Reads a table with any keys.
  ///
  /// - Throws: ``SettingsValueError`` if the value is not a table; otherwise an error of the decoder.
  public init(from decoder: any Decoder) throws {
    let value = try TOMLValue(from: decoder)
    guard case .table(let table) = value else { throw SettingsValueError(expected: "a table", found: value) }
    self = table
  }

  /// Writes the table.
  public func encode(to encoder: any Encoder) throws { try TOMLValue.table(self).encode(to: encoder) }
}
