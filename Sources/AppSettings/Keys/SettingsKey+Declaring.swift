// How keys are declared. A key of a type that is not optional has no initialiser without a default.

extension SettingsKey where Value: SettingsSerializable {
  /// Makes a key with a default.
  public convenience init(
    _ name: String, default value: Value, formerly: SettingsFormerNames = [], _ details: SettingsKeyDetail...
  ) {
    self.init(name, fallback: .value(value), formerly: formerly, details: details, bridge: Value.settingsBridge)
  }

  /// Makes a key whose default is computed at each read that finds no value, and not before.
  public convenience init(
    _ name: String, where constraint: SettingsConstraint<Value>? = nil, formerly: SettingsFormerNames = [],
    _ details: SettingsKeyDetail..., default make: @escaping @Sendable () -> Value
  ) {
    self.init(
      name, fallback: .computed(make), constraint: constraint, formerly: formerly, details: details,
      bridge: Value.settingsBridge)
  }

  /// Makes an optional key: `nil` reads while there is no value, and setting `nil` removes the value.
  ///
  /// With a `default:`, that is what reads instead, also after `nil` was set.
  public convenience init<Wrapped>(
    _ name: String, formerly: SettingsFormerNames = [], _ details: SettingsKeyDetail...
  ) where Value == Wrapped? {
    self.init(name, fallback: .absent, formerly: formerly, details: details, bridge: Value.settingsBridge)
  }

  /// Not there: a value that is not optional needs something to read while none is stored.
  @available(*, unavailable, message: "a key whose type is not optional needs a default")
  public convenience init(_ name: String) { fatalError("unavailable") }

  /// Makes a key whose value has to lie in a range.
  public convenience init(
    _ name: String, default value: Value, in range: some RangeExpression<Value> & Sendable,
    formerly: SettingsFormerNames = [], _ details: SettingsKeyDetail...
  ) where Value: Comparable {
    self.init(
      name, fallback: .value(value), constraint: .in(range), formerly: formerly, details: details,
      bridge: Value.settingsBridge)
  }

  /// Makes an optional key whose value has to lie in a range.
  public convenience init<Wrapped: Comparable>(
    _ name: String, default value: Wrapped? = nil, in range: some RangeExpression<Wrapped> & Sendable,
    formerly: SettingsFormerNames = [], _ details: SettingsKeyDetail...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .optional(value), constraint: SettingsConstraint.in(range).optional, formerly: formerly,
      details: details, bridge: Value.settingsBridge)
  }

  /// Makes a key whose value has to be one of a few.
  public convenience init(
    _ name: String, default value: Value, oneOf choices: [Value], formerly: SettingsFormerNames = [],
    _ details: SettingsKeyDetail...
  ) where Value: Equatable {
    self.init(
      name, fallback: .value(value), constraint: .oneOf(choices), formerly: formerly, details: details,
      bridge: Value.settingsBridge)
  }

  /// Makes an optional key whose value has to be one of a few.
  public convenience init<Wrapped: Equatable>(
    _ name: String, default value: Wrapped? = nil, oneOf choices: [Wrapped], formerly: SettingsFormerNames = [],
    _ details: SettingsKeyDetail...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .optional(value), constraint: SettingsConstraint.oneOf(choices).optional, formerly: formerly,
      details: details, bridge: Value.settingsBridge)
  }

  /// Makes a key whose whole string has to match a regular expression.
  public convenience init(
    _ name: String, default value: Value, matching pattern: String, formerly: SettingsFormerNames = [],
    _ details: SettingsKeyDetail...
  ) where Value: StringProtocol {
    self.init(
      name, fallback: .value(value), constraint: .matching(pattern), formerly: formerly, details: details,
      bridge: Value.settingsBridge)
  }

  /// Makes an optional key whose whole string has to match a regular expression.
  public convenience init<Wrapped: StringProtocol>(
    _ name: String, default value: Wrapped? = nil, matching pattern: String, formerly: SettingsFormerNames = [],
    _ details: SettingsKeyDetail...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .optional(value), constraint: SettingsConstraint.matching(pattern).optional, formerly: formerly,
      details: details, bridge: Value.settingsBridge)
  }

  /// Makes a key of strings, each of which has to match a regular expression as a whole.
  public convenience init(
    _ name: String, default value: Value, matching pattern: String, formerly: SettingsFormerNames = [],
    _ details: SettingsKeyDetail...
  ) where Value: Sequence, Value.Element: StringProtocol & SettingsSerializable & Sendable {
    self.init(
      name, fallback: .value(value), constraint: .each(.matching(pattern)), formerly: formerly, details: details,
      bridge: Value.settingsBridge)
  }

  /// Makes a key whose string has to have so many characters, or its collection so many elements.
  public convenience init(
    _ name: String, default value: Value, count range: some RangeExpression<Int> & Sendable,
    formerly: SettingsFormerNames = [], _ details: SettingsKeyDetail...
  ) where Value: Collection {
    self.init(
      name, fallback: .value(value), constraint: .count(range), formerly: formerly, details: details,
      bridge: Value.settingsBridge)
  }

  /// Makes an optional key whose string has to have so many characters, or its collection so many elements.
  public convenience init<Wrapped: Collection>(
    _ name: String, default value: Wrapped? = nil, count range: some RangeExpression<Int> & Sendable,
    formerly: SettingsFormerNames = [], _ details: SettingsKeyDetail...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .optional(value), constraint: SettingsConstraint.count(range).optional, formerly: formerly,
      details: details, bridge: Value.settingsBridge)
  }

  /// Makes a key with a constraint of any kind.
  public convenience init(
    _ name: String, default value: Value, where constraint: SettingsConstraint<Value>,
    formerly: SettingsFormerNames = [], _ details: SettingsKeyDetail...
  ) {
    self.init(
      name, fallback: .value(value), constraint: constraint, formerly: formerly, details: details,
      bridge: Value.settingsBridge)
  }

  /// Makes an optional key with a constraint of any kind.
  public convenience init<Wrapped>(
    _ name: String, default value: Wrapped? = nil, where constraint: SettingsConstraint<Wrapped>,
    formerly: SettingsFormerNames = [], _ details: SettingsKeyDetail...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .optional(value), constraint: constraint.optional, formerly: formerly, details: details,
      bridge: Value.settingsBridge)
  }
}

extension SettingsKey {
  /// Makes a key with a bridge of its own, for a type that is not ``SettingsSerializable`` or is stored otherwise here.
  public convenience init(
    _ name: String, default value: Value, where constraint: SettingsConstraint<Value>? = nil,
    formerly: SettingsFormerNames = [], _ details: SettingsKeyDetail..., bridge: SettingsBridge<Value>
  ) {
    self.init(
      name, fallback: .value(value), constraint: constraint, formerly: formerly, details: details, bridge: bridge)
  }

  /// Makes an optional key with a bridge of its own for its values.
  public convenience init<Wrapped>(
    _ name: String, where constraint: SettingsConstraint<Wrapped>? = nil, formerly: SettingsFormerNames = [],
    _ details: SettingsKeyDetail..., bridge: SettingsBridge<Wrapped>
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .absent, constraint: constraint?.optional, formerly: formerly, details: details,
      bridge: bridge.optional)
  }
}

extension SettingsKey.Default {
  /// A default that may be absent.
  fileprivate static func optional<Wrapped: Sendable>(_ value: Wrapped?) -> SettingsKey<Wrapped?>.Default
  where Value == Wrapped? {
    value.map { .value($0) } ?? .absent
  }
}
