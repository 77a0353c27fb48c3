/// The reason why a regular expression cannot be used as a pattern.
struct PatternFault: Error {
  /// A clause.
  var reason: String
}

/// A pattern as a list of steps, which a match takes for all ways through the pattern at once, character by character.
///
/// So a match takes time in proportion to the text, whatever the pattern is. What a single character may be is up to
/// Swift's `Regex`. Parts that look at other characters (a back reference, a look-around, a word boundary) have no
/// place in such a list.
///
/// This is the method of K. Thompson, "Regular Expression Search Algorithm" (1968): each character leads from one set
/// of places in the list to the next set.
struct PatternProgram {
  /// What is to be done, and where to go on, relative to the step.
  ///
  /// For `a|b` the list is: fork to 1 or 3; character a; jump by 2; character b.
  private enum Step {
    case character(Int)
    case start, end
    case jump(Int)
    case fork(Int, Int)
  }

  private typealias Part = [Step]

  /// The maximum number of steps, with repeated parts as often as they are repeated.
  static let sizeLimit = 10_000
  private static let depthLimit = 50

  private var steps: Part = []
  private var characters: [PatternCharacter] = []
  private var rest: Substring
  private var options = ""
  private var depth = 0
  /// How many characters have been tried, in all texts.
  private var moment = 0

  /// Parses a pattern that `Regex` has accepted.
  ///
  /// - Throws: ``PatternFault`` for a part that depends on more than one character, and for too many parts.
  init(_ pattern: String) throws(PatternFault) {
    rest = pattern[...]
    for options in ["(?i)", "(?s)", "(?is)", "(?si)"] where take(options) { self.options = options }
    steps = try alternatives()
    // Only a ')' without its '(' ends them early, and 'Regex' refuses that.
    assert(rest.isEmpty)
  }

  // MARK: Parsing

  /// Parses alternatives, which `|` separates.
  private mutating func alternatives() throws(PatternFault) -> Part {
    var part = try sequence()
    while take("|") {
      let other = try sequence()
      part = [.fork(1, part.count + 2)] + part + [.jump(other.count + 1)] + other
      try check(part.count)
    }
    return part
  }

  /// Parses a sequence of parts.
  private mutating func sequence() throws(PatternFault) -> Part {
    var part: Part = []
    while let next = rest.first, next != "|", next != ")" {
      part += try repeated()
      try check(part.count)
    }
    return part
  }

  /// Parses one part with its repetition. The list contains the part as often as it may be repeated.
  private mutating func repeated() throws(PatternFault) -> Part {
    let part = try atom()
    guard let (least, most) = quantifier() else { return part }
    _ = take("?")
    if take("+") { throw PatternFault(reason: "possessive repetitions such as 'a*+' are not for patterns") }
    let copies = max(least, most ?? 0, 1)
    try check(copies)
    try check(copies * (part.count + 1))
    var result: Part = []
    for _ in 0..<least { result += part }
    guard let most else { return result + [.fork(1, part.count + 2)] + part + [.jump(-part.count - 1)] }
    let optional = max(most - least, 0)
    for index in 0..<optional {
      // Without one of them, it goes on after the last.
      result += [.fork(1, (optional - index) * (part.count + 1))] + part
    }
    return result
  }

  private func check(_ size: Int) throws(PatternFault) {
    guard size <= Self.sizeLimit else {
      throw PatternFault(reason: "with its repetitions it has more than \(Self.sizeLimit) parts")
    }
  }

  /// Parses a repetition: `*`, `+`, `?`, `{2}`, `{2,}`, `{2, 5}`; `nil` if there is none. As for `Regex`, braces with
  /// anything else in them, such as a sign, stand for themselves.
  private mutating func quantifier() -> (least: Int, most: Int?)? {
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    guard rest.first == "{", let end = rest.firstIndex(of: "}") else { return nil }
    let bounds = rest[..<end].dropFirst().split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
      .map { String($0).withoutBlanks }
    let numbers = bounds.map { $0.isEmpty ? 0 : $0.allSatisfy(\.isNumber) ? Int($0) ?? -1 : -1 }
    guard bounds.contains(where: { !$0.isEmpty }), !numbers.contains(-1) else { return nil }
    rest = rest[end...].dropFirst()
    return (numbers[0], bounds.count == 1 ? numbers[0] : bounds[1].isEmpty ? nil : numbers[1])
  }

  /// Parses a group, an anchor, or what stands for one character.
  private mutating func atom() throws(PatternFault) -> Part {
    let start = rest
    let first = rest.removeFirst()
    switch first {
    case "(":
      if rest.first == "?" || rest.first == "*", !take("?:") {
        throw PatternFault(reason: "groups '(\(rest.prefix(2))' are not for patterns, only '(…)' and '(?:…)'")
      }
      depth += 1
      guard depth <= Self.depthLimit else {
        throw PatternFault(reason: "it has more than \(Self.depthLimit) nested groups")
      }
      defer { depth -= 1 }
      let part = try alternatives()
      _ = take(")")
      return part
    case "^": return [.start]
    case "$": return [.end]
    case "[": try skipClass()
    case "\\": try skipEscape()
    default: break
    }
    let text = start[..<rest.startIndex]
    if text.count == 1, first != ".", options.isEmpty {
      characters.append(PatternCharacter(first))
    } else {
      let isPlain = text.count == 1 && first != "."
      guard let regex = try? Regex(options + (isPlain ? "\\Q\(text)\\E" : text)) else {
        throw PatternFault(reason: "'\(text)' is not a character")
      }
      characters.append(PatternCharacter(regex))
    }
    return [.character(characters.count - 1)]
  }

  /// Skips a class in brackets, from after the first one.
  private mutating func skipClass() throws(PatternFault) {
    _ = take("^")
    _ = take("]")
    var depth = 1
    while depth > 0, let next = rest.popFirst() {
      if next == "[" { depth += 1 }
      if next == "]" { depth -= 1 }
      if next == "\\" { try skipEscape() }
    }
  }

  /// Skips an escaped character, from after the backslash.
  private mutating func skipEscape() throws(PatternFault) {
    guard let letter = rest.popFirst(), letter.isLetter || letter.isNumber else { return }
    guard "dDwWsShHvVtnrfaepPuUxN".contains(letter) else {
      throw PatternFault(reason: "'\\\(letter)' is not for patterns")
    }
    if "pPuxN".contains(letter), rest.first == "{" {
      rest = rest[(rest.firstIndex(of: "}") ?? rest.startIndex)...].dropFirst()
    } else if letter == "p" || letter == "P" {
      _ = rest.popFirst()
    } else if let digits = ["x": 2, "u": 4, "U": 8][letter] {
      for _ in 0..<digits where rest.first?.isHexDigit == true { rest.removeFirst() }
    }
  }

  private mutating func take(_ text: String) -> Bool {
    guard rest.hasPrefix(text) else { return false }
    rest = rest.dropFirst(text.count)
    return true
  }

  // MARK: Matching

  /// Whether a whole text matches; `nil` if that takes more than a number of steps.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - limit: The maximum number of steps. Each character takes one for every place that the match has reached.
  mutating func matches(_ text: String, within limit: Int) -> Bool? {
    var work = 0
    var places = Places(count: steps.count + 1)
    reach(0, &places, isStart: true, isEnd: text.isEmpty)
    var index = text.startIndex
    while index != text.endIndex, !places.list.isEmpty {
      let character = text[index]
      text.formIndex(after: &index)
      let old = places.list
      work += old.count
      guard work <= limit else { return nil }
      places.removeAll()
      moment += 1
      for place in old {
        guard place < steps.count, case .character(let number) = steps[place], characters[number].is(character, moment)
        else { continue }
        reach(place + 1, &places, isStart: false, isEnd: index == text.endIndex)
      }
    }
    return places.has(steps.count)
  }

  /// Adds a place, and those that a match reaches from it without a character.
  private func reach(_ place: Int, _ places: inout Places, isStart: Bool, isEnd: Bool) {
    var open = [place]
    while let place = open.popLast() {
      guard places.add(place), place < steps.count else { continue }
      switch steps[place] {
      case .character: break
      case .start: if isStart { open.append(place + 1) }
      case .end: if isEnd { open.append(place + 1) }
      case .jump(let offset): open.append(place + offset)
      case .fork(let one, let other): open += [place + one, place + other]
      }
    }
  }

  /// The places that a match has reached.
  private struct Places {
    private(set) var list: [Int] = []
    private var rounds: [Int]
    private var round = 1

    init(count: Int) { rounds = Array(repeating: 0, count: count) }

    func has(_ place: Int) -> Bool { rounds[place] == round }

    mutating func add(_ place: Int) -> Bool {
      if has(place) { return false }
      rounds[place] = round
      list.append(place)
      return true
    }

    mutating func removeAll() {
      list.removeAll(keepingCapacity: true)
      round += 1
    }
  }
}

/// What one character of a text may be.
private struct PatternCharacter {
  private var only: Character?
  private var regex: Regex<AnyRegexOutput>?
  /// The answers for ASCII so far.
  private var known = [Bool?](repeating: nil, count: 128)
  /// The last answer: a match may ask for one character at thousands of places.
  private var last = (moment: 0, answer: false)

  init(_ only: Character) { self.only = only }

  init(_ regex: Regex<AnyRegexOutput>) { self.regex = regex }

  /// - Parameter moment: A number that only the questions about one character of a text have in common.
  mutating func `is`(_ character: Character, _ moment: Int) -> Bool {
    guard let regex else { return character == only }
    if moment == last.moment { return last.answer }
    // CR LF is one character, whose `asciiValue` is that of a line feed.
    let ascii = character.utf8.count == 1 ? character.asciiValue.map(Int.init) : nil
    if let ascii, let answer = known[ascii] { return answer }
    let answer = (try? regex.wholeMatch(in: String(character))) != nil
    if let ascii { known[ascii] = answer }
    last = (moment, answer)
    return answer
  }
}
