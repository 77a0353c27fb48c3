/// The reason why a regular expression cannot be used as a pattern.
struct PatternFault: Error {
  /// A clause.
  var reason: String
}

/// Parses a pattern as far as ``MatchCost`` needs it. `Regex` has already accepted it as a regular expression.
struct PatternParser {
  /// A part of the pattern: where it may begin and end, and whether it may match nothing.
  struct Part {
    var first: [Int32] = []
    var last: [Int32] = []
    var isOptional = true
  }

  private let text: [Character]
  private var index = 0
  private(set) var places: [MatchCost.Place] = []
  private var stepCount = 0
  private var ignoresCase = false
  private var ignoresSpace = false

  /// Up to this number of places, a repeated part appears in the graph as often as it is repeated; above, it counts as
  /// repeated without limit, which has more ways.
  private static let copyLimit = 1000

  init(_ text: String) {
    self.text = Array(text)
    // An option in the middle applies to what follows; applying it to all only adds ways.
    ignoresCase = text.contains("(?") && text.contains("i")
  }

  mutating func pattern() throws(PatternFault) -> Part { try alternatives() }

  // MARK: Structure

  private mutating func alternatives() throws(PatternFault) -> Part {
    var result = try sequence()
    while take("|") {
      let other = try sequence()
      result.first += other.first
      result.last += other.last
      result.isOptional = result.isOptional || other.isOptional
    }
    return result
  }

  private mutating func sequence() throws(PatternFault) -> Part {
    var result = Part()
    while let character = peek(), character != "|", character != ")" { try append(try repeated(), to: &result) }
    return result
  }

  private mutating func repeated() throws(PatternFault) -> Part {
    let (start, firstPlace, space) = (index, places.count, ignoresSpace)
    var part = try atom()
    guard let count = quantifier() else { return part }
    let (textEnd, size) = (index, places.count - firstPlace)
    let copies = max(count.most ?? count.least, 1)
    // The number of ways to repeat nothing is unlimited.
    if part.isOptional, count.most == nil || copies > 1 {
      throw PatternFault(reason: "it repeats a part that may match nothing, as in '(a*)*'; write 'a*' instead")
    }
    guard copies <= Self.copyLimit, copies * size <= Self.copyLimit else {
      return try loop(part, isOptional: count.least == 0)
    }
    // A chain: each copy is entered from the one before it; otherwise many characters would have many ways. It may end
    // with each copy from the minimum on, and repeats the last one if there is no maximum.
    part.isOptional = part.isOptional || count.least == 0
    var (last, end) = (part.last, count.least <= 1 ? part.last : [])
    for copy in 1..<copies {
      // Parses the same text again, for separate places.
      (index, ignoresSpace) = (start, space)
      let next = try atom()
      try join(last, to: next.first)
      last = next.last
      if copy + 1 >= count.least { end += last }
      if count.most == nil, copy + 1 == copies { try join(last, to: next.first) }
    }
    if count.most == nil, copies == 1 { try join(part.last, to: part.first) }
    index = textEnd
    part.last = end
    return part
  }

  private mutating func append(_ next: Part, to part: inout Part) throws(PatternFault) {
    try join(part.last, to: next.first)
    if part.isOptional { part.first += next.first }
    part.last = next.isOptional ? part.last + next.last : next.last
    part.isOptional = part.isOptional && next.isOptional
  }

  private mutating func loop(_ part: Part, isOptional: Bool) throws(PatternFault) -> Part {
    try join(part.last, to: part.first)
    var part = part
    part.isOptional = part.isOptional || isOptional
    return part
  }

  private mutating func join(_ last: [Int32], to first: [Int32]) throws(PatternFault) {
    stepCount += last.count * first.count
    guard stepCount <= MatchCost.sizeLimit else {
      throw PatternFault(reason: "it has too many parts that may follow one another")
    }
    for place in last { places[Int(place)].next += first }
  }

  // MARK: Quantifiers

  private mutating func quantifier() -> (least: Int, most: Int?)? {
    skipSpace()
    let start = index
    var result: (least: Int, most: Int?)
    if take("*") {
      result = (0, nil)
    } else if take("+") {
      result = (1, nil)
    } else if take("?") {
      result = (0, 1)
    } else if take("{") {
      let least = number()
      let most = take(",") ? number() : least
      let isRange = text[start..<index].contains(",")
      guard least != nil || most != nil, take("}") else {
        index = start
        return nil
      }
      result = (least ?? 0, isRange ? most : least)
    } else {
      return nil
    }
    // Lazy and possessive ones have no additional ways.
    if !take("?") { _ = take("+") }
    return result
  }

  private mutating func number() -> Int? {
    var digits = ""
    while let digit = peek(), digit.isASCII, digit.isNumber {
      digits.append(digit)
      index += 1
    }
    return Int(digits)
  }

  // MARK: Characters

  private mutating func atom() throws(PatternFault) -> Part {
    skipSpace()
    guard let character = peek() else { return Part() }
    // The caller handles the end of a sequence.
    if character == "|" || character == ")" { return Part() }
    index += 1
    switch character {
    case "(": return try group()
    case "[": return place(characterClass().range)
    case ".": return place(.any)
    case "^", "$": return Part()
    case "\\": return try escape()
    default: return place(CharacterRange(character))
    }
  }

  private mutating func place(_ characters: CharacterRange) -> Part {
    places.append(MatchCost.Place(characters: ignoresCase ? characters.foldingCase : characters))
    let number = Int32(places.count - 1)
    return Part(first: [number], last: [number], isOptional: false)
  }

  private mutating func anything() throws(PatternFault) -> Part { try loop(place(.any), isOptional: true) }

  private mutating func group() throws(PatternFault) -> Part {
    let space = ignoresSpace
    var looksOnly = false
    if take("?") {
      switch peek() {
      case "#"?:
        skip(through: ")")
        return Part()
      case ":"?, ">"?: index += 1
      case "="?, "!"?, "*"?:
        index += 1
        looksOnly = true
      case "<"?, "P"?, "'"?:
        _ = take("P")
        guard let opening = peek(), opening == "<" || opening == "'" else {
          // A back reference by name.
          skip(through: ")")
          return try anything()
        }
        index += 1
        if opening == "<", let next = peek(), next == "=" || next == "!" || next == "*" {
          index += 1
          looksOnly = true
        } else {
          skip(through: opening == "<" ? ">" : "'")
        }
      default:
        ignoresSpace = options()
        // Without a part of its own it applies to the rest of the surrounding group, which restores the old value.
        if take(")") { return Part() }
        guard take(":") else { throw PatternFault(reason: "the cost of its group '(?' cannot be bounded") }
      }
    } else if take("*") {
      throw PatternFault(reason: "the cost of its group '(*' cannot be bounded")
    }
    var part = try alternatives()
    _ = take(")")
    ignoresSpace = space
    if looksOnly { (part.last, part.isOptional) = ([], true) }
    return part
  }

  /// Whether white space is ignored, by the letters of an option.
  private mutating func options() -> Bool {
    var (isOn, result) = (true, ignoresSpace)
    while let letter = peek(), letter != ":", letter != ")" {
      if letter == "-" { isOn = false }
      if letter == "^" { result = false }
      if letter == "x" { result = isOn }
      index += 1
    }
    return result
  }

  private mutating func escape() throws(PatternFault) -> Part {
    guard let letter = peek() else { return Part() }
    index += 1
    switch letter {
    case "b", "B", "A", "Z", "z", "G", "K", "y", "Y": return Part()
    case "1"..."9":
      _ = number()
      return try anything()
    case "k", "g":
      skipBraces("{", "}")
      skipBraces("<", ">")
      skipBraces("'", "'")
      return try anything()
    case "Q":
      var part = Part()
      while peek() != nil, !(peek() == "\\" && peek(1) == "E") {
        index += 1
        try append(place(CharacterRange(text[index - 1])), to: &part)
      }
      index = min(index + 2, text.count)
      return part
    case "E": return Part()
    case "u", "U", "x", "o", "N", "r":
      // A scalar may form one character with its neighbours.
      let hasBraces = peek() == "{"
      skipBraces("{", "}")
      if !hasBraces, letter != "r", letter != "N" { skipHex(letter == "u" ? 4 : letter == "U" ? 8 : 2) }
      var part = hasBraces ? try anything() : place(.any)
      part.isOptional = true
      return part
    default:
      return place(escaped(letter).range)
    }
  }

  /// The characters of an escape, and whether ASCII is exactly right.
  private mutating func escaped(_ letter: Character) -> (range: CharacterRange, isExact: Bool) {
    let digits = CharacterRange(UInt8(ascii: "0")...UInt8(ascii: "9"))
    var range: CharacterRange
    switch letter {
    case "d", "D": range = digits
    case "w", "W":
      range = digits
      range.formUnion(CharacterRange(UInt8(ascii: "a")...UInt8(ascii: "z")))
      range.formUnion(CharacterRange(UInt8(ascii: "A")...UInt8(ascii: "Z")))
      range.insert("_")
    case "s", "S": range = CharacterRange([9, 10, 11, 12, 13, 32])
    case "h", "H": range = CharacterRange([9, 32])
    case "v", "V": range = CharacterRange([10, 11, 12, 13])
    case "t": return (CharacterRange([9]), true)
    case "n": return (CharacterRange([10]), true)
    case "r": return (CharacterRange([13]), true)
    case "f": return (CharacterRange([12]), true)
    case "a": return (CharacterRange([7]), true)
    case "e": return (CharacterRange([27]), true)
    case _ where letter.isASCII && !letter.isLetter && !letter.isNumber: return (CharacterRange(letter), true)
    default:
      if peek() == "{" { skipBraces("{", "}") } else if letter == "p" || letter == "P" { index += 1 }
      return (.any, false)
    }
    if letter.isUppercase { return (range.inverted, true) }
    range.hasOthers = true
    return (range, true)
  }

  /// A class in brackets, from after the first one.
  private mutating func characterClass() -> (range: CharacterRange, isExact: Bool) {
    let isInverted = take("^")
    var range = CharacterRange.none
    var isExact = !ignoresSpace
    var lower: Character?
    while let character = peek(), character != "]" {
      index += 1
      switch character {
      case "[":
        if peek() == ":" {
          skip(through: "]")
          (range, isExact) = (.any, false)
        } else {
          let inner = characterClass()
          range.formUnion(inner.range)
          isExact = isExact && inner.isExact
        }
        lower = nil
      case "\\":
        guard let letter = peek() else { break }
        index += 1
        if letter == "Q" {
          skip(through: "E")
          (range, isExact) = (.any, false)
        } else {
          let escaped = letter == "b" ? (range: CharacterRange([8]), isExact: true) : escaped(letter)
          range.formUnion(escaped.range)
          isExact = isExact && escaped.isExact
        }
        lower = letter.isLetter ? nil : letter
      case "-" where lower != nil && peek() != nil && peek() != "]" && peek() != "-":
        guard let from = lower?.asciiValue, let to = peek()?.asciiValue, peek() != "\\", peek() != "[", from <= to
        else {
          (range, isExact) = (.any, false)
          break
        }
        index += 1
        range.formUnion(CharacterRange(from...to))
        lower = nil
      case "&" where peek() == "&", "-" where peek() == "-", "~" where peek() == "~":
        // At most all characters in it.
        isExact = false
      default:
        range.insert(character)
        lower = character
      }
    }
    _ = take("]")
    guard isInverted else { return (range, isExact) }
    return (isExact ? range.inverted : .any, isExact)
  }

  // MARK: Text

  private func peek(_ ahead: Int = 0) -> Character? { index + ahead < text.count ? text[index + ahead] : nil }

  private mutating func take(_ character: Character) -> Bool {
    guard peek() == character else { return false }
    index += 1
    return true
  }

  private mutating func skip(through character: Character) {
    while let next = peek() {
      index += 1
      if next == character { return }
    }
  }

  private mutating func skipBraces(_ opening: Character, _ closing: Character) {
    if take(opening) { skip(through: closing) }
  }

  private mutating func skipHex(_ most: Int) {
    for _ in 0..<most { if peek()?.isHexDigit == true { index += 1 } }
  }

  private mutating func skipSpace() {
    guard ignoresSpace else { return }
    while let character = peek() {
      if character.isWhitespace {
        index += 1
      } else if character == "#" {
        while peek()?.isNewline == false { index += 1 }
      } else {
        return
      }
    }
  }
}
