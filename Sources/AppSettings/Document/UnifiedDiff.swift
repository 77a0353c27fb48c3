/// The difference of two texts in the form of `diff -u`, in time linear in the number of lines.
///
/// It shows three lines around each change. `patch(1)` can apply it.
package enum UnifiedDiff {
  private static let context = 3

  private enum Line {
    case same(Substring)
    case removed(Substring)
    case added(Substring)

    var isSame: Bool { if case .same = self { true } else { false } }
    var isInOld: Bool { if case .added = self { false } else { true } }
    var isInNew: Bool { if case .removed = self { false } else { true } }
  }

  /// The difference, or an empty text if the texts are equal.
  ///
  /// - Parameters:
  ///   - oldName: The name of the old text in the header.
  ///   - newName: The name of the new text in the header.
  package static func text(from old: String, to new: String, oldName: String, newName: String) -> String {
    // By bytes: two encodings of one character make two texts.
    guard !old.utf8.elementsEqual(new.utf8) else { return "" }
    let lines = script(from: split(old), to: split(new))
    var result = "--- \(oldName)\n+++ \(newName)\n"
    var oldLine = 1
    var newLine = 1
    var at = 0
    while at < lines.count {
      guard let change = lines[at...].firstIndex(where: { !$0.isSame }) else { break }
      let start = max(at, change - context)
      oldLine += start - at
      newLine += start - at
      var end = change + 1
      var same = 0
      while end < lines.count, same <= 2 * context {
        same = lines[end].isSame ? same + 1 : 0
        end += 1
      }
      end -= max(0, same - context)
      let hunk = lines[start..<end]
      let oldCount = hunk.count { $0.isInOld }
      let newCount = hunk.count { $0.isInNew }
      result += "@@ -\(range(oldLine, oldCount)) +\(range(newLine, newCount)) @@\n"
      for line in hunk {
        switch line {
        case .same(let text): result += shown(" ", text)
        case .removed(let text): result += shown("-", text)
        case .added(let text): result += shown("+", text)
        }
      }
      oldLine += oldCount
      newLine += newCount
      at = end
    }
    return result
  }

  /// A range of lines in a header: the first line and, unless it is 1, the number of lines.
  private static func range(_ line: Int, _ count: Int) -> String {
    count == 1 ? "\(line)" : "\(count == 0 ? line - 1 : line),\(count)"
  }

  private static func shown(_ mark: String, _ line: Substring) -> String {
    line.utf8.last == 10 ? "\(mark)\(line)" : "\(mark)\(line)\n\\ No newline at end of file\n"
  }

  /// The lines with their line breaks. By bytes, because as a character CR LF is not a line feed.
  private static func split(_ text: String) -> [Substring] {
    var lines: [Substring] = []
    var start = text.startIndex
    while start < text.endIndex {
      let end = text.utf8[start...].firstIndex(of: 10).map { text.utf8.index(after: $0) } ?? text.endIndex
      lines.append(text[start..<end])
      start = end
    }
    return lines
  }

  /// All lines of both texts in order. Removed lines come before those added in their place.
  private static func script(from old: [Substring], to new: [Substring]) -> [Line] {
    let comparison = LineComparison(from: old, to: new)
    var lines: [Line] = []
    var oldIndex = 0
    var newIndex = 0
    while oldIndex < old.count || newIndex < new.count {
      if oldIndex < old.count, comparison.isRemoved[oldIndex] {
        lines.append(.removed(old[oldIndex]))
        oldIndex += 1
      } else if newIndex < new.count, comparison.isAdded[newIndex] {
        lines.append(.added(new[newIndex]))
        newIndex += 1
      } else {
        lines.append(.same(old[oldIndex]))
        oldIndex += 1
        newIndex += 1
      }
    }
    return lines
  }
}
