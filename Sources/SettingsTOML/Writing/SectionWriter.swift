/// Writes tables with headers.
struct SectionWriter {
  /// The names of the enclosing table, as written.
  let prefix: [String]
  let lineBreak: [UInt8]

  /// The sections of a table, or of an array of tables.
  func sections(_ value: TOMLValue, at keys: [String]) -> [[UInt8]] {
    sections(value, names: prefix + keys.map { TOMLEmitter.keyText($0) })
  }

  private func sections(_ value: TOMLValue, names: [String]) -> [[UInt8]] {
    switch value {
    case .table(let table): section(table, names: names, isElement: false)
    case .array(let items):
      items.flatMap { item in item.table.map { section($0, names: names, isElement: true) } ?? [] }
    default: []
    }
  }

  /// One table and those below it.
  func section(_ table: TOMLTable, names: [String], isElement: Bool) -> [[UInt8]] {
    let (body, below) = parts(of: table, names: names)
    // A table that has only tables needs no header of its own.
    if body.isEmpty, !below.isEmpty, !isElement { return below }
    let name = names.joined(separator: ".")
    return [Array((isElement ? "[[\(name)]]" : "[\(name)]").utf8) + lineBreak + body] + below
  }

  /// The lines of a table's own values, and the sections of the tables in it.
  func parts(of table: TOMLTable, names: [String]) -> (body: [UInt8], below: [[UInt8]]) {
    var body: [UInt8] = []
    var below: [[UInt8]] = []
    for entry in table.entries {
      if TOMLDocument.hasHeader(entry.value) {
        below += sections(entry.value, names: names + [TOMLEmitter.keyText(entry.key)])
      } else {
        body += Array("\(TOMLEmitter.keyText(entry.key)) = \(entry.value.tomlText)".utf8) + lineBreak
      }
    }
    return (body, below)
  }
}
