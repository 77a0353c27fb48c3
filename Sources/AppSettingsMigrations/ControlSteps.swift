public import AppSettings

/// Runs steps in each record of a key: in each table of a table of tables, or in each table of an array.
///
/// The keys of the steps are relative to the record:
///
/// ```swift
/// ForEach("servers") { Rename("hostname", to: "host") }
/// ```
///
/// Members that are not tables are skipped.
public struct ForEach: BuiltInStep {
  let key: TOMLPath
  let steps: [any MigrationStep]

  /// Creates the step from a dotted key and the steps to run.
  public init(_ key: String, @MigrationStepsBuilder _ steps: () -> [any MigrationStep]) {
    self.key = Self.path(key)
    self.steps = steps()
  }
}

extension ForEach: DeclarativeStep {
  package static let word = "for-each"
  package var schemaForm: TOMLTable? {
    Self.form(of: steps).map { ["for-each": .key(key), "steps": $0] }
  }
  package init(_ form: StepForm) throws {
    key = try form.path("for-each")
    steps = try form.steps("steps")
  }

  package func run(in scope: inout MigrationScope) throws {
    let records = scope[key]
    guard records?.table != nil || records?.type == .array else { return }
    guard case .table(let prefix) = scope.place else { return try runOnValues(in: &scope) }
    let path = prefix.appending(key)
    if case .array(let items)? = records, !scope.document.isArrayOfTables(at: path) {
      return try runOnItems(items, of: path, in: &scope)
    }
    // Each record runs as a document of its own text. Records whose text is not contiguous then run on the whole
    // document.
    var size = scope.outside + scope.document.bytes.count
    let others = try scope.document.editMembers(of: path) { member, document in
      try run(at: member, of: path, alone: true, in: &document, &size)
    }
    for member in others { try run(at: member, of: path, alone: false, in: &scope.document, &size) }
  }

  /// - Parameters:
  /// - isAlone: Whether the document contains only this member.
  ///   - size: The size of all settings so far.
  private func run(
    at member: TOMLMember, of path: TOMLPath, alone isAlone: Bool, in document: inout TOMLDocument, _ size: inout Int
  ) throws {
    let before = document.bytes.count
    var inner: MigrationScope
    switch member {
    case .key(let name): inner = MigrationScope(document, at: .table(path.appending(name)))
    case .index(let index):
      inner = MigrationScope(document, at: .element(array: path, index: isAlone ? 0 : index), shownIndex: index)
    }
    // Only one owner at a time: a document with two owners is copied at each edit.
    document = TOMLDocument()
    defer {
      document = inner.document
      size += document.bytes.count - before
    }
    inner.outside = size - before
    try inner.run(steps)
    try inner.removeEmptied()
  }

  /// Records in an inline array: each is a document of its values, and all are set at once.
  private func runOnItems(_ items: [TOMLValue], of path: TOMLPath, in scope: inout MigrationScope) throws {
    var results = items
    var size = scope.outside + scope.document.bytes.count
    for (index, item) in items.enumerated() where item.table != nil {
      var part = TOMLDocument()
      try part.set(.array([item]), at: path)
      try run(at: .index(index), of: path, alone: true, in: &part, &size)
      guard case .array(let result)? = part[path], result.count == 1 else { continue }
      results[index] = result[0]
    }
    guard results != items else { return }
    try scope.document.set(.array(results), at: path)
  }

  /// Records within an element of an array, which is a document of that element's values alone.
  private func runOnValues(in scope: inout MigrationScope) throws {
    guard case .table(let table)? = scope[.root] else { return }
    var copy = TOMLDocument()
    try copy.set(.table(table), at: .root)
    var inner = MigrationScope(copy)
    inner.outside = scope.outside + scope.document.bytes.count
    try run(in: &inner)
    guard inner.document.root != table, let value = inner.document[key] else { return }
    try scope.set(value, at: key)
  }
}

/// Runs steps if a condition holds, and other steps if it does not.
///
/// ```swift
/// When(.equals("mode", "expert")) { SetDefault("sidebar.visible", true) }
/// ```
public struct When: BuiltInStep {
  private let condition: MigrationCondition
  let steps: [any MigrationStep]
  let others: [any MigrationStep]

  /// Creates the step from a condition and the steps to run.
  public init(
    _ condition: MigrationCondition, @MigrationStepsBuilder _ steps: () -> [any MigrationStep],
    @MigrationStepsBuilder otherwise others: () -> [any MigrationStep] = { [] }
  ) {
    self.condition = condition
    self.steps = steps()
    self.others = others()
  }
}

extension When: DeclarativeStep {
  package static let word = "when"
  package var schemaForm: TOMLTable? {
    guard let steps = Self.form(of: steps), let others = Self.form(of: others) else { return nil }
    var form: TOMLTable = ["when": condition.schemaForm, "steps": steps]
    if others != [] { form["otherwise"] = others }
    return form
  }
  package init(_ form: StepForm) throws {
    guard let condition = form.table["when"].flatMap(MigrationCondition.init(schemaForm:)) else {
      throw form.failure("when", "a condition")
    }
    self.condition = condition
    steps = try form.steps("steps")
    others = try form.steps("otherwise")
  }

  package func run(in scope: inout MigrationScope) throws {
    try scope.run(condition.holds(in: scope) ? steps : others)
  }
}

/// A condition for ``When``.
public struct MigrationCondition: Sendable, Hashable {
  private indirect enum Kind: Hashable {
    case exists(TOMLPath)
    case equals(TOMLPath, TOMLValue)
    case isType(TOMLPath, ValueType)
    case not(MigrationCondition)
    case all([MigrationCondition])
    case any([MigrationCondition])
  }

  /// A type of stored values.
  public enum ValueType: String, Sendable, Hashable, CaseIterable {
    /// A string.
    case string
    /// An integer.
    case integer
    /// A float.
    case float
    /// A boolean.
    case boolean
    /// A date, a time, or both.
    case date
    /// An array.
    case array
    /// A table.
    case table
  }

  private let kind: Kind

  /// Whether a key has a value.
  public static func exists(_ key: String) -> MigrationCondition { .init(kind: .exists(Rename.path(key))) }
  /// Whether a key has no value.
  public static func absent(_ key: String) -> MigrationCondition { .not(.exists(key)) }
  /// Whether a key has this value.
  public static func equals(_ key: String, _ value: TOMLValue) -> MigrationCondition {
    .init(kind: .equals(Rename.path(key), value))
  }
  /// Whether a key has a value of this type.
  public static func has(_ key: String, _ type: ValueType) -> MigrationCondition {
    .init(kind: .isType(Rename.path(key), type))
  }
  /// Whether another condition does not hold.
  public static func not(_ condition: MigrationCondition) -> MigrationCondition { .init(kind: .not(condition)) }
  /// Whether all conditions hold.
  public static func all(_ conditions: MigrationCondition...) -> MigrationCondition { .init(kind: .all(conditions)) }
  /// Whether at least one condition holds.
  public static func any(_ conditions: MigrationCondition...) -> MigrationCondition { .init(kind: .any(conditions)) }

  private init(kind: Kind) { self.kind = kind }

  func holds(in scope: MigrationScope) -> Bool {
    switch kind {
    case .exists(let path): scope.contains(path)
    case .equals(let path, let value): scope[path] == value
    case .isType(let path, let type): scope[path]?.type == type
    case .not(let condition): !condition.holds(in: scope)
    case .all(let conditions): conditions.allSatisfy { $0.holds(in: scope) }
    case .any(let conditions): conditions.contains { $0.holds(in: scope) }
    }
  }

  var schemaForm: TOMLValue {
    switch kind {
    case .exists(let path): ["exists": .key(path)]
    case .equals(let path, let value): ["equals": .key(path), "value": value]
    case .isType(let path, let type): ["has": .key(path), "type": .string(type.rawValue)]
    case .not(let condition): ["not": condition.schemaForm]
    case .all(let conditions): ["all": .array(conditions.map(\.schemaForm))]
    case .any(let conditions): ["any": .array(conditions.map(\.schemaForm))]
    }
  }

  init?(schemaForm: TOMLValue) {
    guard case .table(let table) = schemaForm else { return nil }
    func path(_ member: String) -> TOMLPath? {
      guard case .string(let text)? = table[member] else { return nil }
      return try? TOMLPath(parsing: text)
    }
    func conditions(_ value: TOMLValue) -> [MigrationCondition]? {
      guard case .array(let items) = value else { return nil }
      let read = items.compactMap(MigrationCondition.init(schemaForm:))
      return read.count == items.count ? read : nil
    }
    if let path = path("exists") {
      kind = .exists(path)
    } else if let path = path("equals"), let value = table["value"] {
      kind = .equals(path, value)
    } else if let path = path("has"), case .string(let name)? = table["type"], let type = ValueType(rawValue: name) {
      kind = .isType(path, type)
    } else if let inner = table["not"].flatMap(MigrationCondition.init(schemaForm:)) {
      kind = .not(inner)
    } else if let all = table["all"].flatMap(conditions) {
      kind = .all(all)
    } else if let any = table["any"].flatMap(conditions) {
      kind = .any(any)
    } else {
      return nil
    }
  }
}

extension TOMLValue {
  var type: MigrationCondition.ValueType {
    switch self {
    case .string: .string
    case .integer: .integer
    case .float: .float
    case .boolean: .boolean
    case .offsetDateTime, .localDateTime, .localDate, .localTime: .date
    case .array: .array
    case .table: .table
    }
  }
}
