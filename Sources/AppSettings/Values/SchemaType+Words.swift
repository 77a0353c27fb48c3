import FoundationEssentials
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
    var words = baseWords(isWhole).one
    // An integer that only UInt64 holds has its end, too.
    let isBeyond = if kind == .integer, case .string? = minimum { true } else { false }
    let end = maximum.map(shown) ?? (isBeyond ? "\(UInt64.max)" : nil)
    let range = Expectation.range(from: minimum.map(shown), upTo: end, below: limit.map(shown))
    if let range { words += " " + range }
    if let count = countWords, kind != .character { words += " \(isText ? "of" : "with") \(count)" }
    if isOrdered { words += " in ascending order" }
    for pattern in patterns { words += " that matches '\(isWhole ? pattern : pattern.shortened())'" }
    if let example { words += ", such as \(example.errorText)" }
    return words
  }

  /// Returns a bound as text; an integer beyond TOML's range as its digits.
  private func shown(_ bound: TOMLValue) -> String {
    if kind == .integer, case .string(let digits) = bound { return digits }
    return bound.errorText
  }

  private func baseWords(_ isWhole: Bool) -> Expectation {
    switch kind {
    case .string: String.expectation
    case .integer: Int.expectation
    case .float, .float32: Double.expectation
    case .boolean: Bool.expectation
    case .offsetDateTime: TOMLOffsetDateTime.settingsBridge.core.expectation
    case .localDateTime: TOMLLocalDateTime.settingsBridge.core.expectation
    case .localDate: TOMLLocalDate.settingsBridge.core.expectation
    case .localTime: TOMLLocalTime.settingsBridge.core.expectation
    case .duration: Duration.settingsBridge.core.expectation
    case .url: URL.settingsBridge.core.expectation
    case .uuid: UUID.settingsBridge.core.expectation
    case .data: Data.settingsBridge.core.expectation
    case .decimal: Decimal.settingsBridge.core.expectation
    case .character: Character.settingsBridge.core.expectation
    case .timeZone: TimeZone.settingsBridge.core.expectation
    case .array: Expectation("an array" + words(ofParts: "elements", isWhole))
    case .table: Expectation("a table" + (fields.map { " with \(Self.list($0))" } ?? words(ofParts: "values", isWhole)))
    case .records:
      Expectation("a table with a table for each record" + (fields.map { ", with \(Self.list($0))" } ?? ""))
    case .any: Expectation("a value")
    }
  }

  private func words(ofParts name: String, _ isWhole: Bool) -> String {
    guard let element else { return "" }
    // Unless there is more to say about each value than its type.
    if element == SchemaType(element.kind), let many = element.baseWords(isWhole).many { return " of \(many)" }
    return " whose \(name) are each \(isWhole ? element.expectedInFull : element.expected)"
  }

  private static func list(_ fields: [Field]) -> String {
    let names = fields.prefix(4).map { "'\($0.name)'" }.joined(separator: ", ")
    return fields.isEmpty ? "any fields" : "fields such as \(names)"
  }

  private var countWords: String? {
    Expectation.count(
      from: minimumCount, to: maximumCount, of: kind == .data ? "byte" : isText ? "character" : "element")
  }
}
