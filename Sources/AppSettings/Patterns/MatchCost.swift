/// An upper bound for the steps of a backtracking match of a pattern on a text, computed in linear time.
///
/// The pattern becomes a graph of its characters, each with those that may follow it, once for each way there
/// (Glushkov's automaton, with repetitions). A matcher follows each path through the graph that agrees with the text at
/// most once, so the number of such paths, counted character by character, bounds its steps. Constructs that the parser
/// does not know exactly (a Unicode property, a back reference) count as any character: the bound may be too high,
/// never too low. Swift's `Regex` alone decides what matches.
struct MatchCost: Sendable {
  /// A character of the pattern.
  struct Place: Sendable {
    var characters: CharacterRange
    /// The places that may follow, with repetitions.
    var next: [Int32] = []
  }

  private let places: [Place]
  private let first: [Int32]
  /// Whether any text can match in at most one way, so that nothing needs counting.
  let isPlain: Bool

  /// The maximum number of steps from one place to the next in a pattern.
  static let sizeLimit = 200_000

  /// Parses a pattern that is a valid regular expression.
  ///
  /// - Throws: ``PatternFault`` for one that is too large or has a construct whose cost cannot be bounded.
  init(_ pattern: String) throws(PatternFault) {
    var parser = PatternParser(pattern)
    let part = try parser.pattern()
    places = parser.places
    first = part.first
    let places = places
    func areApart(_ next: [Int32]) -> Bool {
      var seen = CharacterRange.none
      for place in next {
        let characters = places[Int(place)].characters
        if seen.overlaps(characters) { return false }
        seen.formUnion(characters)
      }
      return true
    }
    isPlain = areApart(first) && places.allSatisfy { areApart($0.next) }
  }

  /// Whether a match with a text takes no more steps than a limit.
  func allows(_ text: String, steps limit: Int) -> Bool {
    var steps = first.count
    var ways = [Int](repeating: 0, count: places.count)
    var active: [Int32] = []
    var isStart = true
    for character in text {
      var reached: [(place: Int32, ways: Int)] = []
      func step(_ next: [Int32], _ count: Int) {
        for place in next where places[Int(place)].characters.contains(character) { reached.append((place, count)) }
      }
      if isStart {
        step(first, 1)
        isStart = false
      }
      for place in active {
        let count = ways[Int(place)]
        // Counts are checked against the limit before this, so that nothing overflows.
        steps += count * places[Int(place)].next.count
        if steps > limit { return false }
        step(places[Int(place)].next, count)
        ways[Int(place)] = 0
      }
      active.removeAll(keepingCapacity: true)
      for (place, count) in reached {
        if ways[Int(place)] == 0 { active.append(place) }
        ways[Int(place)] += count
        if ways[Int(place)] > limit { return false }
      }
      if active.isEmpty { return true }
    }
    return true
  }
}

/// A set of characters: exact for ASCII, and all or none of the others.
struct CharacterRange: Sendable, Hashable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0
  var hasOthers = false

  static let none = CharacterRange()
  static let any = CharacterRange(low: .max, high: .max, hasOthers: true)

  private init(low: UInt64 = 0, high: UInt64 = 0, hasOthers: Bool = false) {
    (self.low, self.high, self.hasOthers) = (low, high, hasOthers)
  }

  init(_ character: Character) { insert(character) }

  init(_ ascii: some Sequence<UInt8>) { for byte in ascii { insert(byte) } }

  mutating func insert(_ byte: UInt8) {
    if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
  }

  mutating func insert(_ character: Character) {
    if let byte = character.asciiValue { insert(byte) } else { hasOthers = true }
  }

  mutating func formUnion(_ other: CharacterRange) {
    (low, high, hasOthers) = (low | other.low, high | other.high, hasOthers || other.hasOthers)
  }

  /// The other ASCII characters, and all characters outside ASCII.
  var inverted: CharacterRange { CharacterRange(low: ~low, high: ~high, hasOthers: true) }

  /// The same with both cases of each letter, and with the characters outside ASCII: some have a case in ASCII.
  var foldingCase: CharacterRange {
    var result = self
    for byte in UInt8(ascii: "a")...UInt8(ascii: "z") where contains(byte) || contains(byte ^ 0x20) {
      result.insert(byte)
      result.insert(byte ^ 0x20)
    }
    result.hasOthers = true
    return result
  }

  private func contains(_ byte: UInt8) -> Bool {
    byte < 64 ? low & 1 << UInt64(byte) != 0 : high & 1 << UInt64(byte & 63) != 0
  }

  func contains(_ character: Character) -> Bool {
    if let ascii = character.asciiValue { return contains(ascii) }
    // The Kelvin sign, the Greek question mark and the varia are canonically equal to characters of ASCII.
    let equal: Character? = character == "K" ? "K" : character == ";" ? ";" : character == "`" ? "`" : nil
    return hasOthers || equal?.asciiValue.map { contains($0) } == true
  }

  func overlaps(_ other: CharacterRange) -> Bool {
    low & other.low != 0 || high & other.high != 0 || hasOthers && other.hasOthers
  }
}
