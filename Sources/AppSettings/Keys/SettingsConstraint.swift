/// What a key's value has to satisfy beyond its type.
package struct SettingsConstraint<Value: Sendable>: Sendable {
  /// What an error says is needed: `from 6 to 72`.
  package let expected: String
  package let isSatisfied: @Sendable (Value) -> Bool

  package init(expected: String, isSatisfied: @escaping @Sendable (Value) -> Bool) {
    self.expected = expected
    self.isSatisfied = isSatisfied
  }

  package static func range(_ range: ClosedRange<Value>) -> Self where Value: Comparable {
    SettingsConstraint(expected: "from \(range.lowerBound) to \(range.upperBound)") { range.contains($0) }
  }
}
