/// A condition that a key's value must satisfy in addition to its type.
package struct SettingsConstraint<Value: Sendable>: Sendable {
  /// A part of a value that violates a constraint.
  package struct Violation: Sendable {
    /// The path of that part, as in the error; empty for the value itself.
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

  /// Makes the description of a valid value from that of the type.
  private let wording: Wording
  /// Whether the wording replaces the description of the type.
  private let replacesBase: Bool
  /// Makes the facts for tools, which schema files contain.
  private let makeFacts: Facts
  /// Returns the first violation that it finds; `nil` for a valid value.
  private let findViolation: @Sendable (Value) -> Violation?

  /// Makes a constraint from its parts.
  ///
  /// - Parameters:
  ///   - wording: Makes the description of a valid value.
  ///   - replacesBase: Whether that description stands alone, as `one of 1, 2, 4`, and does not begin with the type.
  ///   - facts: Makes the facts for tools; none if only the app can check the constraint.
  ///   - violation: Returns the part of a value that is not valid.
  init(
    wording: @escaping Wording, replacesBase: Bool, facts: @escaping Facts,
    violation: @escaping @Sendable (Value) -> Violation?
  ) {
    self.wording = wording
    self.replacesBase = replacesBase
    makeFacts = facts
    findViolation = violation
  }

  /// The constraint that is satisfied if all of several are; `nil` for none.
  static func all(_ constraints: [Self]) -> Self? {
    constraints.dropFirst().reduce(constraints.first) { $0?.and($1) }
  }

  /// Returns a constraint that is satisfied if both this one and another are.
  ///
  /// This constraint is checked first; if it is violated, the error is about it. The description joins both.
  private func and(_ other: Self) -> Self {
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
  ///
  /// The wording and the facts are those of the wrapped type.
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
  ///
  /// Bounds and choices appear in their stored form. Long ones are cut.
  package func expected(of bridge: SettingsBridge<Value>) -> String {
    wording(bridge.expected) { (try? bridge.write($0))?.errorText ?? "\($0)" }
  }

  /// Returns the facts about the constraint, for tools.
  ///
  /// Values that cannot be stored are left out.
  package func facts(of bridge: SettingsBridge<Value>) -> [ConstraintFact] {
    makeFacts({ try? bridge.write($0) }, bridge.core.isAsStored)
  }

  /// Returns the part of a value that violates the constraint; `nil` if none does.
  package func violation(of value: Value) -> Violation? { findViolation(value) }
}
