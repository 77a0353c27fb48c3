import SettingsTOML

/// `KEY=VALUE` lines, as systemd's `EnvironmentFile=` and a shell read them.
enum EnvironmentText {
  static func read(_ text: String) throws(ImportFailure) -> ImportedValues {
    var result = ImportedValues()
    var lines = text.lines.makeIterator()
    var number = 0
    while var line = lines.next() {
      number += 1
      line = line.withoutBlanks
      if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
      if line.hasPrefix("export ") { line = String(line.dropFirst(7)).withoutBlanks }
      guard let equals = line.firstIndex(of: "=") else {
        throw ImportFailure(reason: "line \(number) is not 'KEY=VALUE'")
      }
      let key = String(line[..<equals])
      guard let first = key.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic || first == "_",
        key.unicodeScalars.allSatisfy({
          $0.isASCII && ($0.properties.isAlphabetic || $0 == "_" || ("0"..."9").contains($0))
        })
      else { throw ImportFailure(reason: "line \(number) has no name of a variable before '='") }
      var text = String(line[line.index(after: equals)...])
      // A quote that is open at the end of the line goes on in the next, as does a backslash.
      var count = 0
      while isOpen(text), count < 1000, let next = lines.next() {
        number += 1
        count += 1
        text += "\n" + next
      }
      guard !isOpen(text) else { throw ImportFailure(reason: "line \(number) has a quote that is not closed") }
      result.set(value(text), at: [key])
    }
    return result
  }

  private static func isOpen(_ text: String) -> Bool { unquoted(text).isOpen }

  private static func value(_ text: String) -> TOMLValue {
    let (plain, isQuoted, _) = unquoted(text)
    return isQuoted ? .string(plain) : PlainText.value(of: plain)
  }

  /// The text without its quotes and escapes, whether there were quotes, and whether one is not closed.
  private static func unquoted(_ text: String) -> (text: String, isQuoted: Bool, isOpen: Bool) {
    var result = ""
    var quote: Character?
    var isQuoted = false
    var isEscaped = false
    // Outside quotes, those at the ends do not count.
    var blanks = ""
    for character in text {
      if isEscaped {
        if character != "\n" {
          result += blanks
          blanks = ""
          if quote == "\"", !"\"\\$`".contains(character) { result.append("\\") }
          result.append(character)
        }
        isEscaped = false
      } else if let open = quote {
        if character == open {
          quote = nil
        } else if character == "\\", open == "\"" {
          isEscaped = true
        } else {
          result.append(character)
        }
      } else if character.isWhitespace {
        if !result.isEmpty || isQuoted { blanks.append(character) }
      } else if character == "#", !blanks.isEmpty || (result.isEmpty && !isQuoted) {
        break
      } else if character == "\"" || character == "'" {
        result += blanks
        blanks = ""
        quote = character
        isQuoted = true
      } else if character == "\\" {
        isEscaped = true
      } else {
        result += blanks + String(character)
        blanks = ""
      }
    }
    return (result, isQuoted, quote != nil || isEscaped)
  }
}
