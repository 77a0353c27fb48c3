import SettingsTOML

/// Random numbers that are the same for the same seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Makes documents of all the forms that TOML has, and values and paths to edit them with.
struct Generator {
  var random: SeededGenerator
  /// Whether only what TOML 1.0 has is written.
  var isStrict = false
  private var lineBreak = "\n"
  private var nextName = 0
  /// The dotted table of the last body, if it has one.
  private var dotted: String?

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  mutating func pick<T>(_ items: [T]) -> T { items.randomElement(using: &random)! }

  // MARK: Documents

  mutating func document() -> String {
    lineBreak = chance(20) ? "\r\n" : "\n"
    var text = chance(10) ? "\u{FEFF}" : ""
    text += noise()
    text += body(depth: 0)
    if let dotted, chance(40) { text += "[\(dotted).h]" + lineBreak + body(depth: 2) }
    for name in (0..<Int.random(in: 0...4, using: &random)).map({ "t\($0)" }) { text += section([name], depth: 0) }
    text += noise()
    if chance(20), text.hasSuffix(lineBreak) { text.removeLast() }
    return text
  }

  private mutating func section(_ names: [String], depth: Int) -> String {
    var text = noise()
    let name = names.joined(separator: chance(10) ? " . " : ".")
    let indent = chance(10) ? "  " : ""
    let isArray = chance(25)
    let isImplicit = !isArray && chance(20)
    for _ in 0..<(isArray ? Int.random(in: 1...3, using: &random) : 1) {
      if !isImplicit {
        text += indent + (isArray ? "[[\(name)]]" : "[\(name)]") + trailing() + lineBreak + body(depth: depth)
      }
      if !isImplicit, let dotted, chance(30) {
        // A table with a header below one of dotted keys.
        text += indent + "[\(name).\(dotted).h]" + trailing() + lineBreak + body(depth: 3)
      }
      if isImplicit, chance(40) {
        // A table that only the header of another one has named gets dotted keys.
        text += "[\(name).d.e]" + trailing() + lineBreak + body(depth: 3) + noise()
        text += "[\(name)]" + trailing() + lineBreak
        text += body(depth: 3) + "d.late = \(literal(depth: 2))" + trailing() + lineBreak
        if chance(50) { text += "d . f.late = 1" + lineBreak }
      }
      guard depth < 3 else { continue }
      for below in (0..<Int.random(in: isImplicit ? 1...2 : 0...2, using: &random)) {
        text += section(names + [chance(15) ? "\"s \(below)\"" : "s\(below)"], depth: depth + 1)
      }
      if chance(50) { text += lineBreak }
    }
    return text
  }

  /// Key lines with names that differ.
  private mutating func body(depth: Int) -> String {
    var text = ""
    dotted = nil
    let indent = chance(15) ? pick(["  ", "\t"]) : ""
    let equals = pick([" = ", " = ", "=", "  =  ", "\t= "])
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      if chance(20) { text += noise() }
      text += indent + key() + equals + literal(depth: 0) + trailing() + lineBreak
    }
    if chance(30) {
      let prefix = key()
      dotted = prefix
      for name in ["x", "'y y'", "z.w"].shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)) {
        text += indent + prefix + "." + name + equals + literal(depth: 0) + trailing() + lineBreak
        if chance(20) { text += key() + equals + literal(depth: 1) + lineBreak }
      }
    }
    return text
  }

  mutating func key() -> String {
    nextName += 1
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return "\"k \(nextName)\""
    case 1: return "'k.\(nextName)'"
    case 2: return "\"\\u00e9\(nextName)\""
    case 3: return "\(nextName)"
    default: return "k\(nextName)"
    }
  }

  private mutating func trailing() -> String { chance(15) ? pick([" # c", "\t# [x] = \"é\"", "  "]) : "" }

  /// Blank lines and comments.
  private mutating func noise() -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      text += pick(["", "", "# comment", "  # indented = 1", "#"]) + lineBreak
    }
    return text
  }

  mutating func literal(depth: Int) -> String {
    switch Int.random(in: 0..<(depth < 3 ? 19 : 15), using: &random) {
    case 0: return pick(["0", "-17", "+5", "1_000_000", "0xDEAD_beef", "0o755", "0b101", "9223372036854775807"])
    case 1: return pick(["1.5", "-0.0", "1e3", "6.02E+23", "inf", "-inf", "3.141_592"])
    case 2: return pick(["true", "false"])
    case 3: return "1979-05-27T07:32:00Z"
    case 4: return pick(["1979-05-27 07:32:00.5-07:00", "1979-05-27T07:32:00", "1979-05-27", "07:32:00.25"])
    case 5, 6:
      return pick(["\"\"", "\"plain\"", "\"a\\tb\\\"c\\\\\"", "\"# no comment\"", "\"日本\"", "\"\\U0001F600\""])
    case 7: return pick(["''", "'C:\\dir'", "'\"q\"'"])
    case 8: return "\"\"\"\(lineBreak)x\(lineBreak)  y \\\(lineBreak)   z\"\"\""
    case 9: return "'''one\(lineBreak)[two]\(lineBreak)'''"
    case 15, 16: return array(depth: depth)
    case 17, 18: return inlineTable(depth: depth)
    default: return "\(Int.random(in: -1000...1000, using: &random))"
    }
  }

  private mutating func array(depth: Int) -> String {
    let items = (0..<Int.random(in: 0...3, using: &random)).map { _ in literal(depth: depth + 1) }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return "[" + items.joined(separator: ",") + (items.isEmpty || chance(50) ? "" : " ,") + "]"
    case 1:
      let lines = items.map { "  \($0)" + (chance(30) ? " " : "") }
      let separator = "," + (chance(40) ? " # c" : "") + lineBreak
      return "[" + lineBreak + lines.joined(separator: separator) + (items.isEmpty || chance(50) ? "" : ",") + lineBreak
        + (chance(20) ? "  # end\(lineBreak)" : "") + "]"
    case 2: return "[ " + items.joined(separator: " , ") + " ]"
    default: return "[" + items.joined(separator: ", ") + "]"
    }
  }

  private mutating func inlineTable(depth: Int) -> String {
    let members = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      key() + (chance(20) ? ".x" : "") + pick(["=", " = "]) + literal(depth: depth + 1)
    }
    switch Int.random(in: 0..<(isStrict ? 3 : 4), using: &random) {
    case 0: return "{" + members.joined(separator: ",") + "}"
    case 3:
      return "{" + lineBreak + members.map { "  " + $0 }.joined(separator: ", # c" + lineBreak)
        + (members.isEmpty || chance(50) ? "" : ",") + lineBreak + "}"
    default: return members.isEmpty ? "{ }" : "{ " + members.joined(separator: ", ") + " }"
    }
  }

  /// A document with a few characters removed, doubled or put in.
  mutating func damaged(_ text: String) -> String {
    var scalars = Array(text.unicodeScalars)
    for _ in 0..<Int.random(in: 1...2, using: &random) where !scalars.isEmpty {
      let index = Int.random(in: 0..<scalars.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: scalars.remove(at: index)
      case 1: scalars.insert(scalars[index], at: index)
      default: scalars.insert(pick(Array("\"'[]{}=,.#_-+ 0ex\\\n\r\t\u{0}\u{7F}\u{FEFF}".unicodeScalars)), at: index)
      }
    }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }

  // MARK: Edits

  mutating func value(depth: Int = 0) -> TOMLValue {
    if chance(70), let value = try? TOMLValue(parsing: literal(depth: 2)) { return value }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: depth + 1) })
    case 1 where depth < 3:
      var table = TOMLTable()
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        table[pick(["x", "y y", "z", "s0", "t1"])] = value(depth: depth + 1)
      }
      return .table(table)
    case 2 where depth < 2:
      return .array((0..<2).map { _ in .table(["n": value(depth: depth + 2), "m": 1]) })
    default: return .string(pick(["", "it's", "a\nb", "\"\"\"", "\\", "tab\t", "\r\n", "\u{7F}", "é", "'''"]))
    }
  }

  /// A path that is in a document, or next to one that is.
  mutating func path(in document: TOMLDocument) -> TOMLPath {
    var paths = document.leafPaths()
    paths += Set(
      paths.flatMap { path in (1..<max(1, path.components.count)).map { TOMLPath(Array(path.components.prefix($0))) } }
    )
    .sorted { $0.description < $1.description }
    guard let path = paths.randomElement(using: &random), chance(80) else { return [pick(["t0", "new", "n n"])] }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return path.appending(pick(["x", "new"]))
    case 1: return path.parent.appending(pick(["x", "new", "a b"]))
    case 2: return path.parent.appending(["new", "deep"])
    default: return path
    }
  }
}
