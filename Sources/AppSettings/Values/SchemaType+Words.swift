import SettingsTOML

// Descriptions of valid values in the words that the library uses for keys of the same type and constraint.

extension SchemaType {
  /// The description of a valid value with its article: `an integer from 6 to 72`.
  ///
  /// Long lists of choices and long patterns are cut.
  package var expected: String { expectedWords ?? derivedWords }

  /// The same description for documents, with all choices and whole patterns.
  package var expectedInFull: String { expectedWords ?? words(isWhole: true) }

  /// The description without ``expectedWords``, as used in messages.
  package var derivedWords: String { words(isWhole: false) }

  private func words(isWhole: Bool) -> String {
    if let choices, !choices.isEmpty {
      guard isWhole, choices.count > 1 else { return Expectation.choice(of: choices).one }
      return "one of " + choices.map(\.errorText).joined(separator: ", ")
    }
    var words = baseWords(isWhole)
    switch (minimum.map(shown), maximum.map(shown), limit.map(shown)) {
    case (let low?, _, let limit?): words += " from \(low) to below \(limit)"
    case (nil, _, let limit?): words += " below \(limit)"
    case (let low?, let high?, nil): words += " from \(low) to \(high)"
    case (let low?, nil, nil): words += " from \(low)"
    case (nil, let high?, nil): words += " up to \(high)"
    case (nil, nil, nil): break
    }
    if let count = countWords, kind != .character { words += " \(isText ? "of" : "with") \(count)" }
    for pattern in patterns { words += " that matches '\(isWhole ? pattern : pattern.shortened())'" }
    if let example { words += ", such as \(example.errorText)" }
    return words
  }

  /// Returns a bound as text; an integer beyond TOML's range as its digits.
  private func shown(_ bound: TOMLValue) -> String {
    if kind == .integer, case .string(let digits) = bound { return digits }
    return bound.errorText
  }

  private func baseWords(_ isWhole: Bool) -> String {
    switch kind {
    case .string: "a string"
    case .integer: "an integer"
    case .float, .float32: "a number"
    case .boolean: "a boolean"
    case .offsetDateTime: TOMLOffsetDateTime.settingsBridge.expected
    case .localDateTime: "a date and time without an offset"
    case .localDate: "a date without a time"
    case .localTime: "a time of day"
    case .duration: Duration.settingsBridge.expected
    case .url: "a URL as a string"
    case .uuid: "a UUID as a string"
    case .data: "a string in Base64"
    case .decimal: "a decimal number as a string"
    case .character: "a string of one character"
    case .timeZone: "a time zone's identifier"
    case .array: "an array" + words(ofParts: "elements", isWhole)
    case .table: "a table" + (fields.map { " with \(Self.list($0))" } ?? words(ofParts: "values", isWhole))
    case .records: "a table with a table for each record" + (fields.map { ", with \(Self.list($0))" } ?? "")
    case .any: "a value"
    }
  }

  private func words(ofParts name: String, _ isWhole: Bool) -> String {
    guard let element else { return "" }
    return element.wordsInPlural.map { " of \($0)" }
      ?? " whose \(name) are each \(isWhole ? element.expectedInFull : element.expected)"
  }

  private static func list(_ fields: [Field]) -> String {
    let names = fields.prefix(4).map { "'\($0.name)'" }.joined(separator: ", ")
    return fields.isEmpty ? "any fields" : "fields such as \(names)"
  }

  /// The plural of the description: `integers`; `nil` if there is more to say about each value than its type.
  private var wordsInPlural: String? {
    guard self == SchemaType(kind) else { return nil }
    return switch kind {
    case .string: "strings"
    case .integer: "integers"
    case .float, .float32: "numbers"
    case .boolean: "booleans"
    case .offsetDateTime: "dates and times with an offset"
    case .localDate: "dates without a time"
    case .localTime: "times of day"
    case .url: "URLs as strings"
    case .uuid: "UUIDs as strings"
    case .data: "strings in Base64"
    default: nil
    }
  }

  private var countWords: String? {
    let unit = kind == .data ? "byte" : isText ? "character" : "element"
    func counted(_ number: Int) -> String { "\(number) \(unit)\(number == 1 ? "" : "s")" }
    return switch (minimumCount, maximumCount) {
    case (let low?, let high?): low == high ? counted(low) : "\(low) to \(counted(high))"
    case (let low?, nil): "\(low) or more \(unit)s"
    case (nil, let high?): "at most \(counted(high))"
    case (nil, nil): nil
    }
  }
}
