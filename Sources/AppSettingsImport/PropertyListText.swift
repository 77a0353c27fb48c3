package import AppSettings
import FoundationEssentials

/// Reads property lists, XML and binary.
///
/// It does not use `PropertyListDecoder`, which reads a whole `<real>` as an integer when asked for one, so that the
/// two cannot be distinguished.
package enum PropertyListText {
  /// A value of a property list of either form.
  package indirect enum Node: Sendable {
    case value(TOMLValue)
    /// Seconds since 2001.
    case date(Double)
    case data([UInt8])
    case array([Node])
    case table([(String, Node)])
    /// The number of another object, in an archive.
    case reference(Int)
    /// The reason why there is no value.
    case other(String)
  }

  /// Converts a date in seconds since 2001; `nil` if TOML cannot represent it.
  static func date(_ seconds: Double) -> TOMLValue? {
    seconds.isFinite ? try? Date.settingsBridge.write(Date(timeIntervalSinceReferenceDate: seconds)) : nil
  }

  static func read(_ bytes: [UInt8], _ budget: inout ImportBudget) throws(ImportFailure) -> ImportedValues {
    guard case .table(let members) = try node(of: bytes, &budget) else {
      throw ImportFailure(reason: "it is not a dictionary")
    }
    var conversion = Conversion(budget: budget)
    var result = ImportedValues()
    result.values = try conversion.table(of: members, at: .root)
    result.skipped = conversion.skipped
    budget = conversion.budget
    return result
  }

  static func node(of bytes: [UInt8], _ budget: inout ImportBudget) throws(ImportFailure) -> Node {
    if bytes.starts(with: "bplist00".utf8) { return try BinaryPropertyList.node(of: bytes, &budget) }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw ImportFailure(reason: "it is not UTF-8") }
    return try XMLPropertyList.node(of: Array(text.utf8), &budget)
  }

  /// Converts nodes to values.
  private struct Conversion {
    var budget: ImportBudget
    var skipped: [SettingsImportReport.Skipped] = []

    mutating func table(of members: [(String, Node)], at path: TOMLPath) throws(ImportFailure) -> TOMLTable {
      var table = TOMLTable()
      for (key, node) in members.sorted(by: { $0.0 < $1.0 }) {
        if let value = try value(of: node, at: path.appending(key)) { table[key] = value }
      }
      return table
    }

    private mutating func value(of node: Node, at path: TOMLPath) throws(ImportFailure) -> TOMLValue? {
      switch node {
      case .value(let value): return value
      case .table(let members): return .table(try table(of: members, at: path))
      case .array(let nodes):
        var items: [TOMLValue] = []
        for (index, node) in nodes.enumerated() {
          if let item = try value(of: node, at: path.appending("[\(index)]")) { items.append(item) }
        }
        return .array(items)
      case .date(let seconds):
        if let value = PropertyListText.date(seconds) { return value }
        return try skip(path, "its date is beyond what TOML has")
      case .data(let bytes):
        // Archived URLs and other values of Foundation become what they represent; other objects keep their archive.
        var hasNull = false
        if let value = try KeyedArchive.value(of: bytes, &budget, noteNull: { hasNull = true }) {
          if hasNull { _ = try skip(path, "a null in it was left out, because TOML has none") }
          return value
        }
        return try? Data.settingsBridge.write(Data(bytes))
      case .reference: return try skip(path, "it is a reference within an archive")
      case .other(let what): return try skip(path, what)
      }
    }

    private mutating func skip(_ path: TOMLPath, _ reason: String) throws(ImportFailure) -> TOMLValue? {
      try budget.take(bytes: path.cost)
      skipped.append(.init(source: path, reason: reason))
      return nil
    }
  }
}

/// Apple's binary form: a table of objects that refer to each other by number.
private struct BinaryPropertyList {
  private typealias Node = PropertyListText.Node
  private let bytes: [UInt8]
  // The offset of the table of the objects' offsets.
  private var table = 0
  private var offsetSize = 0
  private var count = 0
  private var referenceSize = 0
  private var budget: ImportBudget

  static func node(of bytes: [UInt8], _ budget: inout ImportBudget) throws(ImportFailure) -> PropertyListText.Node {
    var reader = BinaryPropertyList(bytes: bytes, budget: budget)
    defer { budget = reader.budget }
    return try reader.top()
  }

  private var fault: ImportFailure { ImportFailure(reason: "it is not a complete binary property list") }

  private mutating func top() throws(ImportFailure) -> PropertyListText.Node {
    guard bytes.count >= 40 else { throw fault }
    let trailer = bytes.count - 32
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    count = try integer(at: trailer + 8, size: 8)
    let top = try integer(at: trailer + 16, size: 8)
    table = try integer(at: trailer + 24, size: 8)
    guard 1...8 ~= offsetSize, 1...8 ~= referenceSize, table <= trailer, count <= (trailer - table) / offsetSize,
      top < count
    else { throw fault }
    return try object(top, depth: 0)
  }
  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  private func integer(at offset: Int, size: Int) throws(ImportFailure) -> Int {
    guard offset >= 0, offset <= bytes.count - size else { throw fault }
    guard let value = Int(exactly: Self.number(bytes[offset..<offset + size])) else { throw fault }
    return value
  }

  private func slice(_ start: Int, _ count: Int) throws(ImportFailure) -> ArraySlice<UInt8> {
    guard count >= 0, start <= bytes.count, count <= bytes.count - start else { throw fault }
    return bytes[start..<start + count]
  }

  private mutating func object(_ index: Int, depth: Int) throws(ImportFailure) -> Node {
    guard index < count else { throw fault }
    guard depth < ImportBudget.mostNested else {
      throw ImportFailure(reason: "it is nested too deep, or an object of it is within itself")
    }
    let offset = try integer(at: table + index * offsetSize, size: offsetSize)
    guard offset < bytes.count else { throw fault }
    try budget.take()
    let low = Int(bytes[offset] & 0xF)
    switch bytes[offset] >> 4 {
    case 0x0 where low == 8: return .value(false)
    case 0x0 where low == 9: return .value(true)
    case 0x1: return .value(try wholeNumber(at: offset + 1, size: 1 << low))
    case 0x2: return .value(.float(try real(at: offset + 1, size: 1 << low)))
    case 0x3: return .date(try real(at: offset + 1, size: 8))
    case 0x8: return .reference(try integer(at: offset + 1, size: low + 1))
    default: break
    }
    var count = low
    var start = offset + 1
    if low == 0xF {
      guard start < bytes.count, bytes[start] >> 4 == 1 else { throw fault }
      let size = 1 << Int(bytes[start] & 0xF)
      guard size <= 8 else { throw fault }
      count = try integer(at: start + 1, size: size)
      start += 1 + size
    }
    switch bytes[offset] >> 4 {
    case 0x4: return .data(Array(try text(start, count)))
    case 0x5:
      let text = String(validating: try text(start, count), as: UTF8.self)
      return text.map { .value(.string($0)) } ?? .other(Self.notText)
    case 0x6:
      guard count <= bytes.count / 2 else { throw fault }
      let units = try text(start, count * 2)
      let pairs = stride(from: units.startIndex, to: units.endIndex, by: 2).lazy.map {
        UInt16(units[$0]) << 8 | UInt16(units[$0 + 1])
      }
      return String(validating: pairs, as: UTF16.self).map { .value(.string($0)) } ?? .other(Self.notText)
    case 0xA, 0xC: return .array(try objects(at: start, count, depth: depth))
    case 0xD:
      guard count <= bytes.count else { throw fault }
      let keys = try objects(at: start, count, depth: depth)
      let values = try objects(at: start + count * referenceSize, count, depth: depth)
      var members: [(String, Node)] = []
      for (key, value) in zip(keys, values) {
        guard case .value(.string(let name)) = key else { throw fault }
        members.append((name, value))
      }
      return .table(members)
    default: throw fault
    }
  }

  private static let notText = "its text is not valid Unicode"

  /// Reads bytes that become a value, and charges for each reference to them.
  private mutating func text(_ start: Int, _ count: Int) throws(ImportFailure) -> ArraySlice<UInt8> {
    let slice = try slice(start, count)
    try budget.take(bytes: count)
    return slice
  }

  private mutating func objects(at start: Int, _ count: Int, depth: Int) throws(ImportFailure) -> [Node] {
    guard count <= bytes.count else { throw fault }
    var nodes: [Node] = []
    for position in 0..<count {
      let reference = try integer(at: start + position * referenceSize, size: referenceSize)
      nodes.append(try object(reference, depth: depth + 1))
    }
    return nodes
  }

  private func wholeNumber(at offset: Int, size: Int) throws(ImportFailure) -> TOMLValue {
    // Integers above `Int64.max` are written with 16 bytes.
    let isWide = size == 16
    guard size <= 8 || isWide else { throw fault }
    let whole = try slice(offset, size)
    let value = Self.number(whole.suffix(8))
    guard isWide else { return .integer(Int64(bitPattern: value)) }
    let isNegative = whole.prefix(8).allSatisfy { $0 == 0xFF } && Int64(bitPattern: value) < 0
    guard isNegative || whole.prefix(8).allSatisfy({ $0 == 0 }) else {
      throw ImportFailure(reason: "it holds an integer that is too large")
    }
    return isNegative || value <= Int64.max ? .integer(Int64(bitPattern: value)) : .string(String(value))
  }

  private func real(at offset: Int, size: Int) throws(ImportFailure) -> Double {
    guard size == 4 || size == 8 else { throw fault }
    let value = Self.number(try slice(offset, size))
    return size == 8 ? Double(bitPattern: value) : Double(Float(bitPattern: UInt32(value)))
  }
}
