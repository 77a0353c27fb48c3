import AppSettings
import AppSettingsSchema

/// Where the values of keys are in a text, in the units of JavaScript's strings.
struct TextSpans {
  private let document: TOMLDocument?
  private let schema: SchemaLookup
  /// The paths in the text that have another one in the app's version.
  private var former: [TOMLPath: TOMLPath] = [:]
  private let units: TextUnits
  private let bytes: [UInt8]
  private let lines: LineIndex

  /// - Parameters:
  ///   - text: The text as it is shown.
  ///   - hidden: What is not shown of it.
  package init(of text: String, _ hidden: HiddenText, _ schema: SchemaLookup) {
    let bytes = Array(text.utf8)
    document = hidden.document == nil ? nil : try? TOMLDocument(parsing: bytes)
    self.schema = schema
    self.bytes = bytes
    units = TextUnits(of: bytes)
    lines = LineIndex(of: bytes)
    guard let document, let migrations = schema.schema?.migrations,
      let version = try? SettingsMigrations.version(of: document), version < migrations.currentVersion
    else { return }
    for path in document.leafPaths() {
      for place in migrations.places(of: [path], from: version) where place != path && former[place] == nil {
        former[place] = path
      }
    }
  }

  /// The line and column of a byte.
  package func position(of offset: Int) -> TOMLPosition { lines.position(of: min(offset, bytes.count), in: bytes) }

  /// The place of a key's value; `nil` if the text has none.
  package func span(of path: TOMLPath) -> JSONObject? {
    guard let document,
      let name = (schema.names(of: path) + [former[path]].compactMap(\.self)).first(where: document.contains),
      let range = document.valueRange(at: name)
    else { return nil }
    let (start, end) = (units.place(of: range.lowerBound), units.place(of: range.upperBound))
    return [
      "start": .number(start.offset), "end": .number(end.offset), "line": .number(start.line),
      "endLine": .number(end.line),
    ]
  }
}

/// The UTF-16 code units and the lines of a text, for finding many places in it.
private struct TextUnits {
  private let bytes: [UInt8]
  /// The numbers before each block.
  private var offsets: [Int] = []
  private var lines: [Int] = []

  private static let blockSize = 256

  init(of bytes: [UInt8]) {
    self.bytes = bytes
    var (offset, line) = (0, 1)
    for (at, byte) in bytes.enumerated() {
      if at % Self.blockSize == 0 {
        offsets.append(offset)
        lines.append(line)
      }
      offset += Self.count(byte)
      if byte == 0x0A { line += 1 }
    }
    offsets.append(offset)
    lines.append(line)
  }

  func place(of index: Int) -> (offset: Int, line: Int) {
    let block = index / Self.blockSize
    var (offset, line) = (offsets[block], lines[block])
    for byte in bytes[block * Self.blockSize..<index] {
      offset += Self.count(byte)
      if byte == 0x0A { line += 1 }
    }
    return (offset, line)
  }

  /// The code units that a character has, counted at its first byte: two from four bytes on.
  private static func count(_ byte: UInt8) -> Int { byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1 }
}
