import FoundationEssentials
import SettingsTOML

/// Property lists, XML and binary.
///
/// Not `PropertyListDecoder`, which reads a whole `<real>` as an integer when asked for one, so that the two cannot be
/// told apart.
enum PropertyListText {
  /// A value of a property list, whichever form it was in.
  indirect enum Node {
    case value(TOMLValue)
    /// Seconds since 2001.
    case date(Double)
    case data([UInt8])
    case array([Node])
    case table([(String, Node)])
    /// What only archives have.
    case other(String)
  }

  static func read(_ bytes: [UInt8]) throws(ImportFailure) -> ImportedValues {
    guard case .table(let members) = try node(of: bytes) else { throw ImportFailure(reason: "it is no dictionary") }
    var result = ImportedValues()
    result.values = table(of: members, at: .root, &result.skipped)
    return result
  }

  private static func node(of bytes: [UInt8]) throws(ImportFailure) -> Node {
    if bytes.starts(with: "bplist00".utf8) {
      var reader = BinaryPropertyList(bytes)
      return try reader.top()
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw ImportFailure(reason: "it is not UTF-8") }
    var reader = XMLPropertyList(text)
    return try reader.top()
  }

  private static func table(
    of members: [(String, Node)], at path: TOMLPath, _ skipped: inout [SettingsImportReport.Skipped]
  ) -> TOMLTable {
    var table = TOMLTable()
    for (key, node) in members.sorted(by: { $0.0 < $1.0 }) {
      table[key] = value(of: node, at: path.appending(key), &skipped)
    }
    return table
  }

  private static func value(
    of node: Node, at path: TOMLPath, _ skipped: inout [SettingsImportReport.Skipped]
  ) -> TOMLValue? {
    func skip(_ reason: String) -> TOMLValue? {
      skipped.append(.init(source: path, reason: reason))
      return nil
    }
    switch node {
    case .value(let value): return value
    case .table(let members): return .table(table(of: members, at: path, &skipped))
    case .array(let nodes):
      var items: [TOMLValue] = []
      for (index, node) in nodes.enumerated() {
        if let item = value(of: node, at: path.appending("[\(index)]"), &skipped) { items.append(item) }
      }
      return .array(items)
    case .date(let seconds):
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      guard seconds.isFinite, let value = try? Date.settingsBridge.write(date) else {
        return skip("its date is beyond what TOML has")
      }
      return value
    case .data(let bytes):
      if case .table(let members)? = try? self.node(of: bytes),
        case .value(.string(let archiver))? = members.first(where: { $0.0 == "$archiver" })?.1
      {
        return skip("it is an archive of objects (\(archiver)), no value")
      }
      return try? Data.settingsBridge.write(Data(bytes))
    case .other(let what): return skip(what)
    }
  }
}

/// Apple's binary form: a table of objects, which refer to each other by number.
private struct BinaryPropertyList {
  private typealias Node = PropertyListText.Node
  private let bytes: [UInt8]
  private var offsets: [Int] = []
  private var referenceSize = 0
  /// How many objects may be read: one that is referred to twice is read twice, and a file of a few bytes must not
  /// become one of many.
  private var budget = 1_000_000

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private var fault: ImportFailure { ImportFailure(reason: "it is no whole binary property list") }

  mutating func top() throws(ImportFailure) -> PropertyListText.Node {
    guard bytes.count >= 40 else { throw fault }
    let trailer = bytes.count - 32
    let offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    let count = try integer(at: trailer + 8, size: 8)
    let top = try integer(at: trailer + 16, size: 8)
    let start = try integer(at: trailer + 24, size: 8)
    guard 1...8 ~= offsetSize, 1...8 ~= referenceSize, start <= trailer, count <= (trailer - start) / offsetSize,
      top < count
    else { throw fault }
    for index in 0..<count { offsets.append(try integer(at: start + index * offsetSize, size: offsetSize)) }
    return try object(top, depth: 0)
  }

  private func integer(at offset: Int, size: Int) throws(ImportFailure) -> Int {
    guard offset >= 0, offset <= bytes.count - size else { throw fault }
    var value: UInt64 = 0
    for byte in bytes[offset..<offset + size] { value = value << 8 | UInt64(byte) }
    guard let value = Int(exactly: value) else { throw fault }
    return value
  }

  private func slice(_ start: Int, _ count: Int) throws(ImportFailure) -> ArraySlice<UInt8> {
    guard count >= 0, start <= bytes.count, count <= bytes.count - start else { throw fault }
    return bytes[start..<start + count]
  }

  private mutating func object(_ index: Int, depth: Int) throws(ImportFailure) -> Node {
    budget -= 1
    guard offsets.indices.contains(index), depth < 128, budget > 0 else { throw fault }
    let offset = offsets[index]
    guard offset < bytes.count else { throw fault }
    let low = Int(bytes[offset] & 0xF)
    switch bytes[offset] >> 4 {
    case 0x0 where low == 8: return .value(false)
    case 0x0 where low == 9: return .value(true)
    case 0x1: return .value(try wholeNumber(at: offset + 1, size: 1 << low))
    case 0x2: return .value(.float(try real(at: offset + 1, size: 1 << low)))
    case 0x3: return .date(try real(at: offset + 1, size: 8))
    case 0x8: return .other("it is a reference within an archive")
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
    case 0x4: return .data(Array(try slice(start, count)))
    case 0x5: return .value(.string(String(decoding: try slice(start, count), as: UTF8.self)))
    case 0x6:
      guard count <= bytes.count / 2 else { throw fault }
      let units = Array(try slice(start, count * 2))
      let text = stride(from: 0, to: units.count, by: 2).map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) }
      return .value(.string(String(decoding: text, as: UTF16.self)))
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
    // Of 16 bytes the upper half is there for what is above `Int64.max`.
    let isWide = size == 16
    guard size <= 8 || isWide else { throw fault }
    var value: UInt64 = 0
    for byte in try slice(isWide ? offset + 8 : offset, min(size, 8)) { value = value << 8 | UInt64(byte) }
    if isWide, value > UInt64(Int64.max) { return .string(String(value)) }
    return .integer(Int64(bitPattern: value))
  }

  private func real(at offset: Int, size: Int) throws(ImportFailure) -> Double {
    guard size == 4 || size == 8 else { throw fault }
    var value: UInt64 = 0
    for byte in try slice(offset, size) { value = value << 8 | UInt64(byte) }
    return size == 8 ? Double(bitPattern: value) : Double(Float(bitPattern: UInt32(value)))
  }
}
