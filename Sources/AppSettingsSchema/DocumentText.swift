import AppSettings

/// Formats text of a schema for the documents made from it, so that any character shows as it is written.
enum DocumentText {
  /// Splits a text into lines and makes hidden characters visible.
  static func lines(_ text: String) -> [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { String($0).withVisibleCharacters }
  }

  /// Formats a text as Markdown that reads the same: paragraphs of lines without headings, lists or links.
  static func markdown(_ text: String) -> String {
    lines(text).map { markdownLine($0) }.joined(separator: "\n")
  }

  /// Formats a text as one line of such Markdown.
  static func markdownLine(_ text: String) -> String {
    // Leading spaces would make the line a code block.
    let line = lines(text).joined(separator: " ").drop { $0 == " " || $0 == "\t" }
    var result = ""
    for character in line {
      if "\\`*_[]<>|&~".contains(character) { result += "\\" }
      result.append(character)
    }
    // Characters that start a heading, a rule or a list.
    if let first = result.first, "#+-=".contains(first) { return "\\" + result }
    let digits = result.prefix { $0.isASCII && $0.isNumber }
    if !digits.isEmpty, let mark = result.dropFirst(digits.count).first, mark == "." || mark == ")" {
      return digits + "\\" + result.dropFirst(digits.count)
    }
    return result
  }

  /// Formats a text as Markdown code, even if it contains backticks.
  static func code(_ text: String) -> String {
    let text = lines(text).joined(separator: " ")
    var longest = 0
    var run = 0
    for character in text {
      run = character == "`" ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    return longest == 0 ? "`\(text)`" : "\(fence) \(text) \(fence)"
  }
}

extension String {
  /// The text in which each character that controls a terminal or deceives the reader is shown as `\u001B`: control
  /// characters, those that change the direction of writing, those without width, and separators of lines and paragraphs.
  /// Line feeds and tabs stay, and so do the joiners that scripts and emoji need.
  package var withVisibleCharacters: String {
    guard unicodeScalars.contains(where: Self.isHidden) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      guard Self.isHidden(scalar) else {
        result.unicodeScalars.append(scalar)
        continue
      }
      let digits = String(scalar.value, radix: 16, uppercase: true)
      result += digits.utf8.count > 4 ? "\\U" + digits.padded(to: 8) : "\\u" + digits.padded(to: 4)
    }
    return result
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x20..<0x7F: false
    // Joiners, and the signs of the Arabic script that enclose numbers or words and have a shape.
    case 0x200C, 0x200D, 0x0600...0x0605, 0x06DD, 0x08E2: false
    // Some of these are no characters yet, and shown as nothing.
    case 0x2065, 0xE0000...0xE007F: true
    default:
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: true
      default: false
      }
    }
  }
}
