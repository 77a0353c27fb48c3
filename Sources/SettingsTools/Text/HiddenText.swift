package import AppSettings
import AppSettingsSchema

/// A settings file's text as it may be shown, from which ``restoring(_:)`` makes the text again after an edit.
///
/// A string stands for each secret value. A comment with a number stands for what has no such form: a comment that may
/// hold a secret, the content of a secret table, or lines that do not parse.
package struct HiddenText {
  /// A part that is not shown.
  package struct Part {
    package let hidden: HiddenPart
    /// The number of its comment; `nil` for a value.
    package let number: Int?
    /// What is shown in its place.
    package let shown: String
  }

  /// The whole text, and what is not shown of it.
  private let redaction: Redaction
  /// What is not shown, in the order of the text.
  package let parts: [Part]
  package let schema: SchemaLookup

  /// Stands for a secret value.
  package static let placeholder = Redaction.placeholder
  /// The beginning of a comment that stands for something.
  static let noteBeginning = "# (not shown: "
  package static func note(_ number: Int) -> String { "\(noteBeginning)\(number))" }

  /// - Parameter bytes: The text; none for a file that does not exist.
  package init(_ bytes: [UInt8], _ schema: SchemaLookup) {
    self.schema = schema
    redaction = Self.redaction(of: bytes, schema)
    var parts: [Part] = []
    var count = 0
    for part in redaction.parts {
      if part.kind == .value {
        let value = JSONText.quoted(Self.placeholder)
        parts.append(Part(hidden: part, number: nil, shown: part.key.map { "\($0) = \(value)" } ?? value))
      } else {
        count += 1
        let header = part.kind == .section ? "[\(part.path)] " : ""
        parts.append(Part(hidden: part, number: count, shown: header + Self.note(count)))
      }
    }
    self.parts = parts
  }

  /// A comment that looks like one of ours must not be taken for it.
  package static func redaction(of bytes: [UInt8], _ schema: SchemaLookup) -> Redaction {
    schema.redaction(of: bytes, markedBy: String(noteBeginning.dropFirst(2)))
  }

  /// The whole text.
  package var bytes: [UInt8] { redaction.bytes }
  /// The document of the whole text; `nil` if it does not parse.
  package var document: TOMLDocument? { redaction.document }

  /// Whether anything is not shown.
  var isMasked: Bool { !parts.isEmpty }

  /// The text as it may be shown.
  package var text: String {
    var shown = parts.makeIterator()
    return String(decoding: redaction.text { _ in shown.next()?.shown ?? "" }, as: UTF8.self)
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
