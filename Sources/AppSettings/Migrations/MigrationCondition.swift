public import SettingsTOML

/// A condition for ``MigrationStep/when(_:_:otherwise:)``.
///
/// ```swift
/// .when(.all(.exists("proxy.host"), .absent("proxy.port")), [.setDefault("proxy.port", 3128)])
/// ```
///
/// Keys are dotted; in ``MigrationStep/forEach(_:_:)`` they are relative to the record. A key that is not a path traps.
public struct MigrationCondition: Sendable {
  private indirect enum Kind {
    case exists(TOMLPath)
    case equals(TOMLPath, TOMLValue)
    case not(MigrationCondition)
    case all([MigrationCondition])
    case any([MigrationCondition])
  }

  private let kind: Kind

  /// Whether a key has a value.
  ///
  /// A table is a value, too.
  public static func exists(_ key: String) -> MigrationCondition { .init(kind: .exists(MigrationStep.path(key))) }
  /// Whether a key has no value.
  public static func absent(_ key: String) -> MigrationCondition { .not(.exists(key)) }
  /// Whether a key has this value.
  ///
  /// An integer does not equal a float: `.equals("zoom", 1)` does not hold for `zoom = 1.0`.
  public static func equals(_ key: String, _ value: TOMLValue) -> MigrationCondition {
    .init(kind: .equals(MigrationStep.path(key), value))
  }
  /// Whether another condition does not hold.
  public static func not(_ condition: MigrationCondition) -> MigrationCondition { .init(kind: .not(condition)) }
  /// Whether all conditions hold.
  public static func all(_ conditions: MigrationCondition...) -> MigrationCondition { .init(kind: .all(conditions)) }
  /// Whether at least one condition holds.
  public static func any(_ conditions: MigrationCondition...) -> MigrationCondition { .init(kind: .any(conditions)) }

  private init(kind: Kind) { self.kind = kind }

  /// Whether the condition holds in a place.
  func holds(in scope: MigrationScope) -> Bool {
    switch kind {
    case .exists(let path): scope.contains(path)
    case .equals(let path, let value): scope[path] == value
    case .not(let condition): !condition.holds(in: scope)
    case .all(let conditions): conditions.allSatisfy { $0.holds(in: scope) }
    case .any(let conditions): conditions.contains { $0.holds(in: scope) }
    }
  }

  /// The condition in the form of a schema file: `{ exists = "proxy.host" }`.
  var schemaForm: TOMLValue {
    switch kind {
    case .exists(let path): ["exists": .key(path)]
    case .equals(let path, let value): ["equals": .key(path), "value": value]
    case .not(let condition): ["not": condition.schemaForm]
    case .all(let conditions): ["all": .array(conditions.map(\.schemaForm))]
    case .any(let conditions): ["any": .array(conditions.map(\.schemaForm))]
    }
  }

  /// Reads a condition from a schema file; `nil` if the value is not one, or more than one.
  ///
  /// - Parameter takesUnknown: Whether it may have members that this release does not know.
  init?(schemaForm: TOMLValue, takesUnknown: Bool) {
    guard case .table(let table) = schemaForm else { return nil }
    func path(_ member: String) -> TOMLPath? { table[member]?.string.flatMap { try? TOMLPath(parsing: $0) } }
    func condition(_ value: TOMLValue) -> MigrationCondition? {
      MigrationCondition(schemaForm: value, takesUnknown: takesUnknown)
    }
    func conditions(_ value: TOMLValue) -> [MigrationCondition]? {
      guard case .array(let items) = value else { return nil }
      let read = items.compactMap(condition)
      return read.count == items.count ? read : nil
    }
    var members = 1
    if let path = path("exists") {
      kind = .exists(path)
    } else if let path = path("equals"), let value = table["value"] {
      kind = .equals(path, value)
      members = 2
    } else if let inner = table["not"].flatMap(condition) {
      kind = .not(inner)
    } else if let all = table["all"].flatMap(conditions) {
      kind = .all(all)
    } else if let any = table["any"].flatMap(conditions) {
      kind = .any(any)
    } else {
      return nil
    }
    guard takesUnknown || table.count == members else { return nil }
  }
}
