import AppSettings

/// Text of a schema in the documents that are made of it: shown as it is written, whatever is in it.
enum DocumentText {
  /// The text with escapes for characters that do not show, or show others in another order: `\u001B`.
  static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isHidden) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      guard isHidden(scalar) else {
        result.unicodeScalars.append(scalar)
        continue
      }
      let hex = String(scalar.value, radix: 16, uppercase: true)
      result += "\\u" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
    }
    return result
  }

  /// The lines of a text, made visible.
  static func lines(_ text: String) -> [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { visible(String($0)) }
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control: scalar != "\t"
    // Marks of direction, and others without a shape of their own; joiners are part of words and emoji.
    case .format: scalar.value != 0x200C && scalar.value != 0x200D
    case .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// The text as Markdown that reads like it: paragraphs of lines, none of which is a heading, a list or a link.
  static func markdown(_ text: String) -> String {
    lines(text).map { markdownLine($0) }.joined(separator: "\n")
  }

  /// The text as one line of such Markdown.
  static func markdownLine(_ text: String) -> String {
    // Space before it would make a line code.
    let line = lines(text).joined(separator: " ").drop { $0 == " " || $0 == "\t" }
    var result = ""
    for character in line {
      if "\\`*_[]<>|&~".contains(character) { result += "\\" }
      result.append(character)
    }
    // What makes a heading, a rule or a list stands at the beginning.
    if let first = result.first, "#+-=".contains(first) { return "\\" + result }
    let digits = result.prefix { $0.isASCII && $0.isNumber }
    if !digits.isEmpty, let mark = result.dropFirst(digits.count).first, mark == "." || mark == ")" {
      return digits + "\\" + result.dropFirst(digits.count)
    }
    return result
  }

  /// The text as Markdown's code, whatever backticks it has.
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
