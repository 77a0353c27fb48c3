/// What a key's value has to satisfy beyond its type.
///
/// It is checked when a value is set, by API and command line alike, and when one is read; errors say it in words.
/// In a key's declaration it is a ``SettingsKeyDetail``: several hold together.
///
/// ```swift
/// static let columns = SettingsKey(
///   "columns", default: 80, .in(40...), .satisfying("that is even") { $0.isMultiple(of: 2) })
/// ```
public struct SettingsConstraint<Value: Sendable>: Sendable {
  /// What breaks a constraint.
  package struct Violation: Sendable {
    /// The way to the part that does, as in ``SettingsValueError/path``; empty for the value itself.
    package var path: [String] = []
    /// What that part has to be; `nil` for the value itself, where it is what the key expects.
    package var expected: String?
    /// Why it was refused, where that does not say.
    package var reason: String?
  }

  /// Makes what an error says is needed, of what the type alone needs: `an integer` → `an integer from 6 to 72`.
  /// The second argument shows a value as it is in a file.
  typealias Wording = @Sendable (_ base: String, _ shown: (Value) -> String) -> String
  /// Makes what is known of the constraint, for tools. The first argument makes what is stored for a value; the second
  /// says whether stored values are equal, ordered and counted as the values are.
  typealias Facts = @Sendable (_ stored: (Value) -> SettingsValue?, _ isAsStored: Bool) -> [ConstraintFact]

  private let wording: Wording
  /// Whether the wording ignores what the type alone needs.
  private let replacesBase: Bool
  private let makeFacts: Facts
  private let findViolation: @Sendable (Value) -> Violation?

  init(
    wording: @escaping Wording, replacesBase: Bool = false, facts: @escaping Facts = { _, _ in [] },
    violation: @escaping @Sendable (Value) -> Violation?
  ) {
    self.wording = wording
    self.replacesBase = replacesBase
    makeFacts = facts
    findViolation = violation
  }

  /// A constraint of which only its words are known to tools.
  ///
  /// - Parameters:
  ///   - words: What follows the name of the type in errors: `that is even` for `an integer that is even`.
  ///   - isSatisfied: Whether a value is fine.
  public static func satisfying(_ words: String, _ isSatisfied: @escaping @Sendable (Value) -> Bool) -> Self {
    SettingsConstraint(wording: { base, _ in "\(base) \(words)" }) { isSatisfied($0) ? nil : Violation() }
  }

  /// This constraint and another one.
  public func and(_ other: Self) -> Self {
    let (first, second) = other.replacesBase && !replacesBase ? (other, self) : (self, other)
    return SettingsConstraint(
      wording: { base, shown in
        let words = first.wording(base, shown)
        return second.replacesBase
          ? "\(words) and \(second.wording(base, shown))" : second.wording(words, shown)
      },
      replacesBase: first.replacesBase,
      facts: { first.makeFacts($0, $1) + second.makeFacts($0, $1) },
      violation: { [findViolation] in findViolation($0) ?? other.findViolation($0) })
  }

  /// The constraint for an optional: `nil` is always fine.
  package var optional: SettingsConstraint<Value?> {
    SettingsConstraint<Value?>(
      wording: { [wording] base, shown in wording(base) { shown($0) } }, replacesBase: replacesBase,
      facts: { [makeFacts] stored, isAsStored in makeFacts({ stored($0) }, isAsStored) },
      violation: { [findViolation] value in
        value.flatMap(findViolation).map {
          SettingsConstraint<Value?>.Violation(path: $0.path, expected: $0.expected, reason: $0.reason)
        }
      })
  }

  /// What an error says is needed.
  package func expected(of bridge: SettingsBridge<Value>) -> String {
    wording(bridge.expected) { (try? bridge.write($0))?.errorText ?? "\($0)" }
  }

  /// What is known of the constraint, for tools.
  package func facts(of bridge: SettingsBridge<Value>) -> [ConstraintFact] {
    makeFacts({ try? bridge.write($0) }, bridge.core.isAsStored)
  }

  /// What breaks it; `nil` if nothing does.
  package func violation(of value: Value) -> Violation? { findViolation(value) }
}
