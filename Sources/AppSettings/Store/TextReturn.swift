import SettingsTOML

/// A change of a text that is to be taken back in a later text, with its comments, as far as that text allows.
///
/// Each part of the change is lines. A part is put back if the later text has exactly what it replaces, in its place,
/// and if nothing in it is left out. What is in other lines does not matter.
struct TextReturn {
  private let after: [UInt8]
  private let parts: [TextChange.Part]
  /// Whether only some of the values that were changed are to be put back.
  private let isPart: Bool

  /// With more parts, all of them are put back, or none.
  private static let mostTried = 64

  init(from after: [UInt8], to before: [UInt8], isPart: Bool) {
    self.after = after
    self.isPart = isPart
    parts = TextChange(from: after, to: before, linewise: true).parts.filter { !KeptText.leavesOut($0.added) }
  }

  /// The document after edits, with as much of the earlier text as possible; `nil` if none of that fits.
  ///
  /// - Parameter kept: The document's text as the history would keep it: both are compared in that form.
  func document(
    for edits: [Edit], to document: TOMLDocument, keptAs kept: KeptText, with core: StoreCore
  ) -> TOMLDocument? {
    guard !parts.isEmpty else { return nil }
    let later = TextChange(from: after, to: kept.bytes, linewise: true)
    let moved = parts.compactMap { part -> TextChange.Part? in
      guard var result = part.moved(by: later), let place = kept.places.place(ofKept: result.offset) else { return nil }
      result.offset = place
      let replacesUnknown = Self.areUnknownComments(result.removed)
      if replacesUnknown { result.removed = [] }
      if replacesUnknown || isAboveHidden(part) {
        if result.removed.isEmpty {
          // The comments there belong to it, but for those that it begins with itself.
          let place = TextLines(around: result.offset..<result.offset, of: document.bytes)
          result.offset = place.withCommentsAbove.lowerBound
          let own = Self.commonComments(result.added[...], document.bytes[result.offset...])
          if replacesUnknown, own == 0 { return nil }
          result.offset += own
          result.added.removeFirst(own)
        }
        if Self.repeats(result, in: document.bytes) { return nil }
      }
      return result
    }
    guard !moved.isEmpty else { return nil }
    /// Puts parts back, and what edits remain.
    func result(_ parts: [TextChange.Part]) -> TOMLDocument? {
      guard var result = Self.putBack(parts, in: document) else { return nil }
      let rest = edits.filter { result[$0.path] != $0.value }
      if !rest.isEmpty { guard (try? core.apply(rest, to: &result)) != nil else { return nil } }
      return EditCheck(edits).fault(in: result, since: document) == nil ? result : nil
    }
    if !isPart, let result = result(moved) { return result }
    guard moved.count <= Self.mostTried else { return nil }
    let wanted = PathTree(edits.map(\.path))
    var chosen: [TextChange.Part] = []
    var former = document
    for part in moved {
      guard let next = Self.putBack(chosen + [part], in: document) else { continue }
      let changed = next.changedPaths(since: former)
      guard changed.allSatisfy(wanted.touches), !isPart || !changed.isEmpty, result(chosen + [part]) != nil else {
        continue
      }
      chosen.append(part)
      former = next
    }
    return chosen.isEmpty ? nil : result(chosen)
  }

  /// Whether the line below a part has something left out: then the history does not have the comments above it.
  private func isAboveHidden(_ part: TextChange.Part) -> Bool {
    KeptText.beginning(of: after[(part.offset + part.removed.count)...].prefix { $0 != 0x0A }) != nil
  }

  /// Whether lines are nothing but comments that are left out: comments above a secret, which may have belonged to
  /// something else before.
  private static func areUnknownComments(_ bytes: [UInt8]) -> Bool {
    KeptText.leavesOut(bytes) && bytes[...].lines.allSatisfy { $0.isEmpty || isComment($0) }
  }

  /// The number of bytes of the comment lines that two texts begin with.
  private static func commonComments(_ text: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Int {
    zip(text.lines.dropLast(), other.lines.dropLast()).prefix { isComment($0) && $0.elementsEqual($1) }
      .reduce(0) { $0 + $1.0.count + 1 }
  }

  /// Whether a part would put back a comment that is below it already: one that was above something else before.
  private static func repeats(_ part: TextChange.Part, in bytes: [UInt8]) -> Bool {
    let comments = part.added[...].lines.filter(isComment)
    return bytes.dropFirst(part.offset + part.removed.count).lines.prefix(while: isComment).contains { line in
      comments.contains { $0.elementsEqual(line) }
    }
  }

  private static func isComment(_ line: ArraySlice<UInt8>) -> Bool {
    line.first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "#")
  }

  /// The document with some parts put back; `nil` if they do not fit or the result does not parse.
  private static func putBack(_ parts: [TextChange.Part], in document: TOMLDocument) -> TOMLDocument? {
    TextChange(parts: parts).applied(to: document.bytes).flatMap { try? TOMLDocument(parsing: $0) }
  }
}

extension TextChange.Part {
  /// The same part in the text that another change makes of this one's old text; `nil` if both change the same lines.
  ///
  /// Lines that the other change only puts before or after it do not matter.
  fileprivate func moved(by other: TextChange) -> TextChange.Part? {
    let end = offset + removed.count
    var moved = self
    for part in other.parts {
      let partEnd = part.offset + part.removed.count
      if partEnd < offset || partEnd == offset && !(part.removed.isEmpty && removed.isEmpty) {
        moved.offset += part.added.count - part.removed.count
      } else if partEnd > offset, part.offset < end {
        return nil
      }
    }
    return moved
  }
}

extension KeptText {
  /// Whether something is left out of a part of a kept text.
  static func leavesOut(_ bytes: [UInt8]) -> Bool { beginning(of: bytes[...]) != nil }

  /// What comes before the first thing that is left out; `nil` if nothing is.
  static func beginning(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    ["\"\(Redaction.placeholder)", Redaction.placeholder, "# (not shown)"]
      .compactMap { bytes.firstRange(of: Array($0.utf8))?.lowerBound }.min().map { bytes[..<$0] }
  }
}

extension ArraySlice<UInt8> {
  /// The lines without their breaks; the last one is what follows the last break.
  var lines: [ArraySlice<UInt8>] { split(separator: 0x0A, omittingEmptySubsequences: false) }
}
