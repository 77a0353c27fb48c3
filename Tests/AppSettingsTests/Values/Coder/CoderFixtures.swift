import AppSettings
import Foundation

struct Everything: Codable, Equatable {
  var bool: Bool
  var string: String
  var double: Double
  var float: Float
  var int: Int
  var int8: Int8
  var int16: Int16
  var int32: Int32
  var int64: Int64
  var uint: UInt
  var uint8: UInt8
  var uint16: UInt16
  var uint32: UInt32
  var uint64: UInt64
}

struct Optionals: Codable, Equatable {
  var bool: Bool?
  var string: String?
  var double: Double?
  var float: Float?
  var int: Int?
  var int8: Int8?
  var int16: Int16?
  var int32: Int32?
  var int64: Int64?
  var uint: UInt?
  var uint8: UInt8?
  var uint16: UInt16?
  var uint32: UInt32?
  var uint64: UInt64?
  var date: Date?
  var array: [Int]?
}

/// Coded as the value in it.
struct Wrapper<Value: Codable & Equatable>: Codable, Equatable {
  var value: Value

  init(value: Value) { self.value = value }

  init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

struct Native: Codable, Equatable {
  var date: Date
  var data: Data
  var url: URL
  var decimal: Decimal
  var duration: Duration
  var frog: CodableFrog
  var frogs: [CodableFrog]
  var period: Period
  var set: Set<String>
  var keyed: [Colour: Int]
  var range: ClosedRange<Int>
  var zone: TimeZone
  var any: SettingsValue
}

enum Colour: String, Codable, SettingsSerializable { case light, dark }

/// `Codable` as a table, but stored by its bridge.
struct CodableFrog: Codable, Equatable, SettingsSerializable {
  var name: String
  static let settingsBridge = String.settingsBridge.map(read: { CodableFrog(name: $0) }, write: \.name)
}

enum Bare: Codable, Equatable { case one, two }

enum Message: Codable, Equatable {
  case text(String)
  case move(x: Int, y: Int?)
  case quit
}

enum Raw: String, Codable, CaseIterable { case a, b }

enum RawKey: String, Codable, CodingKeyRepresentable { case x, y }

struct Matrix: Codable, Equatable {
  var rows: [[Int]]
  var title: String
  var tags: [String: Bool]

  private enum CodingKeys: CodingKey { case rows, info }
  private enum InfoKeys: CodingKey { case title, tags }

  init(rows: [[Int]], title: String, tags: [String: Bool]) {
    self.rows = rows
    self.title = title
    self.tags = tags
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    var outer = try container.nestedUnkeyedContainer(forKey: .rows)
    rows = []
    while !outer.isAtEnd {
      var inner = try outer.nestedUnkeyedContainer()
      var row: [Int] = []
      while !inner.isAtEnd { row.append(try inner.decode(Int.self)) }
      rows.append(row)
    }
    let info = try container.nestedContainer(keyedBy: InfoKeys.self, forKey: .info)
    title = try info.decode(String.self, forKey: .title)
    let keys = try info.nestedContainer(keyedBy: AnyKey.self, forKey: .tags)
    tags = [:]
    for key in keys.allKeys { tags[key.stringValue] = try keys.decode(Bool.self, forKey: key) }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    // All containers are open at once, and are written to in turns.
    var outer = container.nestedUnkeyedContainer(forKey: .rows)
    var info = container.nestedContainer(keyedBy: InfoKeys.self, forKey: .info)
    for row in rows {
      var inner = outer.nestedUnkeyedContainer()
      try info.encode(title, forKey: .title)
      for number in row { try inner.encode(number) }
    }
    try info.encode(title, forKey: .title)
    var keys = info.nestedContainer(keyedBy: AnyKey.self, forKey: .tags)
    for (key, value) in tags { try keys.encode(value, forKey: AnyKey(stringValue: key)) }
  }
}

struct AnyKey: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

class Animal: Codable {
  let name: String
  init(name: String) { self.name = name }
}

final class Dog: Animal, Equatable {
  let trick: String

  init(name: String, trick: String) {
    self.trick = trick
    super.init(name: name)
  }

  private enum CodingKeys: CodingKey { case trick }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    trick = try container.decode(String.self, forKey: .trick)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(trick, forKey: .trick)
    try super.encode(to: container.superEncoder())
  }

  static func == (a: Dog, b: Dog) -> Bool { a.name == b.name && a.trick == b.trick }
}

/// Coded as an array of two.
struct Pair: Codable, Equatable {
  var first: Int
  var second: String

  init(first: Int, second: String) { (self.first, self.second) = (first, second) }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    first = try container.decode(Int.self)
    second = try container.decode(String.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(first)
    try container.encode(second)
  }
}

struct Tree: Codable, Equatable {
  var value: Int
  var children: [Tree]
}

/// Notes what it sees of the coder.
struct Spy: Codable, Equatable {
  var path: [String]
  var info: String

  private enum CodingKeys: CodingKey { case path, info }

  init(path: [String], info: String) { (self.path, self.info) = (path, info) }

  init(from decoder: any Decoder) throws {
    path = decoder.codingPath.map(\.stringValue)
    info = decoder.userInfo.values.map { "\($0)" }.joined()
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(encoder.codingPath.map(\.stringValue), forKey: .path)
    try container.encode(encoder.userInfo.values.map { "\($0)" }.joined(), forKey: .info)
  }
}

extension Spy: SettingsSerializable {}

struct Seen: Codable, Equatable {
  var list: [[String: Spy]]
  var single: Spy
}

/// Refuses numbers in several ways.
struct Picky: Codable {
  struct Complaint: Error {}
  var number: Int

  private enum CodingKeys: CodingKey { case number }

  init(number: Int) { self.number = number }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    number = try container.decode(Lucky.self, forKey: .number).number
    if number == 14 { throw Complaint() }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if number > 99 {
      throw EncodingError.invalidValue(
        number, .init(codingPath: encoder.codingPath + [CodingKeys.number], debugDescription: "too large"))
    }
    try container.encode(number, forKey: .number)
  }
}

struct Lucky: Decodable {
  var number: Int

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    number = try container.decode(Int.self)
    if number == 13 { throw DecodingError.dataCorruptedError(in: container, debugDescription: "unlucky") }
  }
}

/// Reads strings and integers in one array.
struct Mixed: Codable, Equatable {
  var values: [String]

  init(values: [String]) { self.values = values }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    values = []
    while !container.isAtEnd {
      if let integer = try? container.decode(Int.self) {
        values.append(String(integer))
      } else {
        values.append(try container.decode(String.self))
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for value in values {
      if let integer = Int(value) { try container.encode(integer) } else { try container.encode(value) }
    }
  }
}
