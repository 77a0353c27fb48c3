/// A typed key: a path in the settings file, the type of its value, and a default.
///
/// A key names a single value, or a table whose fields the type defines. Reading uses the default while there is no
/// value; the default is never written. A name that is not a dotted path of TOML keys is a programming error and traps.
public final class SettingsKey<Value: Sendable>: AnySettingsKey, @unchecked Sendable {  // constants and a locked cache
  package enum Default: Sendable {
    case value(Value)
    case computed(@Sendable () -> Value)
    /// The default is `nil`, for optional keys.
    case absent
  }

  /// The bridge that reads values from the file and writes them to it.
  public let bridge: SettingsBridge<Value>
  package let fallback: Default
  package let constraint: SettingsConstraint<Value>?
  private let example: Value?
  @usableFromInline package let cache = ValueCache<Value>()

  package init(
    _ name: String, fallback: Default, details: [SettingsKeyDetail<Value>] = [], bridge: SettingsBridge<Value>
  ) {
    self.bridge = bridge
    self.fallback = fallback
    let constraints = details.compactMap(\.constraint)
    constraint = constraints.dropFirst().reduce(constraints.first) { $0?.and($1) }
    example = details.compactMap(\.example).last
    super.init(name: name, details.compactMap(\.statement))
    precondition(
      example.flatMap { constraint?.violation(of: $0) } == nil,
      "Invalid example of settings key '\(name)': it must be \(expected).")
    if case .value(let value) = fallback, constraint?.violation(of: value) != nil {
      preconditionFailure("Invalid default of settings key '\(name)': it must be \(expected).")
    }
  }

  /// Makes the key of an optional part of a declared key.
  package init(path: TOMLPath, partOf key: AnySettingsKey, bridge: SettingsBridge<Value>) {
    self.bridge = bridge
    fallback = .absent
    constraint = nil
    example = nil
    super.init(path: path, partOf: key)
  }

  /// The value that is used while no layer has one.
  public var defaultValue: Value {
    switch fallback {
    case .value(let value): value
    case .computed(let make): make()
    case .absent: bridge.absent!
    }
  }

  package override func check(_ value: TOMLValue) throws(SettingsValueError) { _ = try decode(value) }

  override func readsDefault(_ candidates: [TOMLValue]) -> Bool {
    guard !candidates.isEmpty else { return true }
    let fallback = defaultValue
    // A default that cannot be stored is never equal to a stored value.
    guard let writtenFallback = try? bridge.write(fallback) else { return false }
    // For an unreadable value the default is used.
    guard let value = candidates.lazy.compactMap({ try? self.decode($0) }).first else { return true }
    guard let written = try? bridge.write(value) else { return false }
    if written == writtenFallback { return true }
    // Some types, such as archives, do not always write equal values alike.
    guard let value = value as? any Equatable else { return false }
    return Self.isEqual(value, to: fallback)
  }

  private static func isEqual<Other: Equatable>(_ value: Other, to fallback: Value) -> Bool {
    (fallback as? Other) == value
  }

  package override var constraintFacts: [ConstraintFact] { constraint?.facts(of: bridge) ?? [] }

  package override var schemaType: SchemaType {
    let known = hasComputedDefault ? nil : storedDefault
    // For a table, any sample will do.
    var type = bridge.schemaType(sample: known ?? (isOptionalTable ? .table(TOMLTable()) : nil)).with(constraintFacts)
    if bridge.mergesTables { type.complete(with: known) }
    // If the choices are known, each is tried with the key itself, which works with any constraint.
    if let choices = type.choices {
      let accepted = choices.filter(accepts)
      if !accepted.isEmpty { type.choices = accepted }
    }
    return type
  }

  private var isOptionalTable: Bool { if case .absent = fallback { bridge.mergesTables } else { false } }

  package override var hidesCases: Bool {
    guard case .value(let value) = fallback, bridge.choices == nil, value is any RawRepresentable else { return false }
    return Mirror(reflecting: value).displayStyle == .enum
  }

  package override var hasComputedDefault: Bool { if case .computed = fallback { true } else { false } }

  package override var expected: String { constraint?.expected(of: bridge) ?? bridge.expected }

  package override var storedDefault: TOMLValue? { try? bridge.write(defaultValue) }

  package override var storedExample: TOMLValue? { example.flatMap { try? bridge.write($0) } }
}
