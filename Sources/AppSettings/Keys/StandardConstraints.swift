// The conditions of values.

extension SettingsKeyDetail {
  /// Requires that the value lies in a range, which may be open at one end: `6...72`, `1...`, `..<100`.
  ///
  /// Errors describe it: `an integer from 6 to 72`. Tools check it for numbers, dates, durations and other types that
  /// the library stores itself. For a type with its own order, only the app can check it.
  ///
  /// ```swift
  /// static let fontSize = SettingsKey("font-size", default: 12, .in(6...72))
  /// static let timeout = SettingsKey("timeout", default: Duration.seconds(30), .in(Duration.zero...))
  /// ```
  public static func `in`(_ range: some RangeExpression<Value> & Sendable) -> Self where Value: Comparable {
    let bounds = Bounds<Value>(range)
    return .where(
      wording: { base, shown in
        let words = bounds.words(shown)
        // The name of a small integer type contains its own range, which would appear next to this one.
        return Value.self is any BinaryInteger.Type ? "an integer \(words)" : "\(base) \(words)"
      },
      facts: { stored, isAsStored in
        // The order of a custom type may differ from that of its stored form.
        guard isAsStored else { return [] }
        let minimum = bounds.lower.flatMap(stored).map { ConstraintFact.minimum($0) }
        let maximum = bounds.upper.flatMap(stored).map { bounds.isHalfOpen ? .limit($0) : ConstraintFact.maximum($0) }
        return [minimum, maximum].compactMap { $0 }
      },
      violation: { range.contains($0) ? nil : Violation() })
  }

  /// Requires that the value is one of the given choices.
  ///
  /// Tools offer the choices in this order. A `CaseIterable` enumeration with raw values does not need this: its cases
  /// are its choices.
  ///
  /// ```swift
  /// static let tabWidth = SettingsKey("tab-width", default: 4, .oneOf([2, 4, 8]))
  /// ```
  ///
  /// - Parameter choices: The valid values. An empty list refuses every value.
  public static func oneOf(_ choices: [Value]) -> Self where Value: Equatable {
    let isChoice = lookup(of: choices)
    return .where(
      wording: { _, shown in
        choices.count == 1 ? shown(choices[0]) : Expectation.oneOf(choices, shown)
      },
      replacesBase: true, facts: { stored, _ in [.choices(choices.compactMap(stored))] },
      violation: { isChoice($0) ? nil : Violation() })
  }

  /// Returns a function that checks whether a value is one of the choices; many choices are looked up in a set.
  private static func lookup(of choices: [Value]) -> @Sendable (Value) -> Bool where Value: Equatable {
    guard choices.count > 16, Value.self is any Hashable.Type else { return { choices.contains($0) } }
    nonisolated(unsafe) let all = Set(choices.compactMap { $0 as? AnyHashable })  // all of the Sendable type 'Value'
    // A `nil` cannot be an `AnyHashable` of the set.
    return { value in (value as? AnyHashable).map(all.contains) ?? choices.contains(value) }
  }

  /// Requires that the whole string matches a pattern: a regular expression in the syntax of Swift's `Regex`.
  ///
  /// The pattern is text because errors and tools show it. It is a programming error and traps if the pattern is not a
  /// regular expression, is longer than 8192 bytes, or has parts that look at more than one character: back references,
  /// look-arounds, word boundaries, possessive repetitions and groups other than `(…)` and `(?:…)`. `(?i)` may begin
  /// it.
  ///
  /// A match takes time in proportion to the text, whatever the pattern is, so that no text in a file can block the
  /// app. A text of more than 1 MiB, or less for patterns with many parts, is refused, with an error that says so.
  ///
  /// ```swift
  /// static let accent = SettingsKey("accent", default: "", .matching("(#[0-9a-f]{6})?"), .example("#2f5fd0"))
  /// ```
  public static func matching(_ pattern: String) -> Self where Value: StringProtocol {
    let pattern = SettingsPattern(pattern)
    if let fault = pattern.fault { preconditionFailure("Invalid pattern of a settings key: \(fault).") }
    return .where(
      wording: { base, _ in "\(base) that matches '\(pattern.text.shortened())'" },
      facts: { _, isAsStored in isAsStored ? [.pattern(pattern.text)] : [] },
      violation: {
        switch pattern.verdict(on: String($0)) {
        case .matches: nil
        case .differs: Violation()
        case .refused(let reason): Violation(reason: reason)
        }
      })
  }

  /// Requires a number of characters of a string, or of elements of a collection, in a range: `1...20`, `...3`.
  ///
  /// Characters are Swift's: `é` is one, however it is encoded. The elements of `Data` are its bytes.
  ///
  /// ```swift
  /// static let recent = SettingsKey("recent", default: [String](), .count(...10))
  /// ```
  public static func count(_ range: some RangeExpression<Int> & Sendable) -> Self where Value: Collection {
    let bounds = Bounds<Int>(range)
    let isText = Value.self is any StringProtocol.Type
    return .where(
      wording: { base, _ in
        "\(base) \(isText ? "of" : "with") \(bounds.countWords(of: isText ? "character" : "element"))"
      },
      facts: { _, isAsStored in isAsStored ? [.count(minimum: bounds.lower, maximum: bounds.last)] : [] },
      violation: { range.contains($0.count) ? nil : Violation() })
  }

  /// Requires that each element satisfies constraints. An error names the first element that does not.
  ///
  /// ```swift
  /// static let ports = SettingsKey("ports", default: [Int](), .each(.in(1...65535)))
  /// ```
  ///
  /// Details that are not constraints say nothing of an element: they are a programming error and trap.
  public static func each(_ details: SettingsKeyDetail<Value.Element>...) -> Self
  where Value: Sequence, Value.Element: SettingsSerializable {
    let bridge = Value.Element.settingsBridge
    let constraints = details.compactMap(\.constraint)
    guard constraints.count == details.count, let constraint = SettingsConstraint.all(constraints) else {
      preconditionFailure("A key's '.each' takes one constraint or more, and nothing else.")
    }
    let expected = constraint.expected(of: bridge)
    return .where(
      wording: { _, _ in "an array whose elements are each \(expected)" }, replacesBase: true,
      facts: { _, isAsStored in isAsStored ? constraint.facts(of: bridge).map { .each($0) } : [] },
      violation: { value in
        for (index, element) in value.enumerated() {
          guard let violation = constraint.violation(of: element) else { continue }
          return Violation(
            path: ["[\(index)]"] + violation.path, expected: violation.expected ?? expected, reason: violation.reason)
        }
        return nil
      })
  }

  /// Requires that the value satisfies a condition of your own. Tools can show its description but cannot check it.
  ///
  /// The condition may run on any thread, whenever a value is set or a stored one is decoded. It must depend on the
  /// value alone: a value that was valid when it was set must be valid when it is read later.
  ///
  /// ```swift
  /// static let columns = SettingsKey("columns", default: 80, .satisfying("that is even") { $0.isMultiple(of: 2) })
  /// ```
  ///
  /// - Parameters:
  ///   - words: The words that follow the name of the type in errors: `that is even` for `an integer that is even`.
  ///   - isSatisfied: Returns whether a value is valid.
  public static func satisfying(_ words: String, _ isSatisfied: @escaping @Sendable (Value) -> Bool) -> Self {
    .where(wording: { base, _ in "\(base) \(words)" }) { isSatisfied($0) ? nil : Violation() }
  }

  private typealias Violation = SettingsConstraint<Value>.Violation

  private static func `where`(
    wording: @escaping SettingsConstraint<Value>.Wording, replacesBase: Bool = false,
    facts: @escaping SettingsConstraint<Value>.Facts = { _, _ in [] },
    violation: @escaping @Sendable (Value) -> Violation?
  ) -> Self {
    Self(
      constraint: SettingsConstraint(
        wording: wording, replacesBase: replacesBase, facts: facts, violation: violation))
  }
}

/// The bounds that a range has.
///
/// None are known for a range type of the app's own: the check uses its `contains`, and the description stays general.
private struct Bounds<Bound: Comparable & Sendable>: Sendable {
  var lower: Bound?
  var upper: Bound?
  /// Whether the upper bound itself is outside of the range.
  var isHalfOpen = false

  init(_ range: some RangeExpression<Bound>) {
    switch range {
    case let range as ClosedRange<Bound>: (lower, upper) = (range.lowerBound, range.upperBound)
    case let range as Range<Bound>: (lower, upper, isHalfOpen) = (range.lowerBound, range.upperBound, true)
    case let range as PartialRangeFrom<Bound>: lower = range.lowerBound
    case let range as PartialRangeThrough<Bound>: upper = range.upperBound
    case let range as PartialRangeUpTo<Bound>: (upper, isHalfOpen) = (range.upperBound, true)
    default: break
    }
  }

  /// The range in words: `from 6 to 72`, `from 1`, `below 100`.
  func words(_ shown: (Bound) -> String) -> String {
    let upper = upper.map(shown)
    return Expectation.range(from: lower.map(shown), upTo: isHalfOpen ? nil : upper, below: isHalfOpen ? upper : nil)
      ?? "in the range that is allowed"
  }
}

extension Bounds<Int> {
  /// The greatest number in the range.
  var last: Int? { upper.map { isHalfOpen ? $0 - 1 : $0 } }

  /// The range as a count: `1 to 20 characters`, `at most 3 elements`.
  func countWords(of unit: String) -> String {
    Expectation.count(from: lower, to: last, of: unit) ?? "a number of \(unit)s that is allowed"
  }
}
