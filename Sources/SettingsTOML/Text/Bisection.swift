// Searching in what is in order.

extension Array {
  /// The first place where a condition holds that also holds at all places after it; the count if there is none.
  @inlinable
  package func firstPlace(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension [Int] {
  /// The largest of some ascending numbers that is at most a limit; 0 if there is none.
  func last(upTo limit: Int) -> Int {
    let place = firstPlace { $0 > limit }
    return place > 0 ? self[place - 1] : 0
  }
}
