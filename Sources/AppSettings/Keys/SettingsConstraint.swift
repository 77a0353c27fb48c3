/// A condition that a key's value must satisfy in addition to its type.
///
/// It is checked each time a value is set or read, by the API and the command line alike. Error messages describe it.
/// Pass it to a key's declaration as a ``SettingsKeyDetail``; if there are several, a value must satisfy all of them.
///
/// ```swift
/// static let columns = SettingsKey(
///   "columns", default: 80, .in(40...), .satisfying("that is even") { $0.isMultiple(of: 2) })
/// ```
public struct SettingsConstraint<Value: Sendable>: SettingsConstraining {
  /// A part of a value that violates a constraint.
  package struct Violation: Sendable {
    /// The path of that part, as in ``SettingsValueError/path``; empty for the value itself.
    package var path: [String] = []
    /// The description of a valid part; `nil` for the value itself, to which the key's own description applies.
    package var expected: String?
    /// The reason, if the description of a valid value does not make it clear.
    package var reason: String?
  }

  /// Turns the description of the type into that of a valid value: `an integer` → `an integer from 6 to 72`. The second
  /// argument returns a value in the form that it has in a file.
  typealias Wording = @Sendable (_ base: String, _ shown: (Value) -> String) -> String
  /// Returns the facts about the constraint, for tools. The first argument returns the stored form of a value. The
  /// second tells whether stored values have the equality, order and count of the values.
  typealias Facts = @Sendable (_ stored: (Value) -> SettingsValue?, _ isAsStored: Bool) -> [ConstraintFact]

  private let wording: Wording
  /// Whether the wording replaces the description of the type.
  private let replacesBase: Bool
  private let makeFacts: Facts
  private let findViolation: @Sendable (Value) -> Violation?

  init(
    wording: @escaping Wording, replacesBase: Bool, facts: @escaping Facts,
    violation: @escaping @Sendable (Value) -> Violation?
  ) {
    self.wording = wording
    self.replacesBase = replacesBase
    makeFacts = facts
    findViolation = violation
  }

  /// Returns the constraint itself.
  public static func `where`(_ constraint: SettingsConstraint<Value>) -> Self { constraint }

  /// Returns a constraint that is satisfied if both this one and another are.
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

  /// The same constraint for an optional: `nil` always satisfies it.
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

  /// Returns the description of a valid value, for error messages.
  package func expected(of bridge: SettingsBridge<Value>) -> String {
    wording(bridge.expected) { (try? bridge.write($0))?.errorText ?? "\($0)" }
  }

  /// Returns the facts about the constraint, for tools.
  package func facts(of bridge: SettingsBridge<Value>) -> [ConstraintFact] {
    makeFacts({ try? bridge.write($0) }, bridge.core.isAsStored)
  }

  /// Returns the part of a value that violates the constraint; `nil` if none does.
  package func violation(of value: Value) -> Violation? { findViolation(value) }
}
