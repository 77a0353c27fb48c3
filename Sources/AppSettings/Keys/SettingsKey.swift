/// A typed key: a path in the settings file, the type of the value there, and what reads while there is none.
///
/// A key names a leaf: a value of its own, or a table whose fields the type knows. Its default is a fallback for
/// reading and is never written. A key whose name is not a dotted path of TOML keys is a programming error and traps.
public final class SettingsKey<Value: Sendable>: SettingsKeys, @unchecked Sendable {  // constants and a locked cache
  package enum Default: Sendable {
    case value(Value)
    case computed(@Sendable () -> Value)
    /// Optional keys: `nil`.
    case absent
  }

  /// How values are read from and written to the file.
  public let bridge: SettingsBridge<Value>
  package let fallback: Default
  package let constraint: SettingsConstraint<Value>?
  @usableFromInline package let cache = ValueCache<Value>()

  package init(
    _ name: String, fallback: Default, constraint: SettingsConstraint<Value>?, options: SettingsKeyOptions,
    summary: String, bridge: SettingsBridge<Value>
  ) {
    self.bridge = bridge
    self.fallback = fallback
    self.constraint = constraint
    super.init(name: name, options: options, summary: summary)
    if case .value(let value) = fallback, let constraint, !constraint.isSatisfied(value) {
      preconditionFailure("Invalid default of settings key '\(name)': it has to be \(constraint.expected).")
    }
  }

  /// What reads while no layer has a value.
  public var defaultValue: Value {
    switch fallback {
    case .value(let value): value
    case .computed(let make): make()
    case .absent: bridge.absent!
    }
  }

  package override func check(_ value: TOMLValue) throws(SettingsValueError) { _ = try decode(value) }
}

extension SettingsKey where Value: SettingsSerializable {
  /// Makes a key with a default.
  public convenience init(
    _ name: String, default value: Value, _ options: SettingsKeyOptions = [], _ summary: String = ""
  ) {
    self.init(
      name, fallback: .value(value), constraint: nil, options: options, summary: summary, bridge: Value.settingsBridge)
  }

  /// Makes a key with a default.
  public convenience init(_ name: String, default value: Value, _ summary: String) {
    self.init(name, default: value, [], summary)
  }

  /// Makes a key whose default is computed at each read that finds no value, and not before.
  public convenience init(
    _ name: String, _ options: SettingsKeyOptions = [], _ summary: String = "",
    default make: @escaping @Sendable () -> Value
  ) {
    self.init(
      name, fallback: .computed(make), constraint: nil, options: options, summary: summary,
      bridge: Value.settingsBridge)
  }

  /// Makes a key whose value has to lie in a range, checked when it is set and when it is read.
  public convenience init(
    _ name: String, default value: Value, in range: ClosedRange<Value>, _ options: SettingsKeyOptions = [],
    _ summary: String = ""
  ) where Value: Comparable {
    self.init(
      name, fallback: .value(value), constraint: .range(range), options: options, summary: summary,
      bridge: Value.settingsBridge)
  }

  /// Makes a key whose value has to lie in a range, checked when it is set and when it is read.
  public convenience init(_ name: String, default value: Value, in range: ClosedRange<Value>, _ summary: String)
  where Value: Comparable {
    self.init(name, default: value, in: range, [], summary)
  }

  /// Makes an optional key: `nil` reads while there is no value, and setting `nil` removes the value.
  public convenience init<Wrapped>(_ name: String, _ options: SettingsKeyOptions = [], _ summary: String = "")
  where Value == Wrapped? {
    self.init(
      name, fallback: .absent, constraint: nil, options: options, summary: summary, bridge: Value.settingsBridge)
  }

  /// Makes an optional key: `nil` reads while there is no value, and setting `nil` removes the value.
  public convenience init<Wrapped>(_ name: String, _ summary: String) where Value == Wrapped? {
    self.init(name, [], summary)
  }
}

extension SettingsKey {
  /// Makes a key with a bridge of its own, for a type that is not ``SettingsSerializable`` or is stored otherwise here.
  public convenience init(
    _ name: String, default value: Value, _ options: SettingsKeyOptions = [], _ summary: String = "",
    bridge: SettingsBridge<Value>
  ) {
    self.init(
      name, fallback: .value(value), constraint: nil, options: options, summary: summary, bridge: bridge)
  }
}
