/// A typed key: a path in the settings file, the type of its value, and a default.
///
/// A key names a single value, or a table whose fields the type defines. Reading uses the default while there is no
/// value; the default is never written. A name that is not a dotted path of TOML keys is a programming error and traps.
///
/// ```swift
/// extension SettingsKeys {
///   static let theme = SettingsKey("theme", default: Theme.light, "The colours of the windows.")
///   static let nickname = SettingsKey<String?>("nickname")
/// }
/// ```
///
/// Declare each key once, as a static constant in an extension of ``SettingsKeys``. A second declaration of the same
/// path with another type is reported as a problem when both are used with one store. The key caches its newest decoded
/// value, so repeated reads decode nothing.
public final class SettingsKey<Value: Sendable>: AnySettingsKey, @unchecked Sendable {  // constants and a locked cache
  /// Where the default comes from.
  package enum Default: Sendable {
    /// A constant, which satisfies the constraint.
    case value(Value)
    /// A function, called at each read that finds no value. Its results are not checked and not cached.
    case computed(@Sendable () -> Value)
    /// The default is `nil`, for optional keys.
    case absent
  }

  /// The bridge that reads values from the file and writes them to it.
  package let bridge: SettingsBridge<Value>
  package let fallback: Default
  /// All conditions of the declaration as one; `nil` if it has none.
  package let constraint: SettingsConstraint<Value>?
  /// The last example of the declaration.
  private let example: Value?
  /// The newest decoded value, for reads without a lock.
  @usableFromInline package let cache = ValueCache<Value>()

  /// Makes a key from the parts of its declaration.
  ///
  /// Traps if the default or the example violates the constraint. A computed default is not checked.
  package init(
    _ name: String, fallback: Default, details: [SettingsKeyDetail<Value>] = [], bridge: SettingsBridge<Value>
  ) {
    self.bridge = bridge
    self.fallback = fallback
    constraint = SettingsConstraint.all(details.compactMap(\.constraint))
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
  ///
  /// It has no constraint. Each record is read and written with such a key.
  package init(path: TOMLPath, partOf key: AnySettingsKey, bridge: SettingsBridge<Value>) {
    self.bridge = bridge
    fallback = .absent
    constraint = nil
    example = nil
    super.init(path: path, partOf: key)
  }

  /// The value that is used while no layer has one.
  ///
  /// Each access computes a computed default again. For an optional key without a default it is `nil`.
  public var defaultValue: Value {
    switch fallback {
    case .value(let value): value
    case .computed(let make): make()
    case .absent: bridge.absent!
    }
  }

  package override func check(_ value: TOMLValue) throws(SettingsValueError) { _ = try decode(value) }

  /// Compares the first candidate that can be decoded: by the stored forms and then, if they differ and the type is
  /// `Equatable`, by the values.
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

  /// The stored default serves as the sample that shows the fields of a `Codable` type. For an optional table without a
  /// default, an empty table does.
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

  /// `true` only for a constant default, whose value shows that the type is an enumeration.
  package override var hidesCases: Bool {
    guard case .value(let value) = fallback, bridge.choices == nil, value is any RawRepresentable else { return false }
    return Mirror(reflecting: value).displayStyle == .enum
  }

  package override var hasComputedDefault: Bool { if case .computed = fallback { true } else { false } }

  package override var expected: String { constraint?.expected(of: bridge) ?? bridge.expected }

  package override var storedDefault: TOMLValue? { try? bridge.write(defaultValue) }

  package override var storedExample: TOMLValue? { example.flatMap { try? bridge.write($0) } }
}
