/// A description of valid stored values: of one, and where the words allow it, of several.
///
/// Descriptions compose: `an integer` gives `an array of integers`, and that `a table of arrays of integers`.
struct Expectation: Sendable {
  /// With its article: `an integer from 0 to 255`.
  var one: String
  /// The plural: `integers from 0 to 255`; `nil` if it cannot be formed.
  var many: String?

  init(_ one: String, many: String? = nil) {
    self.one = one
    self.many = many
  }

  /// An array of these: `an array of integers`.
  var array: Expectation {
    guard let many else { return Expectation("an array whose elements are each \(one)") }
    return Expectation("an array of \(many)", many: "arrays of \(many)")
  }

  /// A table of these: `a table of integers`.
  var table: Expectation {
    guard let many else { return Expectation("a table whose values are each \(one)") }
    return Expectation("a table of \(many)", many: "tables of \(many)")
  }

  /// The key of a table that stands for one: `a key that stands for an integer`.
  var key: Expectation { Expectation("a key that stands for \(one)") }

  /// One of few: `one of "light", "dark"`.
  static func choice(of choices: [TOMLValue]) -> Expectation {
    Expectation(choices.count == 1 ? choices[0].errorText : oneOf(choices, \.errorText))
  }

  /// The words for a range: `from 1 to below 8`; `nil` if it has no bounds.
  static func range(from low: String?, upTo high: String?, below limit: String?) -> String? {
    switch (low, high, limit) {
    case (let low?, _, let limit?): "from \(low) to below \(limit)"
    case (nil, _, let limit?): "below \(limit)"
    case (let low?, let high?, nil): "from \(low) to \(high)"
    case (let low?, nil, nil): "from \(low)"
    case (nil, let high?, nil): "up to \(high)"
    case (nil, nil, nil): nil
    }
  }

  /// The words for a number of things: `2 to 5 elements`; `nil` if it has no bounds.
  static func count(from low: Int?, to high: Int?, of unit: String) -> String? {
    func counted(_ number: Int) -> String { "\(number) \(unit)\(number == 1 ? "" : "s")" }
    return switch (low, high) {
    case (let low?, let high?): low == high ? counted(low) : "\(low) to \(counted(high))"
    case (let low?, nil): "\(low) or more \(unit)s"
    case (nil, let high?): "at most \(counted(high))"
    case (nil, nil): nil
    }
  }

  /// Lists the choices, at most twelve of them.
  static func oneOf<Choice>(_ choices: [Choice], _ shown: (Choice) -> String) -> String {
    "one of \(choices.prefix(12).map(shown).joined(separator: ", "))\(choices.count > 12 ? ", …" : "")"
  }
}
