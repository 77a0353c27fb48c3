import AppSettings
import AppSettingsSchema

/// A settings file's text as it may be shown, from which ``restoring(_:)`` makes the text again after an edit.
///
/// A string stands for each secret value. A comment with a number stands for what has no such form: a comment that may
/// hold a secret, the content of a secret table, or lines that do not parse.
struct HiddenText {
  /// A part that is not shown.
  struct Part {
    let hidden: HiddenPart
    /// The number of its comment; `nil` for a value.
    let number: Int?
    /// What is shown in its place.
    let shown: String
  }

  /// The whole text.
  let bytes: [UInt8]
  /// What is not shown, in the order of the text.
  let parts: [Part]
  /// The document of the whole text; `nil` if it does not parse.
  let document: TOMLDocument?
  let schema: SettingsSchema?

  /// Stands for a secret value.
  static let placeholder = SettingsHistory.placeholder
  /// The beginning of a comment that stands for something.
  static let noteBeginning = "# (not shown: "
  static func note(_ number: Int) -> String { "\(noteBeginning)\(number))" }

  /// - Parameter bytes: The text; none for a file that does not exist.
  init(_ bytes: [UInt8], _ schema: SettingsSchema?) {
    self.bytes = bytes
    self.schema = schema
    document = try? TOMLDocument(parsing: bytes)
    var hidden: [HiddenPart] = []
    if let schema, schema.hasSecrets {
      if let document {
        hidden = Self.hidden(in: document, schema)
      } else {
        hidden = BrokenText(bytes, schema).hidden
      }
    }
    var parts: [Part] = []
    var count = 0
    for part in hidden {
      if case .value(let key) = part.kind {
        let value = JSONText.quoted(Self.placeholder)
        parts.append(Part(hidden: part, number: nil, shown: key.map { "\($0) = \(value)" } ?? value))
      } else {
        count += 1
        let header = part.kind == .section ? "[\(part.path)] " : ""
        parts.append(Part(hidden: part, number: count, shown: header + Self.note(count)))
      }
    }
    self.parts = parts
  }

  static func hidden(in document: TOMLDocument, _ schema: SettingsSchema) -> [HiddenPart] {
    let secrets = SecretPaths(of: document, schema)
    // A comment that looks like one of ours must not be taken for it.
    return document.hiddenParts(commentsWith: secrets.names + [noteBeginning.dropFirst(2).description]) {
      secrets.hide($0, isTable: $1)
    }
  }

  /// Whether anything is not shown.
  var isMasked: Bool { !parts.isEmpty }

  /// The text as it may be shown.
  var text: String {
    var shown: [UInt8] = []
    var at = 0
    for part in parts {
      shown += bytes[at..<part.hidden.range.lowerBound]
      shown += Array(part.shown.utf8)
      at = part.hidden.range.upperBound
    }
    shown += bytes[at...]
    return String(decoding: shown, as: UTF8.self)
  }

  /// Where something of the whole text is in the shown one.
  func shownOffset(of offset: Int) -> Int {
    var shift = 0
    for part in parts {
      let range = part.hidden.range
      if offset < range.lowerBound { break }
      if offset < range.upperBound { return range.lowerBound + shift }
      shift += part.shown.utf8.count - range.count
    }
    return offset + shift
  }
}

/// A text that does not parse, which may have secrets.
///
/// Up to the fault and from a later header on it is text like any other. What is between them is shown only if it names
/// no secret and is not in a secret's table: so it can be mended by hand.
private struct BrokenText {
  private(set) var hidden: [HiddenPart] = []

  init(_ bytes: [UInt8], _ schema: SettingsSchema) {
    let (document, end) = Self.beginning(of: bytes)
    hidden = HiddenText.hidden(in: document, schema)
    var next = Self.headers(in: bytes, after: end).lazy.compactMap { start -> (Int, TOMLDocument)? in
      (try? TOMLDocument(parsing: Array(bytes[start...]))).map { (start, $0) }
    }.first
    let secrets = SecretPaths(of: document, schema)
    let middle = String(decoding: bytes[end..<(next?.0 ?? bytes.count)], as: UTF8.self).lowercased()
    let isAfterSecret = hidden.contains { part in
      [.section, .rest].contains(part.kind)
        && bytes[min(part.range.upperBound, end)..<end].allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    }
    // A name may be written with escapes.
    let mayNameSecret =
      middle.contains("\\") || middle.utf8.contains(HiddenText.noteBeginning.utf8)
      || secrets.names.contains { middle.utf8.contains($0.utf8) }
    if isAfterSecret || mayNameSecret {
      // What looks like a header may be in a secret that is not closed.
      if ["\"\"\"", "'''", "[", "{"].contains(where: { middle.utf8.contains($0.utf8) }) { next = nil }
      var last = next?.0 ?? bytes.count
      while last > end, [0x0A, 0x0D].contains(bytes[last - 1]) { last -= 1 }
      if last > end { hidden.append(HiddenPart(.unparsed, .root, end..<last)) }
    }
    guard let next else { return }
    hidden += HiddenText.hidden(in: next.1, schema).map {
      HiddenPart($0.kind, $0.path, $0.range.lowerBound + next.0..<$0.range.upperBound + next.0)
    }
  }

  /// The lines up to those that do not parse. An open bracket or quote may show up only much later, so this tries a few
  /// beginnings, and then accepts nothing.
  private static func beginning(of bytes: [UInt8]) -> (TOMLDocument, end: Int) {
    var end = bytes.count
    for _ in 0..<8 {
      do throws(TOMLSyntaxError) {
        return (try TOMLDocument(parsing: Array(bytes[..<end])), end)
      } catch {
        let before = bytes[..<min(error.position.byteOffset, end)].lastIndex(of: 0x0A)
        end = before.map { $0 + 1 } ?? 0
      }
    }
    return (TOMLDocument(), 0)
  }

  /// Where some lines begin that may be headers.
  private static func headers(in bytes: [UInt8], after start: Int) -> [Int] {
    var found: [Int] = []
    var at = start
    while found.count < 16, let newline = bytes[at...].firstIndex(of: 0x0A) {
      at = newline + 1
      if at < bytes.count, bytes[at] == UInt8(ascii: "[") { found.append(at) }
    }
    return found
  }
}
