import Glibc
import SettingsTOML

/// The history of one file, as last written: segments of records, each behind a checkpoint and an index.
///
/// A journal only grows, or is replaced by one without the oldest segments. So it is read without a lock. Places in it
/// count from its first byte ever, and stay the same when it is replaced.
///
/// ```
/// app-settings history 2 00000000000000000000 DIGEST
/// DIGEST {"c":0,"k":0,"text":"theme = \"light\"\n"}      checkpoint: the text before the records that follow
/// DIGEST {"i":0,"of":{}}                                 index: where paths were changed before
/// DIGEST {"n":1,"t":…,"why":"set",…}                     record
/// ```
struct Journal: Sendable {
  /// The content of the file when it was opened.
  let text: MappedText
  /// The place of the file's first byte.
  let base: Int

  static let name = Array("app-settings history ".utf8)
  private static let headerStart = name + Array("2 ".utf8)
  /// The version, 20 digits of the place of the first byte, and 16 of the digest of all before them.
  static let headerLength = headerStart.count + 20 + 1 + 16 + 1

  /// - Returns: `nil` if the file is of another version, or damaged at its very beginning.
  init?(_ text: MappedText) {
    guard let (header, next) = text.line(at: 0), next == Self.headerLength, Self.isWhole(header),
      header.starts(with: Self.headerStart),
      let base = Int(String(decoding: header[Self.headerStart.count...].prefix(20), as: UTF8.self)),
      0...HistoryLine.mostCounted ~= base
    else { return nil }
    self.text = text
    self.base = base
  }

  /// Whether a line is an undamaged header of another version.
  static func isOther(_ header: UnsafeRawBufferPointer) -> Bool { isWhole(header) && !header.starts(with: headerStart) }

  private static func isWhole(_ header: UnsafeRawBufferPointer) -> Bool {
    let end = header.count - 17
    guard end > name.count, header.starts(with: name), header[end] == UInt8(ascii: " ") else { return false }
    let digest = TextDigest(of: UnsafeRawBufferPointer(rebasing: header[..<end]))
    return digest.text.utf8.elementsEqual(header[(end + 1)...])
  }

  /// The first line of a journal.
  static func header(base: Int) -> [UInt8] {
    let start = headerStart + Array(String(base).padded(to: 20).utf8)
    return start + Array(" \(TextDigest(of: start).text)\n".utf8)
  }

  /// The place of the first line that is kept.
  var start: Int { base + Self.headerLength }
  /// The place after the last byte.
  var end: Int { base + text.bytes.count }

  /// All bytes from a place on.
  func bytes(from place: Int) -> [UInt8] { Array(text.bytes[(place - base)...]) }

  /// Where a text first occurs in a part.
  func firstPlace(of needle: [UInt8], from place: Int, to end: Int) -> Int? {
    text.firstPlace(of: needle, in: place - base..<end - base).map { base + $0 }
  }

  /// How often a text occurs in a line.
  func count(of needle: [UInt8], in line: Line) -> Int {
    var (count, at) = (0, line.place)
    while let found = firstPlace(of: needle, from: at, to: line.next) {
      (count, at) = (count + 1, found + 1)
    }
    return count
  }

  /// A line with its place, valid as long as the journal exists.
  struct Line {
    let place: Int
    let next: Int
    let text: UnsafeRawBufferPointer

    /// The kind of the line and the number in it. The digest is not checked.
    var head: (kind: UInt8, number: Int)? { HistoryLine.head(of: text) }
    var isRecord: Bool { head?.kind == UInt8(ascii: "n") }
    var isCheckpoint: Bool { head?.kind == UInt8(ascii: "c") }
    var isIndex: Bool { head?.kind == UInt8(ascii: "i") }
  }

  /// The line that begins at a place; `nil` at the end, and for a line without a line break.
  func line(at place: Int) -> Line? {
    guard place >= start, let (line, next) = text.line(at: place - base) else { return nil }
    return Line(place: place, next: base + next, text: line)
  }

  /// The last whole line that begins before a place.
  func line(before place: Int) -> Line? {
    guard place > start, let found = text.lineStart(before: place - base) else { return nil }
    return line(at: base + found) ?? line(before: base + found)
  }

  /// The last line of a kind that begins before a place and is not damaged.
  func last(before place: Int, where isWanted: (Line) -> Bool) -> Line? {
    var place = place
    while let line = line(before: place) {
      if isWanted(line), HistoryLine.body(of: line.text) != nil { return line }
      place = line.place
    }
    return nil
  }

  /// The checkpoint at the beginning of the segment with a place.
  func segment(around place: Int) -> Line? { last(before: place, where: \.isCheckpoint) }

  /// The lines that begin from a place on and before another, in order.
  func lines(from place: Int, to end: Int) -> UnfoldSequence<Line, Int> {
    sequence(state: place) { place in
      guard place < end, let line = line(at: place) else { return nil }
      place = line.next
      return line
    }
  }

  /// The records from a place on, in order. Damaged lines are left out.
  func records(from place: Int, to end: Int) -> [HistoryRecord] {
    lines(from: place, to: end).compactMap { $0.isRecord ? HistoryLine.record($0.text) : nil }
  }

  /// The end of the segment that begins at a place.
  func segmentEnd(_ place: Int) -> Int {
    lines(from: line(at: place)?.next ?? end, to: end).first(where: \.isCheckpoint)?.place ?? end
  }

  /// The first record whose number is this or higher; `nil` if there is none.
  ///
  /// The search is a bisection.
  func record(atLeast number: Int) -> Line? {
    // All records before `low` have lower numbers, and none from `high` on has.
    var (low, high) = (start, end)
    while low < high {
      let middle = lineStart(at: low + (high - low) / 2)
      guard let line = firstRecord(from: middle, to: high), line.head?.number ?? 0 < number else {
        high = middle
        continue
      }
      low = line.next
    }
    return firstRecord(from: high, to: end)
  }

  /// The beginning of the line with a place.
  func lineStart(at place: Int) -> Int {
    place <= start ? start : base + (text.lineStart(before: place - base + 1) ?? Self.headerLength)
  }

  private func firstRecord(from place: Int, to end: Int) -> Line? {
    lines(from: place, to: end).first { $0.isRecord && HistoryLine.body(of: $0.text) != nil }
  }
}
