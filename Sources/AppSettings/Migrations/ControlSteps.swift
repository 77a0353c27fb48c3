import SettingsTOML

/// Runs steps in each record of a key; see ``MigrationStep/forEach(_:_:)``.
///
/// A record whose text is in one piece runs as a document of that text. So many records take time in proportion to
/// their size, not its square.
struct ForEachStep {
  let key: TOMLPath
  let steps: [MigrationStep]
}

extension ForEachStep: DeclarativeStep {
  var schemaForm: TOMLTable? {
    Self.form(of: steps).map { ["for-each": .key(key), "steps": $0] }
  }
  init(_ form: StepForm) throws {
    key = try form.path("for-each")
    steps = try form.steps("steps")
  }

  func run(in scope: inout MigrationScope) throws {
    let records = scope[key]
    let origin = scope.origin.appending(key)
    switch records {
    case .table, .array: break
    default: return
    }
    let prefix: TOMLPath
    switch scope.place {
    case .table(let path): prefix = path
    case .element(let array, let index):
      var size = scope.outside + scope.document.bytes.count
      let isDone = try scope.document.editMembers(of: key, inElement: index, of: array) { member, document in
        try run(at: member, of: array.appending(key), alone: true, in: &document, &size, origin)
      }
      if !isDone { try runOnValues(in: &scope) }
      return
    }
    let path = prefix.appending(key)
    if case .array(let items)? = records, !scope.document.isArrayOfTables(at: path) {
      return try runOnItems(items, of: path, in: &scope)
    }
    // Each record runs as a document of its own text. Records whose text is not contiguous then run on the whole
    // document.
    var size = scope.outside + scope.document.bytes.count
    let others = try scope.document.editMembers(of: path) { member, document in
      try run(at: member, of: path, alone: true, in: &document, &size, origin)
    }
    for member in others { try run(at: member, of: path, alone: false, in: &scope.document, &size, origin) }
  }

  /// - Parameters:
  ///   - isAlone: Whether the document contains only this member.
  ///   - size: The size of all settings so far.
  ///   - origin: The place of the records in the settings.
  private func run(
    at member: TOMLMember, of path: TOMLPath, alone isAlone: Bool, in document: inout TOMLDocument, _ size: inout Int,
    _ origin: SettingsPart
  ) throws {
    let before = document.bytes.count
    var inner: MigrationScope
    switch member {
    case .key(let name):
      inner = MigrationScope(document, at: .table(path.appending(name)), from: origin.appending([name]))
    case .index(let index):
      inner = MigrationScope(
        document, at: .element(array: path, index: isAlone ? 0 : index), from: origin.element(index))
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
      try run(at: .index(index), of: path, alone: true, in: &part, &size, scope.origin.appending(key))
      guard case .array(let result)? = part[path], result.count == 1 else { continue }
      results[index] = result[0]
    }
    guard results != items else { return }
    try scope.document.set(.array(results), at: path)
  }

  /// Records without texts of their own in an element of an array, which is a document of that element's values alone.
  private func runOnValues(in scope: inout MigrationScope) throws {
    guard case .table(let table)? = scope[.root] else { return }
    var copy = TOMLDocument()
    try copy.set(.table(table), at: .root)
    var inner = MigrationScope(copy, from: scope.origin)
    inner.outside = scope.outside + scope.document.bytes.count
    try run(in: &inner)
    guard inner.document.root != table, let value = inner.document[key] else { return }
    try scope.set(value, at: key)
  }
}

/// Runs one of two lists of steps; see ``MigrationStep/when(_:_:otherwise:)``. The condition is checked once, before
/// the steps.
struct WhenStep {
  let condition: MigrationCondition
  let steps: [MigrationStep]
  let others: [MigrationStep]
}

extension WhenStep: DeclarativeStep {
  var schemaForm: TOMLTable? {
    guard let steps = Self.form(of: steps), let others = Self.form(of: others) else { return nil }
    var form: TOMLTable = ["when": condition.schemaForm, "steps": steps]
    if others != [] { form["otherwise"] = others }
    return form
  }
  init(_ form: StepForm) throws {
    guard let condition = form["when"].flatMap({ MigrationCondition(schemaForm: $0, takesUnknown: form.takesUnknown) })
    else { throw form.failure("when", "one condition, such as { exists = \"a.key\" }") }
    self.condition = condition
    steps = try form.steps("steps")
    others = try form.steps("otherwise")
  }

  func run(in scope: inout MigrationScope) throws {
    try scope.run(condition.holds(in: scope) ? steps : others)
  }
}
