import CSettingsSystem
import Glibc
import SettingsTOML

/// Where a text has what the history does not keep, and how long it is there.
///
/// With these a place in the text is one in the kept text, and a write elsewhere only moves them: so that a record of
/// it is made without looking at the rest of the text.
///
/// For `token = "abc"`, there is one place, that of `"abc"`, for which a placeholder stands in the kept text.
struct KeptPlaces: Sendable, Equatable {
  /// A part that is left out. 32 bits, because these are stored as they are in memory.
  struct Place: Sendable, Equatable, BitwiseCopyable {
    var start: UInt32
    var end: UInt32
    /// The length of what stands for it.
    var shown: UInt32

    init(_ range: Range<Int>, shown: Int) {
      (start, end) = (UInt32(range.lowerBound), UInt32(range.upperBound))
      self.shown = UInt32(shown)
    }

    /// How much longer the kept text is by it.
    var growth: Int { Int(shown) - Int(end - start) }
  }

  /// In order, apart from each other.
  private(set) var all: [Place]

  init(_ all: [Place] = []) { self.all = all }

  var isEmpty: Bool { all.isEmpty }

  /// Whether they can be those of a text of some length.
  func fit(length: Int) -> Bool {
    var end: UInt32 = 0
    for place in all {
      guard end <= place.start, place.start <= place.end else { return false }
      end = place.end
    }
    return end <= length
  }

  /// The place in the kept text of one in the text that is in none of them.
  ///
  /// The time is proportional to the number of hidden parts before it.
  func place(of place: Int) -> Int {
    var kept = place
    for hidden in all {
      guard hidden.end <= place else { break }
      kept += hidden.growth
    }
    return kept
  }

  /// The place in the text of one in the kept text; `nil` within what stands for a hidden part.
  func place(ofKept place: Int) -> Int? {
    var growth = 0
    for hidden in all {
      let start = Int(hidden.start) + growth
      guard start < place else { break }
      guard start + Int(hidden.shown) <= place else { return nil }
      growth += hidden.growth
    }
    return place - growth
  }

  /// A change of the text as one of the kept text, where the change is in none of them.
  func kept(_ change: TextChange) -> TextChange {
    guard !isEmpty else { return change }
    return TextChange(
      parts: change.parts.map { part in
        TextChange.Part(offset: place(of: part.offset), removed: part.removed, added: part.added)
      })
  }

  /// The places after a change of the text by which no value that is left out has come, gone or changed.
  ///
  /// - Parameter keys: They say which comments are left out.
  /// - Returns: `nil` if the change is so near to one of them, or to a header, that it may have changed what is left
  ///   out. A comment belongs to the line below it.
  func moved(by change: TextChange, from old: [UInt8], to new: [UInt8], _ keys: KnownKeys) -> KeptPlaces? {
    var moved = all
    var shift = 0
    for part in change.parts {
      let start = part.offset + shift
      let lines = TextLines(around: part.offset..<part.offset + part.removed.count, of: old)
      let newLines = TextLines(around: start..<start + part.added.count, of: new)
      guard !newLines.haveComment(hiddenBy: keys), isEmpty || isApart(from: lines, newLines) else { return nil }
      let growth = part.added.count - part.removed.count
      if growth == 0 { continue }
      shift += growth
      var index = first(endingAfter: part.offset)
      while index < all.count {
        moved[index].start = UInt32(Int(moved[index].start) + growth)
        moved[index].end = UInt32(Int(moved[index].end) + growth)
        index += 1
      }
    }
    return KeptPlaces(moved)
  }

  /// Whether lines are far enough from each part that is left out: a change of them cannot have changed what is left
  /// out.
  private func isApart(from old: TextLines, _ new: TextLines) -> Bool {
    guard !old.hasHeader, !new.hasHeader else { return false }
    var range = old.withCommentsAbove
    if old.endsOpen || new.endsOpen { range = range.lowerBound..<old.endOfNext }
    let index = first(endingAfter: range.lowerBound)
    return index == all.count || Int(all[index].start) >= range.upperBound
  }

  /// The index of the first one that ends behind a place.
  private func first(endingAfter place: Int) -> Int { all.firstPlace { Int($0.end) > place } }
}

/// The whole lines around a part of a text.
struct TextLines {
  private let text: [UInt8]
  private let range: Range<Int>

  /// The lines that a part touches; if it consists of whole lines, only those.
  init(around part: Range<Int>, of text: [UInt8]) {
    self.text = text
    let start = Self.start(of: part.lowerBound, in: text)
    // What begins and ends with lines has all of them.
    let isWhole = part.upperBound == start || part.upperBound > 0 && text[part.upperBound - 1] == 0x0A
    range = start..<(isWhole ? part.upperBound : Self.end(of: part.upperBound, in: text))
  }

  private static func start(of place: Int, in text: [UInt8]) -> Int {
    guard place > 0 else { return 0 }
    return text.withUnsafeBytes { bytes in
      memrchr(bytes.baseAddress!, 0x0A, UInt(place)).map { UnsafeRawPointer($0) - bytes.baseAddress! + 1 } ?? 0
    }
  }

  private static func end(of place: Int, in text: [UInt8]) -> Int {
    guard place < text.count else { return text.count }
    return text.withUnsafeBytes { bytes in
      memchr(bytes.baseAddress! + place, 0x0A, text.count - place)
        .map { UnsafeRawPointer($0) - bytes.baseAddress! + 1 } ?? text.count
    }
  }

  /// The first byte of a line after spaces and tabs.
  private func firstByte(ofLineAt place: Int) -> UInt8? {
    var at = place
    while at < text.count, text[at] == 0x20 || text[at] == 0x09 { at += 1 }
    return at < text.count ? text[at] : nil
  }

  private func isComment(at place: Int) -> Bool { firstByte(ofLineAt: place) == UInt8(ascii: "#") }

  /// Whether one of them may be a header.
  var hasHeader: Bool {
    var at = range.lowerBound
    while at < range.upperBound {
      if firstByte(ofLineAt: at) == UInt8(ascii: "[") { return true }
      at = Self.end(of: at, in: text)
    }
    return false
  }

  /// Whether a comment that belongs to the next line may be among them or directly above them.
  var endsOpen: Bool { range.isEmpty || isComment(at: Self.start(of: range.upperBound - 1, in: text)) }

  /// The lines together with the comments directly above them.
  var withCommentsAbove: Range<Int> {
    var start = range.lowerBound
    while start > 0 {
      let above = Self.start(of: start - 1, in: text)
      guard isComment(at: above) else { break }
      start = above
    }
    return start..<range.upperBound
  }

  /// The end of the first line below them that is not a comment.
  var endOfNext: Int {
    var at = range.upperBound
    while at < text.count, isComment(at: at) { at = Self.end(of: at, in: text) }
    return Self.end(of: at, in: text)
  }

  /// Whether a comment that must not be kept may be in them.
  func haveComment(hiddenBy keys: KnownKeys) -> Bool {
    let own = text[range]
    return own.contains(UInt8(ascii: "#")) && keys.hides(comment: String(decoding: own, as: UTF8.self))
  }
}
