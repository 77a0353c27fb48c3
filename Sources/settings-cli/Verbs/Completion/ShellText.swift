import AppSettings

/// A word of a command line, or its beginning, in a shell's notation.
struct ShellText {
  enum Quote { case none, single, double, dollar }

  private let isFish: Bool
  /// What is typed.
  private(set) var raw = ""
  /// What the command would get.
  private(set) var value = ""
  /// The quote that is open at the end.
  private(set) var quote = Quote.none
  /// Whether there are characters in it that the shell would expand.
  private(set) var hasExpansions = false
  /// Whether a backslash at the end escapes what comes next.
  private(set) var isEscaping = false
  /// Whether it has quotes or backslashes.
  private(set) var hasQuotes = false

  init(_ raw: String = "", isFish: Bool = false) {
    self.isFish = isFish
    for scalar in raw.unicodeScalars { take(scalar) }
  }

  /// Whether a space would end it.
  var isOpen: Bool { quote == .none && !isEscaping }

  /// What is typed, without a backslash that escapes nothing.
  var finished: String { isEscaping ? String(raw.dropLast()) : raw }

  /// Whether a character means itself in every shell.
  static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "0"..."9", "A"..."Z", "a"..."z", "_", "-", ".", "/", ":", ",", "@", "%", "+", "=": true
    default: !scalar.isASCII && scalar.properties.isAlphabetic
    }
  }

  mutating func take(_ scalar: Unicode.Scalar) {
    raw.unicodeScalars.append(scalar)
    if isEscaping {
      isEscaping = false
      let isEscape =
        switch quote {
        case .none, .dollar: true
        case .single: scalar == "'" || scalar == "\\"
        case .double: scalar == "\"" || scalar == "\\" || scalar == "$" || !isFish && scalar == "`"
        }
      if !isEscape { value += "\\" }
      value.unicodeScalars.append(scalar)
      return
    }
    switch (quote, scalar) {
    case (.none, "\\"), (.double, "\\"), (.dollar, "\\"),
      (.single, "\\") where quote != .single || isFish:
      (isEscaping, hasQuotes) = (true, true)
    case (.none, "'"), (.none, "\""):
      // $'…' and $"…": the dollar is part of the quote.
      let isDollar = !isFish && value.last == "$" && raw.unicodeScalars.dropLast().last == "$"
      if isDollar { value.removeLast() }
      quote = scalar == "\"" ? .double : isDollar ? .dollar : .single
      hasQuotes = true
    case (.single, "'"), (.dollar, "'"), (.double, "\""): quote = .none
    default:
      value.unicodeScalars.append(scalar)
      switch quote {
      case .none: if !Self.isSafe(scalar) { hasExpansions = true }
      case .double: if scalar == "$" || scalar == "`" || scalar == "!" { hasExpansions = true }
      case .single, .dollar: break
      }
    }
  }

  /// What the command would get, with the home directory where a `~` stands for it.
  var argument: String {
    guard raw.hasPrefix("~/"), let home = ProcessFacts.environment["HOME"] else { return value }
    return home + value.dropFirst()
  }

  // MARK: Lines

  /// Splits a command line that ends where the cursor is.
  ///
  /// - Returns: Its words without redirections, and whether the last one, which may be empty, is the target of one.
  static func words(of line: String, isFish: Bool = false) -> (words: [ShellText], isFile: Bool) {
    var words: [ShellText] = []
    var word = ShellText(isFish: isFish)
    var isFile = false
    for scalar in line.unicodeScalars {
      guard word.isOpen else {
        word.take(scalar)
        continue
      }
      switch scalar {
      case " ", "\t", "\n":
        if !word.raw.isEmpty, !isFile { words.append(word) }
        if !word.raw.isEmpty { isFile = false }
        word = ShellText(isFish: isFish)
      case "<", ">":
        // A number before the sign is a descriptor.
        if !word.raw.isEmpty, !isFile, !word.raw.allSatisfy({ $0.isNumber || $0 == "&" }) { words.append(word) }
        word = ShellText(isFish: isFish)
        isFile = true
      case "&", "|": if !isFile || !word.raw.isEmpty { word.take(scalar) }
      default: word.take(scalar)
      }
    }
    return (words + [word], isFile)
  }

  // MARK: Writing

  /// How characters are escaped where no quote is open.
  enum Style { case quotes, backslashes }

  /// Writes a text where a quote may be open, in the notation of bash and zsh.
  ///
  /// - Returns: What is to be typed, and the quote that is open after it.
  static func written(
    _ text: some StringProtocol, in quote: Quote, style: Style = .quotes, isStart: Bool = false
  ) -> (text: String, quote: Quote) {
    var result = String.UnicodeScalarView()
    var quote = quote
    // At the start of a word, zsh reads an = as the path of a program.
    let isSafe = text.unicodeScalars.allSatisfy(Self.isSafe) && !(isStart && text.hasPrefix("="))
    if quote == .none, style == .quotes, !isSafe {
      result.append("'")
      quote = .single
    }
    for (index, scalar) in text.unicodeScalars.enumerated() {
      switch quote {
      case .none:
        if !Self.isSafe(scalar) || isStart && index == 0 && scalar == "=" { result.append("\\") }
        result.append(scalar)
      case .single:
        if scalar == "'" { result.append(contentsOf: "'\\''".unicodeScalars) } else { result.append(scalar) }
      case .double:
        // No escape keeps the history's sign in double quotes.
        if scalar == "!" {
          result.append(contentsOf: "\"'!'\"".unicodeScalars)
          continue
        }
        if scalar == "\"" || scalar == "\\" || scalar == "$" || scalar == "`" { result.append("\\") }
        result.append(scalar)
      case .dollar:
        if scalar == "'" || scalar == "\\" { result.append("\\") }
        result.append(scalar)
      }
    }
    return (String(result), quote)
  }
}

extension ShellText.Quote {
  /// The sign that closes it.
  var sign: String {
    switch self {
    case .none: ""
    case .single, .dollar: "'"
    case .double: "\""
    }
  }
}
