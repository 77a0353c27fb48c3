package import AppSettings
import AppSettingsSchema

extension HiddenText {
  /// Why something cannot be put back.
  package struct Refusal: Error {
    package let message: String
    /// The key that it is about.
    package var key: TOMLPath?
    /// The place in the edited text.
    package var position: TOMLPosition?
  }

  /// Puts what is not shown back into an edited text.
  ///
  /// Nothing that was not shown can get to a place where it would be shown, and no placeholder stays.
  ///
  /// - Throws: ``Refusal``.
  package func restoring(_ edited: TOMLDocument) throws -> TOMLDocument {
    var restoring = Restoring(self, edited)
    return try restoring.document()
  }
}

/// One putting back.
private struct Restoring {
  private let base: HiddenText
  private let edited: TOMLDocument
  private let index: LineIndex
  /// What to put where, and the indices of the parts.
  private var pieces: [(range: Range<Int>, part: Int)] = []

  init(_ base: HiddenText, _ edited: TOMLDocument) {
    self.base = base
    self.edited = edited
    index = LineIndex(of: edited.bytes)
  }

  mutating func document() throws -> TOMLDocument {
    try findNotes()
    try findValues()
    try checkPlaceholders()
    pieces.sort { $0.range.lowerBound < $1.range.lowerBound }
    guard !pieces.isEmpty else { return edited }
    let bytes = edited.replacing(pieces.map { ($0.range, Array(base.bytes[base.parts[$0.part].hidden.range])) })
    let result: TOMLDocument
    do {
      result = try TOMLDocument(parsing: bytes)
    } catch {
      throw HiddenText.Refusal(
        message: "Cannot store the text: with what is not shown in it, it does not parse. \(error.discreetMessage)")
    }
    try checkValues(of: result)
    try checkStaysHidden(in: result)
    return result
  }

  private func refusal(_ message: String, _ key: TOMLPath?, at offset: Int?) -> HiddenText.Refusal {
    HiddenText.Refusal(
      message: message, key: key, position: offset.map { index.position(of: $0, in: edited.bytes) })
  }

  // MARK: Finding

  /// Finds the comments that stand for something.
  private mutating func findNotes() throws {
    let beginning = Array(HiddenText.noteBeginning.utf8.dropFirst(2))
    var numbered: [Int: Int] = [:]
    for (part, entry) in base.parts.enumerated() { if let number = entry.number { numbered[number] = part } }
    // What a text of the history has in the place of a comment, or of a secret table.
    let lost = Array("# \(Redaction.placeholder)".utf8)
    for comment in edited.comments where edited.bytes[comment].starts(with: lost) && !base.bytes.contains(lost) {
      throw refusal(
        "'\(String(decoding: lost, as: UTF8.self))' stands for something that the history does not keep. Write what "
          + "belongs there, or remove that comment and its line.", nil, at: comment.lowerBound)
    }
    // The secret tables, by what is directly behind their headers.
    var tables: [Int: (header: Range<Int>, part: HiddenText.Part)] = [:]
    for entry in base.parts where entry.hidden.kind == .section {
      guard let header = edited.header(at: entry.hidden.path) else { continue }
      let next = edited.bytes[header.upperBound...].firstIndex { $0 != 0x20 && $0 != 0x09 } ?? edited.bytes.count
      if tables[next] == nil { tables[next] = (header, entry) }
    }
    var used: Set<Int> = []
    for comment in edited.comments where edited.bytes[comment].contains(beginning) {
      let text = String(decoding: edited.bytes[comment], as: UTF8.self)
      let digits = text.dropFirst(HiddenText.noteBeginning.count).dropLast()
      guard let number = Int(digits), let part = numbered[number], text == HiddenText.note(number) else {
        throw refusal(
          "'\(text.shortened(to: 60))' looks like a comment that stands for something else, but there is nothing of "
            + "that number. Remove it, or write it as it was.", nil, at: comment.lowerBound)
      }
      guard used.insert(number).inserted else {
        throw refusal(
          "'\(text)' is in the text twice, and stands for one part that is not shown. Keep one of them.", nil,
          at: comment.lowerBound)
      }
      let hidden = base.parts[part].hidden
      let table = tables[comment.lowerBound]
      guard hidden.kind == .section else {
        // The number may come from an earlier text. The content of the table would be lost.
        if let table = table?.part {
          throw refusal(
            "'\(text)' does not stand for the content of the secret table '\(table.hidden.path)', which belongs there: "
              + "'\(table.shown)'.", table.hidden.path, at: comment.lowerBound)
        }
        pieces.append((comment, part))
        continue
      }
      guard let table, table.part.hidden.path == hidden.path else {
        throw refusal(
          "'\(text)' stands for the content of the secret table '\(hidden.path)' and must stay behind its header "
            + "'[\(hidden.path)]'.", hidden.path, at: comment.lowerBound)
      }
      pieces.append((table.header.lowerBound..<comment.upperBound, part))
    }
  }

  /// Finds the strings that stand for values.
  private mutating func findValues() throws {
    for (part, entry) in base.parts.enumerated() {
      let path = entry.hidden.path
      guard entry.hidden.kind == .value, edited[path] == .string(HiddenText.placeholder) else { continue }
      guard entry.hidden.key != nil else {
        if let range = edited.valueRange(at: path) { pieces.append((range, part)) }
        continue
      }
      guard let line = edited.keyLine(at: path) else {
        throw refusal(
          "'\(HiddenText.placeholder)' stands for several lines of the secret '\(path)', which cannot be in an inline "
            + "table. Leave the line as it was.", path, at: edited.valueRange(at: path)?.lowerBound)
      }
      pieces.append((line, part))
    }
  }

  /// Throws if the string that stands for a secret is elsewhere: it would become the value.
  private func checkPlaceholders() throws {
    let placeholder = HiddenText.placeholder
    guard edited.bytes.contains(placeholder.utf8) || edited.bytes.contains(UInt8(ascii: "\\")) else { return }
    let secrets = Set(base.parts.filter { $0.number == nil }.map(\.hidden.path))
    for path in edited.leafPaths() {
      guard let value = edited[path], value.holds(placeholder) else { continue }
      if value == .string(placeholder), secrets.contains(path) { continue }
      // It is the value itself.
      if let before = base.document?[path], before == value, !secrets.contains(path) { continue }
      throw refusal(
        "'\(path)' has the text '\(placeholder)', which stands for a secret that is not shown, and there is no secret "
          + "value at that place to stand for. Write the value itself, or leave it where it was.", path,
        at: edited.valueRange(at: path)?.lowerBound)
    }
  }

  // MARK: Checking

  /// Throws if a secret that is kept in several parts is not kept as it was.
  private func checkValues(of result: TOMLDocument) throws {
    let kept = Dictionary(pieces.map { ($0.part, $0.range.lowerBound) }) { first, _ in first }
    var parts: [TOMLPath: (all: Int, kept: Int, offset: Int?)] = [:]
    for (part, entry) in base.parts.enumerated() where entry.hidden.isValue {
      parts[entry.hidden.path, default: (0, 0, nil)].all += 1
      guard let offset = kept[part] else { continue }
      parts[entry.hidden.path]?.kept += 1
      parts[entry.hidden.path]?.offset = offset
    }
    for (path, found) in parts.sorted(by: { ($0.value.offset ?? 0) < ($1.value.offset ?? 0) }) where found.kept > 0 {
      guard found.kept == found.all else {
        throw refusal(
          "The secret '\(path)' is in \(found.all) places of the text, and \(found.kept) of them are left. Keep all "
            + "that stand for it, or remove all.", path, at: found.offset)
      }
      guard let document = base.document, document[path] != result[path] else { continue }
      throw refusal(
        "What stands for the secret '\(path)' is not where it was, so that the value would change. Leave it as it was, "
          + "or remove all of it.", path, at: found.offset)
    }
  }

  /// Throws if something that was not shown would be shown now.
  private func checkStaysHidden(in result: TOMLDocument) throws {
    let hidden = HiddenText.redaction(of: result.bytes, base.schema).parts.map(\.range)
    var shift = 0
    var next = 0
    for (range, part) in pieces {
      let was = base.parts[part].hidden
      let now = range.lowerBound + shift..<range.lowerBound + shift + was.range.count
      shift += was.range.count - range.count
      if was.kind == .unparsed { continue }
      while next < hidden.count, hidden[next].upperBound <= now.lowerBound { next += 1 }
      guard next < hidden.count, hidden[next].lowerBound <= now.lowerBound, now.upperBound <= hidden[next].upperBound
      else {
        let what = (was.kind == .comment ? "The comment that" : "What") + " is not shown here belongs"
        throw refusal(
          "\(what) to a secret, and would be shown at this place. Leave it where it was, or remove it.", nil,
          at: range.lowerBound)
      }
    }
  }
}
