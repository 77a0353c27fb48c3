import SettingsTOML

/// The difference of two texts: parts of the old one with what replaces them, in order. Places are those in the old
/// text.
///
/// ```
/// old   theme = "light"
/// new   theme = "dark"       one part: offset 9, removed "light", added "dark"
/// ```
struct TextChange: Sendable, Equatable {
  struct Part: Sendable, Equatable {
    var offset: Int
    var removed: [UInt8]
    var added: [UInt8]
  }

  var parts: [Part]

  init(parts: [Part]) { self.parts = parts }

  /// A stretch larger than this is compared line by line.
  private static let mostAtOnce = 1024

  /// Finds the difference: what is between the bytes that both texts begin and end with, in whole characters.
  ///
  /// A long stretch in between is compared line by line.
  ///
  /// - Parameter linewise: Whether a short stretch is compared line by line, too.
  init(from old: [UInt8], to new: [UInt8], linewise: Bool = false) {
    var (head, tail) = Scan.commonEnds(old, new)
    func isInside(_ bytes: [UInt8], _ place: Int) -> Bool { place < bytes.count && bytes[place] & 0xC0 == 0x80 }
    while head > 0, isInside(old, head) || isInside(new, head) { head -= 1 }
    while tail > 0, isInside(old, old.count - tail) { tail -= 1 }
    let (removed, added) = (old[head..<old.count - tail], new[head..<new.count - tail])
    if removed.isEmpty, added.isEmpty {
      parts = []
    } else if !linewise, min(removed.count, added.count) <= Self.mostAtOnce {
      parts = [Part(offset: head, removed: Array(removed), added: Array(added))]
    } else {
      // Whole lines of both.
      let start = old[..<head].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      let end = old[(old.count - tail)...].firstIndex(of: 0x0A).map { $0 + 1 } ?? old.count
      parts = Self.stretches(from: old[start..<end], to: new[start..<new.count - (old.count - end)])
    }
  }

  /// How many lines may differ between two that are the same, and how many bytes must be.
  private static let mostApart = 32
  private static let leastSame = 256

  /// Compares line by line where two texts differ in a few lines, and from the first place on where they differ in more.
  private static func stretches(from old: ArraySlice<UInt8>, to new: ArraySlice<UInt8>) -> [Part] {
    var parts: [Part] = []
    var (i, j) = (old.startIndex, new.startIndex)
    while i < old.endIndex || j < new.endIndex {
      let same = Scan.commonPrefix(old[i...], new[j...])
      // Back to whole lines.
      let next = i + same
      let start =
        next == old.endIndex && j + same == new.endIndex ? next : (old[i..<next].lastIndex(of: 0x0A) ?? i - 1) + 1
      (i, j) = (start, j + start - i)
      if i == old.endIndex, j == new.endIndex { break }
      guard let (removed, added) = resumption(old[i...], new[j...]) else {
        return parts + lines(from: old[i...], to: new[j...], at: i)
      }
      parts += lines(from: old[i..<removed], to: new[j..<added], at: i)
      (i, j) = (removed, added)
    }
    return parts
  }

  /// The nearest places from which on two texts, which begin with lines that differ, are the same for a while.
  private static func resumption(_ old: ArraySlice<UInt8>, _ new: ArraySlice<UInt8>) -> (Int, Int)? {
    func starts(_ text: ArraySlice<UInt8>) -> [Int] {
      var found = [text.startIndex]
      while found.count <= mostApart, let end = text[found.last!...].firstIndex(of: 0x0A) { found.append(end + 1) }
      return found
    }
    let (olds, news) = (starts(old), starts(new))
    for distance in 1..<olds.count + news.count - 1 {
      for removed in max(0, distance - news.count + 1)...min(distance, olds.count - 1) {
        let (i, j) = (olds[removed], news[distance - removed])
        let same = Scan.commonPrefix(old[i...].prefix(leastSame), new[j...].prefix(leastSame))
        if same == leastSame || i + same == old.endIndex && j + same == new.endIndex { return (i, j) }
      }
    }
    return nil
  }

  /// Compares two stretches line by line.
  ///
  /// - Parameters:
  ///   - old: The old stretch.
  ///   - new: The new stretch.
  ///   - start: Where the old stretch begins in its text.
  private static func lines(from old: ArraySlice<UInt8>, to new: ArraySlice<UInt8>, at start: Int) -> [Part] {
    func split(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
      var lines: [ArraySlice<UInt8>] = []
      var rest = bytes
      while let end = rest.firstIndex(of: 0x0A) {
        lines.append(rest[...end])
        rest = rest[(end + 1)...]
      }
      return rest.isEmpty ? lines : lines + [rest]
    }
    let (oldLines, newLines) = (split(old), split(new))
    let comparison = LineComparison(
      from: oldLines.map { PathText.text($0)[...] }, to: newLines.map { PathText.text($0)[...] })
    var parts: [Part] = []
    var open: Part?
    var (i, j, offset) = (0, 0, start)
    while i < oldLines.count || j < newLines.count {
      let isRemoved = i < oldLines.count && comparison.isRemoved[i]
      let isAdded = j < newLines.count && comparison.isAdded[j]
      if isRemoved || isAdded {
        var part = open ?? Part(offset: offset, removed: [], added: [])
        if isRemoved {
          part.removed += oldLines[i]
          offset += oldLines[i].count
          i += 1
        } else {
          part.added += newLines[j]
          j += 1
        }
        open = part
      } else {
        if let part = open { parts.append(part) }
        open = nil
        offset += oldLines[i].count
        i += 1
        j += 1
      }
    }
    return open.map { parts + [$0] } ?? parts
  }

  /// The new text; `nil` if the old one is another than that of the change.
  func applied(to old: [UInt8]) -> [UInt8]? {
    var new: [UInt8] = []
    var at = 0
    for part in parts {
      let end = part.offset + part.removed.count
      guard part.offset >= at, end <= old.count, old[part.offset..<end].elementsEqual(part.removed) else { return nil }
      new += old[at..<part.offset]
      new += part.added
      at = end
    }
    return new + old[at...]
  }

  /// The same change to the text that another change makes of this one's old text; `nil` where both change one line.
  ///
  /// - Parameter text: The old text of both.
  func following(_ other: TextChange, in text: [UInt8]) -> TextChange? {
    /// The part's lines, with the line break before them.
    func lines(_ part: Part) -> ClosedRange<Int> {
      let end = part.offset + part.removed.count
      let first = text[..<part.offset].lastIndex(of: 0x0A) ?? -1
      return first...max(first, text[end...].firstIndex(of: 0x0A).map { $0 - 1 } ?? text.count)
    }
    let others = other.parts.map { (lines: lines($0), part: $0) }
    var moved: [Part] = []
    for part in parts {
      let own = lines(part)
      guard !others.contains(where: { $0.lines.overlaps(own) }) else { return nil }
      let shift = others.filter { $0.part.offset < part.offset }
        .reduce(0) { $0 + $1.part.added.count - $1.part.removed.count }
      moved.append(Part(offset: part.offset + shift, removed: part.removed, added: part.added))
    }
    return TextChange(parts: moved)
  }
}
