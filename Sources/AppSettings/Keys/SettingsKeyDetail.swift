/// What a declaration says of a key beyond its name, type and default: what a value has to satisfy, how it is handled, and,
/// as a string literal, what it means.
///
/// ```swift
/// static let columns = SettingsKey("columns", default: 80, .in(20...400), .formerly("width"), "Where lines are wrapped.")
/// static let token = SettingsKey<String?>("sync.token", .secret, "What the server gave this device.")
/// ```
///
/// All constraints that are given hold. They are the same for an optional key, where `nil` satisfies each.
public struct SettingsKeyDetail<Value: Sendable>: Sendable {
  enum Content: Sendable {
    case summary(String)
    case secret
    case group(SettingsGroup)
    case formerNames([String])
    case constraint(SettingsConstraint<Value>)
  }
  let content: Content

  init(_ content: Content) { self.content = content }

  /// What the value means.
  public static func summary(_ text: String) -> Self { Self(.summary(text)) }

  /// The value is a secret: it is left out of logs, problems, error messages and listings.
  public static var secret: Self { Self(.secret) }

  /// The key is in a group, and its name is relative to that.
  public static func group(_ group: SettingsGroup) -> Self { Self(.group(group)) }

  /// The names that the key had in earlier releases.
  ///
  /// While a layer has no value under the key's name, one under a former name is read; the next write of the key puts the
  /// value under the present name and takes the former away, in one.
  ///
  /// A former name above or below the key's own (`font` for `font.size`) is a programming error and traps, since removing
  /// the one would remove the other: that takes a `Migration` with `Rename`. A key of records has none.
  ///
  /// - Parameter names: Dotted paths, the newest first. They are not relative to the key's group.
  public static func formerly(_ names: String...) -> Self { formerly(names) }

  package static func formerly(_ names: [String]) -> Self { Self(.formerNames(names)) }
}

extension SettingsKeyDetail: ExpressibleByStringInterpolation {
  /// What the value means.
  public init(stringLiteral value: String) { self = .summary(value) }
}

/// What a declaration says of a key of records: its description, its group, whether they are secret.
public typealias SettingsRecordDetail = SettingsKeyDetail<Never>

// MARK: Constraints

extension SettingsKeyDetail {
  /// The value satisfies a constraint of any kind.
  public static func `where`(_ constraint: SettingsConstraint<Value>) -> Self { Self(.constraint(constraint)) }

  /// The value lies in a range, see ``SettingsConstraint/in(_:)``.
  public static func `in`(_ range: some RangeExpression<Value> & Sendable) -> Self where Value: Comparable {
    .where(.in(range))
  }

  /// The value is one of a few.
  public static func oneOf(_ choices: [Value]) -> Self where Value: Equatable { .where(.oneOf(choices)) }

  /// The value is one of a few.
  public static func oneOf(_ choices: Value...) -> Self where Value: Equatable { oneOf(choices) }

  /// The whole string matches a regular expression, see ``SettingsConstraint/matching(_:)``.
  public static func matching(_ pattern: String) -> Self where Value: StringProtocol { .where(.matching(pattern)) }

  /// Each string of the value matches a regular expression as a whole.
  public static func matching(_ pattern: String) -> Self
  where Value: Sequence, Value.Element: StringProtocol & SettingsSerializable & Sendable {
    .where(.each(.matching(pattern)))
  }

  /// The string has so many characters, the collection so many elements: `1...20`, `...3`.
  public static func count(_ range: some RangeExpression<Int> & Sendable) -> Self where Value: Collection {
    .where(.count(range))
  }

  /// Each element satisfies a constraint; an error names the first that does not.
  public static func each(_ constraint: SettingsConstraint<Value.Element>) -> Self
  where Value: Sequence, Value.Element: SettingsSerializable {
    .where(.each(constraint))
  }

  /// The value satisfies a condition of which tools know the words only.
  ///
  /// - Parameters:
  ///   - words: What follows the name of the type in errors: `that is even` for `an integer that is even`.
  ///   - isSatisfied: Whether a value is fine.
  public static func satisfying(_ words: String, _ isSatisfied: @escaping @Sendable (Value) -> Bool) -> Self {
    .where(.satisfying(words, isSatisfied))
  }
}

extension SettingsKeyDetail {
  /// The value, if there is one, satisfies a constraint of any kind.
  public static func `where`<Wrapped>(_ constraint: SettingsConstraint<Wrapped>) -> Self where Value == Wrapped? {
    Self(.constraint(constraint.optional))
  }

  /// The value, if there is one, lies in a range.
  public static func `in`<Wrapped: Comparable>(_ range: some RangeExpression<Wrapped> & Sendable) -> Self
  where Value == Wrapped? {
    .where(SettingsConstraint<Wrapped>.in(range))
  }

  /// The value, if there is one, is one of a few.
  public static func oneOf<Wrapped: Equatable>(_ choices: [Wrapped]) -> Self where Value == Wrapped? {
    .where(SettingsConstraint<Wrapped>.oneOf(choices))
  }

  /// The value, if there is one, is one of a few.
  public static func oneOf<Wrapped: Equatable>(_ choices: Wrapped...) -> Self where Value == Wrapped? { oneOf(choices) }

  /// The string, if there is one, matches a regular expression as a whole.
  public static func matching<Wrapped: StringProtocol>(_ pattern: String) -> Self where Value == Wrapped? {
    .where(SettingsConstraint<Wrapped>.matching(pattern))
  }

  /// Each string, if there are any, matches a regular expression as a whole.
  public static func matching<Wrapped: Sequence>(_ pattern: String) -> Self
  where Value == Wrapped?, Wrapped.Element: StringProtocol & SettingsSerializable & Sendable {
    .where(SettingsConstraint<Wrapped>.each(.matching(pattern)))
  }

  /// The string, if there is one, has so many characters, the collection so many elements.
  public static func count<Wrapped: Collection>(_ range: some RangeExpression<Int> & Sendable) -> Self
  where Value == Wrapped? {
    .where(SettingsConstraint<Wrapped>.count(range))
  }
}
