import AppSettings

/// Formats text of a schema for the documents made from it, so that any character shows as it is written.
enum DocumentText {
  /// Escapes characters that are invisible or change the order of others, as `\u001B`.
  static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isHidden) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      guard isHidden(scalar) else {
        result.unicodeScalars.append(scalar)
        continue
      }
      result += "\\u" + String(scalar.value, radix: 16, uppercase: true).padded(to: 4)
    }
    return result
  }

  /// Splits a text into lines and makes hidden characters visible.
  static func lines(_ text: String) -> [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { visible(String($0)) }
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control: scalar != "\t"
    // Direction marks, and other characters without a shape; joiners are part of words and emoji.
    case .format: scalar.value != 0x200C && scalar.value != 0x200D
    case .lineSeparator, .paragraphSeparator: true
    default: false
    }
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
