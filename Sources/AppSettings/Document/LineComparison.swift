/// Finds the lines common to two texts, by E. W. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986),
/// section 4b.
///
/// Time and space are linear in the number of lines: if a stretch has more than `limit` differences, the search
/// continues from the farthest point that it has reached. The result is always a difference of the two texts, and up to
/// that limit the shortest one.
struct LineComparison {
  /// For each old line, whether it is removed.
  private(set) var isRemoved: [Bool]
  /// For each new line, whether it is added.
  private(set) var isAdded: [Bool]

  /// The number of differences that a search covers from each end.
  private static let limit = 256
  /// The index of the main diagonal in the arrays by diagonal.
  private static let center = limit + 1

  // The lines of both texts, equal ones as one number, and their places.
  private var old: [Int] = []
  private var new: [Int] = []
  private var oldPlaces: [Int] = []
  private var newPlaces: [Int] = []

  // How far the search has come from each end, by diagonal: a number of old lines, or -1.
  private var forward = [Int](repeating: -1, count: 2 * limit + 3)
  private var backward = [Int](repeating: -1, count: 2 * limit + 3)

  /// Compares lines by their bytes, including their line breaks.
  init(from oldLines: [Substring], to newLines: [Substring]) {
    isRemoved = [Bool](repeating: true, count: oldLines.count)
    isAdded = [Bool](repeating: true, count: newLines.count)
    number(oldLines, newLines)
    match()
  }

  private struct Line: Hashable {
    let text: Substring

    // By bytes: two encodings of one character make two lines.
    static func == (a: Line, b: Line) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    func hash(into hasher: inout Hasher) {
      if text.utf8.withContiguousStorageIfAvailable({ hasher.combine(bytes: UnsafeRawBufferPointer($0)) }) == nil {
        for byte in text.utf8 { hasher.combine(byte) }
      }
    }
  }

  /// Gives equal lines the same number. Lines that only one of the texts has cannot match and are left out.
  private mutating func number(_ oldLines: [Substring], _ newLines: [Substring]) {
    var numbers: [Line: Int] = [:]
    var oldNumbers: [Int] = []
    for text in oldLines {
      let next = numbers.count
      let line = Line(text: text)
      let number = numbers[line] ?? next
      if number == next { numbers[line] = next }
      oldNumbers.append(number)
    }
    var isInNew = [Bool](repeating: false, count: numbers.count)
    for (place, text) in newLines.enumerated() {
      guard let number = numbers[Line(text: text)] else { continue }
      isInNew[number] = true
      new.append(number)
      newPlaces.append(place)
    }
    for (place, number) in oldNumbers.enumerated() where isInNew[number] {
      old.append(number)
      oldPlaces.append(place)
    }
  }

  /// A stretch of old lines and the stretch of new lines to compare with it.
  private struct Stretch {
    var old: Range<Int>
    var new: Range<Int>
  }

  /// Finds the lines that both texts have.
  private mutating func match() {
    // An explicit stack: the depth grows with the text.
    var open = [Stretch(old: 0..<old.count, new: 0..<new.count)]
    while let stretch = open.popLast() {
      var (oldStart, oldEnd) = (stretch.old.lowerBound, stretch.old.upperBound)
      var (newStart, newEnd) = (stretch.new.lowerBound, stretch.new.upperBound)
      while oldStart < oldEnd, newStart < newEnd, old[oldStart] == new[newStart] {
        keep(oldStart, newStart)
        (oldStart, newStart) = (oldStart + 1, newStart + 1)
      }
      while oldStart < oldEnd, newStart < newEnd, old[oldEnd - 1] == new[newEnd - 1] {
        (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
        keep(oldEnd, newEnd)
      }
      guard oldStart < oldEnd, newStart < newEnd else { continue }
      let (oldMiddle, newMiddle) = middle(of: Stretch(old: oldStart..<oldEnd, new: newStart..<newEnd))
      open.append(Stretch(old: oldMiddle..<oldEnd, new: newMiddle..<newEnd))
      open.append(Stretch(old: oldStart..<oldMiddle, new: newStart..<newMiddle))
    }
  }

  /// Notes that a line is in both texts.
  private mutating func keep(_ oldIndex: Int, _ newIndex: Int) {
    isRemoved[oldPlaces[oldIndex]] = false
    isAdded[newPlaces[newIndex]] = false
  }

  /// A point on a shortest way through a stretch whose ends differ, or the farthest one towards it. No part is
  /// the whole.
  private mutating func middle(of stretch: Stretch) -> (old: Int, new: Int) {
    let (width, height) = (stretch.old.count, stretch.new.count)
    let delta = width - height
    for cost in 0...Self.limit {
      for diagonal in Self.diagonals(cost, width, height) {
        let x = Self.step(forward, diagonal, cost, width, height)
        var (at, other) = (x, x - diagonal)
        while x >= 0, at < width, other < height,
          old[stretch.old.lowerBound + at] == new[stretch.new.lowerBound + other]
        {
          (at, other) = (at + 1, other + 1)
        }
        forward[Self.center + diagonal] = at
        let opposite = delta - diagonal
        if delta % 2 != 0, at >= 0, abs(opposite) < cost, backward[Self.center + opposite] >= 0,
          at + backward[Self.center + opposite] >= width
        {
          return (stretch.old.lowerBound + at, stretch.new.lowerBound + other)
        }
      }
      for diagonal in Self.diagonals(cost, width, height) {
        let x = Self.step(backward, diagonal, cost, width, height)
        var (at, other) = (x, x - diagonal)
        while x >= 0, at < width, other < height,
          old[stretch.old.upperBound - at - 1] == new[stretch.new.upperBound - other - 1]
        {
          (at, other) = (at + 1, other + 1)
        }
        backward[Self.center + diagonal] = at
        let opposite = delta - diagonal
        if delta % 2 == 0, at >= 0, abs(opposite) <= cost, forward[Self.center + opposite] >= 0,
          at + forward[Self.center + opposite] >= width
        {
          return (stretch.old.upperBound - at, stretch.new.upperBound - other)
        }
      }
    }
    return farthest(in: stretch)
  }

  /// The diagonals that a number of differences can lead to, within a stretch.
  private static func diagonals(_ cost: Int, _ width: Int, _ height: Int) -> StrideThrough<Int> {
    let first = cost <= height ? -cost : -height + (cost - height) % 2
    return stride(from: first, through: min(cost, width), by: 2)
  }

  /// The number of old lines behind on a diagonal after one more difference; -1 if it cannot be reached.
  private static func step(_ reached: [Int], _ diagonal: Int, _ cost: Int, _ width: Int, _ height: Int) -> Int {
    if cost == 0 { return 0 }
    // By a new line from the diagonal above, by an old line from the one below.
    let down = diagonal < min(cost - 1, width) ? reached[center + diagonal + 1] : -1
    let right = diagonal > max(1 - cost, -height) ? reached[center + diagonal - 1] : -1
    return max(down - diagonal <= height ? down : -1, right >= 0 && right < width ? right + 1 : -1)
  }

  /// The point farthest from the end where its search began.
  private func farthest(in stretch: Stretch) -> (old: Int, new: Int) {
    var best = (distance: 0, point: (old: stretch.old.lowerBound, new: stretch.new.lowerBound))
    for diagonal in Self.diagonals(Self.limit, stretch.old.count, stretch.new.count) {
      let (x, back) = (forward[Self.center + diagonal], backward[Self.center + diagonal])
      if x >= 0, 2 * x - diagonal > best.distance {
        best = (2 * x - diagonal, (stretch.old.lowerBound + x, stretch.new.lowerBound + x - diagonal))
      }
      if back >= 0, 2 * back - diagonal > best.distance {
        best = (2 * back - diagonal, (stretch.old.upperBound - back, stretch.new.upperBound - back + diagonal))
      }
    }
    return best.point
  }
}
